import type { DemoPlace } from './demo-message.ts'
import { limits, nowSeconds, type RealmData, renderContext } from './realm-data.ts'
import { type Call, type Handlers, pathId, Refusal, shapes } from './realm-http.ts'
import { postMessage } from './realm-messages.ts'
import {
  cut,
  directPlace,
  normalContent,
  readContent,
  recipientKinds,
  topicPlace,
  userId,
} from './realm-post.ts'
import { renderMarkdown } from './realm-render.ts'

const draftKeys = ['type', 'to', 'topic', 'content', 'timestamp']
const snippetTitleLimit = 60
/** Maximum number of drafts in a registration; the list has all. */
const registered = 1_000

/** Drafts, saved snippets and views. */
export function draftHandlers(data: RealmData) {
  return { ...drafts(data), ...snippets(data), ...views(data) } satisfies Partial<Handlers>
}

function sender({ queues }: RealmData, type: string) {
  return (op: string, fields: Readonly<Record<string, unknown>>) =>
    queues.send({ type, op, ...fields })
}

/**
 * Rows by id (`idName` in paths). Each change is sent as an event of this type, from level `since` on.
 */
export function createShelf<Row extends { readonly id: number }>(
  data: RealmData,
  type: string,
  idName: string,
  missing: string,
  since = 0,
) {
  const rows = new Map<number, Row>()
  const sendNow = sender(data, type)
  const send: typeof sendNow = (op, fields) => {
    if (data.featureLevel >= since) sendNow(op, fields)
  }
  const remove = ({ id }: Row) => {
    rows.delete(id)
    send('remove', { [idName]: id })
  }
  const demand = (call: Call): Row => {
    const row = rows.get(pathId(call, idName))
    if (!row) throw new Refusal(missing, { status: 404 })
    return row
  }
  return {
    all: () => [...rows.values()],
    forget: () => rows.clear(),
    has: (row: Row) => rows.get(row.id) === row,
    demand,
    /** `wire`: the event's fields besides its type. */
    put(op: 'add' | 'update', changed: readonly Row[], wire: Readonly<Record<string, unknown>>) {
      for (const row of changed) rows.set(row.id, row)
      send(op, wire)
    },
    remove,
    removeNamed(call: Call) {
      remove(demand(call))
    },
  }
}

type Draft = ReturnType<typeof readDraft> & { readonly id: number }

function drafts(data: RealmData) {
  const shelf = createShelf<Draft>(data, 'drafts', 'draft_id', 'Draft does not exist')
  const first = { type: '', to: [], topic: '', content: 'Still looking' }
  shelf.put('add', [{ id: 1, ...readDraft(data, first, 'draft') }], {})
  data.forgetDrafts = shelf.forget
  const oldestFirst = () => shelf.all().sort((a, b) => a.timestamp - b.timestamp)
  data.kept.set('drafts', () => (syncs() ? oldestFirst().reverse().slice(0, registered) : []))
  const syncs = () => data.settings['enable_drafts_synchronization'] !== false
  const demandSync = () => {
    if (!syncs()) throw new Refusal('User has disabled synchronizing drafts.')
  }
  return {
    listDrafts() {
      demandSync()
      const rows = oldestFirst()
      return { count: rows.length, drafts: rows }
    },
    createDrafts({ params }: Call) {
      const given = params.json('drafts', shapes.list)
      demandSync()
      const read = given.map((one) => readDraft(data, one, 'drafts'))
      const added = read.map((fields) => ({ id: data.nextId(), ...fields }))
      shelf.put('add', added, { drafts: added })
      return { ids: added.map(({ id }) => id) }
    },
    editDraft(call: Call) {
      const given = call.params.json('draft', shapes.record)
      demandSync()
      const { id } = shelf.demand(call)
      const draft = { id, ...readDraft(data, given, 'draft') }
      shelf.put('update', [draft], { draft })
    },
    deleteDraft(call: Call) {
      demandSync()
      shelf.removeNamed(call)
    },
  }
}

