import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { documentRows, documents, restored } from '../../src/main/state/documents.ts'
import { documentOf } from '../../src/main/state/stored-document.ts'
import { SavedFiles } from '../../src/main/storage/saved-files.ts'
import { emptyMemory } from '../../src/shared/core/attention/memory.ts'
import type { RunMemory } from '../../src/shared/core/attention/runs/usual-runs.ts'
import { silenceOfMany } from '../../src/shared/core/attention/silence.ts'
import { fieldsOf } from '../../src/shared/core/schemas.ts'
import { emptyState } from '../../src/shared/core/state.ts'
import { silence } from '../support/attention-eg.ts'
import * as eg from '../support/eg.ts'
import { seeded } from '../support/seeded.ts'

const [down, paused] = [eg.check({ status: 'down' }), eg.check({ status: 'paused' })]
const { scope: _scope, ...common } = silence({ id: 'many' })
const many = silenceOfMany(
  common,
  [down, paused].map(({ id }) => {
    const scope = { of: 'check', accountId: eg.opsId, checkId: id } as const
    return silence({ scope, label: id })
  }),
)!
const place = { accountId: eg.chatId, conversation: eg.topic }

/** Something in every document. */
const state = eg.state({
  accounts: [eg.account(), eg.chatAccount()],
  boards: new Map([
    [
      eg.opsId,
      eg.board([down, paused], {
        notified: new Map([
          [down.id, 'down'],
          [paused.id, 'paused'],
        ]),
      }),
    ],
  ]),
  realms: new Map([
    [eg.chatId, eg.realm([eg.message({ id: 7 })], { notified: { floor: 5, ids: [7, 9] } })],
  ]),
  settings: {
    ...eg.state().settings,
    keepMessages: true,
    pins: [{ accountId: eg.opsId, checkId: down.id }],
  },
  drafts: new Map([[`${eg.chatId}/topic/10/db`, 'half a thought']]),
  draftLinks: new Map([
    [`${eg.chatId}/topic/10/db`, { conversation: eg.topic, id: 5, base: 'half', sent: null }],
    [`${eg.chatId}/direct/2`, { conversation: eg.direct, id: 6, base: 'other', sent: null }],
  ]),
  scheduling: [{ ...place, id: 's', text: 'later', at: eg.now, triedAt: eg.now, known: [3, 4] }],
  statusEnds: new Map([[eg.chatId, { text: 'lunch', emoji: null, until: eg.now }]]),
  outbox: ['a', 'b'].map((localId) =>
    eg.outboxMessage({ localId, state: 'unconfirmed', notMessageIds: [] }),
  ),
  uploads: [eg.upload({ conversation: eg.topic, state: 'waiting' })],
  silences: [silence({ id: 'one', scope: { of: 'tag', tag: 'db' } }), many],
  planned: [
    {
      id: 'plan',
      scope: { of: 'tag', tag: 'db' },
      label: '#db',
      when: { of: 'weekly', days: [0], from: '02:00', to: '04:00', zone: 'UTC' },
    },
    {
      id: 'once',
      scope: { of: 'tag', tag: 'web' },
      label: '#web',
      when: { of: 'once', from: eg.now + eg.hour, until: eg.now + 2 * eg.hour },
    },
  ],
  dependencies: [
    {
      id: 'out',
      scope: { of: 'tag', tag: 'db' },
      label: '#db',
      on: { accountId: eg.opsId, checkId: down.id },
      onLabel: 'gateway',
      out: true,
      overAt: 0,
    },
    {
      id: 'over',
      scope: { of: 'project', accountId: eg.opsId },
      label: 'ops-project',
      on: { accountId: eg.opsId, checkId: paused.id },
      onLabel: 'router',
      out: false,
      overAt: eg.now,
    },
  ],
  reminders: [7, 9].map((messageId) => ({
    ...{ id: `of ${messageId}`, accountId: eg.chatId, conversation: eg.topic, messageId },
    ...{ label: '# ops › db', at: eg.now + eg.hour },
  })),
  ownSounds: new Map([
    ['down', { name: 'alarm.wav', isGone: false }],
    ['direct', { name: 'chime.oga', isGone: true }],
  ]),
  programs: new Map([
    ['p', { name: 'lamp.sh', last: { at: eg.now, failure: 'exit 3' } }],
    ['q', { name: 'ticket.sh', last: null }],
  ]),
  notices: [eg.notice({ id: 'a' }), eg.notice({ id: 'b' })],
  incidents: [
    {
      accountId: eg.opsId,
      checkId: down.id,
      chatId: eg.chatId,
      conversation: eg.topic,
      messageId: 7,
      since: eg.now,
      told: 'down',
      toldAt: eg.now,
    },
  ],
  outageMessages: [
    {
      accountId: eg.chatId,
      messageId: 7,
      projectId: eg.opsId,
      checkId: down.id,
      seen: [2],
    },
  ],
} as Partial<typeof emptyState>)

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'belfry-damaged-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true })
})

