import { seededRandom } from '../answers.ts'
import type { DemoPlace } from './demo-message.ts'
import {
  channelNamed,
  type DemoChannel,
  directPlaceOf,
  nowSeconds,
  type Person,
  personNamed,
  type RealmData,
  roleGroups,
  setTopicPolicy,
  type UploadLimits,
} from './realm-data.ts'
import { addMessage, demoReaction } from './realm-messages.ts'
import { Queues, type SetTimer } from './realm-queues.ts'
import { usualSettings } from './realm-settings.ts'

export function person(id: number, name: string, role: Person['role'], isBot = false): Person {
  const first = name.split(' ')[0]?.toLowerCase() ?? name
  return { id, name, email: `${first}@belfry.example`, isBot, role }
}

export function channel(id: number, name: string, description: string, color: string): DemoChannel {
  const usual = { subscribed: true, muted: false, desktopNotifications: null }
  return { id, name, description, color, ...usual }
}

/** The user who can sign in. */
const me = () => person(11, 'Dana Lind', 200)

const people = (self: Person) => [
  person(6, 'Notification Bot', 400, true),
  self,
  { ...person(12, 'Ana Kovač', 400), timezone: 'Europe/Ljubljana' },
  person(13, 'Boris Novak', 400),
  { ...person(14, 'Chidi Okafor', 400), timezone: 'Africa/Lagos' },
  person(15, 'Monitoring', 400, true),
]

const channels = () => [
  { ...channel(1, 'ops', 'What runs, and what does not', '#e79ab5'), desktopNotifications: true },
  channel(2, 'general', 'Everything else', '#94c849'),
  channel(3, 'deploys', 'What goes out', '#9987e1'),
  { ...channel(4, 'design', 'Not followed by Dana', '#c6a8ad'), subscribed: false },
]

function byId<Item extends { readonly id: number }>(items: readonly Item[]): Map<number, Item> {
  return new Map(items.map((item) => [item.id, item]))
}

/** The initial state of the pretend realm. */
export function seedRealm(parts: {
  readonly now: () => number
  readonly seed: number
  readonly host: string
  readonly setTimer: SetTimer
  readonly uploadLimits: UploadLimits
  readonly featureLevel: number
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
    people: byId(people(self)),
    channels: byId<DemoChannel>(channels()),
    messages: new Map(),
    topicPolicies: new Map(),
    mutedUsers: new Map(),
    groups: new Map([[21, new Set([self.id, 12])]]),
    settings: usualSettings(),
    rules: {
      mentionMany: roleGroups.administrators,
      direct: roleGroups.everyone,
      startDirect: roleGroups.everyone,
      mandatoryTopics: false,
    },
    alertWords: ['pager'],
    statuses: new Map(),
    forgetDrafts: () => undefined,
    queues: new Queues({ ...parts, random, name: `q${parts.seed}` }),
    featureLevel: parts.featureLevel,
    uploadLimits: parts.uploadLimits,
    kept: new Map(),
    nextId: () => {
      lastId += 1
      return lastId
    },
    nextMessageId: () => {
      lastMessageId += 1 + Math.floor(random() * 3)
      return lastMessageId
    },
  }
  setTopicPolicy(data, { channelId: 2, topic: 'lunch' }, 1)
  setTopicPolicy(data, { channelId: 1, topic: 'db-primary' }, 3)
  seedHistory(data)
  return data
}

/**
 * Content that the small renderer can't produce, as real servers send it (chat API, "Rendered
 * message content").
 */
