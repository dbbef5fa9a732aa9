import './chat.css'
import { useComputed, useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { type Account, isFresh } from '#shared/core/account.ts'
import { draftKey } from '#shared/core/chat/conversation.ts'
import { refusalWords } from '#shared/core/failure-words.ts'
import type { AppState } from '#shared/core/state.ts'
import { clockWords } from '#shared/core/time.ts'
import { type ChatGroup, type ChatRow, chatRows } from '#shared/core/views/conversation-rows.ts'
import { askToMute, silenceHere } from '../attention/conversation-quiet.tsx'
import { QuietMark } from '../attention/quiet-menu.tsx'
import { beginMessage } from '../palette/palette-button.tsx'
import { Button, SmallButton } from '../parts/button.tsx'
import {
  type PageAction,
  stepInList,
  usePageActions,
  useSingleKeys,
} from '../parts/page-actions.ts'
import { EmptyState, focusDetail } from '../parts/page-bar.tsx'
import { Timestamp } from '../parts/time-ago.tsx'
import { appState, go, goFrom, now, place, sideBySide, stateReceived } from '../window-state.ts'
import { dayOf, shortTime } from './chat-time.ts'
import { askToMarkAllRead, chatActions, topicActions } from './conversation-actions.tsx'
import { KeyButton } from './conversation-pane.tsx'

const groupTitles: Readonly<Record<ChatGroup, string>> = {
  you: 'For you',
  unread: 'Unread',
  recent: 'Recent',
}

export function ChatList() {
  const rows = useComputed(() => chatRows(appState.value))
  const accounts = useComputed(() => appState.value.accounts.filter(({ kind }) => kind === 'chat'))
  if (!stateReceived.value) return <p class="column-note late-note">Loading…</p>
  if (accounts.value.length === 0) return <NoAccount />
  return (
    <div class="chat-list-frame">
      <ChatBar />
      <AccountNotes />
      <Rows rows={rows.value} many={accounts.value.length > 1} />
    </div>
  )
}

/** What can be begun here. */
function ChatBar() {
  useSingleKeys([...chatActions, { key: 'M', title: 'Mark all as read…', act: askToMarkAllRead }])
  return (
    <div class="chat-bar">
      <SmallButton title="New message (n)" onClick={() => beginMessage()}>
        New message
      </SmallButton>
      <SmallButton
        title="Search messages (/)"
        onClick={() => go({ view: 'search', accountId: null, query: '' })}
      >
        Search
      </SmallButton>
    </div>
  )
}

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

function Rows({ rows, many }: { readonly rows: readonly ChatRow[]; readonly many: boolean }) {
  const list = useRef<HTMLUListElement>(null)
  const focused = useSignal<string | null>(null)
  const times = useComputed(() => appState.value.target.times).value
  const held = useRef(false)
  // The tray asks for a reply without saying to whom: the first that waits is one Enter away.
  useLayoutEffect(() => {
    // What is open beside the list has the focus then.
    if (place.peek().view !== 'chat') return
    // Whoever walks along the tabs by keyboard wants to stay on them.
    if (document.querySelector('[role=tab]:focus-visible') !== null) return
    const back = left?.times === times ? rowElement(list.current, left.id) : null
    left = null
    ;(back ?? list.current?.querySelector<HTMLElement>('.chat-row'))?.focus()
  }, [times])
  const filled = rows.length > 0
  useLayoutEffect(() => {
    // The page came first and its conversations later, as after connecting.
    if (filled && document.activeElement === document.body)
      list.current?.querySelector<HTMLElement>('.chat-row')?.focus()
  }, [filled])
  useLayoutEffect(() => {
    // A row that moves in the list loses the focus on its way; it did not mean to.
    if (held.current && document.activeElement === document.body && focused.value !== null)
      rowElement(list.current, focused.value)?.focus()
  })
  usePageActions(() => rowActions(rows.find(({ id }) => id === focused.value)))
  const onKeyDown = (key: KeyboardEvent): void => {
    if (key.ctrlKey || key.metaKey || key.altKey) return
    const at = rows.findIndex(({ id }) => id === focused.value)
    const to = stepInList(key.key, at, rows.length)
    const found = rowActions(rows[at]).find((one) => one.key === key.key)
    if (found !== undefined) found.act()
    else if (key.key === 'ArrowRight' && sideBySide.value !== null && rows[at] !== undefined)
      open(rows[at])
    else if (to === null) return
    else rowElement(list.current, rows[to]?.id)?.focus()
    key.preventDefault()
  }
  if (rows.length === 0) return <NoRows />
  const calm = rows.every(({ unread }) => unread === 0)
  const first = rows.some(({ id }) => id === focused.value) ? focused.value : rows[0]?.id
  return (
    <>
      {calm && <p class="chat-calm">{calmWords()}</p>}
      <ul
        ref={list}
        class="chat-list"
        aria-label="Conversations"
        onKeyDown={onKeyDown}
        onFocusOut={(left) => {
          held.current = left.relatedTarget === null && document.hasFocus()
        }}
      >
        {rows.map((row, at) => (
          <li key={row.id}>
            {row.group !== rows[at - 1]?.group && (
              <h2 class="chat-group">{groupTitles[row.group]}</h2>
            )}
            <ChatRowButton
              row={row}
              realm={many ? labelOf(appState.peek(), row.accountId) : null}
              tabbable={row.id === first}
              onOpen={() => open(row)}
              onFocus={() => {
                focused.value = row.id
              }}
            />
          </li>
        ))}
      </ul>
    </>
  )
}

/** Who read what waits goes on with the next that does; who looked around goes on from there. */
let left: { readonly id: string; readonly times: number } | null = null

function open({ id, accountId, conversation, group }: ChatRow): void {
  if (isOpen(id)) {
    focusDetail()
    return
  }
  left = group === 'recent' ? { id, times: appState.peek().target.times } : null
  goFrom('chat', { view: 'conversation', accountId, conversation, messageId: null })
}

/** Whether it is in view beside the list. */
function isOpen(id: string): boolean {
  const at = place.value
  return (
    sideBySide.value !== null &&
    at.view === 'conversation' &&
    draftKey(at.accountId, at.conversation) === id
  )
}

function rowActions(row: ChatRow | undefined): readonly PageAction[] {
  if (row === undefined) return []
  const { title } = row
  return [
    { key: 'r', title: `Reply in ${title}`, act: () => open(row) },
    { key: 's', title: `Mute ${title} for a while…`, act: () => askToMute(row, title) },
    ...topicActions(row, title),
  ]
}

function rowElement(list: HTMLElement | null, id: string | undefined): HTMLElement | null {
  const rows = [...(list?.querySelectorAll<HTMLElement>('.chat-row') ?? [])]
  return rows.find((element) => element.dataset['row'] === id) ?? null
}

function labelOf(state: AppState, accountId: string): string {
  return state.accounts.find(({ id }) => id === accountId)?.label ?? ''
}

function NoRows() {
  const needy = accountWithoutKey()
  if (needy === null)
    return (
      <EmptyState title={calmWords()}>
        <p>Conversations show up here as people write.</p>
      </EmptyState>
    )
  const locked = needy.key === 'locked'
  return (
    <EmptyState title="Not connected">
      <p>
        {needy.label}{' '}
        {locked
          ? 'is waiting for the keyring to be unlocked.'
          : 'can only be read with a working key.'}
      </p>
    </EmptyState>
  )
}

/** The chat account to name when none can connect at all. */
function accountWithoutKey(): Account | null {
  const chats = appState.value.accounts.filter(({ kind }) => kind === 'chat')
  return chats.every(({ key }) => key !== 'present') ? (chats[0] ?? null) : null
}

function calmWords(): string {
  if (accountWithoutKey() !== null) return 'Not connected.'
  const realms = [...appState.value.realms.values()]
  const read = realms.length > 0 && realms.every(({ freshness }) => freshness.readAt !== null)
  return read ? 'Nothing unread.' : 'Connecting…'
}

/** What keeps a realm from being up to date, each with the way out. */
function AccountNotes() {
  return (
    <>
      {appState.value.accounts.map((account) => {
        if (account.kind !== 'chat') return null
        const needsKey = account.key !== 'present' && account.key !== 'locked'
        const words = needsKey ? keyNote(account) : staleNote(account)
        return words === null ? null : (
          <p key={account.id} class="pane-note" role="status">
            {account.label}: {words}
            {needsKey && <KeyButton account={account} />}
          </p>
        )
      })}
    </>
  )
}

function keyNote({ id, key }: Account): string {
  if (key !== 'rejected') return 'the key was not kept'
  return refusalWords(appState.value.realms.get(id)?.freshness.failure, 'key rejected')
}

function staleNote({ id, key }: Account): string | null {
  if (key === 'locked') return 'the keyring is locked'
  const freshness = appState.value.realms.get(id)?.freshness
  if (freshness === undefined || freshness.readAt === null) return null
  if (freshness.failure === null && isFresh(freshness, now.value)) return null
  return `not connected, as of ${clockWords(freshness.readAt, now.value)}`
}

interface Props {
  readonly row: ChatRow
  /** The realm's name where there are several. */
  readonly realm: string | null
  readonly tabbable: boolean
  readonly onOpen: () => void
  readonly onFocus: () => void
}

/** One conversation of the list: who or where, what was said last, and how much waits. */
function ChatRowButton({ row, realm, tabbable, onOpen, onFocus }: Props) {
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
      {...(isOpen(row.id) ? { 'aria-current': true } : {})}
      onClick={onOpen}
      onFocus={onFocus}
    >
      <span class="row-title" title={row.title}>
        {row.conversation.kind === 'direct' ? `@ ${row.title}` : row.title}
      </span>
      {row.at !== null && (
        <Timestamp class="row-time" at={row.at}>
          {shortTime(row.at, now.peek())}
        </Timestamp>
      )}
      <span class="row-preview">
        {row.problem !== null && (
          <span class="row-problem">
            {row.problem === 'rejected' ? 'Not sent' : 'May not have arrived'}{' '}
          </span>
        )}
        {row.problem === null && row.waiting && (
          <span class="row-waiting">Waiting to be sent </span>
        )}
        {row.draft !== null && <span class="row-draft">Draft: </span>}
        {realm !== null && <span class="row-realm">{realm} · </span>}
        {row.draft !== null
          ? oneLine(row.draft)
          : row.preview !== null && `${row.preview.sender}: ${oneLine(row.preview.text)}`}
      </span>
      <span class="row-marks">
        {silence !== null && <QuietMark silence={silence} />}
        {(silence === null || row.unread > 0) && <Mark row={row} />}
      </span>
    </button>
  )
}

function Mark({ row }: { readonly row: ChatRow }) {
  if (row.unread > 0)
    return (
      <span class={row.mention ? 'row-count row-count-mention' : 'row-count'}>
        {row.mention && <span aria-hidden="true">@</span>}
        {row.unread}
        <span class="visually-hidden">{row.mention ? ' unread, mentions you' : ' unread'}</span>
      </span>
    )
  if (row.muted) return <span class="row-muted">muted</span>
  return null
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ')
}
