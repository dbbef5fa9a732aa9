import { describe, expect, test } from 'vitest'
import { monitoringOperations } from '../../../../src/shared/api/monitoring/monitoring-operations.ts'
import type { HistoryEntry } from '../../../../src/shared/core/checks/history.ts'
import { signalLabels } from '../../../../src/shared/core/checks/ping.ts'
import { clockWords } from '../../../../src/shared/core/time.ts'
import {
  type TimelineFacts,
  timelineMarkdown,
  timelineOf,
  woven,
} from '../../../../src/shared/core/views/timeline.ts'
import * as eg from '../../../support/eg.ts'

const at = (minutes: number) => eg.now - eg.hour + minutes * eg.minute
const uuid = '8f1c2d3e-4a5b-4c6d-8e7f-0123456789ab'
const check = eg.details({
  name: 'db-backup',
  uuid,
  pingUrl: `https://hc-ping.com/${uuid}`,
  status: 'up',
})

function entry(minutes: number, kind: string, data: unknown): HistoryEntry {
  return { at: at(minutes), accountId: eg.opsId, subject: 'x', kind, data }
}

const facts: TimelineFacts = {
  check,
  flips: [
    { at: at(30), up: true },
    { at: at(0), up: false },
    { at: at(-60), up: true },
  ],
  pings: [
    {
      n: 8,
      kind: 'success',
      rawKind: 'success',
      at: at(30),
      scheme: 'https',
      remoteAddress: null,
      method: 'GET',
      userAgent: '',
      runId: null,
      hasBody: true,
      durationSeconds: 12,
    },
  ],
  entries: [
    entry(-5, 'status', { from: 'up', to: 'grace' }),
    entry(1, 'status', { from: 'grace', to: 'down' }),
    entry(1, 'notice', {
      outcome: 'silent',
      title: 'db-backup is down',
      reasons: [{ by: 'silence', text: 'You snoozed it.' }],
    }),
    entry(2, 'act', { act: 'silence', how: 'acknowledge', until: { kind: 'change' }, by: null }),
    entry(3, 'act', { act: 'ping', signal: 'success' }),
    entry(4, 'act', { act: 'whatever a later version writes' }),
    entry(5, 'notice', null),
  ],
  messages: [
    eg.message({ sentAt: at(10), text: 'restarting it' }),
    eg.message({ sentAt: at(30), text: `it is https://hc-ping.com/${uuid} # and @**all**` }),
  ],
  offsetMs: 0,
  from: at(-10),
  to: at(60),
}

