import { type DemoPlace, nowSeconds, type RealmData } from './realm-data.ts'
import { type Call, type Handlers, pathId } from './realm-handlers.ts'
import { Refusal, shapes } from './realm-http.ts'
import { postMessage } from './realm-messages.ts'
import { directPlace, readContent, recipientKinds, topicPlace, userId } from './realm-post.ts'

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
  const tell = (op: string, fields: Readonly<Record<string, unknown>>) =>
    data.queues.push(() => ({ type: 'scheduled_messages', op, ...fields }))
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
  if (at <= nowSeconds(data)) {
    throw new Refusal('Scheduled delivery time must be in the future.')
  }
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
