import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Bridge, channels } from '../src/shared/contract.ts'
import type { Patch } from '../src/shared/core/patch.ts'

const sent: string[] = []
const heard = new Map<string, (event: object, ...args: unknown[]) => void>()
let bridge: Bridge

vi.mock('electron', () => ({
  ipcRenderer: {
    on: (channel: string, listener: (event: object, ...args: unknown[]) => void) =>
      void heard.set(channel, listener),
    send: (channel: string) => void sent.push(channel),
    invoke: () => Promise.resolve(),
  },
  contextBridge: {
    exposeInMainWorld: (_name: string, exposed: Bridge) => {
      bridge = exposed
    },
  },
}))

/** One part of a patch, as main sends it. */
function tell(value: number, isLast = true): void {
  heard.get(channels.patch)?.({}, [{ path: ['drafts'], value }], isLast)
}

function following(): { readonly values: unknown[]; readonly stop: () => void } {
  const values: unknown[] = []
  const stop = bridge.follow((part: Patch, isLast) => {
    const [edit] = part
    values.push(edit !== undefined && 'value' in edit ? edit.value : null)
    if (isLast) values.push('complete')
  })
  return { values, stop }
}

describe('the state that main sends to a page', () => {
  beforeEach(async () => {
    sent.length = 0
    heard.clear()
    vi.useFakeTimers()
    vi.resetModules()
    await import('../src/preload/index.ts')
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('is requested once, before the page requests it', () => {
    expect(sent).toEqual([channels.follow])
    following()
    expect(sent).toEqual([channels.follow])
  })

  test('is requested again every five seconds until its first part has come', () => {
    const { values } = following()
    vi.advanceTimersByTime(10_000)
    expect(sent).toEqual([channels.follow, channels.follow, channels.follow])
    tell(1, false)
    vi.advanceTimersByTime(60_000)
    tell(2)
    expect(sent).toHaveLength(3)
    expect(values).toEqual([1, 2, 'complete'])
  })

  test("is kept in order for the page if it arrives before the page's scripts run", () => {
    tell(1)
    tell(2)
    const { values } = following()
    tell(3)
    expect(values).toEqual([1, 'complete', 2, 'complete', 3, 'complete'])
  })

  test('is passed on part by part, whichever side came first', () => {
    tell(1, false)
    const { values } = following()
    tell(2, false)
    tell(3)
    expect(values).toEqual([1, 2, 3, 'complete'])
  })

  test('is requested again by a second follower after the first one stopped', () => {
    tell(1)
    const { stop } = following()
    stop()
    tell(2)
    const { values } = following()
    expect(sent).toEqual([channels.follow, channels.follow])
    tell(3)
    expect(values).toEqual([3, 'complete'])
  })
})
