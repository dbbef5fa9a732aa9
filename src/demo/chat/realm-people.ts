import {
  type DemoChannel,
  type GroupSetting,
  limits,
  mutedRows,
  nowSeconds,
  type Person,
  type RealmData,
  setTopicPolicy,
  shownEmail,
  subscribersOf,
  wireSubscription,
  wireUser,
} from './realm-data.ts'
import { type Call, type Handlers, type Params, pathId, Refusal, shapes } from './realm-http.ts'
import { shownTopic, validEmoji } from './realm-messages.ts'
import { renamePerson } from './realm-settings.ts'

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
    listSubscribers(call) {
      const channel = data.channels.get(pathId(call, 'stream_id'))
      if (channel === undefined) throw new Refusal('Invalid channel ID')
      return { subscribers: subscribersOf(data, channel) }
    },
    listChannels: (call) => listChannels(data, call),
    listTopics: (call) => listTopics(data, call),
    updateTopicPolicy: (call) => updateTopicPolicy(data, call),
    createChannel: (call) => createChannel(data, call),
    subscribe: (call) => subscribe(data, call),
  } satisfies Partial<Handlers>
}

/** Serializes users as requested. */
function readUserOptions(data: RealmData, params: Params) {
  params.maybe('client_gravatar', shapes.boolean)
  const withProfile = params.maybe('include_custom_profile_fields', shapes.boolean) ?? false
  return (person: Person) => ({
    ...wireUser(data, person),
    // Bots have no profile; everyone else's is empty.
    ...(withProfile && !person.isBot ? { profile_data: {} } : {}),
  })
}

