import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startApp } from '../support/app.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25, 30) })
})
afterEach(() => {
  vi.useRealTimers()
})

test('other programs are told what the tray shows, and a script is answered, until the app stops', async () => {
  const files: Record<string, string> = {}
  let isClosed = false
  const statusFolder = {
    write: (written: Readonly<Record<string, string>>) => void Object.assign(files, written),
    close: async () => {
      isClosed = true
    },
  }
  const { app, desktop, bugs } = await startApp({ statusFolder })
  await app.commands.exploreDemo({})
  await vi.advanceTimersByTimeAsync(1_000)
  const line = () => files['status']?.split('\n')[3]
  const count = desktop.trays.at(-1)?.count
  expect(count).toBeGreaterThan(0)
  expect(line()).toContain(`:▲ ${count} down`)

  await app.asked({ what: 'ack', to: 'db-backup', until: '', id: '1' })
  expect(files['answer-1']).toBe('0\n:Acknowledged db-backup.\n')
  await vi.advanceTimersByTimeAsync(1_000)
  expect(line()).toContain('1 silenced')
  await app.asked({ what: 'ack', to: 'gone', until: '', id: '2' })
  expect(files['answer-2']).toBe('1\n:There is no check gone.\n')
  expect(desktop.windowOpen).toBe(false)
  await app.asked({ what: 'open', to: 'db-backup', until: '', id: '3' })
  expect(desktop.windowOpen).toBe(true)
  expect(desktop.window().target.to).toMatchObject({ view: 'check' })

  const stopped = app.stop()
  await vi.advanceTimersByTimeAsync(10_000)
  await stopped
  expect([isClosed, bugs]).toEqual([true, []])
})
