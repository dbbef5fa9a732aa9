import { useComputed, useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { KeyState } from '#shared/core/account.ts'
import type { Message } from '#shared/core/chat/message.ts'
import type { OutboxMessage } from '#shared/core/chat/outbox.ts'
import type { Place } from '#shared/core/chat/places.ts'
import type { ConversationInfo } from '#shared/core/chat/realm.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import { hourMs } from '#shared/core/wall-clock.ts'
import { counted } from '#shared/core/wording.ts'
import { call } from '../bridge.ts'
import { SmallButton } from '../parts/button.tsx'
import { drawnLate } from '../parts/draw-in-turn.ts'
import { keyOf } from '../parts/page-actions.ts'
import { now } from '../window-state.ts'
import { dayOf } from './chat-time.ts'
import { type ColumnFlip, ColumnRow, columnItems } from './column-items.tsx'
import type { ItemContext } from './message-context.ts'
import { OutboxEcho } from './message-item.tsx'
import { hasOwn, quickReactions } from './reaction-chips.tsx'

/** How near the top older messages are fetched, to be there when the user gets there. */
const olderPx = 120

interface Props {
  readonly target: Place
  readonly messages: readonly Message[]
  readonly echoes: readonly OutboxMessage[]
  readonly info: ConversationInfo | undefined
  readonly firstNewId: number | null
  /** Status changes of the checks that the conversation is about. */
  readonly flips: readonly ColumnFlip[]
  readonly wanted: { readonly messageId: number; readonly request: object } | null
  /** The wanted message is being looked for. */
  readonly isLooking: boolean
  readonly keyState: KeyState
  readonly context: ItemContext
  /** Loads more messages only when asked to. */
  readonly isPreview: boolean
  /** Called with the id of the lowest message in view whenever it may have changed. */
  readonly onSeen: (messageId: number) => void
  readonly onEditAgain: (message: OutboxMessage) => void
}

/** The messages of one conversation, oldest first, with the user's own unsent ones at the end. */
export function MessageColumn(props: Props) {
  const { target, echoes, info, firstNewId, wanted, context, isPreview } = props
  const messages = useGradually(props.messages, wanted?.messageId ?? firstNewId)
  const isWhole = messages.length === props.messages.length
  const today = useComputed(() => dayOf(now.value))
  const older = useOlder(target, info)
  const flips = useFlipsInSight(props.flips, messages, info)
  const gapAfter = info?.gap?.after ?? null
  const items = useMemo(
    () => columnItems(messages, firstNewId, flips, gapAfter),
    [messages, firstNewId, flips, gapAfter],
  )
  const gap = useGap(target, info)
  const { scroller, content, onScroll, seenTo, toBottom, flashId } = useColumnScroll({
    ids: props.messages.map(({ id }) => id),
    echoes: echoes.length,
    firstNewId,
    wanted,
    ready: info?.history === 'recent' && !props.isLooking,
    onSeen: props.onSeen,
  })
  // What arrived below while the user was reading further up.
  const below = props.messages.filter(
    ({ id, senderId }) => id > seenTo && !context.mutedUsers.includes(senderId),
  ).length
  // What was drawn late may move what is around it: a reason to render.
  void drawnLate.value
  const onKeyDown = (key: KeyboardEvent): void => {
    if (key.altKey || key.ctrlKey || key.metaKey) return
    const focused = focusedMessage(key.target)
    const message = messages.find(({ id }) => id === focused)
    if (keyOf(key) === 'm' && message !== undefined) context.onActions(message)
    else if (key.key === '+' && focused !== null) {
      const [thumb] = quickReactions
      if (message === undefined || thumb === undefined) return
      context.onReact(message, thumb, !hasOwn(message.reactions, thumb.code, context.myId))
    } else if (!moveFocus(key)) return
    key.preventDefault()
  }
  return (
    <div class="column-frame">
      <div
        ref={scroller}
        class="message-column"
        role="log"
        aria-label="Messages"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        onScroll={(scroll) => {
          onScroll()
          if (isPreview) return
          if (isWhole && scroll.currentTarget.scrollTop < olderPx) void older.load()
          const edge = edgeInView(scroll.currentTarget)
          if (edge !== null) void gap.load(edge)
        }}
        onKeyDown={onKeyDown}
      >
        <div ref={content}>
          {isWhole && (
            <ColumnTop
              info={info}
              keyState={props.keyState}
              isEmpty={messages.length + echoes.length === 0}
              older={older}
              target={target}
            />
          )}
          {items.map((item) => (
            <ColumnRow key={item.key} item={item} {...{ gap, flashId, context }} today={today} />
          ))}
          {echoes.map((message) => (
            <OutboxEcho
              key={message.localId}
              message={message}
              keyState={props.keyState}
              onEditAgain={props.onEditAgain}
            />
          ))}
        </div>
      </div>
      {below > 0 && (
        <button
          type="button"
          class="below-button"
          onClick={() => {
            toBottom()
            // The button disappears, and must not take the focus with it.
            scroller.current?.focus()
          }}
        >
          {counted(below, 'new message')} <span aria-hidden="true">↓</span>
        </button>
      )}
    </div>
  )
}

/** The flips since the oldest message loaded: older ones appear along with older messages. */
function useFlipsInSight(
  flips: readonly ColumnFlip[],
  messages: readonly Message[],
  info: ConversationInfo | undefined,
): readonly ColumnFlip[] {
  const oldest = messages[0]?.sentAt
  // At the beginning of a conversation, includes the hour that led to its first message.
  const from = oldest === undefined ? null : oldest - (info?.complete === true ? hourMs : 0)
  return useMemo(() => (from === null ? [] : flips.filter(({ at }) => at >= from)), [flips, from])
}

/** Loads older messages, one request at a time and none past the beginning. */
function useOlder(target: Place, info: ConversationInfo | undefined) {
  const isMore = info?.history === 'recent' && !info.complete
  return useLoad(isMore, () => call.loadConversation({ ...target, older: true }))
}

/** Loads the messages missing between older ones and the newest, from where the user comes. */
function useGap(target: Place, info: ConversationInfo | undefined) {
  const isThere = info?.history === 'recent' && info.gap != null
  return useLoad(isThere, (from: 'after' | 'before') => call.loadGap({ ...target, from }))
}

/** One request at a time. */
function useLoad<Input extends readonly unknown[]>(
  isMore: boolean,
  ask: (...input: Input) => ReturnType<typeof call.loadGap>,
) {
  const loading = useSignal(false)
  const [problem, setProblem] = useState('')
  const load = async (...input: Input): Promise<void> => {
    if (loading.peek() || !isMore) return
    loading.value = true
    const result = await ask(...input)
    setProblem(result.ok ? '' : failureSentence(result.failure))
    loading.value = false
  }
  return { loading: loading.value, problem, load }
}

/** The edge of the gap that the user gets to, coming from there: its older messages or its newer. */
function edgeInView(column: HTMLElement): 'after' | 'before' | null {
  const row = column.querySelector('[data-gap]')
  if (row === null) return null
  const { top, bottom } = column.getBoundingClientRect()
  const at = row.getBoundingClientRect()
  if (at.bottom < top - olderPx || at.top > bottom + olderPx) return null
  return at.top > (top + bottom) / 2 ? 'after' : 'before'
}

interface TopProps {
  readonly keyState: KeyState
  readonly info: ConversationInfo | undefined
  readonly isEmpty: boolean
  readonly older: ReturnType<typeof useOlder>
  readonly target: Place
}

/** Above the oldest message: the beginning, a button for older ones, or why there are none. */
function ColumnTop({ info, keyState, isEmpty, older, target }: TopProps) {
  // What to do about the key is said above the messages; trying again would fail the same way.
  if (keyState !== 'present' && info?.history !== 'recent')
    return <p class="column-note">Messages can be read once the key works.</p>
  if (info !== undefined && info.failure !== null && info.history !== 'recent')
    return (
      <p class="column-note" role="status">
        {failureSentence(info.failure)}{' '}
        <SmallButton onClick={() => void call.loadConversation({ ...target, older: false })}>
          Try again
        </SmallButton>
      </p>
    )
  if (info?.history !== 'recent')
    return isEmpty ? <p class="column-note late-note">Loading messages…</p> : null
  if (info.complete)
    return (
      <p class="column-note">
        {isEmpty ? 'No messages here yet.' : 'The beginning of this conversation.'}
      </p>
    )
  return (
    <p class="column-note">
      {older.loading ? (
        'Loading older messages…'
      ) : (
        <SmallButton onClick={() => void older.load()}>Older messages</SmallButton>
      )}
      <span role="status">{older.problem}</span>
    </p>
  )
}

function focusedMessage(target: EventTarget | null): number | null {
  if (!(target instanceof HTMLElement)) return null
  const id = target.dataset['message']
  return id === undefined ? null : Number(id)
}

/** ↑ ↓ and k j move the focus between messages; returns true if it moved. */
function moveFocus(key: KeyboardEvent): boolean {
  const step = { ArrowUp: -1, k: -1, ArrowDown: 1, j: 1 }[keyOf(key)]
  const { currentTarget, target } = key
  if (step === undefined || !(currentTarget instanceof HTMLElement)) return false
  const all = [...currentTarget.querySelectorAll<HTMLElement>('[data-message]')]
  const inside = target instanceof Element ? target.closest<HTMLElement>('[data-message]') : null
  const at = inside === null ? -1 : all.indexOf(inside)
  const next = at === -1 ? all.at(-1) : all[at + step]
  next?.focus()
  return next !== undefined
}

/** Nearer the end than this counts as at the end. */
const slackPx = 24

interface Parts {
  /** Ids of the messages shown, ascending. */
  readonly ids: readonly number[]
  readonly echoes: number
  readonly firstNewId: number | null
  /** The message to bring into view, once it is there; `request` distinguishes two requests for it. */
  readonly wanted: { readonly messageId: number; readonly request: object } | null
  /** The newest messages have been loaded, so that the initial position can be chosen. */
  readonly ready: boolean
  readonly onSeen: Props['onSeen']
}

interface Anchor {
  readonly element: Element
  readonly top: number
}

/**
 * The scroll position of the column. At the bottom it stays at the bottom, whatever arrives;
 * further up, the topmost message in view stays put, whatever is added above or below it.
 */
function useColumnScroll({ ids, echoes, firstNewId, wanted, ready, onSeen }: Parts) {
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const atBottom = useRef(true)
  /** Where the column was when `atBottom` was last known, in px. */
  const lastTop = useRef(0)
  const anchor = useRef<Anchor | null>(null)
  const placed = useRef(false)
  const done = useRef<object | null>(null)
  const lastEchoes = useRef(echoes)
  const seenId = useSignal(ids.at(-1) ?? 0)
  /** The message that was asked for, which flashes once. */
  const flashId = useSignal<number | null>(null)

  const note = (): void => {
    const column = scroller.current
    if (column === null) return
    atBottom.current = column.scrollHeight - column.scrollTop - column.clientHeight < slackPx
    lastTop.current = column.scrollTop
    anchor.current = topmost(column)
    if (atBottom.current) seenId.value = ids.at(-1) ?? 0
    if (placed.current) onSeen(atBottom.current ? (ids.at(-1) ?? 0) : lowest(column))
  }
  const toBottom = (): void => {
    const column = scroller.current
    if (column !== null) column.scrollTop = column.scrollHeight
    note()
  }
  const onScroll = (): void => {
    // Only scrolling up leaves the bottom: what has grown since the app scrolled there does not.
    const stays = atBottom.current && (scroller.current?.scrollTop ?? 0) >= lastTop.current
    if (stays) toBottom()
    else note()
  }
  useLayoutEffect(() => {
    const column = scroller.current
    if (column === null) return
    // Sending a message always scrolls to the end.
    if (echoes > lastEchoes.current) atBottom.current = true
    lastEchoes.current = echoes
    const target =
      wanted !== null && wanted.request !== done.current
        ? column.querySelector(`[data-message="${wanted.messageId}"]`)
        : null
    if (target !== null && wanted !== null) {
      done.current = wanted.request
      placed.current = true
      target.scrollIntoView({ block: 'center' })
      flashId.value = wanted.messageId
      note()
    } else if (!placed.current && ready) {
      placed.current = true
      placeFirst(column)
      seenId.value = firstNewId === null ? (ids.at(-1) ?? 0) : firstNewId - 1
      note()
    } else if (atBottom.current) toBottom()
    else keep(column, anchor.current)
  })
  useEffect(() => {
    const column = scroller.current
    if (column === null) return
    // The composer or the window changed its size, or what loads late did: a picture of an emoji.
    const watch = new ResizeObserver(() => {
      if (atBottom.current) column.scrollTop = column.scrollHeight
      else keep(column, anchor.current)
    })
    watch.observe(column)
    if (content.current !== null) watch.observe(content.current)
    return () => watch.disconnect()
  }, [])

  const seen = seenId.value
  // At the bottom all have been seen, even before the column has scrolled there again.
  const seenTo = atBottom.current ? Number.POSITIVE_INFINITY : seen
  return { scroller, content, onScroll, seenTo, toBottom, flashId: flashId.value }
}

/** Scrolls to the end, or to the mark before the first new message if it would be out of view. */
function placeFirst(column: HTMLElement): void {
  column.scrollTop = column.scrollHeight
  const mark = column.querySelector('.new-divider')
  if (mark === null) return
  const above = column.getBoundingClientRect().top - mark.getBoundingClientRect().top
  if (above > 0) column.scrollTop -= above
}

function topmost(column: HTMLElement): Anchor | null {
  const edge = column.getBoundingClientRect().top
  for (const element of column.querySelectorAll('[data-message]')) {
    const box = element.getBoundingClientRect()
    if (box.bottom > edge) return { element, top: box.top - edge }
  }
  return null
}

/** The id of the last message that begins above the lower edge; 0 if there is none. */
function lowest(column: HTMLElement): number {
  const edge = column.getBoundingClientRect().bottom
  const all = [...column.querySelectorAll<HTMLElement>('[data-message]')]
  const last = all.findLast((element) => element.getBoundingClientRect().top < edge)
  return Number(last?.dataset['message'] ?? 0)
}

function keep(column: HTMLElement, anchor: Anchor | null): void {
  if (anchor === null || !anchor.element.isConnected) return
  const top = anchor.element.getBoundingClientRect().top - column.getBoundingClientRect().top
  column.scrollTop += top - anchor.top
}

/** More messages than fit into a window; as many again are drawn each time the window is idle. */
const atOnce = 40
/** How long they wait for the window to be idle. */
const longestWaitMs = 200

/**
 * The messages to draw: at first the newest, back to half of `atOnce` before the one that must be
 * there (`neededId`), then more and more older ones. What was drawn once stays drawn.
 */
function useGradually(messages: readonly Message[], neededId: number | null): readonly Message[] {
  /** The id of the oldest message drawn, and the number of steps taken by then. */
  const drawn = useRef({ oldest: Number.POSITIVE_INFINITY, steps: 0 })
  const [steps, setSteps] = useState(0)
  const at = (id: number): number => {
    const found = messages.findIndex((one) => one.id >= id)
    return found === -1 ? messages.length : found
  }
  const older = steps === drawn.current.steps ? 0 : atOnce
  const start = Math.max(
    0,
    Math.min(
      messages.length - atOnce,
      at(drawn.current.oldest) - older,
      neededId === null ? messages.length : at(neededId) - atOnce / 2,
    ),
  )
  useLayoutEffect(() => {
    const { oldest } = drawn.current
    drawn.current = { oldest: messages[start]?.id ?? oldest, steps }
  })
  const isWhole = start === 0
  useEffect(() => {
    if (isWhole) return
    const idle = requestIdleCallback(() => setSteps(steps + 1), { timeout: longestWaitMs })
    return () => cancelIdleCallback(idle)
  }, [isWhole, steps])
  return useMemo(() => (isWhole ? messages : messages.slice(start)), [messages, start])
}
