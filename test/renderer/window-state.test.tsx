import { effect } from '@preact/signals'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Board, emptyBoard } from '#shared/core/checks/board.ts'
import { type Patch, patchBetween } from '#shared/core/patch.ts'
import { type AppState, emptyState } from '#shared/core/state.ts'
import { call } from '../../src/renderer/bridge.ts'
import { isZoomKey } from '../../src/renderer/shell/appearance.ts'
import {
  appState,
  followState,
  now,
  stateReceived,
  visible,
} from '../../src/renderer/window-state.ts'
import * as eg from '../support/eg.ts'
import { withBridge, withState } from './mount.ts'

/** A window that follows main; `push` sends it what changed. */
function following() {
  withState(emptyState)
  let told: (part: Patch, isLast: boolean) => void = () => undefined
  const fake = withBridge()
  const bridge = {
    ...fake,
    follow: (listener: typeof told) => {
      told = listener
      return () => undefined
    },
  }
  Object.defineProperty(window, 'bridge', { value: bridge, configurable: true })
  onTestFinished(followState())
  let sent = emptyState
  const push = (next: AppState, isLast = true): void => {
    const patch = patchBetween(sent, next)
    sent = next
    told(structuredClone(patch), isLast)
  }
  const whole = () => told(structuredClone([{ path: [], value: sent }]), true)
  return Object.assign(push, { whole, bridge: fake })
}

const texts = Array.from({ length: 100 }, (_, at) => eg.message({ text: `message ${at}` }))

function withMessages(count: number): AppState {
  return eg.state({ realms: new Map([[eg.chatId, eg.realm(texts.slice(0, count))]]) })
}

function heldNow(): number {
  return appState.peek().realms.get(eg.chatId)?.messages.size ?? 0
}

/** Counts the changes of the state from now on. */
function changesFromNow(): () => number {
  let changes = -1
  onTestFinished(
    effect(() => {
      void appState.value
      changes += 1
    }),
  )
  return () => changes
}

/** Shows or hides the window until the test is over. */
function seen(state: DocumentVisibilityState): void {
  Object.defineProperty(document, 'visibilityState', { value: state, configurable: true })
  document.dispatchEvent(new Event('visibilitychange'))
  onTestFinished(() => {
    Reflect.deleteProperty(document, 'visibilityState')
    document.dispatchEvent(new Event('visibilitychange'))
  })
}

/** A window that has its first state, and whose frames the test triggers. */
function followingByFrames() {
  vi.useFakeTimers({
    toFake: ['requestAnimationFrame', 'cancelAnimationFrame', 'setTimeout', 'clearTimeout'],
  })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const push = following()
  const frame = (): void => void vi.advanceTimersToNextFrame()
  push(withMessages(0))
  frame()
  return { push, frame }
}

describe('a board that was not read yet', () => {
  test('is shown as the previous run left it, until the first read', async () => {
    const push = following()
    const { freshness, checks, counts } = eg.board([eg.check({ id: 'a', status: 'down' })])
    const last = { readAt: 7, serverOffsetMs: 0, counts, checks: [...checks.values()] }
    const unread = { ...emptyBoard(eg.opsId, new Map()), last }
    const of = (board: Board) => eg.state({ boards: new Map([[eg.opsId, board]]) })
    const shown = () => appState.peek().boards.get(eg.opsId)
    push(of(unread))
    const left = { checks, counts, freshness: { readAt: 7, isOfLastRun: true } }
    await expect.poll(shown).toMatchObject(left)
    const read = eg.board([eg.check({ id: 'b' })])
    push(of(read))
    await expect.poll(shown).toEqual({ ...read, freshness })
  })
})

