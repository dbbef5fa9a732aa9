import { limits, nowSeconds, type RealmData } from './realm-data.ts'
import { type Call, type Handlers, pathId } from './realm-handlers.ts'
import { Refusal, shapes } from './realm-http.ts'

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

/** Drafts and saved snippets of the one user. */
export function draftHandlers(data: RealmData) {
  return { ...drafts(data), ...snippets(data) } satisfies Partial<Handlers>
}

function drafts(data: RealmData) {
  const kept = new Map<number, Draft>()
  const first = { type: 'stream', to: [1], topic: 'db-primary', content: 'Still looking' }
  kept.set(1, { id: 1, ...first, timestamp: nowSeconds(data) })
  const tell = (op: string, fields: Readonly<Record<string, unknown>>) =>
    data.queues.push(() => ({ type: 'drafts', op, ...fields }))
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
  const tell = (op: string, fields: Readonly<Record<string, unknown>>) =>
    data.queues.push(() => ({ type: 'saved_snippets', op, ...fields }))
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
