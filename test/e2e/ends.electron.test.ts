import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from './fixtures.ts'

/** Makes Electron itself start the quit, with none of the app's own code on the stack. */
async function closeBrowser(userData: string): Promise<void> {
  const [port, path] = (await readFile(join(userData, 'DevToolsActivePort'), 'utf8')).split('\n')
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', reject)
  })
  socket.send(JSON.stringify({ id: 1, method: 'Browser.close' }))
}

test.describe('a quit started by the system', () => {
  for (const appArguments of [[], ['--demo']])
    test.describe(appArguments.join(' ') || 'no account', () => {
      test.use({ appArguments })
      test('ends the app', async ({ belfry, window }) => {
        await expect(window.getByRole('main')).toBeVisible()
        expect(await belfry.endedBy(() => closeBrowser(belfry.userData))).toBe(0)
      })
    })
})