describe('the state of a window', () => {
  test('applies what arrives between two frames as one change', async () => {
    const push = following()
    push(withMessages(0))
    await expect.poll(() => appState.peek().accounts.length).toBe(2)
    const changes = changesFromNow()
    for (let count = 1; count <= 100; count += 1) push(withMessages(count))
    expect(changes()).toBe(0)
    await expect.poll(heldNow).toBe(100)
    expect(changes()).toBe(1)
  })

  test('applies what arrives in parts once it is complete', () => {
    const { push, frame } = followingByFrames()
    push(withMessages(2), false)
    frame()
    expect(heldNow()).toBe(0)
    push(withMessages(3))
    frame()
    expect(heldNow()).toBe(3)
  })

  test('applies a single change with the next frame', () => {
    const { push, frame } = followingByFrames()
    for (let count = 1; count <= 5; count += 1) {
      push(withMessages(count))
      expect(heldNow()).toBe(count - 1)
      frame()
      expect(heldNow()).toBe(count)
    }
  })

  test('applies a burst over several frames as one change, once it is over', () => {
    const { push, frame } = followingByFrames()
    const changes = changesFromNow()
    for (let count = 2; count <= 8; count += 2) {
      push(withMessages(count - 1))
      push(withMessages(count))
      frame()
    }
    expect(changes()).toBe(0)
    frame()
    expect(changes()).toBe(1)
    expect(heldNow()).toBe(8)
  })

  test('applies an endless burst in intervals', () => {
    const { push, frame } = followingByFrames()
    const changes = changesFromNow()
    // At 16 ms per frame, a change waits for at most seven of them, a tenth of a second.
    for (let count = 1; count <= 21; count += 1) {
      push(withMessages(2 * count - 1))
      push(withMessages(2 * count))
      frame()
    }
    expect(changes()).toBe(3)
  })

  test('starts with a whole state, whatever changes for the previous page arrive first', () => {
    const push = following()
    stateReceived.value = false
    push(withMessages(1))
    expect(stateReceived.peek()).toBe(false)
    expect(appState.peek()).toBe(emptyState)
    push.whole()
    expect(stateReceived.peek()).toBe(true)
    expect(heldNow()).toBe(1)
  })

  test('is the starting point for keys that were pressed before it came', () => {
    const push = following()
    stateReceived.value = false
    isZoomKey(new KeyboardEvent('keydown', { key: '-', ctrlKey: true }))
    isZoomKey(new KeyboardEvent('keydown', { key: '-', ctrlKey: true }))
    expect(push.bridge.inputsOf('updateSettings')).toEqual([])
    push(eg.state({ settings: { ...eg.state().settings, zoom: 125 } }))
    push.whole()
    expect(push.bridge.inputsOf('updateSettings')).toEqual([{ zoom: 110 }, { zoom: 100 }])
  })

  test('shows a command’s result with its answer, without waiting for a frame', async () => {
    const { push } = followingByFrames()
    push(withMessages(1))
    push(withMessages(2))
    expect(heldNow()).toBe(0)
    await call.refresh({ accountId: null })
    expect(heldNow()).toBe(2)
  })

  test('is updated every half minute while hidden, and is up to date before it is shown', () => {
    const { push } = followingByFrames()
    window.requestAnimationFrame = () => 0
    const heldWhenSeen: number[] = []
    let ageWhenSeen = Number.NaN
    const look = (isSeen: boolean): void => {
      if (isSeen) heldWhenSeen.push(heldNow())
      ageWhenSeen = Date.now() - now.peek()
    }
    onTestFinished(visible.subscribe(look))
    seen('hidden')
    expect(ageWhenSeen).toBeGreaterThan(eg.day)
    const changes = changesFromNow()
    for (let count = 1; count <= 29; count += 1) {
      push(withMessages(count))
      vi.advanceTimersByTime(1_000)
    }
    expect(changes()).toBe(0)
    vi.advanceTimersByTime(1_000)
    expect([changes(), heldNow()]).toEqual([1, 29])
    push(withMessages(40))
    expect(heldNow()).toBe(29)
    seen('visible')
    expect(heldWhenSeen).toEqual([0, 40])
    expect(ageWhenSeen).toBeLessThan(eg.minute)
  })

  test('ages only while the window is on the screen', () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] })
    onTestFinished(() => {
      vi.useRealTimers()
    })
    following()
    const from = Date.now()
    vi.advanceTimersByTime(2_000)
    expect(now.peek()).toBe(from + 2_000)
    seen('hidden')
    expect(vi.getTimerCount()).toBe(0)
    vi.advanceTimersByTime(10_000)
    seen('visible')
    vi.advanceTimersByTime(1_000)
    expect(now.peek()).toBe(from + 13_000)
  })

  test('follows even without frames', async () => {
    const push = following()
    const before = window.requestAnimationFrame
    window.requestAnimationFrame = () => 0
    onTestFinished(() => {
      window.requestAnimationFrame = before
    })
    push(withMessages(1))
    push(withMessages(3))
    await expect.poll(heldNow).toBe(3)
  })
})