function personByEmail(data: RealmData, email: string): Person | undefined {
  const wanted = email.toLowerCase()
  return [...data.people.values()].find(
    (person) => person.email.toLowerCase() === wanted || shownEmail(data, person) === wanted,
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
  if (role !== undefined && ![100, 200, 300, 400, 600].includes(role))
    throw new Refusal('role is not valid')
  if ((role === 100 || newEmail !== undefined) && data.me.role > 100)
    throw new Refusal('Must be an organization owner', {
      code: role === 100 ? 'UNAUTHORIZED_PRINCIPAL' : 'BAD_REQUEST',
    })
  if (name !== undefined) renamePerson(data, person, name)
  if (role !== undefined) Object.assign(person, { role })
}

function listChannels(data: RealmData, { params }: Call) {
  const asked = (name: string, usual: boolean) => params.maybe(name, shapes.boolean) ?? usual
  const everyone = asked('include_public', true)
  const own = asked('include_subscribed', true)
  const all = asked('include_all', false)
  params.check(shapes.boolean, 'exclude_archived', 'include_web_public', 'include_default')
  params.check(shapes.boolean, 'include_owner_subscribed', 'include_can_access_content')
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
  params.check(shapes.whole, 'folder_id')
  checkCreation(params)
  const policy = params.maybeText('topics_policy') ?? 'inherit'
  if (!topicsPolicies.includes(policy)) throw new Refusal('Invalid topics_policy')
  if (channelCalled(data, name))
    throw new Refusal(`Channel '${name}' already exists`, {
      status: 409,
      code: 'CHANNEL_ALREADY_EXISTS',
    })
  const channel = addChannel(data, {
    name,
    description,
    others: subscribers,
    topicsPolicy: policy,
    ...maySendOf(params),
  })
  if (subscribers.includes(data.me.id)) join(data, channel)
  return { id: channel.id }
}

const isGroupSetting = (value: unknown): value is GroupSetting =>
  shapes.whole.fits(value) ||
  (shapes.record.fits(value) &&
    shapes.wholes.fits(value['direct_members']) &&
    shapes.wholes.fits(value['direct_subgroups']))

function maySendOf(params: Params): Pick<DemoChannel, 'maySend'> {
  const maySend = params.maybe('can_send_message_group', {
    what: 'group',
    fits: isGroupSetting,
  })
  return maySend === undefined ? {} : { maySend }
}

/** Validates the fields of both ways to create a channel that have no effect here. */
function checkCreation(params: Params): void {
  params.maybe('message_retention_days', shapes.any)
  params.check(shapes.boolean, 'announce', 'invite_only', 'is_web_public', 'is_default_stream')
  params.check(shapes.boolean, 'history_public_to_subscribers')
}

function channelCalled(data: RealmData, name: string): DemoChannel | undefined {
  const wanted = name.toLowerCase()
  return [...data.channels.values()].find((channel) => channel.name.toLowerCase() === wanted)
}

function addChannel(
  data: RealmData,
  wanted: Pick<DemoChannel, 'name' | 'description' | 'others' | 'maySend' | 'topicsPolicy'>,
): DemoChannel {
  const { name, description } = wanted
  if (name === '') throw new Refusal("Channel name can't be empty.")
  refuseTooLong('name', name, limits.channelName)
  refuseTooLong('description', description, limits.channelDescription)
  const channel: DemoChannel = {
    id: data.nextId(),
    ...wanted,
    subscribed: false,
    muted: false,
    desktopNotifications: null,
    color: '#76ce90',
  }
  data.channels.set(channel.id, channel)
  const created = { stream_id: channel.id, name, description, date_created: nowSeconds(data) }
  data.queues.send({ type: 'stream', op: 'create', streams: [created] })
  return channel
}

function join(data: RealmData, channel: DemoChannel): void {
  channel.subscribed = true
  const subscriptions = [wireSubscription(channel)]
  data.queues.send({ type: 'subscription', op: 'add', subscriptions })
}

/** Only the demo user's subscriptions are tracked: others always count as newly subscribed. */
function subscribe(data: RealmData, { params }: Call) {
  const wanted = params.json('subscriptions', shapes.list).map((one): Record<string, unknown> => {
    if (typeof one !== 'object' || one === null) throw new Refusal('subscriptions is not valid')
    return { ...one }
  })
  const principals = params.maybe('principals', shapes.wholes) ?? []
  params.check(shapes.boolean, 'authorization_errors_fatal')
  checkCreation(params)
  const maySend = maySendOf(params)
  const people = principals.length === 0 ? [data.me.id] : principals
  const subscribed: Record<string, string[]> = {}
  const already: Record<string, string[]> = {}
  for (const { name: given, description = '' } of wanted) {
    if (typeof given !== 'string') throw new Refusal('name is not a string')
    const name = given.trim()
    const known =
      channelCalled(data, name) ??
      addChannel(data, { name, description: String(description), others: people, ...maySend })
    for (const id of people) {
      const row = id === data.me.id && known.subscribed ? already : subscribed
      row[id] = [...(row[id] ?? []), known.name]
    }
    if (people.includes(data.me.id) && !known.subscribed) join(data, known)
  }
  return { subscribed, already_subscribed: already }
}

const activeSeconds = 200

/** Status, presence, muted users and push devices. */
export function presenceHandlers(data: RealmData) {
  const presence = new Map<number, Readonly<Record<string, number>>>()
  /** Presence of some other people, which never changes. */
  const seen = new Map(
    [12, 13].map((id, at) => {
      const when = nowSeconds(data) - at * 7_200
      return [id, { active_timestamp: when, idle_timestamp: when }] as const
    }),
  )
  let updates = 0
  const person = (call: Call, name: string) => {
    const id = pathId(call, name)
    if (!data.people.has(id)) throw new Refusal('No such user')
    return id
  }
  return {
    getUserStatus(call) {
      return { status: shownStatus(data.statuses.get(person(call, 'user_id'))) }
    },
    getUserPresence(call) {
      const id = person(call, 'user_id')
      if (data.people.get(id)?.isBot === true)
        throw new Refusal('Presence is not supported for bot users.')
      const known = presence.get(id) ?? seen.get(id)
      if (known === undefined) throw new Refusal(`No presence data for user${id}@${data.host}`)
      const { active_timestamp: active = 0, idle_timestamp: idle = 0 } = known
      const isActive = active > nowSeconds(data) - activeSeconds
      const one = { status: isActive ? 'active' : 'idle', timestamp: isActive ? active : idle }
      // Between these, the older form was left out for a while.
      const older = { aggregated: one, website: one }
      const level = data.featureLevel
      return {
        presence: {
          ...(level < 487 || level >= 497 ? older : {}),
          ...(level < 487 ? {} : { active_timestamp: active, idle_timestamp: idle }),
        },
      }
    },
    setOwnStatus: (call) => setStatus(data, call, data.me.id),
    setUserStatus: (call) => setStatus(data, call, pathId(call, 'user_id')),
    updatePresence({ params }) {
      const status = params.word('status', ['active', 'idle'])
      const pingOnly = params.maybe('ping_only', shapes.boolean) ?? false
      params.check(shapes.boolean, 'new_user_input', 'slim_presence')
      params.check(shapes.whole, 'last_update_id', 'history_limit_days')
      const at = nowSeconds(data)
      const active = status === 'active' ? { active_timestamp: at } : {}
      presence.set(data.me.id, { ...presence.get(data.me.id), ...active, idle_timestamp: at })
      updates += 1
      if (pingOnly) return {}
      return {
        presences: Object.fromEntries(presence),
        presence_last_update_id: updates,
        server_timestamp: at,
      }
    },
    muteUser(call) {
      const id = person(call, 'muted_user_id')
      if (id === data.me.id) throw new Refusal('Cannot mute self')
      if (data.mutedUsers.has(id)) throw new Refusal('User already muted')
      data.mutedUsers.set(id, nowSeconds(data))
      pushMuted(data)
    },
    unmuteUser(call) {
      if (!data.mutedUsers.delete(person(call, 'muted_user_id')))
        throw new Refusal('User is not muted')
      pushMuted(data)
    },
    addPushDeviceToken({ params }) {
      const token = params.text('token')
      params.text('appid')
      if (token === '' || token.length > 4096) throw new Refusal('Empty or invalid length token')
      if (!/^[0-9a-f]+$/i.test(token)) throw new Refusal('Invalid token')
    },
    registerE2eePushDevice({ params }) {
      const isRedesigned = data.featureLevel >= 468
      const numbers = isRedesigned ? ['device_id', 'push_key_id'] : ['push_account_id']
      for (const name of numbers) params.json(name, shapes.whole)
      params.word('token_kind', ['fcm', 'apns'])
      const texts = [
        data.featureLevel < 432 ? 'push_public_key' : 'push_key',
        ...(isRedesigned ? ['token_id'] : []),
        'bouncer_public_key',
        'encrypted_push_registration',
      ]
      for (const name of texts) if (params.text(name) === '') throw new Refusal(`Invalid ${name}`)
    },
  } satisfies Partial<Handlers>
}

function pushMuted(data: RealmData): void {
  data.queues.send({ type: 'muted_users', muted_users: mutedRows(data) })
}

/** A status as it is answered: without what is empty. */
export function shownStatus(status: Readonly<Record<string, string>> | undefined) {
  return Object.fromEntries(Object.entries(status ?? {}).filter(([, value]) => value !== ''))
}

function setStatus(data: RealmData, call: Call, id: number) {
  const text = call.params.maybeText('status_text')
  const emoji = call.params.maybeText('emoji_name')
  const code = call.params.maybeText('emoji_code')
  const type = call.params.maybeText('reaction_type')
  const person = data.people.get(id)
  if (!person) throw new Refusal('No such user')
  if (text === undefined && emoji === undefined)
    throw new Refusal('Client did not pass any new values.')
  if (text !== undefined && [...text.trim()].length > 60)
    throw new Refusal('status_text is too long (limit: 60 characters)')
  if (emoji === undefined && (code !== undefined || type !== undefined))
    throw new Refusal(
      'Client must pass emoji_name if they pass either emoji_code or reaction_type.',
    )
  const changed: Record<string, string> = {}
  if (text !== undefined) changed['status_text'] = text.trim()
  if (emoji !== undefined) {
    const none = { emoji_code: '', reaction_type: '' }
    Object.assign(
      changed,
      { emoji_name: emoji },
      emoji === '' ? none : validEmoji(emoji, code, type),
    )
  }
  data.statuses.set(id, { ...data.statuses.get(id), ...changed })
  data.queues.send({ type: 'user_status', user_id: person.id, ...changed })
}
