import { Component } from 'preact'
import { accountById } from '#shared/core/account.ts'
import { checkName, statusOrder } from '#shared/core/checks/check.ts'
import { scheduleWords } from '#shared/core/checks/schedule-words.ts'
import { countWords, isTrouble, unreadableWords } from '#shared/core/checks/status-counts.ts'
import { missingKeyWords, readingWords, unreachableWords } from '#shared/core/failure-words.ts'
import type { Target } from '#shared/core/target.ts'
import { clockWords } from '#shared/core/time.ts'
import type { BoardRow, CheckRow, GroupRow, NoteRow } from '#shared/core/views/board-view.ts'
import { capitalised, counted, lowerFirst, numberWords } from '#shared/core/wording.ts'
import { QuietMark } from '../attention/quiet-menu.tsx'
import { whyNotWritable } from '../check-editor/editor-access.ts'
import { IconButton } from '../parts/button.tsx'
import { FoldSign } from '../parts/fold.tsx'
import { Icon } from '../parts/icon.tsx'
import { actByKey } from '../parts/page-actions.ts'
import { type Shape, StatusShape } from '../parts/status-shape.tsx'
import { appState, now } from '../window-state.ts'
import { hasChangedUnseen, hasJustChanged } from './changed-checks.ts'
import { rowActions } from './row-keys.ts'
import { RowStrip } from './row-strips.tsx'
import { lastPingWords, rowCause, rowShape, rowTitle, rowWords, tagWords } from './row-words.ts'

interface Props {
  readonly row: BoardRow
  readonly index: number
  /** How many rows there are. */
  readonly count: number
  readonly level: 1 | 2
  /** The server's clock minus ours. */
  readonly offsetMs: number
  readonly active: boolean
  /** It is selected for an action on several checks. */
  readonly selected: boolean
  /** Its check is open beside the list. */
  readonly open: boolean
  /** The mouse is on it, as far as we know; CSS shows its actions only while it really is. */
  readonly pointed: boolean
  readonly onPoint: (index: number) => void
  readonly onOpen: (row: BoardRow, click: MouseEvent) => void
}

/** A row of the board, rendered again only when one of its props changes. */
export class BoardLine extends Component<Props> {
  override shouldComponentUpdate(next: Props): boolean {
    for (const name in next)
      if (next[name as keyof Props] !== this.props[name as keyof Props]) return true
    return false
  }

  override render({
    row,
    index,
    count,
    level,
    offsetMs,
    active,
    selected,
    open,
    pointed,
    ...on
  }: Props) {
    return (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the focus and handles the keys.
      // biome-ignore lint/a11y/useFocusableInteractive: as above; the list points here by id.
      <div
        id={rowId(index)}
        class={`board-row ${active ? 'is-active' : ''} ${selected ? 'is-selected' : ''} ${pointed ? 'is-pointed' : ''}`}
        role="treeitem"
        aria-level={level}
        aria-posinset={index + 1}
        aria-setsize={count}
        aria-selected={active || selected}
        {...(open ? { 'aria-current': true } : {})}
        {...(row.kind === 'group' ? { 'aria-expanded': row.open } : {})}
        onClick={(click) => on.onOpen(row, click)}
        // Otherwise Shift+click would select text.
        onMouseDown={(press) => press.shiftKey && press.preventDefault()}
        onPointerEnter={() => on.onPoint(index)}
        onPointerLeave={() => on.onPoint(-1)}
      >
        {row.kind === 'group' && <GroupHead row={row} />}
        {row.kind === 'check' && <CheckLine row={row} offsetMs={offsetMs} />}
        {row.kind === 'note' && <NoteLine row={row} />}
        {pointed && <RowActions row={row} />}
      </div>
    )
  }
}

export function rowId(index: number): string {
  return `board-row-${index}`
}

export function rowIndex(id: string): number {
  return Number(id.slice(rowId(0).length - 1))
}

