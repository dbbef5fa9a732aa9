import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { SessionBus } from '../../../../src/main/desktop/system/session-bus.ts'
import {
  showWhenUnreachable,
  trayIsThere,
  watchTrayHost,
} from '../../../../src/main/desktop/tray/tray-host.ts'
import { fakeDisk } from '../../../support/fake-desktop.ts'

/** An in-memory session bus that can end, and whose watcher and host come and go. */
function fakeBus() {
  const opened: { owner: (owned: boolean) => void; hosts: () => void; end: () => void }[] = []
  const world = {
    ...{ owned: false, hosted: true, refuses: false, items: [] as string[] | null },
    /** While set, collects the calls that the watcher is too busy to answer in time. */
    late: null as (() => void)[] | null,
  }
  /** Process ids by bus name: of another program, and of this one. */
  const processes = new Map([
    [':1.7', 1],
    ['org.example', process.pid],
  ])
  const open = async (): Promise<SessionBus> => {
    if (world.refuses) throw new Error('no bus')
    const ends: (() => void)[] = []
    const entry = {
      owner: (_owned: boolean): void => undefined,
      hosts: (): void => undefined,
      end: () => {
        for (const end of ends) end()
      },
    }
    opened.push(entry)
    return {
      name: ':1.1',
      call: async ({ member, body = [], onLate }) => {
        if (member === 'Get' && world.late !== null) {
          world.late.push(() => onLate?.([]))
          throw new Error('timeout')
        }
        const answers = new Map<unknown, unknown>([
          ['IsStatusNotifierHostRegistered', world.hosted],
          ['RegisteredStatusNotifierItems', world.items],
        ])
        const asked = member === 'Get' ? body[1] : body[0]
        if (member === 'GetConnectionUnixProcessID' && processes.has(String(asked)))
          return [processes.get(String(asked))]
        if (!answers.has(asked) || answers.get(asked) === null) throw new Error('not asked')
        return [[[{ type: 'v', child: [] }], [answers.get(asked)]]]
      },
      emit: () => undefined,
      onSignal: (_signal, listener) => {
        entry.hosts = () => listener([])
      },
      hasOwner: async () => world.owned,
      onOwner: (_name, listener) => {
        entry.owner = listener
      },
      onEnd: (listener) => ends.push(listener),
      close: () => entry.end(),
    }
  }
  return {
    open,
    world,
    timesOpened: () => opened.length,
    /** Resolves once the watcher's answers have arrived. */
    tray: async (owned: boolean): Promise<void> => {
      world.owned = owned
      opened.at(-1)?.owner(owned)
      await vi.advanceTimersByTimeAsync(0)
    },
    host: async (hosted: boolean): Promise<void> => {
      world.hosted = hosted
      opened.at(-1)?.hosts()
      await vi.advanceTimersByTimeAsync(0)
    },
    end: () => opened.at(-1)?.end(),
  }
}

