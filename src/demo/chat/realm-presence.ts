import { nowSeconds, type RealmData } from './realm-data.ts'
import { type Call, type Handlers, pathId } from './realm-handlers.ts'
import { Refusal, shapes } from './realm-http.ts'
import { emojiCodes } from './realm-render.ts'

/** What a user is up to, in the wire's own names; empty texts are left out when it is read. */
type Statuses = Map<number, Readonly<Record<string, string>>>

/** Status, presence, muted users and phones. */
export function presenceHandlers(data: RealmData) {
  const statuses: Statuses = new Map()
  const presence = new Map<number, Readonly<Record<string, number>>>()
  let updates = 0
  const person = (call: Call, name: string) => {
    const id = pathId(call, name)
    if (!data.people.has(id)) throw new Refusal('No such user')
    return id
  }
  return {
    getUserStatus(call) {
      const shown = Object.entries(statuses.get(person(call, 'user_id')) ?? {})
      return { status: Object.fromEntries(shown.filter(([, value]) => value !== '')) }
    },
    setOwnStatus: (call) => setStatus(data, call, statuses, data.me.id),
    setUserStatus: (call) => setStatus(data, call, statuses, pathId(call, 'user_id')),
    updatePresence({ params }) {
      const status = params.word('status', ['active', 'idle'])
      const pingOnly = params.maybe('ping_only', shapes.boolean) === true
      params.maybe('new_user_input', shapes.boolean)
      params.maybe('last_update_id', shapes.whole)
      params.maybe('history_limit_days', shapes.whole)
      params.maybe('slim_presence', shapes.boolean)
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
      return {}
    },
    unmuteUser(call) {
      if (!data.mutedUsers.delete(person(call, 'muted_user_id')))
        throw new Refusal('User is not muted')
      pushMuted(data)
      return {}
    },
    addPushDeviceToken({ params }) {
      const token = params.text('token')
      params.text('appid')
      if (token === '' || token.length > 4096) throw new Refusal('Empty or invalid length token')
      if (!/^[0-9a-f]+$/i.test(token)) throw new Refusal('Invalid token')
      return {}
    },
    registerE2eePushDevice({ params }) {
      params.json('push_account_id', shapes.whole)
      params.word('token_kind', ['fcm', 'apns'])
      for (const name of ['push_public_key', 'bouncer_public_key', 'encrypted_push_registration'])
        if (params.text(name) === '') throw new Refusal(`Invalid ${name}`)
      return {}
    },
  } satisfies Partial<Handlers>
}

function pushMuted(data: RealmData): void {
  const rows = [...data.mutedUsers].map(([id, timestamp]) => ({ id, timestamp }))
  data.queues.push(() => ({ type: 'muted_users', muted_users: rows }))
}

function setStatus(data: RealmData, call: Call, statuses: Statuses, id: number) {
  const text = call.params.maybeText('status_text')
  const emoji = call.params.maybeText('emoji_name')
  const code = call.params.maybeText('emoji_code')
  const type = call.params.maybeText('reaction_type')
  const person = data.people.get(id)
  if (!person) throw new Refusal('No such user')
  if (text === undefined && emoji === undefined) {
    throw new Refusal('Client did not pass any new values.')
  }
  if (text !== undefined && [...text.trim()].length > 60) {
    throw new Refusal('status_text is too long (limit: 60 characters)')
  }
  if (emoji === undefined && (code !== undefined || type !== undefined)) {
    throw new Refusal(
      'Client must pass emoji_name if they pass either emoji_code or reaction_type.',
    )
  }
  if (emoji && emoji !== 'belfry' && !emojiCodes.has(emoji)) {
    throw new Refusal(`Emoji '${emoji}' does not exist`)
  }
  if (emoji && code !== undefined && type !== 'realm_emoji' && emojiCodes.get(emoji) !== code) {
    throw new Refusal('Invalid emoji name.')
  }
  const told: Record<string, string> = {}
  if (text !== undefined) told['status_text'] = text.trim()
  if (emoji !== undefined) {
    const empty = emoji === ''
    told['emoji_name'] = emoji
    told['emoji_code'] = empty ? '' : (code ?? emojiCodes.get(emoji) ?? '1')
    told['reaction_type'] = empty ? '' : (type ?? 'unicode_emoji')
  }
  statuses.set(id, { ...statuses.get(id), ...told })
  data.queues.push(() => ({ type: 'user_status', user_id: person.id, ...told }))
  return {}
}
