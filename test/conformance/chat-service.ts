import { PretendRealm } from '../../src/demo/chat/pretend-realm.ts'
import { newestLevel } from '../../src/demo/chat/realm-data.ts'
import { type ChatOperationId, chatOperations } from '../../src/shared/api/chat/chat-operations.ts'
import type { Operation } from '../../src/shared/api/operation.ts'
import { floorLevel } from '../../src/shared/core/chat/server-level.ts'
import { createTestClock } from '../support/realm-client.ts'
import type {
  Ask,
  ConformanceService,
  KeyKind,
  Keys,
  PretendServer,
  RequestStep,
  Survey,
  Taken,
} from './case.ts'
import { accessCases } from './chat-cases-access.ts'
import { channelCases } from './chat-cases-channels.ts'
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
import { reminderCases } from './chat-cases-reminders.ts'
import { scheduledCases } from './chat-cases-scheduled.ts'
import { sendCases } from './chat-cases-send.ts'
import { settingsCases } from './chat-cases-settings.ts'
import { topicCases } from './chat-cases-topics.ts'
import { transportCases } from './chat-cases-transport.ts'
import {
  type ChatCase,
  type ChatControls,
  type ChatWorld,
  inner,
  mySettings,
  rows,
  whoAmI,
} from './chat-parts.ts'
import { askBySomebody, somebody } from './chat-somebody.ts'
import { partOf } from './part-of.ts'

export const chatService: ConformanceService<ChatControls, ChatWorld> = {
  name: 'chat',
  cases: [
    ...transportCases,
    ...accessCases,
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
    ...reminderCases,
    ...settingsCases,
    ...realmCases,
    ...fileCases,
    ...registerCases,
    ...editCases,
    ...presenceCases,
    ...queueLifeCases,
    ...queueCases,
  ].map(ofLevel),
  levels: [String(floorLevel), String(newestLevel)],
  createServer: (origin, world = {}, level) => pretendRealm(origin, world, Number(level)),
  basePath: (world) => world?.path ?? '',
  credentials,
  needs: {
    notOwner: 'needs the key of an administrator who is no owner',
    uploads: 'needs resumable uploads, which this server does not have',
    group: 'needs a user group named conformance',
    ownTopics: 'needs an account that follows the topics it begins',
  },
  survey,
  cleanUp,
  stays: (taken) =>
    taken.some(makesChannels) ? ['channels named bf…, archived: the API does not delete them'] : [],
}

/** A case about an operation is true from the level that added it. */
function ofLevel(one: ChatCase): ChatCase {
  const declared: Operation | undefined = Object.hasOwn(chatOperations, one.operation ?? '')
    ? chatOperations[one.operation as ChatOperationId]
    : undefined
  return declared?.since === undefined ? one : { since: String(declared.since), ...one }
}

function credentials(kind: KeyKind, keys: Keys): Record<string, string> {
  if (kind === 'none') return {}
  const [email = '', key] =
    kind === 'other'
      ? [keys.otherEmail, keys.other]
      : [keys.email, kind === 'wrong' ? 'x'.repeat(32) : keys.readWrite]
  const pair = kind === 'spaced' ? `${email}: ${key} ` : `${email}:${key}`
  const written = kind === 'capitals' ? `${email.toUpperCase()}:${key}` : pair
  return { authorization: `Basic ${Buffer.from(written).toString('base64')}` }
}

async function survey(ask: Ask): Promise<Survey> {
  const { json } = await ask({ method: 'GET', path: '/api/v1/server_settings', key: 'none' })
  const level = partOf(json, 'zulip_feature_level')
  const me = await ask(whoAmI)
  const settings = await ask(mySettings)
  const groups = await ask({ method: 'GET', path: '/api/v1/user_groups', key: 'readWrite' })
  const group = rows(inner(groups.json), 'user_groups').find(({ name }) => name === 'conformance')
  // The upload daemon refuses this; a server without it doesn't know the path.
  const tus = { 'tus-resumable': '0.2.0' }
  const upload = await ask({ method: 'POST', path: '/api/v1/tus/', headers: tus })
  const ownTopics = partOf(settings.json, 'user_settings', 'automatically_follow_topics_policy')
  return {
    level: typeof level === 'number' ? String(level) : null,
    saved: {
      ...(partOf(me.json, 'is_owner') === false ? { notOwner: 'yes' } : {}),
      ...(upload.status === 412 ? { uploads: 'yes' } : {}),
      ...(group === undefined ? {} : { group: String(group['id']) }),
      ...(ownTopics === 3 ? { ownTopics: 'yes' } : {}),
    },
  }
}

