import type { ComponentChildren } from 'preact'
import { call } from '../bridge.ts'
import { toastIfFailed } from '../toast.ts'
import { goBack } from '../window-state.ts'
import { IconButton } from './button.tsx'

/** What Esc does: one step back, or hides the window where there is none. */
export function stepBack(): void {
  if (!goBack()) toastIfFailed(call.hideWindow({}))
}

/** Gives the page the keys that scroll it. No ring is drawn around what nobody went to with Tab. */
export function focusPage(page: HTMLElement | null): void {
  if (page === null) return
  page.classList.add('is-arrival')
  page.addEventListener('blur', () => page.classList.remove('is-arrival'), { once: true })
  page.focus()
}

export function PageBar({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="page-bar">
      <IconButton icon="back" label="Back (Esc)" onClick={stepBack} />
      <h1 dir="auto" title={title}>
        {title}
      </h1>
      {children}
    </div>
  )
}

interface EmptyPageProps {
  readonly title: string
  /** Null while it is loading. */
  readonly why: string | null
  readonly children?: ComponentChildren
}

/** A page that has nothing to show: why, and what to do about it. */
export function EmptyPage({ title, why, children }: EmptyPageProps) {
  return (
    <section class="page" aria-label={title}>
      <PageBar title={title} />
      {why !== null && <EmptyState title={why}>{children}</EmptyState>}
    </section>
  )
}

/** Shown in place of a list: why it is empty, and what to do about it. */
export function EmptyState({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty-state">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  )
}
