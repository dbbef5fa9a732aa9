import fc from 'fast-check'
import { safeParse } from 'valibot'
import { afterAll, describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/demo/answers.ts'
import { createCommandHandler, isOurSender } from '../../src/main/desktop/window/command-handler.ts'
import { type CommandName, commandInputs } from '../../src/shared/command-inputs.ts'
import type { Commands } from '../../src/shared/contract.ts'
import { reportSecurity } from '../security/report.ts'
import { startApp } from '../support/app.ts'
import { slowness, watchTurns } from '../support/busy.ts'
import { hostileParts } from '../support/hostile-json.ts'

const seed = 20_260_317
const perCommand = 10_000
const random = seededRandom(seed)
const among = (from: readonly unknown[]): unknown => from[Math.floor(random() * from.length)]

/** Values that structured clone can carry, and some that it can't. */
const anything = fc.sample(
  fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withTypedArray: true,
    withNullPrototype: true,
    withSparseArray: true,
  }),
  { seed, numRuns: 2_000 },
)
const json = hostileParts(seed, 300).values.map((text): unknown => JSON.parse(text))
const conversation = { kind: 'topic', channelId: 10, topic: 'db' }
const fitting: readonly unknown[] = [
  'ops',
  'success',
  'url',
  'topic',
  'monitoring',
  'https://hc.example.org',
  null,
  true,
  false,
  7,
  0,
  { view: 'checks' },
  conversation,
  { kind: 'direct', userIds: [1] },
]

function deep(levels: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level += 1) value = [value]
  return value
}
const tooMuch: readonly unknown[] = [
  { accountId: 'x'.repeat(140_000) },
  { accountId: new Uint8Array(300_000) },
  { accountId: new ArrayBuffer(300_000) },
  Object.assign([], { length: 4_294_967_295 }),
  { accountId: new Set(Array.from({ length: 40_000 }, (_, at) => at)) },
  deep(40),
  deep(5_000),
]

function inputFor(name: CommandName): unknown {
  const draw = random()
  if (draw < 0.3) return among(anything)
  if (draw < 0.35) return among(json)
  if (draw < 0.36) return among(tooMuch)
  const schema = commandInputs[name]
  const fields =
    'entries' in schema ? Object.keys(schema.entries) : ['kind', 'accountId', 'baseUrl']
  const input: Record<string, unknown> = {}
  for (const field of fields) {
    const kind = random()
    if (kind < 0.7) input[field] = among(fitting)
    else if (kind < 0.9) input[field] = among(json)
    else if (kind < 0.95) input[field] = among(anything)
  }
  return input
}

interface Asked {
  readonly name: string
  readonly input: unknown
}

/** Commands that record what reached them, and sometimes fail as no command should. */
function openDoor(monotonic: () => number) {
  const asked: Asked[] = []
  let count = 0
  const commands = Object.fromEntries(
    Object.keys(commandInputs).map((name) => [
      name,
      (input: unknown) => {
        asked.push({ name, input })
        count += 1
        if (count % 50 === 0) throw new TypeError('a bug')
        // Not even an error object: whatever is thrown, the window gets a value.
        return count % 51 === 0 ? Promise.reject(new Error('late bug')) : Promise.resolve(null)
      },
    ]),
  ) as unknown as Commands
  const bugs: unknown[] = []
  const handler = createCommandHandler(
    () => commands,
    (_where, error) => bugs.push(error),
    monotonic,
  )
  return { asked, bugs, handler }
}

const names = Object.keys(commandInputs) as CommandName[]
/** `control`: commands that got invalid input when no handler was in front of them. */
const counts = { commands: 0, through: 0, control: 0, mainMs: 0, floodControlMs: 0 }

afterAll(() => reportSecurity('commands', counts))

describe(`commands of a hostile window, seed ${seed}`, () => {
  test.each(names)(
    '%s: each gets a typed result, and only valid input gets through',
    async (name) => {
      let now = 0
      const { handler, asked, bugs } = openDoor(() => {
        now += 1_000
        return now
      })
      let refused = 0
      for (let at = 0; at < perCommand; at += 1) {
        const input = inputFor(name)
        const before = asked.length
        const result = await handler(name, input)
        if (typeof result.ok !== 'boolean') throw new Error('not a result')
        const reached = asked.slice(before)
        if (!result.ok && reached.length === 0) refused += 1
        counts.commands += 1
        for (const call of reached) {
          const isAllowed = safeParse(commandInputs[name], call.input).success
          if (call.name === name && isAllowed) continue
          counts.through += 1
          throw new Error(`let through: ${call.name}, ${at}`)
        }
      }
      const bare = Array.from({ length: 100 }, () => inputFor(name))
      if (bare.some((input) => !safeParse(commandInputs[name], input).success)) counts.control += 1
      expect(refused + asked.length).toBe(perCommand)
      expect(refused).toBeGreaterThan(500)
      expect(bugs.length).toBe(
        asked.filter((_call, at) => (at + 1) % 50 === 0 || (at + 1) % 51 === 0).length,
      )
      expect(Reflect.get({}, 'polluted')).toBeUndefined()
    },
    60_000,
  )

  test('in a flood are refused, but a fast typist never is', async () => {
    let now = 0
    const { handler, asked } = openDoor(() => now)
    const ask = () => handler('hideWindow', {})
    const flood = await Promise.all(Array.from({ length: 1_000 }, ask))
    expect(flood.filter(({ ok }) => !ok).length).toBeGreaterThanOrEqual(800)
    expect(asked).toHaveLength(200)
    expect(flood.at(-1)).toMatchObject({ ok: false, failure: { kind: 'invalid' } })
    // Time that runs backwards allows nothing more.
    now = -60_000
    expect(await ask()).toMatchObject({ ok: false })
    now = 0
    asked.length = 0
    for (let stroke = 0; stroke < 5_000; stroke += 1) {
      now += 30
      await ask()
    }
    expect(asked).toHaveLength(5_000)
  })

  test('in a list with four billion holes are told apart at once', async () => {
    const { handler } = openDoor(() => 0)
    const holes = Object.assign([], { length: 4_294_967_295 })
    expect(await handler('copyText', { text: holes })).toMatchObject({ ok: false })
  })
})

