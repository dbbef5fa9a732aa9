import {
  type Conversation,
  type ConversationKey,
  conversationKey,
} from '../../shared/core/chat/conversation.ts'
import type { Message } from '../../shared/core/chat/message.ts'
import type { OutboxMessage } from '../../shared/core/chat/outbox.ts'
import { malformed, RequestFailed } from '../../shared/core/failure.ts'
import { sentText } from '../../shared/core/text-length.ts'
import { namedTimeWords } from '../../shared/core/time.ts'
import type { Clock } from '../base/ports.ts'
import { retryDelayMs } from '../http/retry-delay.ts'
import { createWaker, isAborted, type Waker, wait, waitAfter } from '../http/wait.ts'
import { attachedWords } from './message-text.ts'

export const retryCapMs = 30_000

/** How long to wait for an unconfirmed message's event before reading the history. */
const confirmAfterMs = 5_000

/**
 * How long after a read that found nothing another one proves that the message did not arrive:
 * servers end a request that takes a minute, whatever reply was sent in between.
 */
export const secondLookMs = 60_000

/** Own messages of a conversation (null: of all), `before` an id (null: the newest), ascending. */
export type OwnPage = (
  conversation: Conversation | null,
  before: number | null,
) => Promise<{ readonly messages: readonly Message[]; readonly foundOldest: boolean }>

/**
 * Looks for unconfirmed messages in the history of their conversations, and retries until that
 * succeeds: on the bad network that left them unconfirmed, the first read often fails as well.
 */
export function createOutboxConfirm(parts: {
  clock: Clock
  waker: Waker
  signal: AbortSignal
  /** Server clock minus ours, in ms. */
  serverOffsetMs: () => number
  ownPage: OwnPage
  unconfirmed: () => readonly OutboxMessage[]
  /** Called with all own messages, back to when the first of a conversation's entries was typed. */
  onHistory: (entries: readonly OutboxMessage[], messages: readonly Message[]) => Promise<void>
}) {
  const { signal, clock } = parts
  const calls = createWaker()
  let isBusy = false
  let again = false
  /** A function, because the compiler assumes that it still is what was last written here. */
  const isCalled = (): boolean => again

  async function look(): Promise<void> {
    const places = Map.groupBy(parts.unconfirmed(), ({ conversation }) =>
      conversationKey(conversation),
    )
    for (const entries of places.values()) {
      const messages: Message[] = []
      for (const where of searched(entries))
        messages.push(...(await historyOf(parts, entries, where)))
      await parts.onHistory(entries, messages)
    }
  }

  async function untilAnswered(): Promise<void> {
    for (let failures = 1; !isAborted(signal); failures += 1) {
      try {
        await look()
        return
      } catch (error) {
        if (isAborted(signal)) return
        if (!(error instanceof RequestFailed)) throw error
        // Once the key is accepted again, `soon` is called again.
        if (error.failure.kind === 'badKey') return
        const delay = retryDelayMs(error.failure, failures, clock.random(), retryCapMs)
        await waitAfter(error.failure, delay, parts)
      }
    }
  }

  return {
    /**
     * Looks once the event has had time to arrive. If a look is in progress, another one follows
     * it. Looks once more, later, for what was not found.
     */
    async soon(): Promise<void> {
      again = true
      calls.wake()
      if (isBusy) return
      isBusy = true
      try {
        while (again && !isAborted(signal)) {
          again = false
          if ((await wait(confirmAfterMs, signal)) === 'aborted') return
          await untilAnswered()
          const isOpen = parts.unconfirmed().some(({ missing }) => missing?.isSure === false)
          if (!isCalled() && isOpen && (await wait(secondLookMs, signal, calls)) === 'over')
            again = true
        }
      } finally {
        isBusy = false
      }
    },
  }
}

/**
 * A topic may have been moved to another channel. The search of all channels finds it there, but it
 * lacks channels that the user is not subscribed to.
 */
function searched(entries: readonly OutboxMessage[]): readonly (Conversation | null)[] {
  const conversation = entries[0]?.conversation
  if (conversation === undefined) return []
  return conversation.kind === 'topic' ? [conversation, null] : [conversation]
}

