import './outages.css'
import type { RefObject } from 'preact'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { AccountId } from '#shared/core/account.ts'
import { conversationTitle } from '#shared/core/chat/chat-names.ts'
import { failureWords } from '#shared/core/failure-words.ts'
import { discussedAt } from '#shared/core/outages/discuss.ts'
import { incidentOf } from '#shared/core/outages/incident.ts'
import type { ListedOutage, OutageGap, OutageList } from '#shared/core/outages/outage-list.ts'
import { durationWords } from '#shared/core/time.ts'
import { type Days, dayAt } from '#shared/core/typed-day.ts'
import {
  daysWords,
  dayWords,
  gapWords,
  kindWords,
  type OutageKind,
  outageKinds,
  outagesCsv,
  outagesJson,
  outagesMarkdown,
  reasonWords,
  summaryWords,
  withDay,
} from '#shared/core/views/outage-view.ts'
import { dateWords, listWords, numberWords } from '#shared/core/wording.ts'
import { call } from '../bridge.ts'
import { Button, IconButton, LinkButton, Segments } from '../parts/button.tsx'
import { MenuButton } from '../parts/menu-button.tsx'
import { keyOf, stepInList, useSingleKeys } from '../parts/page-actions.ts'
import { EmptyState, PageBar } from '../parts/page-bar.tsx'
import { StatusShape } from '../parts/status-shape.tsx'
import { Timestamp } from '../parts/time-ago.tsx'
import { toast, toastResult } from '../toast.ts'
import { appState, go, now, place } from '../window-state.ts'
import { useFiltered } from './use-outages.ts'
import { WeekPicture } from './week-picture.tsx'

const kinds: readonly (readonly [OutageKind | 'all', string])[] = [
  ['all', 'All'],
  ...outageKinds.map((kind) => [kind, kindWords[kind]] as const),
]

function search(text: string): void {
  // Replaces the page: Back leads to where it was opened from, not through what was typed.
  place.value = { view: 'outages', ...(text !== '' && { query: text }) }
}

/** What happened across all projects, by day, with the week as a picture above. */
export function OutagesPage({ query = '' }: { readonly query?: string | undefined }) {
  const [kind, setKind] = useState<OutageKind | 'all'>('all')
  const field = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLUListElement>(null)
  const filtered = useFiltered(query, kind)
  const { asked, days, shown, listed, gaps } = filtered
  const move = (by: number): void => {
    filtered.showWeek(by)
    search(withDay(query, null, now.peek()))
  }
  useSingleKeys([{ key: '/', title: 'Filter outages', act: () => field.current?.select() }])
  useLayoutEffect(() => {
    if (!field.current?.form?.parentElement?.contains(document.activeElement))
      field.current?.focus()
  }, [])
  const title = `Outages, ${daysWords(shown, now.value)}`
  return (
    <section class="page" aria-label="Outages">
      <PageBar title="Outages">
        <Button kind="quiet" onClick={() => go({ view: 'weekly' })}>
          Weekly review
        </Button>
        <CopyMenu {...{ title, gaps }} outages={listed} isLoaded={asked.value !== null} />
      </PageBar>
      <form class="bar outages-bar" onSubmit={(submit) => submit.preventDefault()}>
        <FilterField query={query} input={field} list={list} />
        <Segments label="Which outages" options={kinds} value={kind} onChange={setKind} />
      </form>
      <div class="page-scroll outages">
        <header class="section-head">
          <h2>{daysWords(days ?? shown, now.value)}</h2>
          <span class="outages-week">
            <IconButton icon="back" label="Earlier week" onClick={() => move(-1)} />
            <IconButton
              icon="fold"
              label="Later week"
              aria-disabled={filtered.isThisWeek}
              onClick={() => !filtered.isThisWeek && move(1)}
            />
          </span>
        </header>
        <WeekPicture
          days={filtered.week}
          outages={filtered.wanted}
          gaps={asked.value?.gaps ?? []}
          chosen={days}
          onChoose={(day) => search(withDay(query, day, now.peek()))}
        />
        <p class="note" role="status">
          {asked.failure !== null
            ? failureWords(asked.failure).what
            : asked.value === null
              ? 'Loading outages…'
              : statusWords(listed, shown, asked.value, asked.reading)}
        </p>
        {filtered.problems.map((problem) => (
          <p key={problem} class="note">
            {problem}
          </p>
        ))}
        {asked.value !== null && (
          <Rows
            key={`${shown.from} ${shown.to}`}
            list={list}
            outages={listed}
            gaps={kind === 'all' || kind === 'unknown' ? gaps : []}
            shown={shown}
            filtered={filtered.isFiltered}
            onLeave={() => field.current?.focus()}
          />
        )}
      </div>
    </section>
  )
}