/** The whole app with a project and a chat, and 5,000 of each command at once. */
async function flooded() {
  const it = await startApp()
  await it.app.commands.addAccount(it.world.newAccounts.ops)
  const { accountId } = await it.app.commands.addAccount(it.world.newAccounts.chat)
  const channels = () => it.app.state.realms.get(accountId)?.channels.size ?? 0
  await expect.poll(channels).toBeGreaterThan(0)
  const text = 'x'.repeat(9_900)
  const large = 'x'.repeat(99_000)
  const deep = Array.from({ length: 10_000 }, () => [1])
  const params = Object.fromEntries(Array.from({ length: 7_000 }, (_, at) => [`p${at}`, at]))
  const place = (at: number) => {
    const conversation = { kind: 'topic', channelId: 10, topic: `t ${at}` } as const
    return { accountId, conversation }
  }
  const send = (at: number) => ({ ...place(at), text })
  const kinds: readonly (readonly [CommandName, (at: number) => unknown])[] = [
    ['sendMessage', send],
    ['saveDraft', send],
    ['saveDraft', (at) => ({ ...place(at), text: large })],
    ['saveDraft', (at) => ({ ...place(at), text: [large] })],
    ['updateSettings', () => ({ attention: deep })],
    ['updateSettings', (at) => ({ pollSeconds: 15 + (at % 100) })],
    ['run', () => ({ accountId, operation: 'sendMessage', params })],
    ['previewRequest', () => ({ accountId, operation: 'sendMessage', params: { to: large } })],
    ['renameAccount', (at) => ({ accountId, label: `${at}` })],
    ['allowWeakStorage', () => ({ allowed: true })],
    ['testNotification', () => ({})],
    ['refresh', () => ({ accountId: null })],
    ['copyText', () => ({ text: large })],
  ]
  return { it, kinds, send }
}

type Flooded = Awaited<ReturnType<typeof flooded>>

describe('a flood of commands', () => {
  test('blocks main for 100 ms at most', async () => {
    const longest = async ({ it, kinds }: Flooded, at: number): Promise<number> => {
      const [name, make] = kinds[at] ?? ['refresh', () => null]
      const handler = createCommandHandler(
        () => it.app.commands,
        (_where, error) => it.bugs.push(error),
      )
      const stop = watchTurns()
      await Promise.all(Array.from({ length: 5_000 }, (_, n) => handler(name, make(n))))
      return stop() / slowness()
    }
    const all = await flooded()
    for (const at of all.kinds.keys()) {
      let ms = await longest(all, at)
      // Garbage collection and a busy machine only add time, so the least of three counts.
      for (let more = 0; ms > 100 && more < 2; more += 1) {
        const again = await flooded()
        ms = Math.min(ms, await longest(again, at))
        await again.it.app.stop()
      }
      counts.mainMs = Math.max(counts.mainMs, ms)
    }
    await all.it.app.stop()
    expect(all.it.bugs).toEqual([])
    expect(counts.mainMs).toBeLessThanOrEqual(100)
  })

  test('would block it far longer without the handler: the control of the test above', async () => {
    const { it, send } = await flooded()
    const stop = watchTurns()
    const sent = Array.from({ length: 1_000 }, (_, at) => it.app.commands.sendMessage(send(at)))
    await Promise.all(sent)
    counts.floodControlMs = stop()
    await it.app.stop()
    expect(counts.floodControlMs).toBeGreaterThan(100)
  })

  test('can’t fill the disk with drafts, but shortening one is always accepted', async () => {
    const { it, send } = await flooded()
    const { saveDraft } = it.app.commands
    const refused: unknown[] = []
    for (let at = 0; at < 600; at += 1)
      await saveDraft({ ...send(at), text: 'x'.repeat(5_000) }).catch((error: unknown) =>
        refused.push(error),
      )
    expect(it.app.state.drafts.size).toBe(200)
    expect(refused).toHaveLength(400)
    await saveDraft({ ...send(1), text: 'shorter' })
    for (let at = 0; at < 600; at += 1)
      await saveDraft({ ...send(at), text: 'x' }).catch(() => undefined)
    expect(it.app.state.drafts.size).toBe(500)
    await it.app.stop()
  })
})

describe('a sender', () => {
  const home = 'app://main/index.html'
  const ours = {}
  const frame = { url: home, parent: null }
  const asked = (sender: object, senderFrame: typeof frame | null) =>
    isOurSender({ sender, senderFrame }, (contents) => contents === ours, home)

  test('is our window’s main frame at our page', () => {
    expect(asked(ours, frame)).toBe(true)
    expect(asked({}, frame)).toBe(false)
    expect(asked(ours, null)).toBe(false)
    expect(asked(ours, { ...frame, url: 'app://x:y@main/index.html' })).toBe(false)
    expect(asked(ours, { ...frame, url: 'app://:y@main/index.html' })).toBe(false)
  })

  test('whose frame is gone is rejected without throwing', () => {
    const gone = {
      sender: ours,
      get senderFrame(): never {
        throw new Error('Render frame was disposed before WebFrameMain could be accessed')
      },
    }
    expect(isOurSender(gone, () => true, home)).toBe(false)
  })
})
