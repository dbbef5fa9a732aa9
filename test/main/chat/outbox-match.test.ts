import { describe, expect, test } from 'vitest'
import { messageText } from '../../../src/main/chat/message-text.ts'
import { isAbsent, wasSent } from '../../../src/main/chat/outbox-confirm.ts'
import * as eg from '../../support/eg.ts'
import { seeded } from '../../support/seeded.ts'

const entry = (text: string, afterMessageId = 0) =>
  eg.outboxMessage({ conversation: eg.topic, text, queuedAt: eg.now, afterMessageId })
const mine = (html: string, change: Parameters<typeof eg.message>[0] = {}) =>
  eg.message({ id: 7, senderId: 1, sentAt: eg.now, html, text: messageText(html), ...change })

describe('an unconfirmed message', () => {
  test.each([
    ['restarting it now', '<p>restarting it now</p>'],
    ['\n two  lines\nof **text**  \n', '<p>two  lines<br>\nof <strong>text</strong></p>'],
    [
      '@**Ana|2** see [the log](https://x.example/1) :smile:',
      '<p><span class="user-mention" data-user-id="2">@Ana</span> see <a href="https://x.example/1">the log</a> <span class="emoji emoji-1f642" role="img">:smile:</span></p>',
    ],
    [
      'try\n```bash\nsystemctl restart db\n```',
      '<p>try</p>\n<div class="codehilite"><pre><code>systemctl restart db\n</code></pre></div>',
    ],
    ['👍', '<p><span class="emoji emoji-1f44d">:thumbs_up:</span></p>'],
    ['1. 5 % *now*?', '<ol>\n<li>5 % <em>now</em>?</li>\n</ol>'],
    [
      '# Load\n- `a | b` is ~~15~~ 20 %\n* next',
      '<h1>Load</h1>\n<ul>\n<li><code>a | b</code> is <del>15</del> 20 %</li>\n<li>next</li>\n</ul>',
    ],
    [
      '| host | load |\n|---|--:|\n| db-1 | 1.5 % |',
      '<table>\n<thead>\n<tr>\n<th>host</th>\n<th>load</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>db-1</td>\n<td>1.5 %</td>\n</tr>\n</tbody>\n</table>',
    ],
    [
      '@_**Ana|2** wrote in #**ops>db is DOWN@12**!',
      '<p><span class="user-mention silent" data-user-id="2">Ana</span> wrote in <a href="/#narrow">#ops &gt; db is DOWN @ 💬</a>!</p>',
    ],
    // Pictures and players, by what the server makes of links.
    [
      '![a](/user_uploads/2/ab/Xy9/a.png)',
      '<p><img alt="a" class="inline-image" data-original-src="/user_uploads/2/ab/Xy9/a.png" src="/user_uploads/thumbnail/2/ab/Xy9/a.png/840x560.webp"></p>',
    ],
    [
      'see ![größe](/user_uploads/2/ab/Xy9/größe.png) **now**',
      '<p>see <img alt="größe" class="inline-image image-loading-placeholder" data-original-src="/user_uploads/2/ab/Xy9/gr%C3%B6%C3%9Fe.png" src="/static/loading.svg"> <strong>now</strong></p>',
    ],
    [
      '![a](/user_uploads/2/ab/Xy9/a.png)',
      '<p>!<a href="/user_uploads/2/ab/Xy9/a.png">a</a></p>\n<div class="message_inline_image"><a href="/user_uploads/2/ab/Xy9/a.png" title="a"><img src="/user_uploads/thumbnail/2/ab/Xy9/a.png/840x560.webp"></a></div>',
    ],
    [
      '[a.png](/user_uploads/2/ab/Xy9/a.png)',
      '<p><a href="/user_uploads/2/ab/Xy9/a.png">a.png</a></p>\n<div class="message_inline_image"><a href="/user_uploads/2/ab/Xy9/a.png" title="a.png"><img class="image-loading-placeholder" src="/static/loading.svg"></a></div>',
    ],
    [
      '[ring.mp3](/user_uploads/2/cd/Zz8/ring.mp3)',
      '<p><audio controls preload="metadata" src="/user_uploads/2/cd/Zz8/ring.mp3" title="ring.mp3"></audio></p>',
    ],
    [
      'both:\n- ![a](/user_uploads/2/ab/Xy9/a.png)\n- [log](/user_uploads/2/ef/Q1/log.txt)',
      '<p>both:</p>\n<ul>\n<li><img alt="a" class="inline-image" data-original-src="/user_uploads/2/ab/Xy9/a.png" src="/user_uploads/thumbnail/2/ab/Xy9/a.png/840x560.webp"></li>\n<li><a href="/user_uploads/2/ef/Q1/log.txt">log</a></li>\n</ul>',
    ],
    [
      'https://x.example/a.png?b&c',
      '<div class="message_inline_image"><a href="https://x.example/a.png?b&amp;c"><img src="/external_content/1"></a></div>',
    ],
    [
      '**db** is down since <time:2026-03-17T14:20:00Z>, see <time:2026-03-17T15:20+01:00>',
      '<p><strong>db</strong> is down since <time datetime="2026-03-17T14:20:00Z">2026-03-17T14:20:00Z</time>, see <time datetime="2026-03-17T14:20:00Z">2026-03-17T15:20+01:00</time></p>',
    ],
    [
      'type `<time:2026-03-17T14:20:00Z>`',
      '<p>type <code>&lt;time:2026-03-17T14:20:00Z&gt;</code></p>',
    ],
    [`${'x'.repeat(90)}tail`, `<p>${'x'.repeat(80)}<br>\n[message truncated]</p>`],
  ])('%j is recognised as rendered by the server', (text, html) => {
    expect(wasSent(entry(text), [mine(html)], 1)).toBe(7)
  })

  test('is not an equal one from before it was queued', () => {
    expect(wasSent(entry('ok', 7), [mine('<p>ok</p>')], 1)).toBeNull()
    expect(wasSent(entry('ok', 6), [mine('<p>ok</p>')], 1)).toBe(7)
  })

  test('is not one already attributed to another entry', () => {
    const twin = { ...entry('ok'), notMessageIds: [7] }
    expect(wasSent(twin, [mine('<p>ok</p>')], 1)).toBeNull()
    expect(wasSent(twin, [mine('<p>ok</p>'), mine('<p>ok</p>', { id: 8 })], 1)).toBe(8)
  })

  test('is absent only if no own message since then could be it', () => {
    const absent = (...messages: Parameters<typeof isAbsent>[1]) =>
      isAbsent(entry('at <time:10>', 6), messages, 1, { claimed: new Set([20]) })
    const elsewhere = { conversation: { kind: 'topic', channelId: 1, topic: 'x' } } as const
    expect(absent()).toBe(true)
    // From another sender, from before, another entry's, or another text in another topic.
    expect(absent(mine('<p>y</p>', { senderId: 2 }))).toBe(true)
    expect(absent(mine('<p>y</p>', { id: 6 }))).toBe(true)
    expect(absent(mine('<p>y</p>', { id: 20 }))).toBe(true)
    expect(absent(mine('<p>y</p>', elsewhere))).toBe(true)
    // Rendered as something else, moved, or dated by a wrong clock.
    expect(absent(mine('<p>at <time>tea time</time></p>'))).toBe(false)
    expect(absent(mine('<p>at &lt;time:10&gt;</p>', elsewhere))).toBe(false)
    expect(absent(mine('<p>y</p>', { sentAt: eg.now - eg.day }))).toBe(false)
  })

  test('is found where its topic was moved', () => {
    const moved = mine('<p>ok</p>', {
      conversation: { kind: 'topic', channelId: 1, topic: '✔ done' },
    })
    expect(wasSent(entry('ok'), [moved], 1)).toBeNull()
    expect(wasSent(entry('ok'), [moved], 1, { movedTo: 'topic/1/✔ done' })).toBe(7)
  })

  test('is found in an unrendered history', () => {
    const text = 'a <time:2026-03-17T14:25:00Z> *b*'
    expect(wasSent(entry(`${text}\n`), [mine(text)], 1)).toBe(7)
  })

  const html = '<p>ok</p>'
  test.each([
    ['someone else said', mine(html, { senderId: 2 })],
    ['was said elsewhere', mine(html, { conversation: eg.direct })],
    ['was said a minute before', mine(html, { sentAt: eg.now - eg.minute })],
    ['says something else', mine('<p>okay</p>')],
    ['contains no letters', mine('<p>!?</p>')],
    ['adds a character', mine('<p>ok?</p>')],
  ])('is not one that %s', (_name, message) => {
    expect(wasSent(entry('ok'), [message], 1)).toBeNull()
    expect(wasSent(entry('ok'), [message, mine(html)], 1)).toBe(7)
  })

  test('that is a picture is not another picture', () => {
    const picture = (folder: string) =>
      `<p><img alt="a" class="inline-image" data-original-src="/user_uploads/2/${folder}/a.png"></p>`
    const typed = entry('![a](/user_uploads/2/ab/a.png)')
    expect(wasSent(typed, [mine(picture('cd')), mine(picture('ab'), { id: 8 })], 1)).toBe(8)
    expect(wasSent(typed, [mine('<p>(attached file)</p>')], 1)).toBeNull()
  })

  test('with a time is not the same with another time', () => {
    const at = (time: string) => mine(`<p>down since <time datetime="${time}">${time}</time></p>`)
    const typed = entry('down since <time:2026-03-17T14:20:00Z>')
    expect(wasSent(typed, [at('2026-03-17T14:20:01Z')], 1)).toBeNull()
    expect(wasSent(typed, [at('2026-03-17T14:20:00Z')], 1)).toBe(7)
  })

  test('is not one just attributed to another', () => {
    const both = [mine(html), mine(html, { id: 8 })]
    expect(wasSent(entry('ok'), both, 1)).toBe(7)
    expect(wasSent(entry('ok'), both, 1, { claimed: new Set([7]) })).toBe(8)
  })

  test('is searched by the server’s clock', () => {
    const message = mine(html, { sentAt: eg.now - eg.minute })
    expect(wasSent(entry('ok'), [message], 1, { serverOffsetMs: -eg.minute })).toBe(7)
  })
})

