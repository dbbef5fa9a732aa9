import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createWorld } from '../../src/demo/world.ts'
import { createFields } from '../../src/shared/api/monitoring/write-check.ts'
import { newCheckDraft } from '../../src/shared/core/checks/check-draft.ts'
import { draftOfJob, readCrontab } from '../../src/shared/core/checks/crontab.ts'
import { RequestFailed } from '../../src/shared/core/failure.ts'
import { startApp } from '../support/app.ts'
import { fiftyChecks, fiftyLines } from '../support/fifty-lines.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 23, 12) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

/** The connection ends `before` the request arrives or `after` the check was created. */
type Loss = 'before' | 'after' | null

async function connected() {
  const world = createWorld({ now: Date.now, seed: 1, lively: false })
  const network = { losses: [] as Loss[], isListAway: false, creates: 0 }
  const it = await startApp({
    world,
    transport: async (request, signal) => {
      const host = new URL(request.url).host
      const lost = new RequestFailed({ kind: 'network', reason: 'reset', host, reached: 'maybe' })
      const isOfList = request.url.endsWith('/checks/')
      if (isOfList && request.method === 'GET' && network.isListAway) throw lost
      if (!isOfList || request.method !== 'POST') return world.transport(request, signal)
      network.creates += 1
      const loss = network.losses.shift() ?? null
      if (loss === 'before') throw lost
      const reply = await world.transport(request, signal)
      if (loss === 'after') throw lost
      return reply
    },
  })
  const { accountId } = await it.app.commands.addAccount(world.newAccounts.ops)
  await pass(3_000)
  const create = async (fields: Record<string, unknown>) => {
    const made = it.app.commands.createCheck({ accountId, fields }).then(
      (check) => check,
      (error: unknown) => error,
    )
    await pass(60_000)
    return made
  }
  const names = () => world.ops.controls.names()
  return { ...it, world, network, accountId, create, names }
}

const fields = createFields({ ...newCheckDraft, name: 'nightly', period: '1 h' })
const isLost = { failure: { kind: 'network', reached: 'maybe' } }

describe('a check that is created', () => {
  test('comes back complete, and is on the board with the next list', async () => {
    const it = await connected()
    const check = await it.create(fields)
    expect(check).toMatchObject({ name: 'nightly', graceSeconds: 3_600, status: 'new' })
    const { id, pingUrl, uuid } = check as { id: string; pingUrl: string; uuid: string }
    expect(pingUrl).toContain(uuid)
    expect(it.app.state.boards.get(it.accountId)?.checks.has(id)).toBe(true)
    await it.app.stop()
  })

  test('is found in the list if its response was lost, and is never sent again', async () => {
    const it = await connected()
    it.network.losses = ['after']
    const first = await it.create(fields)
    expect(first).toMatchObject({ name: 'nightly' })
    // Doesn’t take an existing one for it.
    it.network.losses = ['after']
    const second = await it.create(fields)
    expect(second).toMatchObject({ name: 'nightly' })
    expect((second as { id: string }).id).not.toBe((first as { id: string }).id)
    expect(it.network.creates).toBe(2)
    expect(it.names().filter((name) => name === 'nightly')).toHaveLength(2)
    await it.app.stop()
  })

  test('fails if it isn’t in the list, or no list can be read', async () => {
    const it = await connected()
    it.network.losses = ['before']
    expect(await it.create(fields)).toMatchObject(isLost)
    it.network.losses = ['after']
    it.network.isListAway = true
    expect(await it.create(fields)).toMatchObject(isLost)
    expect(it.network.creates).toBe(2)
    expect(it.names().filter((name) => name === 'nightly')).toHaveLength(1)
    await it.app.stop()
  })

  test('is refused with the reason, before anything is sent if that is known', async () => {
    const it = await connected()
    expect(await it.create({ name: 'x', timeout: 5 })).toMatchObject({
      failure: { kind: 'invalid', field: 'timeout' },
    })
    expect(it.network.creates).toBe(0)
    expect(await it.create({ name: 'x', schedule: 'never' })).toMatchObject({
      failure: { kind: 'refused', httpStatus: 400 },
    })
    await it.app.stop()
  })
})

describe('a crontab of fifty jobs', () => {
  test('becomes fifty correct checks, even if two responses are lost', async () => {
    const it = await connected()
    const before = it.names().length
    const { jobs } = readCrontab(fiftyLines, {
      zone: 'Europe/Berlin',
      hasUsers: false,
      now: Date.now(),
    })
    it.network.losses = [null, null, 'after', null, null, null, null, null, null, 'after']
    for (const job of jobs) {
      const made = await it.create(createFields(draftOfJob(job, 'cron')))
      expect(made).toMatchObject({ name: job.name })
    }
    expect(it.network.creates).toBe(50)
    expect(it.names()).toHaveLength(before + 50)
    const made = [...it.world.ops.table.checks.values()].slice(-50)
    expect(
      made.map(({ fields: { name, schedule, tz, grace } }) => [name, schedule, tz, grace / 60]),
    ).toEqual(fiftyChecks)
    expect(made.every(({ fields }) => fields.tags === 'cron')).toBe(true)
    // They read back as they were written.
    await pass(120_000)
    const board = it.app.state.boards.get(it.accountId)?.checks.values() ?? []
    const read = [...board].filter(({ tags }) => tags.includes('cron'))
    expect(
      read.map(({ name, schedule, graceSeconds }) =>
        schedule.kind === 'cron'
          ? [name, schedule.expression, schedule.zone, graceSeconds / 60]
          : name,
      ),
    ).toEqual(fiftyChecks)
    await it.app.stop()
  })
})
