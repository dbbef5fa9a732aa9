import {
  limits,
  nowSeconds,
  type Person,
  type RealmData,
  setTopicPolicy,
  wireSubscription,
  wireUser,
} from './realm-data.ts'
import { type Call, type Handlers, pathId } from './realm-handlers.ts'
import { type Params, Refusal, shapes } from './realm-http.ts'
import { shownTopic } from './realm-messages.ts'

/** Users, channels and topics. */
export function peopleHandlers(data: RealmData) {
  const found = (call: Call, person: Person | undefined) => {
    const wire = readUserOptions(data, call.params)
    if (!person) throw new Refusal('No such user')
    return { user: wire(person) }
  }
  return {
    getOwnUser: () => ({
      ...wireUser(data, data.me),
      max_message_id: [...data.messages.keys()].at(-1) ?? -1,
    }),
    getUser: (call) => found(call, data.people.get(pathId(call, 'user_id'))),
    getUserByEmail: (call) => found(call, personByEmail(data, call.path['email'] ?? '')),
    listUsers({ params }) {
      const wire = readUserOptions(data, params)
      const ids = params.maybe('user_ids', shapes.wholes)
      const people = [...data.people.values()].filter(({ id }) => ids?.includes(id) ?? true)
      return { members: people.map(wire) }
    },
    updateUserByEmail: (call) => updateUser(data, call),
    listSubscriptions({ params }) {
      params.maybeText('include_subscribers')
      const subscribed = [...data.channels.values()].filter((channel) => channel.subscribed)
      return { subscriptions: subscribed.map(wireSubscription) }
    },
    listChannels: (call) => listChannels(data, call),
    listTopics: (call) => listTopics(data, call),
    updateTopicPolicy: (call) => updateTopicPolicy(data, call),
    createChannel: (call) => createChannel(data, call),
  } satisfies Partial<Handlers>
}

/** How a request wants its users. */
function readUserOptions(data: RealmData, params: Params) {
  params.maybe('client_gravatar', shapes.boolean)
  const withProfile = params.maybe('include_custom_profile_fields', shapes.boolean) ?? false
  return (person: Person) => ({
    ...wireUser(data, person),
    // Bots have no profile; the people of the demo left theirs empty.
    ...(withProfile && !person.isBot ? { profile_data: {} } : {}),
  })
}

function personByEmail(data: RealmData, email: string): Person | undefined {
  const wanted = email.toLowerCase()
  return [...data.people.values()].find(
    ({ id, email: real }) => real.toLowerCase() === wanted || `user${id}@${data.host}` === wanted,
  )
}

function updateUser(data: RealmData, call: Call) {
  const person = personByEmail(data, call.path['email'] ?? '')
  const name = call.params.maybeText('full_name')
  const role = call.params.maybe('role', shapes.whole)
  const newEmail = call.params.maybeText('new_email')
  call.params.maybe('profile_data', shapes.list)
  if (data.me.role > 200) throw new Refusal('Must be an organization administrator')
  if (!person) throw new Refusal('No such user')
  if (role !== undefined && ![100, 200, 300, 400, 600].includes(role)) {
    throw new Refusal('role is not valid')
  }
  if ((role === 100 || newEmail !== undefined) && data.me.role > 100) {
    throw new Refusal('Must be an organization owner')
  }
  if (name !== undefined) renamePerson(data, person, name)
  if (role !== undefined) Object.assign(person, { role })
  return {}
}

export function renamePerson(data: RealmData, person: Person, name: string): void {
  person.name = name
  data.queues.push(() => ({
    type: 'realm_user',
    op: 'update',
    person: { user_id: person.id, full_name: name },
  }))
}

