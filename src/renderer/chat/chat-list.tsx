import './chat.css'
import { signal, useComputed } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { AppState } from '#shared/core/state.ts'
import type { ChatListName } from '#shared/core/target.ts'
import {
  type ChannelRow,
  type ChatGroup,
  type ChatRow,
  channelRows,
  chatRows,
  followedRows,
  topicRows,
} from '#shared/core/views/conversation-rows.ts'
import { numberWords } from '#shared/core/wording.ts'
import { silenceHere } from '../attention/conversation-quiet.tsx'
import { QuietMark } from '../attention/quiet-menu.tsx'
import { beginMessage } from '../palette-shown.ts'
import { Button } from '../parts/button.tsx'
import { FoldSign } from '../parts/fold.tsx'
import { useRowMenu } from '../parts/menu-button.tsx'
import { ShortlyRead } from '../parts/one-line.tsx'
import { keyOf, type PageAction, stepInList, usePageActions } from '../parts/page-actions.ts'
import { EmptyState, focusDetail } from '../parts/page-bar.tsx'
import { Timestamp } from '../parts/time-ago.tsx'
import { topicsOf } from '../run.ts'
import { besideId, isOpen, useSelected } from '../selected-conversation.ts'
import { toastFailure } from '../toast.ts'
import {
  appState,
  chatPlace,
  go,
  goFrom,
  now,
  place,
  sideBySide,
  stateReceived,
} from '../window-state.ts'
import { dayOf, shortTime } from './chat-time.ts'
import {
  AccountMark,
  AccountNotes,
  ChatBar,
  conversationActions,
  NoRows,
  nothingUnreadWords,
  UnreadMark,
} from './conversation-actions.tsx'
import { FlaggedMessages } from './search-page.tsx'

const groupTitles: Readonly<Record<ChatGroup, string>> = {
  you: 'For you',
  unread: 'Unread',
  recent: 'Recent',
}

interface ListProps {
  /** Undefined for the recent conversations, those for the user and unread ones first. */
  readonly list?: ChatListName | undefined
}

export function ChatList({ list }: ListProps) {
  const accounts = useComputed(() => appState.value.accounts.filter(({ kind }) => kind === 'chat'))
  if (!stateReceived.value) return <p class="column-note late-note">Loading…</p>
  if (accounts.value.length === 0) return <NoAccount />
  return (
    <div class="chat-frame chat-list-frame">
      <ChatBar list={list} />
      <AccountNotes />
      <Listed key={list} list={list} />
    </div>
  )
}

function Listed({ list }: ListProps) {
  switch (list) {
    case 'mentions':
      return <FlaggedMessages flag="mentioned" />
    case 'starred':
      return <FlaggedMessages flag="starred" />
    case 'channels':
      return <Channels />
    case 'followed':
      return (
        <Conversations
          rowsOf={followedRows}
          none="You aren’t following any topic yet. Press f on one to follow it."
        />
      )
    case 'direct':
      return (
        <Conversations rowsOf={directRows} none="No direct messages yet. Press n to write one." />
      )
    case undefined:
      return <Conversations rowsOf={chatRows} />
  }
}

const directRows = (state: AppState): readonly ChatRow[] =>
  chatRows(state).filter(({ conversation }) => conversation.kind === 'direct')

function NoAccount() {
  return (
    <EmptyState title="No chat account yet">
      <p>Connect one to see who is waiting for you, and reply from here.</p>
      <Button kind="primary" onClick={() => go({ view: 'addAccount', kind: 'chat' })}>
        Connect a chat account
      </Button>
    </EmptyState>
  )
}

function Conversations({
  rowsOf,
  none,
}: {
  readonly rowsOf: (state: AppState) => readonly ChatRow[]
  /** Shown if there are no rows; by default, how the accounts are doing. */
  readonly none?: string
}) {
  const rows = useComputed(() => rowsOf(appState.value)).value
  const isRecent = none === undefined
  return (
    <>
      {isRecent && rows.length > 0 && rows.every(({ unread }) => unread === 0) && (
        <p class="nothing-unread">{nothingUnreadWords()}</p>
      )}
      <Rows rows={rows} label="Conversations" hasGroups={isRecent}>
        {isRecent ? <NoRows /> : <p class="column-note">{none}</p>}
      </Rows>
    </>
  )
}