const soundPaths = new Map([
  ['down', '/home/me/alarm.wav'],
  ['direct', '/home/me/chime.oga'],
] as const)
const programPaths = new Map([
  ['p', '/home/me/lamp.sh'],
  ['q', '/home/me/ticket.sh'],
])
const paths = { soundPaths, programPaths }
const runs: RunMemory = new Map([
  [
    eg.opsId,
    {
      learned: new Map([
        [
          down.id,
          {
            ...{ endedAt: eg.now, pings: 40, dueAt: eg.now + eg.hour, runningSince: null },
            ...{ odd: 'tooShort' as const, took: [600, null, 620] },
          },
        ],
        [
          paused.id,
          {
            ...{ endedAt: null, pings: 1, dueAt: null, runningSince: eg.now },
            ...{ odd: null, took: [] },
          },
        ],
      ]),
      notifiedUpTo: new Map([
        [down.id, eg.now],
        [paused.id, eg.now - 1],
      ]),
    },
  ],
])

const fileOf = (file: string) => join(folder, `${file}.json`)
const whole = new Map(
  documentRows().map(([, row]) => {
    const value: unknown = JSON.parse(
      JSON.stringify(documentOf(row, { state, memory: emptyMemory, runs, ...paths })),
    )
    return [row.file, value] as const
  }),
)

/** What a start makes of the files, as it would write it again, and what it says. */
function start() {
  const said: string[] = []
  const saved = new SavedFiles({
    folder,
    now: () => eg.now,
    openStored: () => null,
    onTrouble: ({ text }) => said.push(text ?? ''),
  })
  const kept = restored(saved, emptyState.environment)
  const again = (file: string): unknown => {
    const row = Object.values(documents).find((one) => one.file === file)!
    return JSON.parse(JSON.stringify(documentOf(row, kept)))
  }
  return { again, said, mended: kept.mended }
}

const marksMemory = () => fieldsOf(fieldsOf(whole.get('marks'))['memory'])

function writeAll(): void {
  for (const file of readdirSync(folder)) rmSync(join(folder, file))
  for (const [file, value] of whole)
    writeFileSync(fileOf(file), JSON.stringify({ version: 1, value }))
}

/** Whether the very text is in a file that Belfry doesn’t write. */
function isKept(file: string, text: string | Uint8Array): boolean {
  const bytes = Buffer.from(text)
  return readdirSync(folder)
    .filter((name) => name.startsWith(`${file}.`))
    .some((name) => readFileSync(join(folder, name)).equals(bytes) && name !== `${file}.json`)
}

type Path = readonly (string | number)[]

function leaves(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  return Object.entries(value).flatMap(([key, part]) =>
    leaves(part, [...path, Array.isArray(value) ? Number(key) : key]),
  )
}

function withValue(value: unknown, [key, ...rest]: Path, instead: unknown): unknown {
  if (key === undefined) return instead
  if (Array.isArray(value))
    return value.map((one: unknown, at): unknown =>
      at === key ? withValue(one, rest, instead) : one,
    )
  const fields = value as Readonly<Record<string, unknown>>
  return { ...fields, [key]: withValue(fields[key], rest, instead) }
}

function isNamedAlike(one: unknown, other: unknown): boolean {
  const names = (value: unknown) => leaves(value).map((path) => path.join('.'))
  return names(one).join() === names(other).join()
}

const files = [...whole.keys()]