/** A check: one line, or two when it is in trouble. */
function CheckLine({ row, offsetMs }: { readonly row: CheckRow; readonly offsetMs: number }) {
  const { check, stale, tags, project, accountId, silence } = row
  const serverNow = now.value + offsetMs
  const name = checkName(check)
  const trouble = isTrouble(check)
  const cause = stale ? null : rowCause(accountId, check, serverNow)
  const classes = [
    'check-line',
    trouble ? 'check-line-trouble' : '',
    `is-${stale ? 'stale' : check.status}`,
    silence === null ? '' : 'is-quiet',
    hasJustChanged(accountId, check) ? 'row-flash' : '',
  ]
  return (
    <div
      class={classes.filter((one) => one !== '').join(' ')}
      title={rowTitle(row, name, serverNow, cause?.join('; ') ?? null)}
    >
      <StatusShape shape={rowShape(check, stale)} />
      <div class="check-main">
        <span class="check-title">
          <span class="one-line check-name" dir="auto">
            {name}
          </span>
          {row.pinned && <Icon name="pin" />}
          {hasChangedUnseen(accountId, check) && (
            <span class="changed-mark" title="Changed since you last looked">
              <span class="visually-hidden">changed since you last looked</span>
            </span>
          )}
        </span>
        {!trouble && silence !== null && <QuietMark silence={silence} class="check-quiet" />}
        {!trouble && <Tags tags={tags} project={project} />}
      </div>
      <span class="one-line check-status">{rowWords(row, serverNow)}</span>
      {!stale && <RowStrip accountId={accountId} check={check} serverNow={serverNow} />}
      <span class="raw check-facts">
        {trouble && silence !== null && (
          <QuietMark silence={silence} class="check-quiet quiet-brief" />
        )}
        {cause?.map((part, at) => (
          <span key={at} class="one-line check-cause" dir="auto">
            {at === 0 ? part : `; ${part}`}
          </span>
        ))}
        {cause === null && (
          <>
            <span class="one-line check-last">{lastPingWords(check, serverNow)}</span>
            <span class="one-line">{scheduleWords(check.schedule)}</span>
          </>
        )}
        {trouble && <Tags tags={tags} project={project} />}
      </span>
    </div>
  )
}

function Tags({ tags, project }: Pick<CheckRow, 'tags' | 'project'>) {
  if (tags.length === 0 && project === null) return null
  return (
    <span class="one-line raw check-tags">
      {project !== null && <bdi class="check-project">{project}</bdi>}
      {tagWords(tags)}
    </span>
  )
}

/** The head of a project's or a tag's checks: name, counts, and their age if they are stale. */
function GroupHead({ row }: { readonly row: GroupRow }) {
  const { title, counts, unreadable, open, stale, accountId, isQuiet, quiet } = row
  const account = appState.value.accounts.find(({ id }) => id === accountId)
  const neverRead = accountId !== null && readAtOf(accountId) === null
  return (
    <div class={`row group-head ${open ? 'is-open' : ''} ${isQuiet ? 'is-quiet' : ''}`}>
      <FoldSign />
      <span class="one-line group-title" dir="auto" title={title}>
        {title}
      </span>
      {account?.insecure === true && (
        <span class="insecure" title={`Not encrypted: plain http to ${account.baseUrl}`}>
          http
        </span>
      )}
      <span class="group-rule" />
      {stale ? <StaleMark accountId={accountId} /> : <WorstShape row={row} />}
      {!neverRead && (
        <span class={`one-line raw group-counts ${stale ? 'is-stale' : toneOf(row)}`}>
          {stale && 'was '}
          {countWords(counts, unreadable)}
          {isQuiet && ', silenced'}
          {quiet > 0 && ` · ${numberWords(quiet)} silenced`}
        </span>
      )}
    </div>
  )
}

function toneOf({ counts, isQuiet }: GroupRow): string {
  if (isQuiet) return ''
  if (counts.down > 0) return 'is-down'
  return counts.grace > 0 ? 'is-grace' : ''
}

/** The shape of the worst status in the group: up only if all are up. */
function WorstShape({ row: { counts, unreadable } }: { readonly row: GroupRow }) {
  const count = { ...counts, unknown: counts.unknown + unreadable }
  const worst = statusOrder.find((status) => count[status] > 0)
  return worst === undefined ? null : <StatusShape shape={worst} size={12} />
}

function StaleMark({ accountId }: { readonly accountId: string | null }) {
  const readAt = accountId === null ? null : readAtOf(accountId)
  return (
    <span class="one-line raw stale-mark">
      <StatusShape shape="stale" size={12} />
      {readAt === null ? 'no data' : clockWords(readAt, now.value)}
    </span>
  )
}

function readAtOf(accountId: string): number | null {
  return appState.value.boards.get(accountId)?.freshness.readAt ?? null
}

