import type { ComponentChildren, RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { call } from '../bridge.ts'
import { toastIfFailed } from '../toast.ts'
import { chatPlace, followsList, go, goBack, listBeside, listOf, place } from '../window-state.ts'
import { IconButton } from './button.tsx'

/**
 * What Esc does: goes one step back, or moves the focus to the list beside if that is where it
 * leads. From there, or with nothing to go back to, hides the window.
 */
export function stepBack(): void {
  const within = document.activeElement?.closest<HTMLElement>('[data-pane]')?.dataset['pane']
  const isInList = within === 'list'
  const isBesideList = listBeside.value !== null || (followsList.value && within === 'detail')
  if (isBesideList && !isInList && focusList()) return
  const isBesideIt = isInList && listOf(place.value) !== place.value.view
  if (isBesideIt || !goBack()) toastIfFailed(call.hideWindow({}))
}

/** Focuses the list; returns false if none is in view. */
export function focusList(): boolean {
  const list = document.querySelector<HTMLElement>(
    '[data-pane=list] :is([role=tree], .chat-row[tabindex="0"], .search-hit)',
  )
  list?.focus()
  return list !== null
}

/** Focuses what is open beside the list. */
export function focusDetail(): void {
  document
    .querySelector<HTMLElement>('[data-pane=detail] :is(.page-scroll, .composer-text)')
    ?.focus()
}

/** For when the focused element is gone: focuses what is open, else the list, else “Back”. */
export function focusPlace(): void {
  focusDetail()
  if (document.activeElement === document.body && !focusList())
    document.querySelector<HTMLElement>('.page-bar button')?.focus()
}

/** Focuses the page, so that keys scroll it. Without a ring, since the user didn't press Tab. */
export function focusPage(page: HTMLElement | null): void {
  if (page === null) return
  page.classList.add('is-arrival')
  page.addEventListener('blur', () => page.classList.remove('is-arrival'), { once: true })
  page.focus()
}

/**
 * Returns a ref for the element of a page that scrolls. It is focused when the page opens, and when
 * the focused element disappears with a change of `key`; not while the list beside it has the keyboard.
 */
export function usePageFocus<E extends HTMLElement = HTMLElement>(key?: unknown) {
  const page = useRef<E>(null)
  useLayoutEffect(() => {
    if (followsList.peek() && place.peek().view === 'checks') return
    if (!page.current?.contains(document.activeElement)) focusPage(page.current)
  }, [key])
  return page
}

interface ScrollRegionProps {
  readonly class?: string
  readonly label: string
  readonly box?: RefObject<HTMLElement | null>
  readonly children: ComponentChildren
}

/** A region that scrolls: focusable, so that it can be scrolled by keyboard. */
export function ScrollRegion({ class: look, label, box, children }: ScrollRegionProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: as said above.
    <section class={look} aria-label={label} tabIndex={0} {...(box && { ref: box })}>
      {children}
    </section>
  )
}

export function PageBar({ title, children }: { title: string; children?: ComponentChildren }) {
  const list = listBeside.value
  return (
    <div class="page-bar">
      {followsList.value ? null : list === null ? (
        <IconButton icon="back" label="Back (Esc)" onClick={stepBack} />
      ) : (
        <IconButton
          icon="close"
          label="Close"
          onClick={() => go(list === 'chat' ? chatPlace.value : { view: list })}
        />
      )}
      <h1 class="one-line" dir="auto" title={title}>
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
  const page = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    if (document.activeElement === document.body) focusPage(page.current)
  }, [])
  return (
    <section class="page" aria-label={title} ref={page} tabIndex={-1}>
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