describe('a damaged document', () => {
  test('is compared with what a start makes of undamaged ones', () => {
    writeAll()
    const { again, said } = start()
    expect(said).toEqual([])
    for (const [file, value] of whole) {
      expect([file, leaves(value).length > 1]).toEqual([file, true])
      // Messages come back as read.
      if (file === 'messages') expect(again(file)).toMatchObject([[eg.chatId, {}]])
      else expect([file, again(file)]).toMatchObject([file, value])
    }
  })

  test.each(files)('is used but for one wrong value, kept as a copy, and told of: %s', (file) => {
    const value = whole.get(file)
    let lost = 0
    for (const path of leaves(value)) {
      writeAll()
      const text = JSON.stringify({ version: 1, value: withValue(value, path, { wrong: true }) })
      writeFileSync(fileOf(file), text)
      const { again, said } = start()
      const after = again(file)
      const where = [file, ...path].join('.')
      // A field that isn’t read, or has a value to fall back to, loses nothing.
      if (said.length === 0) {
        expect([where, leaves(after).length]).toEqual([where, leaves(value).length])
        continue
      }
      lost += 1
      expect([where, said[0]]).toEqual([where, expect.stringMatching(/^1 part of .* left out/)])
      expect([where, isKept(file, text)]).toEqual([where, true])
      // Its siblings are there still.
      const [first, second] = path
      if (Array.isArray(value) && Array.isArray(after)) {
        const others = value.filter((_, at) => at !== first)
        for (const other of others) expect(after).toContainEqual(other)
      } else if (second !== undefined) {
        const fields = Object.entries(value as object).filter(([name]) => name !== first)
        expect(after).toMatchObject(Object.fromEntries(fields))
      }
    }
    expect(lost).toBeGreaterThan(0)
  })

  test.each(files)('with a flipped bit is used, or kept as a copy and told of: %s', (file) => {
    const value = whole.get(file)
    const good = Buffer.from(JSON.stringify({ version: 1, value }))
    const chance = seeded(7)
    let corrupt = 0
    for (let n = 0; n < 60; n += 1) {
      writeAll()
      const bad = Buffer.from(good)
      const at = chance.whole(0, bad.length - 1)
      bad[at] = (bad[at] ?? 0) ^ (1 << chance.whole(0, 7))
      // Items of an account that is gone are dropped without a word.
      const idsIn = (text: Buffer) => text.toString().match(/"(ops|chat)[/"]/g)?.length
      if (file === 'accounts' || idsIn(bad) !== idsIn(good)) continue
      writeFileSync(fileOf(file), bad)
      const { again, said } = start()
      const found = again(file)
      if (said.length === 0) {
        const { value: read } = JSON.parse(bad.toString()) as { value: unknown }
        // A field of these that is missing is one that an older version didn’t have.
        const mayMiss = ['settings', 'marks'].includes(file) && !isNamedAlike(read, value)
        if (!mayMiss) expect(leaves(found).length).toBeGreaterThanOrEqual(leaves(read).length)
        continue
      }
      corrupt += 1
      const isLeft = said.some((text) => text.includes('newer version'))
      expect([n, said, isLeft || isKept(file, bad)]).toEqual([n, said, true])
    }
    if (file !== 'accounts') expect(corrupt).toBeGreaterThan(0)
  })

  test('whose last good copy is used is no new beginning: an outage since is told', () => {
    writeAll()
    writeFileSync(fileOf('marks'), 'half of i')
    const said: string[] = []
    const saved = new SavedFiles({
      folder,
      now: () => eg.now,
      openStored: () => null,
      onTrouble: ({ text }) => said.push(text ?? ''),
    })
    const { state: after } = restored(saved, emptyState.environment)
    expect(after.boards.get(eg.opsId)?.notified).toEqual(new Map())
    expect(said).toHaveLength(1)
  })

  test.each([
    ['no list of what waits', { ...marksMemory(), waits: undefined }],
    ['a list in its place', [null]],
    ['a text in its place', 'x'],
  ])('with a memory of notifications that has %s is told of', (_what, memory) => {
    writeAll()
    const text = JSON.stringify({
      version: 1,
      value: withValue(whole.get('marks'), ['memory'], memory),
    })
    writeFileSync(fileOf('marks'), text)
    const { said } = start()
    expect(said).toEqual([expect.stringContaining('1 part of which notifications were already')])
    expect(isKept('marks', text)).toBe(true)
  })

  test.each([
    ['notices', [0, 'at']],
    ['silences', [0, 'since']],
    ['statusEnds', [0, 1, 'until']],
    ['incidents', [0, 'since']],
    ['programs', [0, 'last', 0, 'at']],
    ['boards', [0, 1, 'checks', 0, 'lastPingAt']],
    ['messages', [0, 1, 'messages', 0, 'sentAt']],
  ])('with a time that is none, at which windows would fail, is told of: %s', (file, path) => {
    writeAll()
    const text = JSON.stringify({ version: 1, value: withValue(whole.get(file), path, 1e300) })
    writeFileSync(fileOf(file), text)
    const { said } = start()
    expect(said).toEqual([expect.stringMatching(/^1 part of .* left out/)])
    expect(isKept(file, text)).toBe(true)
  })

  test('with an unreadable line of a digest keeps its other lines', () => {
    writeAll()
    const [notice] = state.notices
    const target = { view: 'checks' } as const
    const lines = [1, 2, 3].map((at) => ({ text: `line ${at}`, at, target }))
    const value = [{ ...notice, lines: withValue(lines, [1, 'at'], 'x') }]
    writeFileSync(fileOf('notices'), JSON.stringify({ version: 1, value }))
    const { again, said } = start()
    expect(again('notices')).toMatchObject([{ lines: [lines[0], lines[2]] }])
    expect(said).toEqual([expect.stringContaining('1 part of the notifications')])
  })

  test.each([
    ['drafts', [0, 0], 'gone/topic/10/db'],
    ['outbox', [1, 'accountId'], 'gone'],
  ])('with a text of nobody’s keeps it as a copy, and is told of: %s', (file, path, nobody) => {
    writeAll()
    const text = JSON.stringify({ version: 1, value: withValue(whole.get(file), path, nobody) })
    writeFileSync(fileOf(file), text)
    const { said, mended } = start()
    expect(said).toEqual([expect.stringContaining('belong to accounts that Belfry doesn’t have')])
    expect([isKept(file, text), mended]).toEqual([true, [file]])
    writeFileSync(fileOf('accounts'), 'half of i')
    expect(start().mended).toEqual([])
  })

  test('with an unknown status word keeps what was notified of all other checks', () => {
    writeAll()
    const marks = JSON.stringify({ version: 1, value: whole.get('marks') })
    writeFileSync(fileOf('marks'), marks.replace('"paused"', '"asleep"'))
    const { again, said } = start()
    expect(said).toEqual([expect.stringContaining('which notifications were already sent')])
    expect(again('marks')).toMatchObject({ boards: [[eg.opsId, { down: [down.id] }]] })
  })
})
