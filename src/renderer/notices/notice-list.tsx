import { signal } from '@preact/signals'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { accountById } from '#shared/core/account.ts'
import type { Notice, NoticeKind } from '#shared/core/attention/notice.ts'
import { oddKinds } from '#shared/core/attention/runs/usual-runs.ts'
import { endVerbs } from '#shared/core/attention/silence.ts'
import { checkName, late } from '#shared/core/checks/check.ts'
import { lineDirection, withoutPiles } from '#shared/core/visible-text.ts'
import { counted, numberWords } from '#shared/core/wording.ts'
import { asking, checkScope, opposite } from '../attention/quiet-menu.tsx'
import { OutcomeMark } from '../attention/trial-view.tsx'
import { call } from '../bridge.ts'
import { CopyLink } from '../copy-link.tsx'
import { Button, LinkButton, Segments } from '../parts/button.tsx'
import { keyOf, stepInList } from '../parts/page-actions.ts'
import { EmptyState, focusPage, PageBar } from '../parts/page-bar.tsx'
import { type Shape, StatusShape } from '../parts/status-shape.tsx'
import { TimeAgo } from '../parts/time-ago.tsx'
import { appState, go, now, visible } from '../window-state.ts'
import { clearNotices } from './notice-commands.ts'

type Filter = 'shown' | 'all'

/** Kept for as long as the window exists. */
const filter = signal<Filter>('shown')

const filters: readonly (readonly [Filter, string])[] = [
  ['shown', 'Shown'],
  ['all', 'All'],
]

/** All notices, shown or held back, newest first; each opens what it is about. */
export function NoticeList() {
  const { notices, settings } = appState.value
  const readUntil = settings.noticesSeenAt ?? 0
  const isSeen = visible.value
  const shown =
    filter.value === 'all' ? notices : notices.filter(({ outcome }) => outcome === 'shown')
  const list = useRef<HTMLUListElement>(null)
  const page = useRef<HTMLElement>(null)
  useLayoutEffect(() => list.current?.querySelector('button')?.focus(), [])
  // Leaving the list, or hiding its window, marks everything in it as read.
  useLayoutEffect(() => {
    if (!isSeen) return undefined
    return () => void call.updateSettings({ noticesSeenAt: now.peek() })
  }, [isSeen])
  const isEmpty = notices.length === 0
  useLayoutEffect(() => {
    // "Clear" had the focus and is gone.
    if (isEmpty && document.activeElement === document.body) focusPage(page.current)
  }, [isEmpty])
  return (
    <section class="page" aria-label="Notifications" ref={page} tabIndex={-1}>
      <PageBar title="Notifications">
        {notices.length > 0 && (
          <>
            <Segments
              label="Which notifications"
              options={filters}
              value={filter.value}
              onChange={(chosen) => {
                filter.value = chosen
              }}
            />
            <Button kind="quiet" onClick={clearNotices}>
              Clear
            </Button>
          </>
        )}
      </PageBar>
      {shown.length === 0 ? (
        <Nothing hidden={notices.length} />
      ) : (
        <ul
          ref={list}
          class="page-scroll"
          aria-label="Notifications"
          onKeyDown={(key) => onListKey(key, list.current)}
        >
          {shown.map((notice) => (
            <NoticeItem key={notice.id} notice={notice} isNew={notice.at > readUntil} />
          ))}
        </ul>
      )}
    </section>
  )
}

function Nothing({ hidden }: { readonly hidden: number }) {
  if (hidden === 0)
    return (
      <EmptyState title="No notifications yet">
        <p>When a check goes down or recovers, or somebody writes to you, it is listed here.</p>
      </EmptyState>
    )
  return (
    <EmptyState title="Nothing was shown">
      <p>
        {counted(hidden, 'event was', 'events were')} held back by your rules, by quiet hours or by
        a snooze. “All” lists them, each with its reasons.
      </p>
      <Button onClick={() => go({ view: 'attention' })}>Notification rules</Button>
    </EmptyState>
  )
}

function onListKey(key: KeyboardEvent, list: HTMLElement | null): void {
  if (key.ctrlKey || key.metaKey || key.altKey) return
  const buttons = [...(list?.querySelectorAll<HTMLElement>('.notice') ?? [])]
  // Focus on "Why?" counts as focus on its notice.
  const at = buttons.findIndex((button) => button.parentElement?.matches(':focus-within'))
  const to = stepInList(keyOf(key), at, buttons.length)
  if (to === null) return
  buttons[to]?.focus()
  key.preventDefault()
}

const shapes: Readonly<Partial<Record<NoticeKind, Shape>>> = {
  down: 'down',
  recovered: 'up',
  late,
  missed: 'up',
  trouble: 'unknown',
}

