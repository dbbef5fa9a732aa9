import {
  channelNamed,
  type DemoPlace,
  nowSeconds,
  personNamed,
  type RealmData,
} from './realm-data.ts'
import { addMessage } from './realm-messages.ts'
import { demoReaction } from './realm-reactions.ts'

/**
 * Rendered content that the small renderer does not make: copied in form from what real servers send
 * (chat-api, "Rendered message content"), for the pictures and for whoever draws messages.
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