/** All pages back to when the oldest of the entries was typed, however many there are. */
async function historyOf(
  parts: { ownPage: OwnPage; serverOffsetMs: () => number },
  entries: readonly OutboxMessage[],
  where: Conversation | null,
): Promise<readonly Message[]> {
  const afterId = Math.min(...entries.map(({ afterMessageId }) => afterMessageId))
  const typedAt = Math.min(...entries.map(({ queuedAt }) => queuedAt))
  const since = typedAt + parts.serverOffsetMs() - clockSlackMs
  const found: Message[] = []
  for (let before: number | null = null; ; ) {
    const page: Awaited<ReturnType<OwnPage>> = await parts.ownPage(where, before)
    const { messages, foundOldest } = page
    found.push(...messages)
    const oldest = messages.toSorted((a, b) => a.id - b.id)[0]
    if (foundOldest) return found
    // Neither messages nor the beginning: not a meaningful reply.
    if (oldest === undefined) throw malformed('shape', 'found_oldest')
    if (oldest.id <= afterId || oldest.sentAt < since) return found
    // Otherwise a server that repeats the same page would be asked forever.
    if (before !== null && oldest.id >= before) return found
    before = oldest.id
  }
}

/** Servers truncate times to seconds, and clocks set by the network differ by less than this. */
const clockSlackMs = 10_000

/**
 * The id of the message that an unconfirmed entry became, or null: the first own message in its
 * conversation that is not older and says the same.
 *
 * Servers return rendered messages, so everything but markup is compared. If rendering changes more
 * (a quote above a reply), returns null and the user decides: a wrong "not sent" costs a look, a
 * wrong "sent" would lose a message.
 */
export function wasSent(
  entry: OutboxMessage,
  messages: readonly Message[],
  me: number,
  evidence: Evidence = {},
): number | null {
  const notBefore = entry.queuedAt + (evidence.serverOffsetMs ?? 0) - clockSlackMs
  const candidates = laterOf(entry, messages, me, evidence).filter(
    (message) =>
      message.sentAt >= notBefore &&
      isAt(entry, message, evidence) &&
      saysTheSame(entry.text, message),
  )
  return candidates.length === 0 ? null : Math.min(...candidates.map(({ id }) => id))
}

interface Evidence {
  readonly serverOffsetMs?: number
  /** Ids that belong to other entries. */
  readonly claimed?: ReadonlySet<number>
  /** Where its conversation moved to, if the topic was renamed or resolved. */
  readonly movedTo?: ConversationKey | null
}

/**
 * Whether these messages, all own ones since the entry was typed, prove that it is not among them.
 * Any unclaimed one in its conversation might be it, rendered beyond recognition, and so might one
 * with the same text anywhere. No clock is trusted here.
 */
export function isAbsent(
  entry: OutboxMessage,
  messages: readonly Message[],
  me: number,
  evidence: Evidence = {},
): boolean {
  return !laterOf(entry, messages, me, evidence).some(
    (message) => isAt(entry, message, evidence) || saysTheSame(entry.text, message),
  )
}

function isAt(entry: OutboxMessage, { key }: Message, { movedTo = null }: Evidence): boolean {
  return key === conversationKey(entry.conversation) || key === movedTo
}

/** Own messages that are neither older than the entry nor known to be another's. */
function laterOf(
  entry: OutboxMessage,
  messages: readonly Message[],
  me: number,
  { claimed }: Evidence,
): readonly Message[] {
  return messages.filter(
    (message) =>
      message.senderId === me &&
      message.id > entry.afterMessageId &&
      claimed?.has(message.id) !== true &&
      !entry.notMessageIds?.includes(message.id),
  )
}

/**
 * Whether a message can be what was typed: markup may be gone, but every other character must be
 * there. False if rendering changes more than that (a quote above a reply).
 */
function saysTheSame(typed: string, message: Pick<Message, 'html' | 'text'>): boolean {
  const source = sentText(typed)
  const seen = squeezed(message.text)
  // A history may also be fetched unrendered.
  if (source === message.html.trim() || squeezed(source) === seen) return true
  const words = withoutMedia(withTimes(source, message.html), message.html)
  const expected = plainSource(words)
  if (expected === '' && words !== source) return seen === '' || seen === attachedWords
  const emoji = expected.match(emojiNames) ?? []
  if (expected === '' || emoji.some((name) => !message.html.includes(name))) return false
  const cut = /^(.+) \[message truncated\]$/.exec(seen)?.[1]
  return isRendered(expected, seen) || (cut !== undefined && isRendered(expected, cut, true))
}

/** A time as Belfry and the web app write it; without a zone, servers take it for UTC. */
const typedTime = /<time:(\d{4}-\d\d-\d\dT[\d:.]{5,12})(Z|[+-]\d\d:?\d\d)?>/g

