import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fetchMissed, type MissedOptions } from '../../../src/main/chat/missed-messages.ts'
import { RealmHistory } from '../../../src/main/chat/realm-history.ts'
import { createClient } from '../../../src/main/http/client.ts'
import { createBudget } from '../../../src/main/http/rate-limit.ts'
import { RequestFailed } from '../../../src/shared/core/failure.ts'
import type { AppState } from '../../../src/shared/core/state.ts'
import * as eg from '../../support/eg.ts'
import { json } from '../../support/scripted-transport.ts'

const personal = ['mentioned', 'alerted', 'dm']

/** Message ids with the operands of `is` that match them. */
type Kinds = ReadonlyMap<number, readonly string[]>

/** A server with these messages that returns at most three per page. */
function serverWith(kinds: Kinds, change: Partial<MissedOptions> = {}) {
  const asked: string[] = []
  const pages: number[][] = []
  const options: MissedOptions = {
    after: 0,
    upTo: Math.max(0, ...kinds.keys()),
    personal,
    signal: new AbortController().signal,
    getMessages({ anchor, num_after: count, narrow }) {
      const operand = narrow[0]?.operand
      asked.push(`${operand ?? 'all'} ${anchor}`)
      const newer = [...kinds]
        .filter(([id, of]) => id > anchor && (operand === undefined || of.includes(operand)))
        .map(([id]) => id)
      const page = newer.slice(0, Math.min(count, 3))
      const messages = page.map((id) => eg.message({ id })).reverse()
      return Promise.resolve({ messages, foundNewest: page.length === newer.length })
    },
    onPage: (messages) => pages.push(messages.map(({ id }) => id)),
    ...change,
  }
  return { options, asked, pages }
}

const plain = (...ids: number[]): Kinds => new Map(ids.map((id) => [id, []]))

describe('missed messages', () => {
  test('are fetched page by page up to the newest, in ascending order', async () => {
    const { options, asked, pages } = serverWith(plain(5, 8, 9, 11, 20, 21, 30, 31), { after: 5 })
    expect(await fetchMissed(options)).toBe(true)
    expect(pages).toEqual([[8, 9, 11], [20, 21, 30], [31]])
    expect(asked).toEqual(['all 5', 'all 11', 'all 30'])
  })

  test('are fetched in smaller pages while their bodies are too large for one', async () => {
    const { options, pages } = serverWith(plain(...Array.from({ length: 9 }, (_, at) => at + 1)))
    const counts: number[] = []
    const tooLarge = { reason: 'tooLarge', host: 'h', reached: 'maybe' } as const
    const getMessages: MissedOptions['getMessages'] = (asked, signal) => {
      counts.push(asked.num_after)
      return asked.num_after > 2
        ? Promise.reject(new RequestFailed({ kind: 'network', ...tooLarge }))
        : options.getMessages(asked, signal)
    }
    expect(await fetchMissed({ ...options, getMessages, pageSize: 20 })).toBe(true)
    expect(pages.flat()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(counts.slice(0, 3)).toEqual([20, 5, 2])
    const hopeless = () => Promise.reject(new RequestFailed({ kind: 'network', ...tooLarge }))
    await expect(fetchMissed({ ...options, getMessages: hopeless })).rejects.toThrow(RequestFailed)
  })

  test('are none if nothing is newer', async () => {
    const { options, pages } = serverWith(plain(5), { after: 5, upTo: 9 })
    expect(await fetchMissed(options)).toBe(true)
    expect(pages).toEqual([])
  })

  test('in a gap larger than the limit are all fetched at first, then only the personal ones', async () => {
    const anyGap = fc.record({
      kinds: fc.array(fc.subarray(personal), { maxLength: 60, size: 'max' }),
      limit: fc.integer({ min: 1, max: 20 }),
      newer: fc.integer({ min: 0, max: 5 }),
      step: fc.integer({ min: 1, max: 4 }),
    })
    let beyondLimit = 0
    await fc.assert(
      fc.asyncProperty(anyGap, async ({ kinds, limit, newer, step }) => {
        const all: Kinds = new Map(kinds.map((of, at) => [10 + at * step, of]))
        const ids = [...all.keys()]
        const upTo = ids.at(-1 - newer) ?? 0
        const known = ids.filter((id) => id <= upTo)
        const { options, asked, pages } = serverWith(all, { limit, upTo })
        const isComplete = await fetchMissed(options)
        // The page that reaches the limit is used whole.
        const first = known.slice(0, Math.ceil(limit / 3) * 3)
        const rest = known.slice(first.length)
        const wanted = rest.filter((id) => (all.get(id) ?? []).length > 0)
        expect(pages.flat()).toEqual([...first, ...wanted])
        expect(isComplete).toBe(rest.length === 0)
        expect(asked.length).toBeLessThanOrEqual(first.length / 3 + wanted.length + 4)
        if (wanted.length < rest.length) beyondLimit += 1
        // The control: without the personal narrows, those beyond the limit are missed.
        const control = serverWith(all, { limit, upTo, personal: [] })
        await fetchMissed(control.options)
        expect(control.pages.flat()).toEqual(first)
      }),
      { numRuns: 300, seed: 17 },
    )
    expect(beyondLimit).toBeGreaterThan(50)
  })

  test('are not assumed to be none if an empty page does not claim to be the last', async () => {
    let asked = 0
    const { options } = serverWith(plain(5, 6), {
      getMessages() {
        asked += 1
        return Promise.resolve({ messages: [], foundNewest: false })
      },
    })
    await expect(fetchMissed(options)).rejects.toMatchObject({ failure: { kind: 'malformed' } })
    expect(asked).toBe(1)
  })
})

test('what someone opened or searches for does not wait behind what is fetched unasked', async () => {
  const ended = new AbortController()
  const budget = createBudget({ limit: 20, monotonic: () => 0 })
  const page = { messages: [], found_oldest: true, found_newest: true }
  const client = createClient({
    account: { kind: 'chat', baseUrl: 'https://chat.example.org', email: 'me@example.org' },
    key: 'key',
    transport: async () => json(page),
    budget,
    clock: { now: () => eg.now, monotonic: () => 0, random: () => 0.5 },
    userAgent: 'Belfry/0.0.0',
  })
  let state = eg.state({ realms: new Map([[eg.chatId, eg.realm()]]) })
  const update = (change: (before: AppState) => AppState): void => {
    state = change(state)
  }
  const history = new RealmHistory({
    accountId: eg.chatId,
    client,
    get: () => state,
    update,
    onMessages: update,
    signal: ended.signal,
  })
  const done: string[] = []
  const noting = (what: string) => () => void done.push(what)
  for (let at = 0; at < 16; at += 1) void history.reload(eg.topic).then(noting('reload'))
  await expect.poll(() => done.length).toBe(15)
  await history.load(eg.topic, false, 'interactive').then(noting('opened'))
  await history.search({ terms: [], near: null, before: null }).then(noting('found'))
  expect(done.slice(15)).toEqual(['opened', 'found'])
  ended.abort()
})
