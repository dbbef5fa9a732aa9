import { createRealm } from '../../src/demo/chat/pretend-realm.ts'
import { createTestClock } from '../support/realm-client.ts'
import type {
  ConformanceService,
  KeyKind,
  Keys,
  PretendServer,
  RequestStep,
  Taken,
} from './case.ts'
import { channelCases } from './chat-cases-channels.ts'
import { doorCases } from './chat-cases-door.ts'
import { draftCases } from './chat-cases-drafts.ts'
import { editCases } from './chat-cases-edits.ts'
import { fetchCases } from './chat-cases-fetch.ts'
import { fileCases } from './chat-cases-files.ts'
import { flagCases } from './chat-cases-flags.ts'
import { messageCases } from './chat-cases-message.ts'
import { peopleCases } from './chat-cases-people.ts'
import { presenceCases } from './chat-cases-presence.ts'
import { queueLifeCases } from './chat-cases-queue-life.ts'
import { queueCases } from './chat-cases-queues.ts'
import { reactionCases } from './chat-cases-reactions.ts'
import { realmCases } from './chat-cases-realm.ts'
import { registerCases } from './chat-cases-register.ts'
import { scheduledCases } from './chat-cases-scheduled.ts'
import { sendCases } from './chat-cases-send.ts'
import { settingsCases } from './chat-cases-settings.ts'
import { topicCases } from './chat-cases-topics.ts'
import { transportCases } from './chat-cases-transport.ts'
import type { ChatControls, ChatWorld } from './chat-parts.ts'
import { partOf } from './part-of.ts'

export const chatService: ConformanceService<ChatControls, ChatWorld> = {
  name: 'chat',
  cases: [
    ...transportCases,
    ...doorCases,
    ...sendCases,
    ...topicCases,
    ...messageCases,
    ...fetchCases,
    ...flagCases,
    ...reactionCases,
    ...peopleCases,
    ...channelCases,
    ...scheduledCases,
    ...draftCases,
    ...settingsCases,
    ...realmCases,
    ...fileCases,
    ...registerCases,
    ...editCases,
    ...presenceCases,
    ...queueLifeCases,
    ...queueCases,
  ],
  levels: ['421'],
  createServer: (origin, world) => pretendRealm(origin, world ?? {}),
  basePath: (world) => world?.path ?? '',
  credentials,
  async survey(ask) {
    const { json } = await ask({ method: 'GET', path: '/api/v1/server_settings', key: 'none' })
    const level = partOf(json, 'zulip_feature_level')
    return { level: typeof level === 'number' ? String(level) : null, saved: {} }
  },
  cleanUp: (taken) => Promise.resolve(taken.flatMap(undoing)),
}

function credentials(kind: KeyKind, keys: Keys): Record<string, string> {
  if (kind === 'none') return {}
  const [email = '', key] =
    kind === 'other'
      ? [keys.otherEmail, keys.other]
      : [keys.email, kind === 'wrong' ? 'x'.repeat(32) : keys.readWrite]
  return { authorization: `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}` }
}

function pretendRealm(origin: string, world: ChatWorld): PretendServer<ChatControls> {
  const clock = createTestClock()
  const realm = createRealm({
    baseUrl: `${origin}${world.path ?? ''}`,
    seed: 1,
    now: clock.now,
    setTimer: clock.setTimer,
    ...(world.rateLimit === undefined ? {} : { rateLimit: world.rateLimit }),
  })
  const keys = {
    readWrite: realm.user.key,
    readOnly: null,
    other: null,
    email: realm.user.email,
  }
  let waitingAct: (() => void) | null = null
  const pass = (ms: number) => {
    clock.advance(ms)
    realm.tick()
  }
  const ask = (method: string, path: string, form: string) => {
    const headers = {
      ...credentials('readWrite', keys),
      'content-type': 'application/x-www-form-urlencoded',
    }
    const url = `${origin}${world.path ?? ''}${path}`
    void realm.handle({ method, url, headers, body: form }, new AbortController().signal)
  }
  return {
    keys,
    pass,
    controls: {
      realm: realm.controls,
      passWhileWaiting(ms) {
        waitingAct = () => pass(ms)
      },
      whileWaiting(act) {
        waitingAct = () => act(ask)
      },
    },
    handle(request, signal) {
      const reply = realm.handle(request, signal)
      // A poll that has to wait does so before `handle` returns.
      if (waitingAct !== null && realm.controls.queues().waiting > 0) {
        const act = waitingAct
        waitingAct = null
        act()
      }
      return reply
    },
  }
}

/** Where what a POST made is taken away: the path of what it made, by the field with its id. */
const made: Readonly<Record<string, readonly [path: string, field: string]>> = {
  '/messages': ['/messages', 'id'],
  '/channels/create': ['/streams', 'id'],
  '/scheduled_messages': ['/scheduled_messages', 'scheduled_message_id'],
  '/saved_snippets': ['/saved_snippets', 'saved_snippet_id'],
  '/realm/playgrounds': ['/realm/playgrounds', 'id'],
  '/realm/filters': ['/realm/filters', 'id'],
}

/** The requests that take away what one request made. What is gone already answers with an error, which is fine. */
function undoing({ method, url, key, answer }: Taken): RequestStep[] {
  const path = new URL(url).pathname.split('/api/v1')[1] ?? ''
  if (method !== 'POST' || answer?.status !== 200) return []
  const body = Object(answer.json) as Readonly<Record<string, unknown>>
  if (path === '/register') {
    return [{ method: 'DELETE', path: '/api/v1/events', key, form: { queue_id: body['queue_id'] } }]
  }
  if (path === '/drafts' && Array.isArray(body['ids'])) {
    return body['ids'].map((id: unknown) => ({
      method: 'DELETE',
      path: `/api/v1/drafts/${String(id)}`,
      key,
    }))
  }
  const [parent, field] = made[path] ?? []
  if (parent === undefined || field === undefined || body[field] === undefined) return []
  return [{ method: 'DELETE', path: `/api/v1${parent}/${String(body[field])}`, key }]
}