function FilterField(props: {
  readonly query: string
  readonly input: RefObject<HTMLInputElement | null>
  /** Where ↓ and Enter lead. */
  readonly list: RefObject<HTMLUListElement | null>
}) {
  const { query, input, list } = props
  return (
    <input
      ref={input}
      type="search"
      class="outages-find"
      aria-label="Filter outages"
      placeholder="Text, #tag, project:name, tuesday, 7 nov"
      value={query}
      onInput={(typed) => search(typed.currentTarget.value.slice(0, mostTyped))}
      onKeyDown={(key) => {
        if (key.key === 'ArrowDown' || key.key === 'Enter') {
          key.preventDefault()
          list.current?.querySelector<HTMLElement>('.outage-name')?.focus()
        } else if (key.key === 'Escape' && query !== '') {
          key.preventDefault()
          search('')
        }
      }}
    />
  )
}

/** As in the schema of targets. */
const mostTyped = 200

/** "3 outages, 1 possible; down 2 h · reading the history of 40 checks…". */
function statusWords(
  listed: readonly ListedOutage[],
  shown: Days,
  { more, gaps }: OutageList,
  reading: boolean,
): string {
  const summary = summaryWords(listed, { from: shown.from, to: Math.min(shown.to, now.value) })
  const unread = gaps.reduce((sum, gap) => sum + (gap.why === 'unread' ? gap.checks : 0), 0)
  return [
    `${summary.slice(0, 1).toUpperCase()}${summary.slice(1)}`,
    ...(more > 0 ? [`${numberWords(more)} older ones are left out`] : []),
    ...(reading && unread > 0
      ? [`reading the history of ${numberWords(unread)} more checks…`]
      : []),
  ].join(' · ')
}

interface CopyProps {
  readonly title: string
  readonly isLoaded: boolean
  readonly outages: readonly ListedOutage[]
  readonly gaps: readonly OutageGap[]
}

function CopyMenu({ title, isLoaded, outages, gaps }: CopyProps) {
  const copy = ({ text, count }: ReturnType<typeof outagesCsv>, as: string) => {
    // A head without rows would say that nothing went down.
    if (!isLoaded)
      return toast('The outages are not listed yet: copy them once they are.', 'failed')
    const some =
      count < outages.length
        ? `The newest ${numberWords(count)} of ${numberWords(outages.length)} outages`
        : 'Outages'
    toastResult(call.copyText({ text }), `${some} copied as ${as}.`)
  }
  return (
    <MenuButton
      label="Copy"
      icon="copy"
      items={[
        {
          label: 'Copy as Markdown',
          act: () => copy(outagesMarkdown(outages, gaps, title), 'Markdown'),
        },
        { label: 'Copy as CSV', act: () => copy(outagesCsv(outages, gaps), 'CSV') },
        { label: 'Copy as JSON', act: () => copy(outagesJson(outages, gaps), 'JSON') },
      ]}
    />
  )
}

/** How many rows are drawn at first, and added by “Show more”. */
const rowsAtOnce = 100

type Row =
  | { readonly at: number; readonly outage: ListedOutage; readonly gap?: undefined }
  | { readonly at: number; readonly gap: OutageGap; readonly outage?: undefined }

interface RowsProps {
  readonly list: { current: HTMLUListElement | null }
  readonly outages: readonly ListedOutage[]
  readonly gaps: readonly OutageGap[]
  readonly shown: Days
  readonly filtered: boolean
  /** ↑ on the first row. */
  readonly onLeave: () => void
}

/** The outages, newest first, under the day on which each began. */
function Rows({ list, outages, gaps, shown, filtered, onLeave }: RowsProps) {
  const [drawn, setDrawn] = useState(rowsAtOnce)
  const rows = useMemo(
    () =>
      [
        ...gaps.map((gap): Row => ({ at: gap.from, gap })),
        ...outages.map((outage): Row => ({ at: outage.from, outage })),
      ].sort((one, other) => other.at - one.at),
    [outages, gaps],
  )
  const added = useRef(0)
  useLayoutEffect(() => {
    // The focus moves to the first of the rows that were added.
    if (added.current > 0)
      list.current?.querySelectorAll<HTMLElement>('.outage-name')[added.current]?.focus()
    added.current = 0
  }, [drawn])
  if (rows.length === 0)
    return (
      <EmptyState title={filtered ? 'No outage matches' : 'No outages'}>
        <p>{daysWords(shown, now.value)}</p>
      </EmptyState>
    )
  const dayOf = ({ at }: Row): number => dayAt(Math.max(at, shown.from)).from
  return (
    <>
      <ul
        ref={list}
        class="outage-list"
        aria-label="Outages"
        onKeyDown={(key) => onListKey(key, list.current, onLeave)}
      >
        {rows.slice(0, drawn).map((row, index) => {
          const before = rows[index - 1]
          const day = dayOf(row)
          const head = before === undefined || dayOf(before) !== day ? day : null
          return row.outage === undefined ? (
            <GapRow key={`${row.gap.accountId} ${row.gap.why}`} gap={row.gap} head={head} />
          ) : (
            <OutageRow
              key={`${row.outage.accountId} ${row.outage.checkId} ${row.outage.from}`}
              outage={row.outage}
              head={head}
            />
          )
        })}
      </ul>
      {rows.length > drawn && (
        <Button
          kind="quiet"
          onClick={() => {
            added.current = list.current?.querySelectorAll('.outage-name').length ?? 0
            setDrawn(drawn + rowsAtOnce)
          }}
        >
          Show {Math.min(rows.length - drawn, rowsAtOnce)} of {numberWords(rows.length - drawn)}{' '}
          more
        </Button>
      )}
    </>
  )
}