/** The topics of the unfolded channels as the service lists them, by the id of the row. */
const unfolded = signal<ReadonlyMap<string, readonly string[]>>(new Map())

/** More than anybody reads: the rest can be found by typing. */
const topicsShown = 50

/** Folds a channel, or fetches its topics and unfolds it. */
async function fold({ id, accountId, channelId }: ChannelRow): Promise<void> {
  const known = unfolded.peek()
  if (known.has(id)) {
    unfolded.value = new Map([...known].filter(([one]) => one !== id))
    return
  }
  const result = await topicsOf(accountId, channelId)
  if (result.ok) unfolded.value = new Map(unfolded.peek()).set(id, result.value)
  else toastFailure(result.failure)
}

/** The channels, each unfolded one followed by its topics. */
function Channels() {
  const rows = useComputed(() =>
    channelRows(appState.value).flatMap((channel) => {
      const topics = unfolded.value.get(channel.id)
      const shown = topics && topicRows(appState.value, channel, topics).slice(0, topicsShown)
      return [channel, ...(shown ?? [])]
    }),
  ).value
  return (
    <Rows rows={rows} label="Channels" hasGroups={false}>
      <p class="column-note">You aren’t subscribed to any channel.</p>
    </Rows>
  )
}

type AnyRow = ChatRow | ChannelRow

const isChannel = (row: AnyRow): row is ChannelRow => 'channelId' in row

const groupOf = (row: AnyRow | undefined): ChatGroup | null =>
  row === undefined || isChannel(row) ? null : row.group

/** Rows drawn at first, and then more at either end: there may be fifty thousand conversations. */
const rowsAtOnce = 150

type Span = readonly [from: number, end: number]

/** Extends the span to the row `at`, or moves it there if it is far away, as with the End key. */
function spanWith([from, end]: Span, at: number): Span {
  if (at < 0 || (at >= from && at < end)) return [from, end]
  const [first, last] = [Math.max(0, at - rowsAtOnce), at + rowsAtOnce]
  return last < from || first > end ? [first, last] : [Math.min(first, from), Math.max(last, end)]
}

