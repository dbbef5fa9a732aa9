import { seededRandom } from '../answers.ts'
import {
  type DemoChannel,
  nowSeconds,
  type Person,
  type RealmData,
  topicPolicyKey,
  type UploadLimits,
} from './realm-data.ts'
import { seedHistory } from './realm-history-seed.ts'
import { createQueues, type SetTimer } from './realm-queues.ts'
import { usualSettings } from './realm-settings.ts'

function person(id: number, name: string, role: Person['role'], isBot = false): Person {
  const first = name.split(' ')[0]?.toLowerCase() ?? name
  return { id, name, email: `${first}@belfry.example`, isBot, role }
}

function channel(id: number, name: string, description: string, color: string): DemoChannel {
  return {
    id,
    name,
    description,
    color,
    subscribed: true,
    muted: false,
    desktopNotifications: null,
  }
}

/** The user whose key opens the pretend realm. */
const me = () => person(11, 'Dana Lind', 200)

function people(self: Person): Map<number, Person> {
  const everyone = [
    person(6, 'Notification Bot', 400, true),
    self,
    person(12, 'Ana Kovač', 400),
    person(13, 'Boris Novak', 400),
    person(14, 'Chidi Okafor', 400),
    person(15, 'Monitoring', 400, true),
  ]
  return new Map(everyone.map((one): [number, Person] => [one.id, one]))
}

function channels(): Map<number, DemoChannel> {
  const all: DemoChannel[] = [
    { ...channel(1, 'ops', 'What runs, and what does not', '#e79ab5'), desktopNotifications: true },
    channel(2, 'general', 'Everything else', '#94c849'),
    channel(3, 'deploys', 'What goes out', '#9987e1'),
    { ...channel(4, 'design', 'Not followed by Dana', '#c6a8ad'), subscribed: false },
  ]
  return new Map(all.map((one): [number, DemoChannel] => [one.id, one]))
}

/** The pretend realm as it is when the demo begins. */
export function seedRealm(parts: {
  readonly now: () => number
  readonly seed: number
  readonly host: string
  readonly setTimer: SetTimer
  readonly uploadLimits: UploadLimits
}): RealmData {
  const random = seededRandom(parts.seed)
  const self = me()
  let lastId = 100
  let lastMessageId = 4_100
  const data: RealmData = {
    now: parts.now,
    random,
    host: parts.host,
    me: self,
    people: people(self),
    channels: channels(),
    messages: new Map(),
    topicPolicies: new Map(),
    mutedUsers: new Map(),
    settings: usualSettings(),
    alertWords: ['pager'],
    queues: createQueues({ ...parts, random, name: `q${parts.seed}` }),
    featureLevel: 421,
    uploadLimits: parts.uploadLimits,
    nextId: () => {
      lastId += 1
      return lastId
    },
    nextMessageId: () => {
      lastMessageId += 1 + Math.floor(random() * 3)
      return lastMessageId
    },
  }
  seedPolicy(data, { channelId: 2, topic: 'lunch' }, 1)
  seedPolicy(data, { channelId: 1, topic: 'db-primary' }, 3)
  seedHistory(data)
  return data
}

function seedPolicy(
  data: RealmData,
  place: { readonly channelId: number; readonly topic: string },
  policy: number,
): void {
  data.topicPolicies.set(topicPolicyKey(place.channelId, place.topic), {
    stream_id: place.channelId,
    topic_name: place.topic,
    visibility_policy: policy,
    last_updated: nowSeconds(data),
  })
}