/** The times that this message shows, in the words in which `messageText` reads them. */
function withTimes(source: string, html: string): string {
  return source.replace(typedTime, (whole: string, time: string, zone = 'Z') => {
    const at = Date.parse(`${time}${zone}`)
    if (Number.isNaN(at)) return whole
    const second = new Date(at).toISOString().slice(0, 19)
    return html.includes(`<time datetime="${second}`) ? namedTimeWords(at) : whole
  })
}

/** A link or an image in Markdown, or an address by itself. */
const linked = /!?\[[^\][\n]{0,1000}\]\(([^)(\s]{1,2000})\)|https?:\/\/[^\s<>()]{1,2000}/g

/** The start tag of a link, picture or player, and the text up to the next tag. */
const mediaTag = /<(a|img|audio|video)\b([^<>]*)>([^<]*)/g

/** Leaves out the links that this message shows as a picture or a player: these have no text. */
function withoutMedia(source: string, html: string): string {
  const tags = [...html.matchAll(mediaTag)]
  return source.replace(linked, (whole: string, address: string | undefined) => {
    const mark = addressMark(address ?? whole)
    const about = tags.filter(([, , attributes = '']) => attributes.includes(mark))
    const isText = about.some(([, name, , text = '']) => name === 'a' && text.trim() !== '')
    return about.length === 0 || isText ? whole : ''
  })
}

/** What an address has in common with that of its thumbnail: of an upload, its own folder. */
function addressMark(address: string): string {
  const folder = /\/user_uploads(\/.+\/)/.exec(address)?.[1]
  return folder ?? address.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
}

function squeezed(text: string): string {
  return text.normalize('NFC').replace(/\s+/g, ' ').trim()
}

const emojiNames = /:[\w+-]+:/g
const emojiName = new RegExp(emojiNames, 'y')
const emojiDrawn = /\p{RGI_Emoji}|\p{Extended_Pictographic}/vy
/** Markup that rendering removes, always in pairs. */
const markup = /\*|~~|`|\$\$/y

/** Whether `seen` is `source` without markup or, if `isCut`, the beginning of that. */
function isRendered(source: string, seen: string, isCut = false): boolean {
  const taken: string[] = []
  let from = 0
  let to = 0
  while (from < source.length) {
    if (source[from] === seen[to]) {
      from += 1
      to += 1
    } else if (isLoose(seen, to)) to += 1
    else if (isLoose(source, from)) from += 1
    else {
      const mark = matchAt(markup, source, from)
      const name = matchAt(emojiName, source, from)
      const drawn = matchAt(emojiDrawn, seen, to)
      if (mark !== null) taken.push(mark)
      else if (name === null || drawn === null) return isCut && to === seen.length
      else to += drawn.length
      from += (mark ?? name ?? '').length
    }
  }
  const arePairs = [...Map.groupBy(taken, (mark) => mark).values()].every(
    ({ length }) => length % 2 === 0,
  )
  return to === seen.length && arePairs
}

/** Whether rendering may add or remove this space: around code, between cells, before a topic. */
function isLoose(text: string, at: number): boolean {
  return text[at] === ' ' && /[`|>]/.test(`${text[at - 1] ?? ''}${text[at + 1] ?? ''}`)
}

function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? null
}

/** The line below a table's header. */
const tableRule = /^[ \t]*(?:\|[ \t]*)?:?-+:?[ \t]*\|[ \t:|-]*$/gm

/** Removes the markup that is recognised by its position, such as at the start of a line. */
function plainSource(source: string): string {
  const cells = source.replace(tableRule, '')
  const rows = cells === source ? source : cells.replace(/^[ \t]*\||\|[ \t]*$/gm, '')
  return squeezed(
    rows
      .replace(/^\/me\s/, '')
      // A code block's fences, and its language.
      .replace(/^[ \t]*(?:```+|~~~+)[ \t]*(?:[\w+#.-]+[ \t]*)?$/gm, '')
      .replace(/^[ \t]*([-*_])([ \t]*\1){2,}[ \t]*$/gm, '')
      .replace(/^[ \t]*(#{1,6}[ \t]+|(>[ \t]?)+)/gm, '')
      .replace(/^([ \t]*)[-*+][ \t]+/gm, '$1• ')
      // Silent mentions, user ids in mentions, links to a message in a topic.
      .replace(/@_(\*+[^*\n]+\*)/g, '$1')
      .replace(/(@?\*\*[^*\n]*?)\|\d+\*\*/g, '$1**')
      .replace(/(#\*\*[^*\n]*?)@\d+\*\*/g, '$1 @ 💬**')
      // A link's address.
      .replace(/\[([^\][\n]{0,1000})\]\([^)(\s]{0,2000}\)/g, '$1'),
  )
}
