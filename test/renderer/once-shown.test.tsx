import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { onceShown } from '../../src/renderer/parts/once-shown.ts'

/** Far beyond what a test takes. */
const hour = 3_600_000

function withoutFrames(): void {
  const frames = vi.spyOn(window, 'requestAnimationFrame').mockReturnValue(1)
  onTestFinished(() => frames.mockRestore())
}

describe('what waits until the drawing is on the screen', () => {
  test('comes after the frame that draws and the one that follows it', async () => {
    const order: string[] = []
    const done = new Promise<void>((resolve) => {
      onceShown(() => {
        order.push('then')
        resolve()
      }, hour)
    })
    requestAnimationFrame(() => {
      order.push('frame')
      requestAnimationFrame(() => order.push('frame'))
    })
    await done
    expect(order).toEqual(['frame', 'frame', 'then'])
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