/** Unlike elsewhere, unknown fields are refused, and white space before the content is trimmed. */
function readDraft(data: RealmData, given: unknown, name: string) {
  if (!shapes.record.fits(given)) throw new Refusal(`${name} is not a dict`)
  const extra = Object.keys(given).find((key) => !draftKeys.includes(key))
  if (extra !== undefined) throw new Refusal(`${name}["${extra}"]: Extra inputs are not permitted`)
  const { type, to, topic, content } = given
  const timestamp = given['timestamp'] ?? nowSeconds(data)
  if (type !== '' && type !== 'stream' && type !== 'private')
    throw new Refusal(`Invalid ${name}["type"]`)
  if (!shapes.wholes.fits(to)) throw new Refusal(`${name}["to"] is not a list of integers`)
  if (typeof topic !== 'string' || topic.includes('\0'))
    throw new Refusal('Topic must not contain null bytes')
  if (typeof content !== 'string' || content.trim() === '')
    throw new Refusal(`${name}["content"] cannot be blank`)
  if (typeof timestamp !== 'number') throw new Refusal(`${name}["timestamp"] is not an integer`)
  if (timestamp < 0) throw new Refusal('Timestamp must not be negative.')
  if (type === 'stream' && to.length !== 1)
    throw new Refusal('Must specify exactly 1 channel ID for channel messages')
  if (type === 'stream' && !to.every((id) => isOpen(data, id)))
    throw new Refusal('Invalid channel ID')
  const kept = {
    topic: type === 'stream' ? cut(topic, limits.topic, '...') : '',
    content: normalContent(content.trim()),
    timestamp: Math.floor(timestamp),
  }
  const others = type === 'private' ? recipientsOf(data, to) : to
  return others.length === 0 || type === ''
    ? { type: '', to: [], ...kept }
    : { type, to: others, ...kept }
}

function isOpen({ channels }: RealmData, channelId: number): boolean {
  const channel = channels.get(channelId)
  return channel !== undefined && channel.archived !== true
}

/** Without oneself, unless nobody else is there. */
function recipientsOf(data: RealmData, to: readonly number[]): readonly number[] {
  const ids = new Set(to.map((id) => userId(data, id)))
  const others = [...ids].filter((id) => id !== data.me.id).sort((a, b) => a - b)
  return others.length === 0 ? [...ids] : others
}

type Snippet = ReturnType<typeof readSnippet> & { readonly id: number; date_created: number }

function snippets(data: RealmData) {
  const missing = 'Saved snippet does not exist.'
  const shelf = createShelf<Snippet>(data, 'saved_snippets', 'saved_snippet_id', missing)
  data.kept.set('saved_snippets', shelf.all)
  return {
    listSavedSnippets: () => ({ saved_snippets: shelf.all() }),
    createSavedSnippet({ params }: Call) {
      const fields = readSnippet(params.text('title'), params.text('content'))
      const snippet = { id: data.nextId(), ...fields, date_created: nowSeconds(data) }
      shelf.put('add', [snippet], { saved_snippet: snippet })
      return { saved_snippet_id: snippet.id }
    },
    editSavedSnippet(call: Call) {
      const title = call.params.maybeText('title')
      const content = call.params.maybeText('content')
      if (title === undefined && content === undefined) return
      const old = shelf.demand(call)
      const snippet = { ...old, ...readSnippet(title ?? old.title, content ?? old.content) }
      shelf.put('update', [snippet], { saved_snippet: snippet })
    },
    deleteSavedSnippet: (call: Call) => shelf.removeNamed(call),
  }
}

const readSnippet = (title: string, content: string) => ({
  title: snippetText('title', title, snippetTitleLimit),
  content: snippetText('content', content, limits.message),
})

/** Text that is too long is refused, not truncated as in messages. */
function snippetText(name: string, given: string, limit: number): string {
  const text = given.trim()
  if (text === '') throw new Refusal(`${name} cannot be blank`)
  if ([...text].length > limit)
    throw new Refusal(`${name} is too long (limit: ${limit} characters)`)
  return text
}

interface View {
  readonly fragment: string
  readonly is_pinned: boolean
  readonly name: string | null
}