describe('a text with punctuation and digits', () => {
  type Mark = readonly [tag: string, mark: string]
  const words: readonly [string, ...string[]] = [
    '15',
    '%',
    '1.5',
    '?',
    '!',
    'db',
    '-',
    '+',
    '(a)',
    '2*3',
    '$5',
    '/',
    '=',
    '…',
    'é',
  ]
  const marked: readonly [Mark, ...Mark[]] = [
    ['strong', '**'],
    ['em', '*'],
    ['del', '~~'],
    ['code', '`'],
  ]
  function randomText(seed: number) {
    const { pick, chance, whole } = seeded(seed)
    const parts = Array.from({ length: whole(1, 6) }, (_, at) => {
      const word = at === 0 ? `x${pick(words)}` : pick(words)
      const [tag, mark] = pick(marked)
      return chance(0.3) && !/[*$]/.test(word)
        ? { typed: `${mark}${word}${mark}`, html: `<${tag}>${word}</${tag}>`, word }
        : { typed: word, html: word, word }
    })
    const all = (of: 'typed' | 'html' | 'word') => parts.map((part) => part[of]).join(' ')
    return { typed: all('typed'), html: `<p>${all('html')}</p>`, text: all('word') }
  }
  const seeds = Array.from({ length: 500 }, (_, at) => at + 1)

  test('is recognised as rendered', () => {
    const lost = seeds
      .map(randomText)
      .filter(({ typed, html }) => wasSent(entry(typed), [mine(html)], 1) === null)
    expect(lost).toEqual([])
  })

  test('is not recognised if a single character differs', () => {
    const wrong = seeds.flatMap((seed) => {
      const { typed, text } = randomText(seed)
      const others = [...text].flatMap((sign, at) =>
        sign === ' '
          ? []
          : [text.slice(0, at) + text.slice(at + 1), `${text.slice(0, at)}7${text.slice(at + 1)}`],
      )
      return others
        .filter(
          (other) => other !== text && wasSent(entry(typed), [mine(`<p>${other}</p>`)], 1) !== null,
        )
        .map((other) => ({ typed, other }))
    })
    expect(wrong).toEqual([])
    expect(wasSent(entry('1.5 %?'), [mine('<p>15 %!</p>')], 1)).toBeNull()
  })
})