function Rows(props: {
  readonly rows: readonly AnyRow[]
  readonly label: string
  readonly hasGroups: boolean
  /** Shown if there are no rows. */
  readonly children: ComponentChildren
}) {
  const { rows, label, hasGroups } = props
  const list = useRef<HTMLUListElement>(null)
  const [focused, setFocused] = useState<string | null>(null)
  const leftAt = rows.findIndex(({ id }) => id === left?.id)
  const [drawn, setDrawn] = useState(() => spanWith([0, rowsAtOnce], leftAt))
  const wanted = useRef(false)
  const times = useComputed(() => appState.value.target.times).value
  const hadFocus = useRef(false)
  // The tray's "reply" doesn't say to whom: the first conversation waiting is one Enter away.
  useLayoutEffect(() => {
    // A conversation open beside the list keeps the focus.
    if (place.peek().view !== 'chat') return
    // Moving along the tabs by keyboard must not leave them.
    if (document.querySelector('[role=tab]:focus-visible') !== null) return
    const back = left?.times === times ? rowElement(list.current, left.id) : null
    left = null
    ;(back ?? list.current?.querySelector<HTMLElement>('.chat-row'))?.focus()
  }, [times])
  const at = rows.findIndex(({ id }) => id === focused)
  // Nothing was focused yet: what is open beside the list, else the first.
  const beside = besideId.value
  const standing = at === -1 ? rows.findIndex(({ id }) => id === beside) : at
  const current = rows[Math.max(0, standing)]
  const onMove = useSelected(useMemo(() => standsFor(current), [current?.id]))
  const lastAt = useRef(0)
  const filled = rows.length > 0
  useLayoutEffect(() => {
    // The conversations may come later than the page, such as after connecting.
    if (filled && document.activeElement === document.body)
      list.current?.querySelector<HTMLElement>('.chat-row')?.focus()
  }, [filled])
  useLayoutEffect(() => {
    // The browser takes the focus from a row that moves in the list.
    const isLost = hadFocus.current && document.activeElement === document.body
    if ((isLost || wanted.current) && focused !== null) {
      // If the row is gone, such as a topic no longer followed, the one in its place is focused.
      const stand = rows[at] ?? rows[Math.min(lastAt.current, rows.length - 1)]
      rowElement(list.current, stand?.id)?.focus()
    }
    wanted.current = false
    if (at >= 0) lastAt.current = at
  })
  usePageActions(() => rowActions(rows[at]))
  const focus = (to: number): void => {
    const id = rows[to]?.id
    if (to !== at) onMove()
    setDrawn(spanWith(drawn, to))
    const element = rowElement(list.current, id)
    element?.focus()
    // Not drawn yet: focused after the next render.
    wanted.current = element === null
    setFocused(id ?? null)
  }
  const menu = useRowMenu(() => focus(at))
  const onKeyDown = (key: KeyboardEvent): void => {
    if (key.ctrlKey || key.metaKey || key.altKey) return
    const row = rows[at]
    const to = stepInList(keyOf(key), at, rows.length)
    const found = rowActions(row).find((one) => one.key === keyOf(key))
    if (found !== undefined) found.act()
    else if (row !== undefined && opensBy(row, key.key)) open(row)
    else if (to === null) return
    else focus(to)
    key.preventDefault()
  }
  if (!filled) return props.children
  const [from, end] = spanWith(drawn, at)
  return (
    <>
      <ul
        ref={list}
        class="chat-list"
        aria-label={label}
        onKeyDown={onKeyDown}
        onContextMenu={(press) => {
          const button = (press.target as Element).closest<HTMLElement>('.chat-row')
          const row = rows.find(({ id }) => id === button?.dataset['row'])
          if (row === undefined) return
          press.preventDefault()
          menu.open(press, button, row.title, rowActions(row))
        }}
        onScroll={({ currentTarget: box }) => {
          const { scrollTop, clientHeight, scrollHeight } = box
          const isNearEnd = scrollTop + 3 * clientHeight > scrollHeight
          if (isNearEnd && end < rows.length) setDrawn([from, end + rowsAtOnce])
          else if (scrollTop < 2 * clientHeight && from > 0) {
            // Scroll anchoring keeps the view in place, except at the very top.
            box.scrollTop = Math.max(1, scrollTop)
            setDrawn([Math.max(0, from - rowsAtOnce), end])
          }
        }}
        onFocusOut={(left) => {
          hadFocus.current = left.relatedTarget === null && document.hasFocus()
        }}
      >
        {rows.slice(from, end).map((row, offset) => (
          <li key={row.id} aria-setsize={rows.length} aria-posinset={from + offset + 1}>
            {hasGroups && groupOf(row) !== groupOf(rows[from + offset - 1]) && (
              <h2 class="chat-group group-label">{groupTitles[groupOf(row) ?? 'recent']}</h2>
            )}
            <RowButton
              row={row}
              tabbable={row.id === current?.id}
              onFocus={() => setFocused(row.id)}
            />
          </li>
        ))}
      </ul>
      {menu.drawn}
    </>
  )
}

/** The row to return to; null after opening one that was waiting, to go on with the next one. */
let left: { readonly id: string; readonly times: number } | null = null

/** → unfolds a channel, or opens a conversation beside the list; ← folds a channel. */
function opensBy(row: AnyRow, key: string): boolean {
  if (!isChannel(row)) return key === 'ArrowRight' && sideBySide.peek() !== null
  return key === (unfolded.peek().has(row.id) ? 'ArrowLeft' : 'ArrowRight')
}

function open(row: AnyRow): void {
  if (isChannel(row)) {
    void fold(row)
    return
  }
  const { id, accountId, conversation, group } = row
  if (isOpen(id)) {
    focusDetail()
    return
  }
  const isRecent = chatPlace.peek().list === undefined
  left = isRecent && group !== 'recent' ? null : { id, times: appState.peek().target.times }
  goFrom('chat', { view: 'conversation', accountId, conversation, messageId: null })
}