function onListKey(key: KeyboardEvent, list: HTMLElement | null, onLeave: () => void): void {
  if (key.ctrlKey || key.metaKey || key.altKey) return
  const names = [...(list?.querySelectorAll<HTMLElement>('.outage-name') ?? [])]
  const at = names.findIndex((name) => name.closest('li')?.matches(':focus-within'))
  const to = stepInList(keyOf(key), at, names.length)
  if (to === null) return
  if (at === 0 && to === 0 && key.key === 'ArrowUp') onLeave()
  else names[to]?.focus()
  key.preventDefault()
}

function DayHead({ at }: { readonly at: number }) {
  return (
    <li class="group-label outage-day">
      <h3>{dayWords(at, now.value)}</h3>
    </li>
  )
}

function timeOf(at: number): string {
  return dateWords(at, { timeStyle: 'short' })
}

/** "12:03 to 12:08", with the day of an end on another one. */
function whenWords({ from, to, isOver }: ListedOutage): string {
  if (!isOver) return `${timeOf(from)} to now`
  const isSameDay = dayAt(from).from === dayAt(to).from
  return `${timeOf(from)} to ${isSameDay ? '' : `${dayWords(to, now.value)}, `}${timeOf(to)}`
}

function OutageRow({ outage, head }: { outage: ListedOutage; head: number | null }) {
  const { accountId, checkId, name, project, from, to, isOver, kind, by } = outage
  const reason = reasonWords(outage)
  const board = appState.value.boards.get(accountId)
  const check = board?.checks.get(checkId)
  return (
    <>
      {head !== null && <DayHead at={head} />}
      <li class="outage">
        <StatusShape shape={kind === 'down' ? 'down' : 'unknown'} />
        <Timestamp class="outage-when" at={from}>
          {whenWords(outage)}
        </Timestamp>
        <span class="outage-what">
          <button
            type="button"
            class="outage-name"
            dir="auto"
            disabled={check === undefined}
            onClick={() => go({ view: 'check', accountId, checkId })}
          >
            {name}
          </button>{' '}
          <span class="raw" dir="auto">
            {check === undefined ? 'deleted' : project}
          </span>
        </span>
        <span class="outage-long">
          {durationWords(to - from)}
          {!isOver && ' so far'}
        </span>
        <p class="outage-more">
          {kind === 'possible' && <span>Possibly down </span>}
          {reason !== '' && <span dir="auto">{reason} </span>}
          {by.length > 0 && (
            <span>
              Acknowledged by <bdi>{listWords(by)}</bdi>{' '}
            </span>
          )}
          <Conversation accountId={accountId} outage={outage} />
        </p>
      </li>
    </>
  )
}

/** A report may seem to predate its outage, as two servers have two clocks. */
const slackMs = 60_000

/** Where the outage was discussed: at its report if that is known, else the check's conversation. */
function Conversation({ accountId, outage }: { accountId: AccountId; outage: ListedOutage }) {
  const state = appState.value
  const check = state.boards.get(accountId)?.checks.get(outage.checkId)
  const talk = check === undefined ? null : discussedAt(state, accountId, check)
  const realm = talk === null ? undefined : state.realms.get(talk.accountId)
  if (talk === null || realm === undefined) return null
  const incident = incidentOf(state, accountId, outage.checkId)
  const isOfThis =
    incident !== null &&
    incident.since >= outage.from - slackMs &&
    incident.since <= outage.to + slackMs
  const messageId = isOfThis ? incident.messageId : null
  return (
    <LinkButton dir="auto" onClick={() => go({ view: 'conversation', ...talk, messageId })}>
      {conversationTitle(realm, talk.conversation)}
    </LinkButton>
  )
}

function GapRow({ gap, head }: { readonly gap: OutageGap; readonly head: number | null }) {
  const { project, from, to } = gap
  return (
    <>
      {head !== null && <DayHead at={head} />}
      <li class="outage outage-gap">
        <StatusShape shape="stale" />
        <span class="outage-when">
          {dayWords(from, now.value)}, {timeOf(from)} to {dayWords(to, now.value)}, {timeOf(to)}
        </span>
        <span class="outage-what" dir="auto">
          {project}
        </span>
        <span class="outage-long">not known</span>
        <p class="outage-more">{gapWords(gap)}</p>
      </li>
    </>
  )
}