function listChannels(data: RealmData, { params }: Call) {
  const asked = (name: string, usual: boolean) => {
    const given = params.maybe(name, shapes.boolean)
    return given === undefined ? usual : given === true
  }
  const everyone = asked('include_public', true)
  const own = asked('include_subscribed', true)
  const all = asked('include_all', false)
  asked('exclude_archived', true)
  for (const name of ['web_public', 'default', 'owner_subscribed', 'can_access_content'])
    asked(`include_${name}`, false)
  const found = [...data.channels.values()].filter(
    ({ subscribed }) => all || everyone || (own && subscribed),
  )
  const rows = found.map((channel) => {
    const { color: _color, pin_to_top: _pin, is_muted: _muted, ...row } = wireSubscription(channel)
    return row
  })
  return { streams: rows }
}

function listTopics(data: RealmData, call: Call) {
  const channelId = pathId(call, 'stream_id')
  const allowEmptyTopic = call.params.maybe('allow_empty_topic_name', shapes.boolean) ?? false
  if (!data.channels.has(channelId)) throw new Refusal('Invalid channel ID')
  const newest = new Map<string, { name: string; max_id: number }>()
  for (const { id, place } of data.messages.values()) {
    if (place.kind !== 'topic' || place.channelId !== channelId) continue
    const name = shownTopic(place.topic, { applyMarkdown: true, allowEmptyTopic })
    newest.set(place.topic.toLowerCase(), { name, max_id: id })
  }
  return { topics: [...newest.values()].sort((a, b) => b.max_id - a.max_id) }
}

function updateTopicPolicy(data: RealmData, { params }: Call) {
  const channelId = params.json('stream_id', shapes.whole)
  const topic = params.text('topic')
  const policy = params.json('visibility_policy', shapes.whole)
  if (policy < 0 || policy > 3) throw new Refusal('Invalid visibility_policy')
  if (!data.channels.has(channelId)) throw new Refusal('Invalid channel ID')
  setTopicPolicy(data, { channelId, topic }, policy)
  return {}
}

const topicsPolicies = ['inherit', 'allow_empty_topic', 'disable_empty_topic', 'empty_topic_only']

function refuseTooLong(name: string, text: string, limit: number): void {
  if ([...text].length <= limit) return
  throw new Refusal(`${name} is too long (limit: ${limit} characters)`)
}

function createChannel(data: RealmData, { params }: Call) {
  const name = params.text('name').trim()
  const description = params.maybeText('description') ?? ''
  const subscribers = params.json('subscribers', shapes.wholes)
  params.maybe('message_retention_days', shapes.any)
  for (const flag of ['announce', 'invite_only', 'is_web_public', 'is_default_stream']) {
    params.maybe(flag, shapes.boolean)
  }
  params.maybe('folder_id', shapes.whole)
  params.maybe('history_public_to_subscribers', shapes.boolean)
  const policy = params.maybeText('topics_policy') ?? 'inherit'
  if (!topicsPolicies.includes(policy)) throw new Refusal('Invalid topics_policy')
  if (name === '') throw new Refusal("Channel name can't be empty.")
  refuseTooLong('name', name, limits.channelName)
  refuseTooLong('description', description, limits.channelDescription)
  const taken = [...data.channels.values()].some(
    (channel) => channel.name.toLowerCase() === name.toLowerCase(),
  )
  if (taken) {
    throw new Refusal(`Channel '${name}' already exists`, {
      status: 409,
      code: 'CHANNEL_ALREADY_EXISTS',
    })
  }
  const channel = {
    id: data.nextId(),
    name,
    description,
    subscribed: subscribers.includes(data.me.id),
    muted: false,
    desktopNotifications: null,
    color: '#76ce90',
  }
  data.channels.set(channel.id, channel)
  const created = { stream_id: channel.id, name, description, date_created: nowSeconds(data) }
  data.queues.push(() => ({ type: 'stream', op: 'create', streams: [created] }))
  if (channel.subscribed) {
    const subscriptions = [wireSubscription(channel)]
    data.queues.push(() => ({ type: 'subscription', op: 'add', subscriptions }))
  }
  return { id: channel.id }
}