function pretendRealm(
  origin: string,
  world: ChatWorld,
  featureLevel: number,
): PretendServer<ChatControls> {
  const clock = createTestClock()
  const realm = new PretendRealm({
    baseUrl: `${origin}${world.path ?? ''}`,
    seed: 1,
    now: clock.now,
    setTimer: clock.setTimer,
    ...(world.rateLimit === undefined ? {} : { rateLimit: world.rateLimit }),
    featureLevel,
  })
  const keys = {
    readWrite: realm.user.key,
    readOnly: null,
    email: realm.user.email,
    other: somebody.key,
    otherEmail: somebody.email,
  }
  const { authorization: mine } = credentials('readWrite', keys)
  const { authorization: others } = credentials('other', keys)
  const bySomebody = askBySomebody(realm, (request, signal) =>
    realm.handle(
      { ...request, headers: { ...request.headers, authorization: mine ?? '' } },
      signal,
    ),
  )
  let waitingAct: (() => void) | null = null
  return {
    keys,
    saved: { notOwner: 'yes', uploads: 'yes', ownTopics: 'yes', group: '21' },
    pass(ms) {
      clock.advance(ms)
      realm.tick()
    },
    whileWaiting(act) {
      waitingAct = act
    },
    controls: { realm: realm.controls },
    handle(request, signal) {
      if (request.headers['authorization'] === others) return bySomebody(request, signal)
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

/** Where the result of a POST is deleted: the path, and the response's field with its id. */
const made: Readonly<Record<string, readonly [path: string, field: string]>> = {
  '/messages': ['/messages', 'id'],
  '/scheduled_messages': ['/scheduled_messages', 'scheduled_message_id'],
  '/saved_snippets': ['/saved_snippets', 'saved_snippet_id'],
  '/reminders': ['/reminders', 'reminder_id'],
  '/realm/playgrounds': ['/realm/playgrounds', 'id'],
  '/realm/filters': ['/realm/filters', 'id'],
}

const pathOf = ({ url }: Taken) => new URL(url).pathname.split('/api/v1')[1] ?? ''

function makesChannels(one: Taken): boolean {
  return (
    one.method === 'POST' &&
    ['/channels/create', '/users/me/subscriptions'].includes(pathOf(one)) &&
    (one.answer === null || one.answer.status === 200)
  )
}

async function cleanUp(
  taken: readonly Taken[],
  prefix: string,
  ask: Ask,
): Promise<readonly RequestStep[]> {
  const steps = taken.flatMap((one) => undoing(one, taken))
  // Found by name, since the response doesn't always have their ids.
  const named = async (path: string, field: string, name: string) => {
    const { json } = await ask({ method: 'GET', path: `/api/v1${path}` })
    return rows(inner(json), field).filter((row) => String(row[name]).startsWith(prefix))
  }
  if (taken.some((one) => pathOf(one) === '/user_uploads' || pathOf(one).startsWith('/tus')))
    for (const { id } of await named('/attachments', 'attachments', 'name'))
      steps.push({ method: 'DELETE', path: `/api/v1/attachments/${String(id)}` })
  if (taken.some(makesChannels))
    for (const { stream_id: id } of await named('/streams', 'streams', 'name'))
      steps.push({ method: 'DELETE', path: `/api/v1/streams/${String(id)}` })
  return steps
}

/**
 * The requests that undo one request. If its result is gone already, they get an error, which is
 * fine.
 */
function undoing(one: Taken, taken: readonly Taken[]): RequestStep[] {
  const { method, answer } = one
  const path = pathOf(one)
  if (answer?.status !== 200) return []
  if (method === 'PATCH') return restoring(one, taken)
  if (method !== 'POST') return []
  if (path.startsWith('/users/me/muted_users/'))
    return [{ method: 'DELETE', path: `/api/v1${path}` }]
  const body = inner(answer.json)
  // The first account can delete any message it can see, unlike some authors.
  const key = path === '/messages' ? 'readWrite' : one.key
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

/** Resets the account's settings, and the other person's name and role, to what the case found. */
function restoring({ url, form }: Taken, taken: readonly Taken[]): RequestStep[] {
  const path = new URL(url).pathname
  const isSettings = path.endsWith('/settings')
  const found = taken.find(({ key, answer }) =>
    isSettings
      ? partOf(answer?.json, 'user_settings')
      : key === 'other' && partOf(answer?.json, 'role'),
  )
  const before = inner(
    isSettings ? partOf(found?.answer?.json, 'user_settings') : found?.answer?.json,
  )
  const changed = Object.keys(form).filter((name) => before[name] !== undefined)
  if (changed.length === 0 || !/\/(settings|users\/[^/]+)$/.test(path)) return []
  const back = Object.fromEntries(changed.map((name) => [name, before[name]]))
  return [{ method: 'PATCH', path: path.slice(path.indexOf('/api/v1')), form: back }]
}