const builtInViews = [
  'inbox',
  'recent',
  'feed',
  'drafts',
  'narrow/has/reaction/sender/me',
  'narrow/is/mentioned',
  'narrow/is/starred',
]

/** Views in the web app's sidebar. Built-in ones are stored only once changed. */
function views(data: RealmData) {
  const kept = new Map<string, View>()
  const first = { fragment: 'narrow/channel/1-ops', is_pinned: true, name: 'Operations' }
  kept.set(first.fragment, first)
  const send = sender(data, 'navigation_view')
  const refuseName = (fragment: string, name: string | undefined) => {
    if (name !== undefined && builtInViews.includes(fragment))
      throw new Refusal('Built-in views cannot have a custom name.')
  }
  return {
    listNavigationViews: () => ({ navigation_views: [...kept.values()] }),
    addNavigationView({ params }: Call) {
      const fragment = params.text('fragment')
      const is_pinned = params.json('is_pinned', shapes.boolean)
      const name = params.maybeText('name')
      refuseName(fragment, name)
      if (kept.has(fragment)) throw new Refusal('Navigation view already exists.')
      if (!builtInViews.includes(fragment) && name === undefined)
        throw new Refusal('Custom views must have a valid name.')
      const view = { fragment, is_pinned, name: name ?? null }
      kept.set(fragment, view)
      send('add', { navigation_view: view })
    },
    updateNavigationView({ path, params }: Call) {
      const fragment = path['fragment'] ?? ''
      const pinned = params.maybe('is_pinned', shapes.boolean)
      const name = params.maybeText('name')
      refuseName(fragment, name)
      const old = kept.get(fragment)
      if (old === undefined && !builtInViews.includes(fragment)) throw noView('NOT_FOUND')
      const view: View = {
        fragment,
        is_pinned: pinned ?? old?.is_pinned ?? false,
        name: name ?? old?.name ?? null,
      }
      kept.set(fragment, view)
      send('update', { fragment, data: { is_pinned: view.is_pinned, name: view.name } })
    },
    removeNavigationView({ path }: Call) {
      const fragment = path['fragment'] ?? ''
      if (!kept.delete(fragment)) throw noView('BAD_REQUEST')
      send('remove', { fragment })
    },
  }
}

/** As documented: NOT_FOUND for a change, BAD_REQUEST for a removal. */
function noView(code: string): Refusal {
  return new Refusal('Navigation view does not exist.', { status: 404, code })
}

export type Later = (atSeconds: number, run: () => void) => void

interface Scheduled {
  readonly id: number
  readonly place: DemoPlace
  readonly content: string
  /** Epoch seconds. */
  readonly at: number
  readonly read: boolean
  readonly client: string
  readonly failed: boolean
}

/** How often a server looks for messages that are due. */
export const lookSeconds = 60

export function scheduleHandlers(data: RealmData, later: Later) {
  const [type, idName] = ['scheduled_messages', 'scheduled_message_id']
  const shelf = createShelf<Scheduled>(data, type, idName, 'Scheduled message does not exist')
  const wire = (message: Scheduled) => wireScheduled(data, message)
  /** Sent, but not yet deleted, which remains possible once. */
  const sent = new Map<number, Scheduled>()
  data.kept.set('scheduled_messages', () => shelf.all().map(wire))
  const send = (message: Scheduled) => {
    const { place } = message
    if (place.kind === 'topic' && !isOpen(data, place.channelId)) {
      const failed = { ...message, failed: true }
      shelf.put('update', [failed], { scheduled_message: wire(failed) })
      return
    }
    postMessage(data, { ...message, sender: data.me })
    shelf.remove(message)
    sent.set(message.id, message)
  }
  const plan = (message: Scheduled) =>
    later(Math.ceil(message.at / lookSeconds) * lookSeconds, () => {
      // Deleted or changed meanwhile; a change schedules it again.
      if (shelf.has(message)) send(message)
    })
  return {
    listScheduledMessages() {
      const rows = shelf.all().sort((a, b) => a.at - b.at)
      return { scheduled_messages: rows.map(wire) }
    },
    createScheduledMessage({ params, client }: Call) {
      const kind = params.word('type', recipientKinds)
      const to = params.json('to', shapes.any)
      const topic = params.maybeText('topic', 'subject')
      const content = readContent(params)
      const at = params.json('scheduled_delivery_timestamp', shapes.whole)
      const read = params.maybe('read_by_sender', shapes.boolean) ?? false
      demandFuture(data, at)
      const place = scheduledPlace(data, { kind, to, topic })
      const message = { id: data.nextId(), place, content, at, read, client, failed: false }
      shelf.put('add', [message], { scheduled_messages: [wire(message)] })
      plan(message)
      return { scheduled_message_id: message.id }
    },
    editScheduledMessage(call: Call) {
      const message = changed(data, call, () => {
        if (sent.has(pathId(call, idName))) throw new Refusal('Scheduled message was already sent')
        return shelf.demand(call)
      })
      plan(message)
      shelf.put('update', [message], { scheduled_message: wire(message) })
    },
    deleteScheduledMessage(call: Call) {
      const id = pathId(call, idName)
      const message = sent.get(id) ?? shelf.demand(call)
      sent.delete(id)
      shelf.remove(message)
    },
  } satisfies Partial<Handlers>
}