function watched(start: { owned?: boolean; hosted?: boolean; refuses?: boolean } = {}) {
  const bus = fakeBus()
  Object.assign(bus.world, start)
  const host = watchTrayHost(bus.open)
  const told: boolean[] = []
  host.onChange((present) => told.push(present))
  return { bus, host, told }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('the tray host', () => {
  test('is reported once it is found', async () => {
    const { host, told } = watched({ owned: true })
    await host.settled
    expect([host.present(), told]).toEqual([true, [true]])
  })

  test('may start up to 10 s after the app', async () => {
    const { bus, host, told } = watched()
    await vi.advanceTimersByTimeAsync(9_999)
    expect(told).toEqual([])
    await bus.tray(true)
    await vi.advanceTimersByTimeAsync(60_000)
    expect([host.present(), told]).toEqual([true, [true]])
  })

  test('counts as missing after 10 s, and is reported when it comes later', async () => {
    const { bus, host, told } = watched()
    await vi.advanceTimersByTimeAsync(10_000)
    await host.settled
    expect([host.present(), told]).toEqual([false, [false]])
    await bus.tray(true)
    expect([host.present(), told]).toEqual([true, [false, true]])
  })

  test('that restarts is not reported missing, but one that stays away is', async () => {
    const { bus, host, told } = watched({ owned: true })
    await host.settled
    await bus.tray(false)
    expect(host.present()).toBe(false)
    await vi.advanceTimersByTimeAsync(3_000)
    await bus.tray(true)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(told).toEqual([true])
    await bus.tray(false)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(told).toEqual([true, false])
  })

  test('counts as missing while a watcher has no host, and is reported when one comes', async () => {
    const { bus, host, told } = watched({ owned: true, hosted: false })
    await vi.advanceTimersByTimeAsync(9_999)
    expect([host.present(), told]).toEqual([false, []])
    await bus.host(true)
    expect([host.present(), told]).toEqual([true, [true]])
    await bus.host(false)
    expect(host.present()).toBe(false)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(told).toEqual([true, false])
    await bus.host(true)
    expect([host.present(), told]).toEqual([true, [true, false, true]])
  })

  test('is reported once a busy watcher has answered', async () => {
    const { bus, host, told } = watched({ owned: true })
    const late: (() => void)[] = []
    bus.world.late = late
    await vi.advanceTimersByTimeAsync(10_000)
    expect([host.present(), told]).toEqual([false, [false]])
    bus.world.late = null
    for (const answer of late) answer()
    await vi.advanceTimersByTimeAsync(0)
    expect([host.present(), told]).toEqual([true, [false, true]])
  })

  test('is found again on a session bus that ended and came back', async () => {
    const { bus, host, told } = watched({ owned: true })
    await host.settled
    bus.world.refuses = true
    bus.end()
    expect(host.present()).toBe(false)
    await vi.advanceTimersByTimeAsync(20_000)
    expect(told).toEqual([true, false])
    bus.world.refuses = false
    await vi.advanceTimersByTimeAsync(60_000)
    expect([bus.timesOpened(), host.present(), told]).toEqual([2, true, [true, false, true]])
  })

  test('counts as missing at once if there is no session bus', async () => {
    const { host, told } = watched({ refuses: true })
    await host.settled
    expect(told).toEqual([false])
    host.stop()
    expect(vi.getTimerCount()).toBe(0)
  })

  test.each([
    ['has our icon among its items', [':1.7/StatusNotifierItem', 'org.example/Icon'], true],
    ['has only the icons of others', [':1.7/StatusNotifierItem', ':1.8'], false],
    ['does not report its items', null, false],
  ])('%s', async (_what, items, expected) => {
    const { bus, host } = watched({ owned: true })
    Object.assign(bus.world, { items })
    await host.settled
    expect(await host.hasOurs()).toBe(expected)
  })

  test('has no icon if there is no session bus', async () => {
    const { host } = watched({ refuses: true })
    await host.settled
    expect(await host.hasOurs()).toBe(false)
  })
})

describe('the app', () => {
  function reachable(host = watched()) {
    const saved = fakeDisk()
    const log: string[] = []
    const keep = (kept = host): void =>
      showWhenUnreachable({
        host: kept.host,
        saved,
        present: () => log.push('window'),
        trouble: (id) => log.push(`hint ${id}`),
        dismiss: (id) => log.push(`over ${id}`),
        logBug: (where) => log.push(where),
      })
    keep()
    return { ...host, log, keep }
  }

  test('suggests the extension once if there is no tray, until there is one', async () => {
    const { bus, log, keep } = reachable()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(log).toEqual(['hint no-tray'])
    await bus.tray(true)
    expect(log).toEqual(['hint no-tray', 'over no-tray'])
    keep(watched())
    await vi.advanceTimersByTimeAsync(10_000)
    expect(log).toHaveLength(2)
  })

  test('shows its window when the tray has gone away', async () => {
    const { bus, log } = reachable(watched({ owned: true }))
    await vi.advanceTimersByTimeAsync(0)
    await bus.tray(false)
    await vi.advanceTimersByTimeAsync(9_999)
    expect(log).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(log).toEqual(['window'])
  })

  test('always has a tray on Windows and macOS', () => {
    const told: boolean[] = []
    trayIsThere.onChange((present) => told.push(present))
    expect([trayIsThere.present(), told]).toEqual([true, [true]])
  })
})
