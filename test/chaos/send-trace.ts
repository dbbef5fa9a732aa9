import type { App } from '../../src/main/app.ts'
import { type Conversation, conversationKey } from '../../src/shared/core/chat/conversation.ts'
import { draftKey } from '../../src/shared/core/chat/drafts.ts'
import type { OutboxMessage } from '../../src/shared/core/chat/outbox.ts'
import type { FaultProxy } from '../support/fault-proxy.ts'
import type { RealmServer } from './realm-server.ts'
import { isSend, realmOf } from './traffic-faults.ts'

export interface SendTrace {
  /** Records what is different in an app since the last look. */
  look(app: App): void
  /** Records something that happened to the whole app. */
  note(what: string): void
  /** The history of one text, a line each, in order of time. */
  about(text: {
    readonly realm: number
    readonly key: string
    readonly server: RealmServer
    readonly proxy: FaultProxy
  }): readonly string[]
}

interface Line {
  readonly at: number
  /** `account/conversation key/text`; null: concerns all. */
  readonly key: string | null
  readonly what: string
}

/** Records the way of each text, for those that are missing at the end. */
export function createSendTrace(): SendTrace {
  const startedAt = Date.now()
  const lines: Line[] = []
  let entries: ReadonlyMap<string, OutboxMessage> = new Map()
  let drafts: ReadonlyMap<string, string> = new Map()
  const add = (key: string | null, what: string) => lines.push({ at: Date.now(), key, what })

  function lookAtOutbox(outbox: readonly OutboxMessage[]): void {
    const now = new Map(outbox.map((entry) => [entry.localId, entry]))
    for (const [localId, entry] of now)
      if (entries.get(localId) !== entry) add(keyOf(entry), `outbox ${inWords(entry)}`)
    for (const [localId, entry] of entries)
      if (!now.has(localId)) add(keyOf(entry), `outbox ${localId.slice(0, 8)} gone`)
    entries = now
  }

  return {
    look({ state }) {
      lookAtOutbox(state.outbox)
      if (state.drafts === drafts) return
      for (const place of new Set([...drafts.keys(), ...state.drafts.keys()])) {
        const [before, after] = [drafts.get(place), state.drafts.get(place)]
        if (before === after) continue
        if (before !== undefined) add(`${place}/${before}`, 'draft gone')
        if (after !== undefined) add(`${place}/${after}`, 'draft')
      }
      drafts = state.drafts
    },
    note: (what) => add(null, what),
    about({ realm, key, server, proxy }) {
      const full = `chat-${realm}/${key}`
      const own = lines.filter((line) => line.key === null || line.key === full)
      const posts = proxy.log
        .filter((request) => isSend(request) && realmOf(request) === realm)
        .map(({ at, fault, reachedUpstream, endedAt }) => ({
          at,
          what: `request ${fault ?? 'well'}${reachedUpstream ? ', reached' : ''}, ended ${time(endedAt)}`,
        }))
      const { controls, user } = server.realms[realm] ?? {}
      const arrived = (controls?.messages() ?? [])
        .filter(({ senderId, content }) => senderId === user?.id && key.endsWith(`/${content}`))
        // The server's times are whole seconds.
        .map(({ id, sentAt, place }) => ({
          at: sentAt * 1_000,
          what: `server ${id} ${JSON.stringify(place)}`,
        }))
      // Ways in which the app could have learned of the last one.
      const heardFrom = Math.max(...arrived.map(({ at }) => at))
      const heard = proxy.log
        .filter((request) => request.method === 'GET' || request.path.endsWith('/register'))
        .filter(
          (request) => realmOf(request) === realm && (request.endedAt ?? heardFrom) >= heardFrom,
        )
        .slice(0, 12)
        .map(({ at, method, path, fault, endedAt }) => ({
          at,
          what: `${method} ${path.replace(/^.*\/api\/v1/, '').slice(0, 70)} ${fault ?? 'well'}, ended ${time(endedAt)}`,
        }))
      return [...own, ...posts, ...arrived, ...heard]
        .toSorted((a, b) => a.at - b.at)
        .map(({ at, what }) => `  ${time(at)} ${what}`)
    },
  }

  /** Seconds since the start. */
  function time(at: number | null): string {
    return at === null ? 'never' : ((at - startedAt) / 1_000).toFixed(2)
  }
}

function keyOf({ accountId, conversation, text }: OutboxMessage): string {
  return `${draftKey(accountId, conversation)}/${text}`
}

function inWords(entry: OutboxMessage): string {
  const { localId, state, messageId, attempts, afterMessageId, notMessageIds, failure } = entry
  const not = notMessageIds === undefined ? '' : ` not ${notMessageIds.join(' ')}`
  const why = failure === null ? '' : ` ${failure.kind}`
  return `${localId.slice(0, 8)} ${state}${why} id ${messageId} attempt ${attempts} after ${afterMessageId}${not}`
}

export function textKey(conversation: Conversation, text: string): string {
  return `${conversationKey(conversation)}/${text}`
}
