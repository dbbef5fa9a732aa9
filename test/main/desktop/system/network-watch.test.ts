import type { NetworkInterfaceInfo } from 'node:os'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createBeat } from '../../../../src/main/base/beat.ts'
import { watchNetwork, watchTimeZone } from '../../../../src/main/desktop/system/computer.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const one = (address: string, internal = false): NetworkInterfaceInfo => ({
  address,
  netmask: '255.255.255.0',
  family: 'IPv4',
  mac: '00:00:00:00:00:00',
  internal,
  cidr: null,
})

function network() {
  const it = { changes: 0, addresses: [one('127.0.0.1', true), one('192.0.2.7')], broken: false }
  const stop = watchNetwork(
    createBeat(() => undefined),
    () => {
      it.changes += 1
    },
    () => {
      if (it.broken) throw new Error('EMFILE')
      return { eth0: it.addresses }
    },
  )
  return Object.assign(it, { stop })
}

describe('a network change', () => {
  test('is reported within five seconds, once', () => {
    const it = network()
    vi.advanceTimersByTime(60_000)
    expect(it.changes).toBe(0)
    it.addresses = [one('127.0.0.1', true), one('198.51.100.3')]
    vi.advanceTimersByTime(5_000)
    expect(it.changes).toBe(1)
    it.addresses = [one('127.0.0.1', true)]
    vi.advanceTimersByTime(60_000)
    expect(it.changes).toBe(2)
    it.stop()
  })

  test('is not a new loopback address, a self-assigned address, or another order', () => {
    const it = network()
    it.addresses = [one('192.0.2.7'), one('fe80::1'), one('127.0.0.2', true), one('169.254.1.1')]
    vi.advanceTimersByTime(60_000)
    expect(it.changes).toBe(0)
    it.stop()
  })

  test('is not concluded from a failed look', () => {
    const it = network()
    it.broken = true
    vi.advanceTimersByTime(60_000)
    it.broken = false
    vi.advanceTimersByTime(60_000)
    expect(it.changes).toBe(0)
    it.stop()
  })
})

describe('a change of the time zone', () => {
  /** JavaScript adopts the system's time zone once TZ is deleted, whether it was set or not. */
  function computer(set: NodeJS.ProcessEnv = {}) {
    const it = { zone: 'Europe/Berlin', told: 0 }
    let known = it.zone
    const env = new Proxy(set, {
      deleteProperty(target, name) {
        known = it.zone
        return Reflect.deleteProperty(target, name)
      },
    })
    const stop = watchTimeZone(
      createBeat(() => undefined),
      () => {
        it.told += 1
      },
      env,
      () => known,
    )
    return Object.assign(it, { env, stop })
  }

  test('is reported within a minute, once', () => {
    const it = computer()
    vi.advanceTimersByTime(120_000)
    expect(it.told).toBe(0)
    it.zone = 'Asia/Tokyo'
    vi.advanceTimersByTime(300_000)
    expect(it.told).toBe(1)
    it.stop()
  })

  test('is ignored if Belfry was started with TZ set', () => {
    const it = computer({ TZ: 'Europe/Paris' })
    it.zone = 'Asia/Tokyo'
    vi.advanceTimersByTime(300_000)
    expect([it.told, it.env['TZ']]).toEqual([0, 'Europe/Paris'])
    it.stop()
  })
})