describe('a timeline', () => {
  test('lists flips, pings, notices, actions and messages by time, a ping before its flip', () => {
    const lines = timelineOf(facts)
    expect(
      lines.map((line) => `${(line.at - at(0)) / eg.minute} ${line.kind} ${line.text}`),
    ).toEqual([
      '-5 flip late',
      '0 flip down',
      '1 notice Not shown: db-backup is down',
      '2 act You acknowledged it until it changes',
      '3 act You sent a ping: success',
      '4 act You did something that this version of Belfry doesn’t know',
      '5 notice Notification: ?',
      '10 message Ana',
      '30 ping success signal after 12 s',
      '30 flip up after 30 min',
      '30 message Ana',
    ])
    expect(lines[2]?.detail).toBe('You snoozed it.')
  })

  test('describes each action in words, never by the id of an operation', () => {
    const writes = Object.entries(monitoringOperations).flatMap(([name, { effect }]) =>
      effect === 'read' ? [] : [name],
    )
    expect(writes).toContain('createCheck')
    const acts = [
      ...writes.map((act) => ({ act })),
      ...Object.keys(signalLabels).map((signal) => ({ act: 'ping', signal })),
    ]
    const entries = acts.map((data, index) => entry(index, 'act', data))
    const words = timelineOf({ ...facts, flips: [], pings: [], messages: [], entries }).map(
      ({ text }) => text,
    )
    expect(words).toHaveLength(acts.length)
    for (const text of words) expect(text).not.toMatch(/[a-z][A-Z]|doesn’t know/)
    expect(words.at(-1)).toBe('You sent a ping: exit status')
  })

  test('shows times in this computer’s zone, or in the requested zone', () => {
    const until = { kind: 'time', at: at(50) }
    const entries = [entry(2, 'act', { act: 'silence', how: 'snooze', until, by: null })]
    const told = (zone?: string) =>
      timelineOf({ ...facts, flips: [], pings: [], messages: [], entries }, zone)[0]?.text
    expect(told()).toBe(`You snoozed it until ${clockWords(at(50), at(2))}`)
    expect(told('UTC')).toBe('You snoozed it until 14:15')
    expect(told('Asia/Tokyo')).toBe('You snoozed it until 23:15')
  })

  test('is the same for the same facts in any order', () => {
    const reversed = {
      ...facts,
      pings: facts.pings.toReversed(),
      messages: facts.messages.toReversed(),
    }
    expect(timelineOf(reversed)).toEqual(timelineOf(facts))
  })

  test("converts the server's times to our clock, and uses what Belfry saw if flips are missing", () => {
    const offset = { ...facts, offsetMs: 7_000 }
    expect(timelineOf(offset).find(({ status }) => status === 'down')?.at).toBe(at(0) - 7_000)
    const words = timelineOf({ ...facts, flips: null }).flatMap(({ kind, text }) =>
      kind === 'flip' ? [text] : [],
    )
    expect(words).toEqual(['late', 'down'])
  })

  test("is exported without secrets and without other people's markup", () => {
    const text = timelineMarkdown(check, 'ops-project', timelineOf(facts))
    expect(text).toContain('# Timeline of db-backup\n\nops-project, times in UTC.')
    expect(text).toContain('- 13:25:00 **down**\n')
    expect(text).toContain('- 13:35:00 **Ana** wrote:\n  > restarting it\n')
    // The secret address was there to be removed.
    expect(facts.messages[1]?.text).toContain(uuid)
    expect(text).not.toContain(uuid)
    expect(text).toContain('/••• \\# and @\u200b\\*\\*all\\*\\*')
  })

  test('is exported without a secret of many lines, or one at the place where a text is cut', () => {
    const line = 'MIIEpAIBAAKCAQEAx0'
    const key = `-----BEGIN ${'RSA'} PRIVATE KEY-----\n${line}\n${line}\n-----END RSA PRIVATE KEY-----`
    const token = `gl${'pat'}-AbCdEfGhIjKlMnOpQrSt`
    const texts = [key, `${'x'.repeat(1_985)} ${token}`]
    const messages = texts.map((one, n) => eg.message({ sentAt: at(n), text: one }))
    const text = timelineMarkdown(check, 'ops', timelineOf({ ...facts, messages }))
    expect(text.match(/•••/g)).toHaveLength(2)
    expect(text).not.toMatch(/MIIE|pat-A/)
  })

  const starts = [
    ...[
      '',
      '=',
      '===',
      '-',
      '---',
      '- ',
      '* ',
      '+ ',
      '1. ',
      '12) ',
      '007. ',
      '# ',
      '## ',
      '> ',
      '>',
    ],
    ...[
      '```',
      '~~~',
      '    ',
      '\t',
      '| a | b |',
      '|-|',
      ': ',
      '[a]: x',
      '***',
      '___',
      '_ _ _',
      '<!--',
    ],
    ...[
      '<details>',
      '![x](https://e.example)',
      '[x](//e.example)',
      '&lt;b&gt;',
      '$$',
      '\\',
      '\\.',
      '\u202e',
    ],
    ...[
      '@**all**',
      '@ana',
      '@_**Ana**',
      '#**ops**',
      'https://e.example/x',
      'www.e.example',
      'e.example',
    ],
    ...[
      'ana@e.example',
      'mailto:ana@e.example',
      '//e.example',
      'javascript:x',
      '`x`',
      '**b**',
      '~~s~~',
      '$$x$$',
      ':smile:',
      'password=hunter22',
      '||x||',
      '!avatar(x)',
    ],
  ]
  const others = starts.flatMap((start) => [
    start,
    `${start}x`,
    `x\n${start}`,
    `x ${start}`,
    `${start}\n===`,
  ])

  /** What Markdown would interpret as more than text. */
  function marks(line: string): string[] {
    const plain = line.replaceAll(/\\[!-/:-@[-`{-~]/g, '\u0000')
    return [
      ...(plain.match(/^(?:[-+*=#>|:~`]|\d+[.)]|\s)/) ?? []),
      ...(plain.match(
        /[`*_[\]<>#|~&$]|:\/\/|\w\.[a-z]|@(?!\u200b)|[\u202a-\u202e]|:[\w+-]+:|hunter/gi,
      ) ?? []),
    ]
  }

  test('escapes whatever others wrote, wherever it appears', () => {
    for (const words of others) {
      const message = eg.message({ sentAt: at(1), senderName: words, text: words })
      const named = eg.check({ ...check, name: words })
      const lines = timelineOf({ ...facts, flips: [], pings: [], entries: [], messages: [message] })
      const [head = '', , project = '', , day, , who = '', ...quoted] = timelineMarkdown(
        named,
        words,
        lines,
      ).split('\n')
      expect(day).toMatch(/^## \d{4}-\d\d-\d\d$/)
      const written = [
        head.replace('# Timeline of ', ''),
        project.replace(', times in UTC.', ''),
        who.replace(/^- [\d:]{8} \*\*(.*)\*\* wrote:$/, '$1'),
        ...quoted.slice(0, -1).map((line) => line.replace(/^ {2}> /, '')),
      ]
      for (const one of written) expect(marks(one), JSON.stringify([words, one])).toEqual([])
    }
  })

  test('would contain markup without the escaping (positive control)', () => {
    const found = others.filter((words) => words.split('\n').some((line) => marks(line).length > 0))
    expect(found.length).toBeGreaterThan(0.8 * others.length)
  })

  test('that is too long loses its beginning', () => {
    const messages = Array.from({ length: 200 }, (_, n) =>
      eg.message({ sentAt: at(0) + n * 1000, text: `${n} ${'x'.repeat(1_500)}` }),
    )
    const text = timelineMarkdown(check, 'p', timelineOf({ ...facts, messages }))
    expect(text.length).toBeLessThan(100_000)
    expect(text).toMatch(/\d+ earlier lines are left out\./)
    expect(text).toContain('> 199 x')
  })
})

test('flips and messages are merged by time, a flip before the message of the same second', () => {
  const messages = [1, 5, 10, 20, 30].map((sentAt) => ({ sentAt }))
  const flips = [10, 40, 3].map((when) => ({ at: when }))
  const words = woven(messages, flips).map((one) =>
    'flip' in one ? `flip ${one.flip.at}` : `message ${one.message.sentAt}`,
  )
  expect(words).toEqual([
    'message 1',
    'flip 3',
    'message 5',
    'flip 10',
    'message 10',
    'message 20',
    'message 30',
    'flip 40',
  ])
})
