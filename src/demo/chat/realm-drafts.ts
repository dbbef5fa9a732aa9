import { type DemoPlace, limits, nowSeconds, type RealmData } from './realm-data.ts'
import { type Call, type Handlers, pathId, Refusal, shapes } from './realm-http.ts'
import { postMessage } from './realm-messages.ts'
import { directPlace, readContent, recipientKinds, topicPlace, userId } from './realm-post.ts'

interface Draft {
  readonly id: number
  readonly type: string
  readonly to: readonly number[]
  readonly topic: string
  readonly content: string
  readonly timestamp: number
}

interface Snippet {
  readonly id: number
  readonly title: string
  readonly content: string
  readonly date_created: number
}

const draftKeys = ['type', 'to', 'topic', 'content', 'timestamp']
const snippetTitleLimit = 60

/** What the server keeps for the one user's web app: drafts, saved snippets and views. */
export function draftHandlers(data: RealmData) {
  return { ...drafts(data), ...snippets(data), ...views(data) } satisfies Partial<Handlers>
}

function teller({ queues }: RealmData, type: string) {
  return (op: string, fields: Readonly<Record<string, unknown>>) =>
    queues.tell({ type, op, ...fields })
}

function drafts(data: RealmData) {
  const kept = new Map<number, Draft>()
  const first = { type: 'stream', to: [1], topic: 'db-primary', content: 'Still looking' }
  kept.set(1, { id: 1, ...first, timestamp: nowSeconds(data) })
  const tell = teller(data, 'drafts')
  const demandSync = () => {
    if (data.settings['enable_drafts_synchronization'] === false)
      throw new Refusal('User has disabled synchronizing drafts.')
  }
  const demand = (call: Call) => {
    const id = pathId(call, 'draft_id')
    if (!kept.has(id)) throw new Refusal('Draft does not exist', { status: 404 })
    return id
  }
  return {
    listDrafts() {
      demandSync()
      const rows = [...kept.values()].sort((a, b) => a.timestamp - b.timestamp)
      return { count: rows.length, drafts: rows }
    },
    createDrafts({ params }: Call) {
      const given = params.json('drafts', shapes.list)
      demandSync()
      const read = given.map((one) => readDraft(data, one, 'drafts'))
      const added = read.map((fields) => ({ id: data.nextId(), ...fields }))
      for (const draft of added) kept.set(draft.id, draft)
      if (added.length > 0) tell('add', { drafts: added })
      return { ids: added.map(({ id }) => id) }
    },
    editDraft(call: Call) {
      const given = call.params.json('draft', shapes.record)
      demandSync()
      const fields = readDraft(data, given, 'draft')
      const draft = { id: demand(call), ...fields }
      kept.set(draft.id, draft)
      tell('update', { draft })
      return {}
    },
    deleteDraft(call: Call) {
      demandSync()
      const id = demand(call)
      kept.delete(id)
      tell('remove', { draft_id: id })
      return {}
    },
  }
}

/** Unlike everywhere else, what is not known here is refused. */
function readDraft(data: RealmData, given: unknown, name: string): Omit<Draft, 'id'> {
  if (!shapes.record.fits(given)) throw new Refusal(`${name} is not a dict`)
  const extra = Object.keys(given).find((key) => !draftKeys.includes(key))
  if (extra !== undefined) throw new Refusal(`${name}["${extra}"]: Extra inputs are not permitted`)
  const { type, to, topic, content, timestamp = nowSeconds(data) } = given
  if (type !== '' && type !== 'stream' && type !== 'private')
    throw new Refusal(`Invalid ${name}["type"]`)
  if (!shapes.wholes.fits(to)) throw new Refusal(`${name}["to"] is not a list of integers`)
  if (typeof topic !== 'string' || topic.includes('\0'))
    throw new Refusal('Topic must not contain null bytes')
  if (typeof content !== 'string' || content.trim() === '' || content.includes('\0'))
    throw new Refusal(`${name}["content"] cannot be blank`)
  if (!shapes.whole.fits(timestamp)) throw new Refusal(`${name}["timestamp"] is not an integer`)
  if (type === 'stream' && to.length !== 1)
    throw new Refusal('Must specify exactly 1 channel ID for channel messages')
  if (type === 'stream' && !to.every((id) => data.channels.has(id)))
    throw new Refusal('Invalid channel ID')
  return { type, to, topic: type === 'stream' ? topic : '', content, timestamp }
}

function snippets(data: RealmData) {
  const kept = new Map<number, Snippet>()
  const tell = teller(data, 'saved_snippets')
  const demand = (call: Call): Snippet => {
    const found = kept.get(pathId(call, 'saved_snippet_id'))
    if (!found) throw new Refusal('Saved snippet does not exist.', { status: 404 })
    return found
  }
  return {
    listSavedSnippets: () => ({ saved_snippets: [...kept.values()] }),
    createSavedSnippet({ params }: Call) {
      const snippet = {
        id: data.nextId(),
        title: snippetText('title', params.text('title'), snippetTitleLimit),
        content: snippetText('content', params.text('content'), limits.message),
        date_created: nowSeconds(data),
      }
      kept.set(snippet.id, snippet)
      tell('add', { saved_snippet: snippet })
      return { saved_snippet_id: snippet.id }
    },
    editSavedSnippet(call: Call) {
      const title = call.params.maybeText('title')
      const content = call.params.maybeText('content')
      if (title === undefined && content === undefined) throw new Refusal('No new data is supplied')
      const old = demand(call)
      const changed = {
        ...old,
        title: title === undefined ? old.title : snippetText('title', title, snippetTitleLimit),
        content:
          content === undefined ? old.content : snippetText('content', content, limits.message),
      }
      kept.set(old.id, changed)
      tell('update', { saved_snippet: changed })
      return {}
    },
    deleteSavedSnippet(call: Call) {
      const { id } = demand(call)
      kept.delete(id)
      tell('remove', { saved_snippet_id: id })
      return {}
    },
  }
}

