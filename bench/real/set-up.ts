/**
 * Adds accounts to the built app on a real Electron, as a user would: `node set-up.ts ELECTRON APP FOLDER`,
 * with the accounts (a list of `NewAccount`) as JSON on its input. The app's data is in the folder afterwards,
 * with what main's code was compiled to, as after any day on which it ran.
 */
import { json } from 'node:stream/consumers'
import { _electron } from 'playwright'
import type { Bridge } from '../../src/shared/contract.ts'
import { startDisplay } from '../../test/support/display.ts'
import { startDesktop } from '../../test/support/session-bus.ts'

const [electron = '', folder = '', data = ''] = process.argv.slice(2)
const accounts = (await json(process.stdin)) as readonly unknown[]
const display = await startDisplay()
const desktop = await startDesktop()
const app = await _electron.launch({
  executablePath: electron,
  args: [folder, `--user-data=${data}`, '--password-store=basic'],
  chromiumSandbox: true,
  env: {
    ...(process.env as Record<string, string>),
    DISPLAY: display.name,
    DBUS_SESSION_BUS_ADDRESS: desktop.address,
    XDG_CONFIG_HOME: data,
  },
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
await app.evaluate(() => process.getBuiltinModule('node:module').flushCompileCache())
await app.close()
await desktop.stop()
await display.stop()