const markup = {
  table: [
    '<table>',
    '<thead>\n<tr>\n<th>Job</th>\n<th style="text-align: right;">Usual</th>\n<th style="text-align: right;">Last night</th>\n</tr>\n</thead>',
    '<tbody>',
    '<tr>\n<td>db-backup</td>\n<td style="text-align: right;">4 min</td>\n<td style="text-align: right;">31 min</td>\n</tr>',
    '<tr>\n<td>log-rotate</td>\n<td style="text-align: right;">20 s</td>\n<td style="text-align: right;">22 s</td>\n</tr>',
    '</tbody>\n</table>',
  ].join('\n'),
  code: [
    '<p>The lock was never released:</p>',
    '<div class="codehilite" data-code-language="Python"><pre><span></span><code><span class="k">def</span> <span class="nf">backup</span><span class="p">(</span><span class="n">path</span><span class="p">):</span>',
    '    <span class="k">with</span> <span class="n">lock</span><span class="p">(</span><span class="s2">&quot;db&quot;</span><span class="p">):</span>',
    '        <span class="k">return</span> <span class="n">dump</span><span class="p">(</span><span class="n">path</span><span class="p">)</span>',
    '</code></pre></div>',
  ].join('\n'),
  math: '<p>Half of the space is gone in <span class="katex"><span class="katex-mathml"><math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow><msub><mi>t</mi><mrow><mn>1</mn><mi mathvariant="normal">/</mi><mn>2</mn></mrow></msub></mrow><annotation encoding="application/x-tex">t_{1/2} = \\frac{\\ln 2}{\\lambda}</annotation></semantics></math></span><span class="katex-html" aria-hidden="true"><span class="base"><span class="strut" style="height:0.61em;"></span><span class="mord mathnormal">t</span></span></span></span> days.</p>',
  image:
    '<p>The graph of last night: <a href="/user_uploads/2/a1/latency.png">latency.png</a></p>\n<div class="message_inline_image"><a href="/user_uploads/2/a1/latency.png" title="latency.png"><img data-original-content-type="image/png" data-original-dimensions="1280x640" src="/user_uploads/thumbnail/2/a1/latency.png/840x560.webp"></a></div>',
  imageOnly:
    '<p><a href="/user_uploads/2/b2/whiteboard.jpg"></a></p>\n<div class="message_inline_image"><a href="/user_uploads/2/b2/whiteboard.jpg"><img data-original-content-type="image/jpeg" data-original-dimensions="4032x3024" src="/user_uploads/thumbnail/2/b2/whiteboard.jpg/840x560.webp"></a></div>',
  video:
    '<p><a href="/user_uploads/2/c3/rack.mp4">rack.mp4</a></p>\n<div class="message_inline_image message_inline_video"><a href="/user_uploads/2/c3/rack.mp4"><video preload="metadata" src="/user_uploads/2/c3/rack.mp4"></video></a></div>',
  preview:
    '<p><a href="https://docs.example/backups">https://docs.example/backups</a></p>\n<div class="message_embed"><a class="message_embed_image" href="https://docs.example/backups" style="background-image: url(&quot;/external_content/1f/68.png&quot;)"></a><div class="data-container"><div class="message_embed_title"><a href="https://docs.example/backups" title="How backups work">How backups work</a></div><div class="message_embed_description">Where the dumps go, and who looks at them.</div></div></div>',
  time: '<p>Window: <time datetime="2025-11-21T21:00:00Z">2025-11-21T22:00:00+01:00</time> until <span class="timestamp-error">Invalid time format: late</span></p>',
  nested:
    '<ol>\n<li>Stop the old job<ul>\n<li>and its timer</li>\n</ul>\n</li>\n<li>Run <code>dump --fresh</code></li>\n<li>Tell <span class="user-mention silent" data-user-id="13">Boris Novak</span></li>\n</ol>\n<hr>\n<h3>After that</h3>\n<p><del>Coffee</del> <strong><em>sleep</em></strong></p>',
} as const

type Line = readonly [
  from: string,
  minutesAgo: number,
  text: string,
  more?: {
    readonly html?: string
    readonly unread?: true
    readonly starred?: true
    /** Emoji name to the first names of those who reacted. */
    readonly reactions?: Readonly<Record<string, readonly string[]>>
  },
]

/**
 * The initial history, by place (as in `placeNamed`): every construct that a message can have, and
 * some unread messages.
 */