/** Too long is refused here, and not cut as in messages. */
function snippetText(name: string, given: string, limit: number): string {
  const text = given.trim()
  if (text === '') throw new Refusal('Title and content cannot be blank.')
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

/** The views of the web app's sidebar. Of the built-in ones only those that were changed are kept. */
function views(data: RealmData) {
  const kept = new Map<string, View>()
  const first = { fragment: 'narrow/channel/1-ops', is_pinned: true, name: 'Operations' }
  kept.set(first.fragment, first)
  const tell = teller(data, 'navigation_view')
  const refuseName = (fragment: string, name: string | undefined) => {
    if (name !== undefined && builtInViews.includes(fragment))
      throw new Refusal('Built-in views cannot have a custom name.')
  }
  return {
    listNavigationViews: () => ({ navigation_views: [...kept.values()] }),
    addNavigationView({ params }: Call) {
      const fragment = params.text('fragment')
      const isPinned = params.json('is_pinned', shapes.boolean) === true
      const name = params.maybeText('name')
      refuseName(fragment, name)
      if (kept.has(fragment)) throw new Refusal('Navigation view already exists.')
      if (!builtInViews.includes(fragment) && name === undefined)
        throw new Refusal('Custom views must have a valid name.')
      const view: View = { fragment, is_pinned: isPinned, name: name ?? null }
      kept.set(fragment, view)
      tell('add', { navigation_view: view })
      return {}
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
        is_pinned: pinned === undefined ? (old?.is_pinned ?? false) : pinned === true,
        name: name ?? old?.name ?? null,
      }
      kept.set(fragment, view)
      tell('update', { fragment, data: { is_pinned: view.is_pinned, name: view.name } })
      return {}
    },
    removeNavigationView({ path }: Call) {
      const fragment = path['fragment'] ?? ''
      if (!kept.delete(fragment)) throw noView('BAD_REQUEST')
      tell('remove', { fragment })
      return {}
    },
  }
}

/** The document names NOT_FOUND for a change and BAD_REQUEST for the removal. */
function noView(code: string): Refusal {
  return new Refusal('Navigation view does not exist.', { status: 404, code })
}

type Later = (atSeconds: number, run: () => void) => void

interface Scheduled {
  readonly id: number
  readonly place: DemoPlace
  readonly content: string
  /** Epoch seconds. */
  readonly at: number
  readonly read: boolean
  readonly client: string
}

/** Messages to be sent later. */
export function scheduleHandlers(data: RealmData, later: Later) {
  const kept = new Map<number, Scheduled>()
  const tell = teller(data, 'scheduled_messages')
  const plan = (given: Scheduled) => {
    kept.set(given.id, given)
    later(given.at, () => {
      // Deleted or changed meanwhile: a change plans anew.
      if (kept.get(given.id) !== given) return
      kept.delete(given.id)
      postMessage(data, { ...given, sender: data.me })
      tell('remove', { scheduled_message_id: given.id })
    })
  }
  const demand = (call: Call): Scheduled => {
    const found = kept.get(pathId(call, 'scheduled_message_id'))
    if (!found) throw new Refusal('Scheduled message does not exist', { status: 404 })
    return found
  }
  return {
    listScheduledMessages() {
      const rows = [...kept.values()].sort((a, b) => a.at - b.at)
      return { scheduled_messages: rows.map(wireScheduled) }
    },
    createScheduledMessage({ params, client }: Call) {
      const kind = params.word('type', recipientKinds)
      const to = params.json('to', shapes.any)
      const topic = params.maybeText('topic', 'subject')
      const content = readContent(params)
      const at = params.json('scheduled_delivery_timestamp', shapes.whole)
      const read = params.maybe('read_by_sender', shapes.boolean) === true
      const place = scheduledPlace(data, { kind, to, topic })
      demandFuture(data, at)
      const message = { id: data.nextId(), place, content, at, read, client }
      plan(message)
      tell('add', { scheduled_messages: [wireScheduled(message)] })
      return { scheduled_message_id: message.id }
    },
    editScheduledMessage(call: Call) {
      const message = changed(data, call, () => demand(call))
      plan(message)
      tell('update', { scheduled_message: wireScheduled(message) })
      return {}
    },
    deleteScheduledMessage(call: Call) {
      const { id } = demand(call)
      kept.delete(id)
      tell('remove', { scheduled_message_id: id })
      return {}
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
  const old = demand()
  if (at !== undefined) demandFuture(data, at)
  return {
    ...old,
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

function demandFuture(data: RealmData, at: number): void {
  if (at <= nowSeconds(data)) throw new Refusal('Scheduled delivery time must be in the future.')
}

function wireScheduled({ id, place, content, at }: Scheduled) {
  return {
    scheduled_message_id: id,
    ...(place.kind === 'topic'
      ? { type: 'stream', to: place.channelId, topic: place.topic }
      : { type: 'private', to: place.userIds }),
    content,
    rendered_content: `<p>${content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</p>`,
    scheduled_delivery_timestamp: at,
    failed: false,
  }
}

/** Unlike for sending, only ids will do. */
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
