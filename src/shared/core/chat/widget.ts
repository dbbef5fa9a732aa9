import * as v from 'valibot'
import { jsonIn } from '../schemas.ts'

/** One step in a widget's creation or later changes. */
export interface Submessage {
  readonly id: number
  readonly senderId: number
  /** JSON in the web app's format; the server only passes it on. */
  readonly content: string
}

/** The current state of a poll or to-do list. */
export interface Widget {
  readonly kind: 'poll' | 'todo'
  readonly title: string
  readonly lines: readonly {
    readonly text: string
    /** Polls only: how many chose it. */
    readonly votes: number
    /** To-do lists only. */
    readonly isDone: boolean
  }[]
}

const taskFields = { task: v.string(), desc: v.optional(v.string(), '') }

const start = v.object({
  widget_type: v.picklist(['poll', 'todo']),
  extra_data: v.fallback(
    v.looseObject({
      question: v.optional(v.string()),
      options: v.optional(v.array(v.string())),
      task_list_title: v.optional(v.string()),
      tasks: v.optional(v.array(v.object(taskFields))),
    }),
    {},
  ),
})

const act = v.variant('type', [
  v.object({ type: v.literal('new_option'), idx: v.number(), option: v.string() }),
  v.object({ type: v.literal('question'), question: v.string() }),
  v.object({ type: v.literal('vote'), key: v.string(), vote: v.number() }),
  v.object({ type: v.literal('new_task'), key: v.number(), ...taskFields }),
  v.object({ type: v.literal('new_task_list_title'), title: v.string() }),
  v.object({ type: v.literal('strike'), key: v.string() }),
])

interface Line {
  readonly text: string
  readonly votes: Set<number>
  isDone: boolean
}

function newLine(text: string): Line {
  return { text, votes: new Set(), isDone: false }
}

/** The description follows a colon, as in the web app. */
function newTask({ task, desc }: { readonly task: string; readonly desc: string }): Line {
  return newLine(desc === '' ? task : `${task}: ${desc}`)
}

/** Equal options are one, as in the web app: votes for either count for it. */
function createOptions(lines: Map<string, Line>) {
  const byText = new Map<string, Line>()
  return (key: string, text: string): void => {
    const line = byText.get(text) ?? newLine(text)
    byText.set(text, line)
    lines.set(key, line)
  }
}

/** The widget made by a message's submessages, oldest first; null for none or an unknown kind. */
export function widgetOf(submessages: readonly Submessage[] | undefined): Widget | null {
  const [first, ...later] = submessages ?? []
  const begun = first === undefined ? null : parsed(start, first.content)
  if (begun === null) return null
  const { widget_type: kind, extra_data: data } = begun
  let title = (kind === 'poll' ? data.question : data.task_list_title) ?? ''
  const { options = [], tasks = [] } = data
  const lines = new Map<string, Line>(
    tasks.map((given, at) => [`${at},canned`, newTask(given)] as const),
  )
  const addOption = createOptions(lines)
  for (const [at, text] of options.entries()) addOption(`canned,${at}`, text)
  for (const { senderId, content } of later) {
    const done = parsed(act, content)
    if (done?.type === 'new_option') addOption(`${senderId},${done.idx}`, done.option)
    else if (done?.type === 'new_task') lines.set(`${done.key},${senderId}`, newTask(done))
    else if (done !== null && 'key' in done) touch(lines.get(done.key), senderId, done)
    // The server passes on title changes by anybody; the web app accepts only the author's.
    else if (senderId === first?.senderId) title = titleIn(done) ?? title
  }
  const rows = [...new Set(lines.values())].map(({ text, votes, isDone }) => ({
    text,
    votes: votes.size,
    isDone,
  }))
  return { kind, title: title || (kind === 'poll' ? 'Poll' : 'To-do list'), lines: rows }
}

type Act = v.InferOutput<typeof act>

function titleIn(done: Extract<Act, { type: 'question' | 'new_task_list_title' }> | null) {
  if (done === null) return null
  return done.type === 'question' ? done.question : done.title
}

function touch(
  line: Line | undefined,
  senderId: number,
  done: { readonly type: 'vote'; readonly vote: number } | { readonly type: 'strike' },
): void {
  if (line === undefined) return
  if (done.type === 'strike') line.isDone = !line.isDone
  else if (done.vote > 0) line.votes.add(senderId)
  else line.votes.delete(senderId)
}

function parsed<const Schema extends v.GenericSchema>(
  schema: Schema,
  content: string,
): v.InferOutput<Schema> | null {
  const read = v.safeParse(schema, jsonIn(content))
  return read.success ? read.output : null
}

/** A one-line summary, where there is no room for the widget. */
export function widgetWords({ kind, title }: Widget): string {
  return `${kind === 'poll' ? 'Poll' : 'To-do list'}: ${title}`
}
