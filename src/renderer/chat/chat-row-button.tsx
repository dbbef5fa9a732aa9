import { useComputed } from '@preact/signals'
import { exactTime } from '#shared/core/exact-time.ts'
import type { ChatRow } from '#shared/core/views/conversation-rows.ts'
import { silenceHere } from '../attention/conversation-quiet.tsx'
import { QuietMark } from '../attention/quiet-mark.tsx'
import { appState, now } from '../window-state.ts'
import { dayOf, shortTime } from './chat-time.ts'

interface Props {
  readonly row: ChatRow
  /** The realm's name where there are several. */
  readonly realm: string | null
  readonly tabbable: boolean
  readonly onOpen: () => void
  readonly onFocus: () => void
}

/** One conversation of the list: who or where, what was said last, and how much waits. */
export function ChatRowButton({ row, realm, tabbable, onOpen, onFocus }: Props) {
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
      onClick={onOpen}
      onFocus={onFocus}
    >
      <span class="row-title" title={row.title}>
        {row.conversation.kind === 'direct' ? `@ ${row.title}` : row.title}
      </span>
      {row.at !== null && (
        <time class="row-time" dateTime={new Date(row.at).toISOString()} title={exactTime(row.at)}>
          {shortTime(row.at, now.peek())}
        </time>
      )}
      <span class="row-preview">
        {row.problem !== null && (
          <span class="row-problem">
            {row.problem === 'rejected' ? 'Not sent' : 'Unsure if sent'}{' '}
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
