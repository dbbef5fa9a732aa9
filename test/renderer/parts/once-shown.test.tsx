import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { onceShown } from '../../../src/renderer/parts/once-shown.ts'

/** Far longer than a test takes. */
const hour = 3_600_000

function withoutFrames(): void {
  const frames = vi.spyOn(window, 'requestAnimationFrame').mockReturnValue(1)
  onTestFinished(() => frames.mockRestore())
}

describe('a callback for once the page is shown', () => {
  // Frames are run by hand, since a page may get none for minutes.
  test('runs after the frame that draws and the next one, once the page is idle', () => {
    const waiting: (() => unknown)[] = []
    const add = (next: (...own: never[]) => unknown): number => waiting.push(next as () => unknown)
    for (const name of ['requestAnimationFrame', 'requestIdleCallback'] as const) {
      const spied = vi.spyOn(window, name).mockImplementation(add)
      onTestFinished(() => spied.mockRestore())
    }
    const then = vi.fn()
    onceShown(then, hour)
    for (let frame = 1; frame <= 2; frame += 1) {
      waiting.shift()?.()
      expect(then).not.toHaveBeenCalled()
    }
    waiting.shift()?.()
    expect(then).toHaveBeenCalledOnce()
    expect(waiting).toEqual([])
  })

  test('runs in time, and only once, if no frames are drawn', async () => {
    withoutFrames()
    const then = vi.fn()
    onceShown(then, 0)
    await expect.poll(() => then.mock.calls.length).toBe(1)
  })

  test('doesn’t run if it is cancelled', async () => {
    withoutFrames()
    const then = vi.fn()
    onceShown(then, 0)()
    // Timers with the same delay fire in the order they were set.
    await new Promise((resolve) => setTimeout(resolve, 0))
    expect(then).not.toHaveBeenCalled()
  })
})
