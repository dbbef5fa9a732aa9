import { useEffect, useRef } from 'preact/hooks'
import type { Notice, NoticeKind } from '#shared/core/notice.ts'
import { accountById } from '#shared/core/state.ts'
import { call } from '../bridge.ts'
import { Button } from '../parts/button.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { PageBar } from '../parts/page-bar.tsx'
import { type Shape, StatusShape } from '../parts/status-shape.tsx'
import { TimeAgo } from '../parts/time-ago.tsx'
import { sayIfFailed } from '../say.ts'
import { appState, go } from '../state.ts'

const shapes: Readonly<Partial<Record<NoticeKind, Shape>>> = {
  down: 'down',
  recovered: 'up',
  account: 'unknown',
}

const marks: Readonly<Partial<Record<NoticeKind, string>>> = {
  mention: '@',
  direct: '@',
  message: '#',
}

/** What Belfry told of, newest first; each opens what it is about. */
export function NoticeList() {
  const { notices } = appState.value
  const list = useRef<HTMLUListElement>(null)
  const page = useRef<HTMLElement>(null)
  useEffect(() => list.current?.querySelector('button')?.focus(), [])
  const isEmpty = notices.length === 0
  useEffect(() => {
    // "Clear" goes with what it cleared, and had the focus.
    if (isEmpty && document.activeElement === document.body) page.current?.focus()
  }, [isEmpty])
  return (
    <section class="page" aria-label="Notices" ref={page} tabIndex={-1}>
      <PageBar title="Notices">
        {notices.length > 0 && (
          <Button kind="quiet" onClick={() => sayIfFailed(call.clearNotices({}))}>
            Clear
          </Button>
        )}
      </PageBar>
      {notices.length === 0 ? (
        <EmptyState title="Nothing to tell">
          <p>When a check goes down or recovers, or somebody writes to you, it is noted here.</p>
        </EmptyState>
      ) : (
        <ul
          ref={list}
          class="page-scroll notices"
          aria-label="Notices"
          onKeyDown={(key) => onListKey(key, list.current)}
        >
          {notices.map((notice) => (
            <li key={notice.id}>
              <NoticeButton notice={notice} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function NoticeButton({ notice }: { readonly notice: Notice }) {
  const { kind, title, body, at, target, accountId } = notice
  const shape = shapes[kind]
  const account = accountById(appState.value, accountId)
  return (
    <button type="button" class="notice" onClick={() => go(target)}>
      {shape === undefined ? (
        <span class="notice-mark" aria-hidden="true">
          {marks[kind]}
        </span>
      ) : (
        <StatusShape shape={shape} />
      )}
      <span class="notice-title" dir="auto">
        {title}
      </span>
      <span class="notice-at">
        <TimeAgo at={at} />
      </span>
      <span class="notice-body" dir="auto">
        {body || account?.label}
      </span>
    </button>
  )
}

function onListKey(key: KeyboardEvent, list: HTMLElement | null): void {
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[key.key]
  if (step === undefined || key.ctrlKey || key.metaKey || key.altKey) return
  const buttons = [...(list?.querySelectorAll('button') ?? [])]
  const at = buttons.findIndex((button) => button.matches(':focus'))
  buttons[Math.min(buttons.length - 1, Math.max(0, at + step))]?.focus()
  key.preventDefault()
}
