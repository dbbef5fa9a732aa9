import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { onceShown } from '../../../src/renderer/parts/once-shown.ts'

/** Far beyond what a test takes. */
const hour = 3_600_000

function withoutFrames(): void {
  const frames = vi.spyOn(window, 'requestAnimationFrame').mockReturnValue(1)
  onTestFinished(() => frames.mockRestore())
}

describe('what waits until the drawing is on the screen', () => {
  // By hand, since a page may get no frame for minutes.
  test('comes after the frame that draws and the one that follows it, once the page is idle', () => {
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

  test('comes in time where no frames are drawn, and only once', async () => {
    withoutFrames()
    const then = vi.fn()
    onceShown(then, 0)
    await expect.poll(() => then.mock.calls.length).toBe(1)
  })

  test('does not come when it is stopped', async () => {
    withoutFrames()
    const then = vi.fn()
    onceShown(then, 0)()
    // Of two timers of the same time the first one is asked first.
    await new Promise((resolve) => setTimeout(resolve, 0))
    expect(then).not.toHaveBeenCalled()
  })
})