/** Buttons for some of a row's actions, shown while the mouse is on it. */
function RowActions({ row }: { readonly row: BoardRow }) {
  if (row.kind === 'note') return null
  const inTrouble =
    row.kind === 'check' ? isTrouble(row.check) : row.counts.down + row.counts.grace > 0
  const actions = rowActions(row)
  const button = (key: 'a' | 's', icon: 'acknowledged' | 'snoozed') => {
    const found = actions.find((one) => one.key === key)
    if (found === undefined) return null
    return (
      <IconButton
        icon={found.title.startsWith('Un') ? 'bell' : icon}
        label={`${found.title.replace(/…$/, '')} (key: ${key})`}
        // Not reachable by Tab: the list has the focus, and its keys do the same.
        tabIndex={-1}
        onClick={(click) => {
          click.stopPropagation()
          actByKey(key, actions)
        }}
      />
    )
  }
  return (
    <span class="row-actions">
      {inTrouble && button('a', 'acknowledged')}
      {button('s', 'snoozed')}
    </span>
  )
}

interface Words {
  readonly what: string
  readonly more: string
  /** Null if nothing is wrong. */
  readonly shape: Shape | 'key' | null
}

/** Where Enter or a click on the note leads; null if nowhere. */
export function noteTarget({ accountId, note }: NoteRow): Target | null {
  if (note.is === 'key' && note.key !== 'locked') return { view: 'replaceKey', accountId }
  return note.is === 'empty' && canWrite(accountId)
    ? { view: 'editCheck', accountId, checkId: null }
    : null
}

function canWrite(accountId: string): boolean {
  return whyNotWritable(accountById(appState.value, accountId), null) === null
}

/** Why a project shows no checks: no key, no connection, none there. */
function NoteLine({ row }: { readonly row: NoteRow }) {
  const { what, more, shape } = noteWords(row)
  const grouped = appState.value.settings.groupBy === 'project'
  return (
    <div
      class={`note-line note-${shape === null ? 'plain' : 'trouble'} ${shape === 'key' ? 'note-key' : ''}`}
      title={`${what} ${more}`}
    >
      {shape === 'key' && <Icon name="warning" />}
      {shape !== null && shape !== 'key' && <StatusShape shape={shape} />}
      <span class="one-line note-what">
        {grouped ? what : `${row.project}: ${lowerFirst(what)}`}
      </span>
      <span class="one-line raw note-more">{more}</span>
    </div>
  )
}

function noteWords({ accountId, note }: NoteRow): Words {
  switch (note.is) {
    case 'reading':
      return { what: 'Loading checks…', more: '', shape: null }
    case 'more': {
      const checks = counted(note.count, 'more check')
      return {
        what: note.isPending ? `Loading ${checks}…` : `${checks}, not loaded`,
        more: '',
        shape: null,
      }
    }
    case 'empty':
      return {
        what: 'No checks in this project yet',
        more: canWrite(accountId)
          ? 'Click here to create the first one.'
          : 'They appear here as soon as the project has some.',
        shape: null,
      }
    case 'unreadable':
      return {
        what: unreadableWords(note.count),
        more: 'The server sent them in a form that Belfry does not understand.',
        shape: 'unknown',
      }
    case 'key':
      return { ...keyWords(accountId)[note.key], shape: 'key' }
    case 'failed':
      return failedWords(accountId)
  }
}

function keyWords(accountId: string) {
  return {
    rejected: {
      what: 'The server rejected the key',
      more: 'Click here to replace it. Until then, its checks are not updated.',
    },
    missing: {
      what: missingKeyWords(accountById(appState.value, accountId) ?? {}),
      more: 'Click here to enter it again.',
    },
    locked: { what: 'The keyring is locked', more: 'Unlock it, then refresh. Nothing is lost.' },
  }
}

function failedWords(accountId: string): Words {
  const freshness = appState.value.boards.get(accountId)?.freshness
  if (freshness?.failure == null) return { what: 'Not updated yet', more: '', shape: null }
  const { what, action } = readingWords(freshness.failure, freshness.nextAt, now.value)
  const age =
    freshness.readAt === null
      ? 'No data yet.'
      : `Showing data from ${clockWords(freshness.readAt, now.value)}.`
  const unreachable = unreachableWords(freshness.failure)
  return {
    // The head of the group, or what stands before these words, names the project.
    what: unreachable === null ? what : `${capitalised(unreachable)}.`,
    more: `${age} ${action}`.trim(),
    shape: 'stale',
  }
}