function changed(data: RealmData, { params }: Call, demand: () => Scheduled): Scheduled {
  const kind = params.maybeText('type')
  const to = params.maybe('to', shapes.any)
  const topic = params.maybeText('topic')
  const content = params.maybeText('content') === undefined ? undefined : readContent(params)
  const at = params.maybe('scheduled_delivery_timestamp', shapes.whole)
  if ([kind, to, topic, content, at].every((one) => one === undefined))
    throw new Refusal('Nothing to change')
  if (kind !== undefined && !recipientKinds.some((one) => one === kind))
    throw new Refusal('Invalid type')
  if (kind !== undefined && to === undefined)
    throw new Refusal('Recipient required when updating type of scheduled message.')
  if ((kind === 'channel' || kind === 'stream') && topic === undefined)
    throw new Refusal('Topic required when updating scheduled message type to channel.')
  if (at !== undefined) demandFuture(data, at)
  const old = demand()
  if (old.failed && at === undefined) throw notFuture()
  return {
    ...old,
    failed: false,
    place: changedPlace(data, old.place, { kind, to, topic }),
    content: content ?? old.content,
    at: at ?? old.at,
  }
}

function changedPlace(
  data: RealmData,
  old: DemoPlace,
  given: { kind: string | undefined; to: unknown; topic: string | undefined },
): DemoPlace {
  const { kind = old.kind === 'topic' ? 'stream' : 'private', topic } = given
  if (given.to === undefined && topic === undefined) return old
  const to = given.to ?? (old.kind === 'topic' ? old.channelId : old.userIds)
  return scheduledPlace(data, {
    kind,
    to,
    topic: topic ?? (old.kind === 'topic' ? old.topic : undefined),
  })
}

export function demandFuture(data: RealmData, at: number): void {
  if (at <= nowSeconds(data)) throw notFuture()
}

const notFuture = () => new Refusal('Scheduled delivery time must be in the future.')

function wireScheduled(data: RealmData, { id, place, content, at, failed }: Scheduled) {
  return {
    scheduled_message_id: id,
    ...(place.kind === 'topic'
      ? { type: 'stream', to: place.channelId, topic: place.topic }
      : { type: 'private', to: recipientsOf(data, place.userIds) }),
    content,
    rendered_content: renderMarkdown(content, renderContext(data)),
    scheduled_delivery_timestamp: at,
    failed,
  }
}

/** Unlike sending, accepts ids only. */
function scheduledPlace(
  data: RealmData,
  given: { kind: string; to: unknown; topic: string | undefined },
): DemoPlace {
  if (given.kind === 'channel' || given.kind === 'stream') {
    if (!shapes.whole.fits(given.to)) throw new Refusal('to is not an integer')
    return topicPlace(data, given.to, given.topic)
  }
  if (!shapes.wholes.fits(given.to)) throw new Refusal('to is not a list of integers')
  return directPlace(
    data,
    given.to.map((id) => userId(data, id)),
  )
}
