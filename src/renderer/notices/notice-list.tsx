import { signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Notice } from '#shared/core/attention/notice.ts'
import { call } from '../bridge.ts'
import { Button } from '../parts/button.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { PageBar } from '../parts/page-bar.tsx'
import { sayIfFailed } from '../toast.ts'
import { appState, go } from '../window-state.ts'
import { NoticeItem } from './notice-item.tsx'

type Filter = 'shown' | 'all'

/** As it was left: who looks for what was held back mostly comes back for more of it. */
const filter = signal<Filter>('shown')

const filters: readonly (readonly [Filter, string])[] = [
  ['shown', 'Shown'],
  ['all', 'All'],
]

/** What Belfry told of, and what it did not, newest first; each opens what it is about. */
export function NoticeList() {
  const { notices } = appState.value
  const shown = filter.value === 'all' ? notices : notices.filter(isShown)
  const list = useRef<HTMLUListElement>(null)
  const page = useRef<HTMLElement>(null)
  useLayoutEffect(() => list.current?.querySelector('button')?.focus(), [])
  const isEmpty = notices.length === 0
  useLayoutEffect(() => {
    // "Clear" goes with what it cleared, and had the focus.
    if (isEmpty && document.activeElement === document.body) page.current?.focus()
  }, [isEmpty])
  return (
    <section class="page" aria-label="Notices" ref={page} tabIndex={-1}>
      <PageBar title="Notices">
        {notices.length > 0 && (
          <>
            <Filters />
            <Button kind="quiet" onClick={() => sayIfFailed(call.clearNotices({}))}>
              Clear
            </Button>
          </>
        )}
      </PageBar>
      {shown.length === 0 ? (
        <Nothing held={notices.length} />
      ) : (
        <ul
          ref={list}
          class="page-scroll notices"
          aria-label="Notices"
          onKeyDown={(key) => onListKey(key, list.current)}
        >
          {shown.map((notice) => (
            <NoticeItem key={notice.id} notice={notice} />
          ))}
        </ul>
      )}
    </section>
  )
}

function isShown({ outcome }: Notice): boolean {
  return outcome === 'shown'
}

function Filters() {
  return (
    <fieldset class="notice-filter" aria-label="Which notices">
      {filters.map(([value, label]) => (
        <button
          key={value}
          type="button"
          aria-pressed={filter.value === value}
          onClick={() => {
            filter.value = value
          }}
        >
          {label}
        </button>
      ))}
    </fieldset>
  )
}

function Nothing({ held }: { readonly held: number }) {
  if (held === 0)
    return (
      <EmptyState title="Nothing to tell">
        <p>When a check goes down or recovers, or somebody writes to you, it is noted here.</p>
      </EmptyState>
    )
  return (
    <EmptyState title="Nothing was shown">
      <p>
        {held === 1 ? 'One event was' : `${held} events were`} kept back by your rules, by quiet
        hours or by a snooze. “All” lists them, each with its reasons.
      </p>
      <Button onClick={() => go({ view: 'attention' })}>What may interrupt</Button>
    </EmptyState>
  )
}

function onListKey(key: KeyboardEvent, list: HTMLElement | null): void {
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[key.key]
  if (step === undefined || key.ctrlKey || key.metaKey || key.altKey) return
  const buttons = [...(list?.querySelectorAll<HTMLElement>('.notice') ?? [])]
  // From "Why?" too: its notice is where one stands.
  const at = buttons.findIndex((button) => button.parentElement?.matches(':focus-within'))
  buttons[Math.min(buttons.length - 1, Math.max(0, at + step))]?.focus()
  key.preventDefault()
}
