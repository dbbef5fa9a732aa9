import type { ReadonlySignal } from '@preact/signals'
import type { AccountId } from '#shared/core/account.ts'
import type { Message } from '#shared/core/chat/message.ts'
import type { CheckId, CheckStatus } from '#shared/core/checks/check.ts'
import { clockWords } from '#shared/core/time.ts'
import { woven } from '#shared/core/views/timeline.ts'
import { SmallButton } from '../parts/button.tsx'
import { StatusShape } from '../parts/status-shape.tsx'
import { go, now } from '../window-state.ts'
import { dayOf, dayTitle } from './chat-time.ts'
import type { ItemContext } from './message-context.ts'
import { MessageItem } from './message-item.tsx'

/** A status change of a check that the conversation is about. */
export interface ColumnFlip {
  /** Epoch ms, our clock. */
  readonly at: number
  readonly accountId: AccountId
  readonly checkId: CheckId
  readonly name: string
  readonly status: CheckStatus
  readonly words: string
}

/** One item of the message column. `key` is unique and stable. */
type ColumnItem =
  | { readonly kind: 'day'; readonly key: string; readonly at: number }
  | { readonly kind: 'new'; readonly key: string }
  /** Messages in between are not loaded. */
  | { readonly kind: 'gap'; readonly key: string }
  | { readonly kind: 'flip'; readonly key: string; readonly flip: ColumnFlip }
  | {
      readonly kind: 'message'
      readonly key: string
      readonly message: Message
      /** The first of a run, which shows the sender and the time. */
      readonly first: boolean
    }

/** A longer silence starts a new run, so that its time is shown. */
const runMs = 10 * 60_000

/**
 * Messages, oldest first, with day dividers, the mark before the first new one, the flips of the
 * checks that they are about, and the sender shown once per run of messages by the same person.
 */
export function columnItems(
  messages: readonly Message[],
  firstNewId: number | null,
  flips: readonly ColumnFlip[],
  gapAfter: number | null,
): readonly ColumnItem[] {
  const items: ColumnItem[] = []
  let before: Message | null = null
  let lastId: number | null = null
  let day: string | null = null
  const beginDay = (at: number): boolean => {
    if (dayOf(at) === day) return false
    day = dayOf(at)
    items.push({ kind: 'day', key: `day ${day}`, at })
    return true
  }
  for (const one of woven(messages, flips)) {
    if ('flip' in one) {
      const { flip } = one
      beginDay(flip.at)
      const key = `flip ${flip.accountId} ${flip.checkId} ${flip.at} ${flip.status}`
      items.push({ kind: 'flip', key, flip })
      // The next message shows its sender again.
      before = null
      continue
    }
    const { message } = one
    if (gapAfter !== null && (lastId ?? message.id) <= gapAfter && message.id > gapAfter) {
      items.push({ kind: 'gap', key: 'gap' })
      before = null
    }
    lastId = message.id
    const newDay = beginDay(message.sentAt)
    const isNew = message.id === firstNewId
    if (isNew) items.push({ kind: 'new', key: 'new' })
    const first = newDay || isNew || before === null || !sameRun(before, message)
    items.push({ kind: 'message', key: `message ${message.id}`, message, first })
    before = message
  }
  return items
}

function sameRun(before: Message, message: Message): boolean {
  return (
    before.senderId === message.senderId &&
    !before.isAction &&
    !message.isAction &&
    message.sentAt - before.sentAt < runMs
  )
}

/** A check's status change between the messages, which leads to the check. */
function FlipDivider({ flip }: { readonly flip: ColumnFlip }) {
  const { accountId, checkId, name, status, words, at } = flip
  return (
    <div class="row day-divider flip-divider">
      <button type="button" onClick={() => go({ view: 'check', accountId, checkId })}>
        <StatusShape shape={status} size={12} />
        <bdi class="one-line">{name}</bdi>
        <span>
          {words} · {clockWords(at, now.peek())}
        </span>
      </button>
    </div>
  )
}

interface RowProps {
  readonly item: ColumnItem
  /** The day it is now: a signal, so that only the dividers are drawn again at midnight. */
  readonly today: ReadonlySignal<string>
  /** Loads the messages missing between older ones and the newest. */
  readonly gap: {
    readonly loading: boolean
    readonly problem: string
    readonly load: (from: 'after') => unknown
  }
  readonly flashId: number | null
  readonly context: ItemContext
}

export function ColumnRow({ item, today, gap, flashId, context }: RowProps) {
  switch (item.kind) {
    case 'day':
      return (
        <div class="row day-divider" data-today={today.value}>
          <span>{dayTitle(item.at, now.peek())}</span>
        </div>
      )
    case 'new':
      return (
        <div class="row day-divider new-divider">
          <span>new</span>
        </div>
      )
    case 'gap':
      return (
        <p class="column-note" data-gap="">
          {gap.loading ? (
            'Loading the messages in between…'
          ) : (
            <SmallButton onClick={() => void gap.load('after')}>Messages in between</SmallButton>
          )}
          <span role="status">{gap.problem}</span>
        </p>
      )
    case 'flip':
      return <FlipDivider flip={item.flip} />
    case 'message':
      return (
        <MessageItem
          message={item.message}
          first={item.first}
          flash={flashId === item.message.id}
          context={context}
        />
      )
  }
}
