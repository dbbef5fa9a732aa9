/**
 * What the chat server of this measurement sends, with the size and shape of real messages (1.6 kB
 * each).
 */

export interface WireEvent {
  readonly id: number
  readonly type: string
  readonly [name: string]: unknown
}

const me = 10
const channelId = 9
/** The author of the messages. */
const sender = 26

/**
 * As rendered by Zulip, except for the first paragraph, which says when the server sent it, in ns
 * of its monotonic clock.
 */
const rendered =
  '<p><span class="user-mention" data-user-id="26">@Cordelia</span> the <strong>nightly-etl</strong> job on <code>host-017</code> is <em>down</em> since 04:12, see <a href="https://hc.example.org/checks/9f6d/details/">the check</a> and <a class="stream-topic" data-stream-id="9" href="/#narrow/channel/9-ops/topic/etl">#ops &gt; etl</a> <span aria-label="fire" class="emoji emoji-1f525" role="img" title="fire">:fire:</span></p>\n<div class="codehilite" data-code-language="Python"><pre><span></span><code><span class="k">raise</span> <span class="ne">TimeoutError</span><span class="p">(</span><span class="s2">&quot;upstream&quot;</span><span class="p">)</span>\n</code></pre></div>'

/** A direct message, or one in a topic. */
export function wireMessage(id: number, isDirect: boolean): Record<string, unknown> {
  const place = isDirect
    ? { type: 'private', subject: '', display_recipient: [person(sender), person(me)] }
    : { type: 'stream', subject: 'etl', display_recipient: 'ops', stream_id: channelId }
  return {
    id,
    sender_id: sender,
    content: `<p>sent ${process.hrtime.bigint()}</p>\n${rendered}`,
    recipient_id: 41,
    timestamp: 1_793_000_000,
    client: 'website',
    topic_links: [],
    is_me_message: false,
    reactions: [
      {
        emoji_name: 'thumbs_up',
        emoji_code: '1f44d',
        reaction_type: 'unicode_emoji',
        user_id: 11,
      },
    ],
    submessages: [],
    sender_full_name: 'Iago',
    sender_email: 'user26@chat.example.org',
    sender_realm_str: 'example',
    avatar_url: '/user_avatars/2/ab6d5e1a7d2c97dbd5bd7fd2b1d18b8a0fa2e7a1.png?version=2',
    content_type: 'text/html',
    ...place,
  }
}

/** Age in ms at `arrivedAt`, in ns of the monotonic clock; from the HTML or from its text. */
export function ageOf(content: string, arrivedAt: bigint): number {
  const sentAt = /sent (\d+)/.exec(content)?.[1]
  if (sentAt === undefined) throw new Error('a message that does not say when it was sent')
  return Number(arrivedAt - BigInt(sentAt)) / 1e6
}

export function messageEvent(id: number, message: Record<string, unknown>): WireEvent {
  return { id, type: 'message', message, flags: [] }
}

/** The user reads along on another device. */
export function readEvent(id: number, messages: readonly number[]): WireEvent {
  return {
    id,
    type: 'update_message_flags',
    op: 'add',
    operation: 'add',
    flag: 'read',
    messages,
    all: false,
  }
}

/** The answer to a registration. */
export function snapshot(queueId: string, newestMessage: number): Record<string, unknown> {
  return {
    result: 'success',
    msg: '',
    queue_id: queueId,
    last_event_id: -1,
    user_id: me,
    full_name: 'Polonius',
    zulip_feature_level: 400,
    max_message_id: newestMessage,
    event_queue_longpoll_timeout_seconds: 90,
    realm_users: [member(me, 'Polonius'), member(sender, 'Iago')],
    realm_non_active_users: [],
    cross_realm_bots: [],
    subscriptions: [{ stream_id: channelId, name: 'ops', color: '#76ce90', is_muted: false }],
    user_topics: [],
    muted_users: [],
    user_settings: { enable_desktop_notifications: true },
    unread_msgs: { pms: [], streams: [], huddles: [], mentions: [], count: 0 },
    recent_private_conversations: [],
    realm_emoji: {},
  }
}

function person(id: number) {
  return {
    id,
    email: `user${id}@chat.example.org`,
    full_name: `User ${id}`,
    is_mirror_dummy: false,
  }
}

function member(id: number, name: string) {
  const email = `user${id}@chat.example.org`
  return { user_id: id, full_name: name, email, is_bot: false, is_active: true, role: 400 }
}
