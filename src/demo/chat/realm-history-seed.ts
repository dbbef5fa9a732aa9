import {
  channelNamed,
  type DemoPlace,
  nowSeconds,
  personNamed,
  type RealmData,
} from './realm-data.ts'
import { markup } from './realm-markup.ts'
import { addMessage } from './realm-messages.ts'
import { demoReaction } from './realm-reactions.ts'

interface Line {
  readonly from: string
  /** `channel > topic`, or the first names of the others of a direct conversation. */
  readonly to: string
  readonly minutesAgo: number
  readonly text: string
  readonly html?: string
  readonly unread?: true
  readonly starred?: true
  /** Emoji name to the first names of those who reacted. */
  readonly reactions?: Readonly<Record<string, readonly string[]>>
}

/** What had been said when the demo begins: every construct a message can have, and some unread. */
const history: readonly Line[] = [
  {
    from: 'Boris',
    to: 'general > ',
    minutesAgo: 2900,
    text: 'Good morning :coffee: :belfry: — the wiki moved to https://docs.example/wiki. :flag_slovenia:',
    reactions: { octopus: ['Ana'] },
  },
  { from: 'Chidi', to: 'general > ', minutesAgo: 2880, text: markup.preview, html: markup.preview },
  { from: 'Ana', to: 'general > reading', minutesAgo: 2700, text: 'half-life', html: markup.math },
  {
    from: 'Chidi',
    to: 'general > reading',
    minutesAgo: 2695,
    text: '```spoiler How it ends\nThe disk was *full*.\n```',
  },
  {
    from: 'Monitoring',
    to: 'ops > db-primary',
    minutesAgo: 1500,
    text: ':warning: **db-backup** is **late**: no ping since 02:00.',
  },
  {
    from: 'Ana',
    to: 'ops > db-primary',
    minutesAgo: 1492,
    text: '/me looks at the logs',
    reactions: { eyes: ['Boris', 'Chidi'] },
  },
  { from: 'Ana', to: 'ops > db-primary', minutesAgo: 1480, text: 'def backup', html: markup.code },
  {
    from: 'Boris',
    to: 'ops > db-primary',
    minutesAgo: 1475,
    text: '@_**Ana Kovač** said:\n> The lock was never released\n\nSo it waits for itself. I can put `timeout 600` in front for now.',
    reactions: { thumbs_up: ['Ana', 'Dana'], belfry: ['Chidi'] },
  },
  { from: 'Ana', to: 'ops > db-primary', minutesAgo: 1440, text: 'a table', html: markup.table },
  {
    from: 'Dana',
    to: 'ops > db-primary',
    minutesAgo: 1435,
    text: 'Thirty-one minutes. I had hoped for less.',
  },
  {
    from: 'Ana',
    to: 'ops > db-primary',
    minutesAgo: 300,
    text: 'latency',
    html: markup.image,
    starred: true,
  },
  {
    from: 'Chidi',
    to: 'ops > ✔ log rotation',
    minutesAgo: 1200,
    text: 'the plan',
    html: markup.nested,
  },
  {
    from: 'Monitoring',
    to: 'ops > disk space',
    minutesAgo: 240,
    text: '@*on-call* disk of `db1` is at 91 %. @**topic**',
  },
  {
    from: 'Boris',
    to: 'deploys > web 4.18',
    minutesAgo: 190,
    text: 'the window',
    html: markup.time,
  },
  {
    from: 'Boris',
    to: 'deploys > web 4.18',
    minutesAgo: 186,
    text: '1. build\n2. canary\n3. everyone\n\nSee #**ops>db-primary** before you press it.',
  },
  {
    from: 'Boris',
    to: 'Boris',
    minutesAgo: 2000,
    text: 'The rack, as you asked.',
    html: markup.video,
  },
  { from: 'Dana', to: 'Boris', minutesAgo: 1990, text: 'Thanks! :heart:' },
  { from: 'Ana', to: 'Ana,Boris', minutesAgo: 700, text: 'the whiteboard', html: markup.imageOnly },
  { from: 'Boris', to: 'general > lunch', minutesAgo: 75, text: 'Soup or noodles?', unread: true },
  {
    from: 'Chidi',
    to: 'general > lunch',
    minutesAgo: 70,
    text: 'Noodles. :tada:',
    unread: true,
    reactions: { '+1': ['Boris'] },
  },
  {
    from: 'Boris',
    to: 'deploys > web 4.18',
    minutesAgo: 44,
    text: 'Canary is out and quiet. :rocket:',
    unread: true,
  },
  {
    from: 'Ana',
    to: 'Ana,Boris',
    minutesAgo: 31,
    text: 'Could you look at the restore test, either of you?',
    unread: true,
  },
  { from: 'Boris', to: 'Ana,Boris', minutesAgo: 29, text: 'After four I can.', unread: true },
  {
    from: 'Chidi',
    to: 'ops > db-primary',
    minutesAgo: 18,
    text: 'The replica is two hours behind.',
    unread: true,
  },
  {
    from: 'Ana',
    to: 'ops > db-primary',
    minutesAgo: 12,
    text: '@**Dana Lind** do we still have the dump of Tuesday?',
    unread: true,
  },
  { from: 'Ana', to: 'Ana', minutesAgo: 6, text: 'Are you at your desk?', unread: true },
]

export function seedHistory(data: RealmData): void {
  const now = nowSeconds(data)
  const byAge = [...history].sort((a, b) => b.minutesAgo - a.minutesAgo)
  for (const line of byAge) {
    const message = addMessage(data, {
      sender: personNamed(data, line.from),
      place: placeNamed(data, line.to),
      content: line.text,
      html: line.html,
      read: line.unread === undefined,
      client: line.from === 'Monitoring' ? 'ZulipMonitoringWebhook' : 'website',
      sentAt: now - line.minutesAgo * 60,
    })
    if (line.starred) message.flags.add('starred')
    message.reactions = Object.entries(line.reactions ?? {}).flatMap(([emoji, names]) =>
      names.map((name) => demoReaction(personNamed(data, name).id, emoji)),
    )
  }
}

/** A place from its name: `ops > db-primary`, or `Ana,Boris` for a direct conversation with them. */
export function placeNamed(data: RealmData, name: string): DemoPlace {
  const [first = '', topic] = name.split(' > ')
  if (topic !== undefined) {
    return { kind: 'topic', channelId: channelNamed(data, first).id, topic }
  }
  return directPlaceOf(
    data,
    first.split(',').map((person) => personNamed(data, person).id),
  )
}

/** The direct conversation of these people with the demo user. */
export function directPlaceOf(data: RealmData, others: readonly number[]): DemoPlace {
  const userIds = [...new Set([...others, data.me.id])].sort((a, b) => a - b)
  return { kind: 'direct', userIds }
}