const marks: Readonly<Partial<Record<NoticeKind, string>>> = {
  mention: '@',
  direct: '@',
  alertWord: '#',
  message: '#',
  reminder: '◷',
  digest: '≡',
  tooShort: '<',
  tooLong: '>',
  noStart: '?',
}

/** Lines of a digest before "and 12 more". */
const linesAtFirst = 6

/** One notice in two lines: a click opens what it is about, "Why?" lists the reasons. */
function NoticeItem({ notice, isNew }: { readonly notice: Notice; readonly isNew: boolean }) {
  const [why, setWhy] = useState(false)
  const id = useId()
  const { kind, outcome, lines, reasons, title, body, at, target, accountId } = notice
  const shape = shapes[kind]
  const classes = [isNew ? 'is-new' : '', kind === 'digest' ? 'notice-digest' : '']
  return (
    <li class={`notice-item ${classes.join(' ')}`}>
      {shape === undefined ? (
        <span class="notice-mark" aria-hidden="true">
          {marks[kind]}
        </span>
      ) : (
        <StatusShape shape={shape} />
      )}
      <button
        type="button"
        class="one-line notice"
        id={`${id}-title`}
        aria-describedby={`${id}-body`}
        dir="auto"
        onClick={() => go(target)}
      >
        {withoutPiles(title)}
      </button>
      <span class="raw notice-at">
        <TimeAgo at={at} />
      </span>
      <div class="row notice-second">
        <span class="one-line notice-body" id={`${id}-body`} dir={lineDirection(body)}>
          {withoutPiles(body) || accountById(appState.value, accountId)?.label}
        </span>
        {filter.value === 'all' && <OutcomeMark outcome={outcome} />}
        <SnoozeLink notice={notice} titleId={`${id}-title`} />
        <LinkButton
          class="notice-why"
          aria-expanded={why}
          aria-controls={id}
          aria-describedby={`${id}-title`}
          onClick={() => setWhy(!why)}
        >
          Why?
        </LinkButton>
        <CopyLink target={target} look="icon" />
      </div>
      {lines.length > 0 && <Lines notice={notice} />}
      <ol class="notice-reasons" id={id} aria-label="Reasons" hidden={!why}>
        {why &&
          reasons.map(({ by, text, output }, i) => (
            <li key={`${by}${i}`} dir="auto">
              {text}
              {output !== undefined && (
                <pre class="printed" dir="auto">
                  {withoutPiles(output)}
                </pre>
              )}
            </li>
          ))}
        {why && reasons.length === 0 && <li>The reasons were not saved.</li>}
      </ol>
    </li>
  )
}

/** A job whose runs are odd goes on being so: its check can be snoozed here. */
function SnoozeLink({ notice, titleId }: { readonly notice: Notice; readonly titleId: string }) {
  const { kind, target } = notice
  if (target.view !== 'check' || !oddKinds.some((odd) => odd === kind)) return null
  const { accountId, checkId } = target
  const check = appState.value.boards.get(accountId)?.checks.get(checkId)
  if (check === undefined) return null
  const name = checkName(check)
  const scope = checkScope(accountId, check)
  const unsnooze = opposite(scope, 'snooze', { key: '', name })
  const ask = () => {
    asking.value = { scope, name }
  }
  return (
    <LinkButton
      class="notice-snooze"
      aria-describedby={titleId}
      onClick={() => (unsnooze === null ? ask() : void unsnooze.act())}
    >
      {unsnooze === null ? 'Snooze' : endVerbs.snooze}
    </LinkButton>
  )
}

/** What a folded notice or a digest summarises, each linked to its check or message. */
function Lines({ notice: { lines, kind } }: { readonly notice: Notice }) {
  const [all, setAll] = useState(kind === 'digest' && lines.length <= 2 * linesAtFirst)
  const drawn = all ? lines : lines.slice(0, linesAtFirst)
  const rest = lines.length - drawn.length
  return (
    <ul class="notice-lines" aria-label="What it summarises">
      {drawn.map(({ text, at, target }, i) => (
        <li key={i}>
          <button type="button" class="notice-line" onClick={() => go(target)}>
            <span class="one-line notice-line-text" dir={lineDirection(text)}>
              {withoutPiles(text)}
            </span>
            <span class="raw notice-at">
              <TimeAgo at={at} />
            </span>
          </button>
        </li>
      ))}
      {rest > 0 && (
        <li>
          <LinkButton class="notice-more" onClick={() => setAll(true)}>
            and {numberWords(rest)} more
          </LinkButton>
        </li>
      )}
    </ul>
  )
}