/** The row whose conversation stands for the selected one: of a channel, the first of its topics. */
function standsFor(row: AnyRow | undefined): ChatRow | null {
  if (row === undefined || !isChannel(row)) return row ?? null
  return topicRows(appState.peek(), row, unfolded.peek().get(row.id) ?? [])[0] ?? null
}

function rowActions(row: AnyRow | undefined): readonly PageAction[] {
  if (row === undefined) return []
  const { title, accountId } = row
  if (isChannel(row)) {
    const recipients = { to: 'channel', accountId, channelId: row.channelId } as const
    return [{ key: 'r', title: `New message in ${title}…`, act: () => beginMessage(recipients) }]
  }
  return conversationActions(row, title, () => open(row))
}

function rowElement(list: HTMLElement | null, id: string | undefined): HTMLElement | null {
  const rows = [...(list?.querySelectorAll<HTMLElement>('.chat-row') ?? [])]
  return rows.find((element) => element.dataset['row'] === id) ?? null
}

interface RowProps<Row> {
  readonly row: Row
  readonly tabbable: boolean
  readonly onFocus: () => void
}

function RowButton({ row, ...props }: RowProps<AnyRow>) {
  return isChannel(row) ? (
    <ChannelButton row={row} {...props} />
  ) : (
    <ChatRowButton row={row} {...props} />
  )
}

/** A channel, whose topics can be unfolded below it. */
function ChannelButton({ row, tabbable, onFocus }: RowProps<ChannelRow>) {
  const topics = unfolded.value.get(row.id)
  const hidden = (topics?.length ?? 0) - topicsShown
  return (
    <button
      type="button"
      class={row.unread > 0 ? 'chat-row channel-row chat-row-unread' : 'chat-row channel-row'}
      data-row={row.id}
      tabIndex={tabbable ? 0 : -1}
      aria-expanded={topics !== undefined}
      onClick={() => open(row)}
      onFocus={onFocus}
    >
      <span class="one-line row-title" title={row.title}>
        <FoldSign />
        <AccountMark accountId={row.accountId} />
        {row.title}
      </span>
      <span class="row row-marks">
        {hidden > 0 && (
          <span class="one-line raw row-preview">{numberWords(hidden)} more: press r</span>
        )}
        <UnreadMark row={row} />
      </span>
    </button>
  )
}

/** One conversation in the list: its title, draft or newest message, and how much is unread. */
function ChatRowButton({ row, tabbable, onFocus }: RowProps<ChatRow>) {
  const today = useComputed(() => dayOf(now.value))
  const classes = ['chat-row', row.unread > 0 && 'chat-row-unread', row.muted && 'chat-row-muted']
  const silence = silenceHere(row, appState.value.silences)
  return (
    <button
      type="button"
      class={classes.filter(Boolean).join(' ')}
      data-row={row.id}
      data-today={today.value}
      tabIndex={tabbable ? 0 : -1}
      {...(besideId.value === row.id ? { 'aria-current': true } : {})}
      onClick={() => open(row)}
      onFocus={onFocus}
    >
      <span class="one-line row-title" title={row.title}>
        <AccountMark accountId={row.accountId} />
        {row.conversation.kind === 'direct' ? `@ ${row.title}` : row.title}
      </span>
      {row.at !== null && (
        <Timestamp class="raw row-time" at={row.at}>
          {shortTime(row.at, now.peek())}
        </Timestamp>
      )}
      <span class="row row-marks">
        {silence !== null && <QuietMark silence={silence} class="quiet-brief" />}
        {(silence === null || row.unread > 0) && <UnreadMark row={row} />}
      </span>
      <span class="one-line raw row-preview">
        {row.problem !== null && (
          <span class="row-problem">
            {row.problem === 'rejected' ? 'Not sent' : 'May not have arrived'}{' '}
          </span>
        )}
        {row.problem === null && row.waiting && (
          <span class="row-waiting">Waiting to be sent </span>
        )}
        {row.draft !== null && <span class="row-draft">Draft: </span>}
        {row.draft === null && row.preview?.sender && `${row.preview.sender}: `}
        <ShortlyRead text={row.draft ?? row.preview?.text ?? ''} />
      </span>
    </button>
  )
}
