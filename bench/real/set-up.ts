/**
 * Adds accounts to the built app on a real Electron, as a user would: `node set-up.ts ELECTRON APP
 * FOLDER`, with the accounts (a list of `NewAccount`) as JSON on its input. The folder then
 * contains the app's data, and its compiled code as after two days of use.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { json } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { _electron } from 'playwright'
import type { Bridge } from '../../src/shared/contract.ts'
import { startDisplay } from '../../test/support/display.ts'
import { startDesktop } from '../../test/support/session-bus.ts'

const [electron = '', folder = '', data = ''] = process.argv.slice(2)
const accounts = (await json(process.stdin)) as readonly unknown[]
const display = await startDisplay()
const desktop = await startDesktop()
const own = [`--user-data=${data}`, '--password-store=basic']
const env = {
  ...(process.env as Record<string, string>),
  DISPLAY: display.name,
  DBUS_SESSION_BUS_ADDRESS: desktop.address,
  XDG_CONFIG_HOME: data,
}
/** Main saves its compiled code ten seconds after its start. */
const keptMs = 13_000
const app = await _electron.launch({
  executablePath: electron,
  args: [folder, ...own],
  chromiumSandbox: true,
  env,
})
const window = await app.firstWindow()
await window.waitForLoadState('load')
// The user says yes to each address.
await app.evaluate(({ dialog }) => {
  const showMessageBox = () => Promise.resolve({ response: 1, checkboxChecked: false })
  Object.assign(dialog, { showMessageBox })
})
const calls = [
  ['allowWeakStorage', { allowed: true }],
  ...accounts.map((account) => ['addAccount', account] as const),
] as const
for (const [name, input] of calls) {
  const result = await window.evaluate(
    (call) => (Reflect.get(globalThis, 'bridge') as Bridge).call(...call),
    [name, input] as const,
  )
  if (!result.ok) throw new Error(`${name}: ${JSON.stringify(result.failure)}`)
}
await app.close()
// Without a debugger, which makes V8 compile differently, and long enough for main and Chromium to
// save their compiled code.
for (let start = 0; start < 2; start += 1) {
  const plain = spawn(electron, [folder, ...own], { env, stdio: 'ignore' })
  await wait(keptMs)
  const ended = once(plain, 'exit')
  plain.kill('SIGTERM')
  await ended
}
await desktop.stop()
await display.stop()
