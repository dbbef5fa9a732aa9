import { ipcMain } from 'electron'
import { channels } from '../../../shared/contract.ts'
import type { Result } from '../../../shared/core/failure.ts'
import { isOurSender } from './command-handler.ts'
import type { Windows } from './windows.ts'

/** The only place that listens to windows. */
export function listenToWindows(parts: {
  readonly windows: Pick<Windows, 'isOurs' | 'follow' | 'answered'>
  /** Address of our own page; every sender must be at its host. */
  readonly page: string
  readonly handler: (name: unknown, input: unknown) => Promise<Result<unknown>>
}): void {
  const { windows, page, handler } = parts
  const isOurs = (event: Electron.IpcMainEvent | Electron.IpcMainInvokeEvent): boolean =>
    isOurSender(event, windows.isOurs, page)

  ipcMain.handle(channels.command, async (event, name: unknown, input: unknown) => {
    if (isOurs(event)) return handler(name, input)
    const failure = {
      kind: 'invalid',
      field: 'sender',
      message: 'This page is not allowed to send commands.',
    } as const
    return { ok: false, failure } satisfies Result<unknown>
  })
  ipcMain.on(channels.follow, (event) => {
    if (isOurs(event)) windows.follow()
  })
  ipcMain.on(channels.pong, (event) => {
    if (isOurs(event)) windows.answered()
  })
}