const history: Readonly<Record<string, readonly Line[]>> = {
  'general > ': [
    [
      'Boris',
      2900,
      'Good morning :coffee: :belfry: — the wiki moved to https://docs.example/wiki. :flag_slovenia:',
      { reactions: { octopus: ['Ana'] } },
    ],
    ['Chidi', 2880, markup.preview, { html: markup.preview }],
  ],
  'general > reading': [
    ['Ana', 2700, 'half-life', { html: markup.math }],
    ['Chidi', 2695, '```spoiler How it ends\nThe disk was *full*.\n```'],
  ],
  'ops > db-primary': [
    ['Monitoring', 1500, ':warning: **db-backup** is **late**: no ping since 02:00.'],
    ['Ana', 1492, '/me looks at the logs', { reactions: { eyes: ['Boris', 'Chidi'] } }],
    ['Ana', 1480, 'def backup', { html: markup.code }],
    [
      'Boris',
      1475,
      '@_**Ana Kovač** said:\n> The lock was never released\n\nSo it waits for itself. I can put `timeout 600` in front for now.',
      { reactions: { thumbs_up: ['Ana', 'Dana'], belfry: ['Chidi'] } },
    ],
    ['Ana', 1440, 'a table', { html: markup.table }],
    ['Dana', 1435, 'Thirty-one minutes. I had hoped for less.'],
    ['Ana', 300, 'latency', { html: markup.image, starred: true }],
    ['Chidi', 18, 'The replica is two hours behind.', { unread: true }],
    ['Ana', 12, '@**Dana Lind** do we still have the dump of Tuesday?', { unread: true }],
  ],
  'ops > ✔ log rotation': [['Chidi', 1200, 'the plan', { html: markup.nested }]],
  'ops > disk space': [['Monitoring', 240, '@*on-call* disk of `db1` is at 91 %. @**topic**']],
  'deploys > web 4.18': [
    ['Boris', 190, 'the window', { html: markup.time }],
    [
      'Boris',
      186,
      '1. build\n2. canary\n3. everyone\n\nSee #**ops>db-primary** before you press it.',
    ],
    ['Boris', 44, 'Canary is out and quiet. :rocket:', { unread: true }],
  ],
  Boris: [
    ['Boris', 2000, 'The rack, as you asked.', { html: markup.video }],
    ['Dana', 1990, 'Thanks! :heart:'],
  ],
  'Ana,Boris': [
    ['Ana', 700, 'the whiteboard', { html: markup.imageOnly }],
    ['Ana', 31, 'Could you look at the restore test, either of you?', { unread: true }],
    ['Boris', 29, 'After four I can.', { unread: true }],
  ],
  'general > lunch': [
    ['Boris', 75, 'Soup or noodles?', { unread: true }],
    ['Chidi', 70, 'Noodles. :tada:', { unread: true, reactions: { '+1': ['Boris'] } }],
  ],
  Ana: [['Ana', 6, 'Are you at your desk?', { unread: true }]],
}

function seedHistory(data: RealmData): void {
  const now = nowSeconds(data)
  const lines = Object.entries(history)
    .flatMap(([to, some]) => some.map(([from, ago, text, more]) => ({ from, ago, text, more, to })))
    .sort((a, b) => b.ago - a.ago)
  for (const { from, ago, text, more = {}, to } of lines) {
    const message = addMessage(data, {
      sender: personNamed(data, from),
      place: placeNamed(data, to),
      content: text,
      html: more.html,
      read: more.unread === undefined,
      client: from === 'Monitoring' ? 'ZulipMonitoringWebhook' : 'website',
      sentAt: now - ago * 60,
    })
    if (more.starred) message.flags.add('starred')
    message.reactions = Object.entries(more.reactions ?? {}).flatMap(([emoji, names]) =>
      names.map((name) => demoReaction(personNamed(data, name).id, emoji)),
    )
  }
}

/** A place from its name: `ops > db-primary`, or `Ana,Boris` for a direct conversation with them. */
export function placeNamed(data: RealmData, name: string): DemoPlace {
  const [first = '', topic] = name.split(' > ')
  if (topic !== undefined) return { kind: 'topic', channelId: channelNamed(data, first).id, topic }
  return directPlaceOf(
    data,
    first.split(',').map((person) => personNamed(data, person).id),
  )
}
