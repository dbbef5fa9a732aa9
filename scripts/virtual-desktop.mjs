/** A screen and a session bus for a machine without a display. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Far more than they take. */
const limitMs = 30_000

/**
 * Ends when this process does, however it ends: its end closes the shell's input. What the shell
 * runs must not get the terminal's Ctrl+C before the app has quit.
 */
const tether = '"$@" & child=$!; exec >&-; read -r line; kill "$child"; wait'

/**
 * Starts Xvfb and, without a session bus, a dbus-daemon. Throws, naming the one that doesn't start.
 *
 * @param {Readonly<Record<string, string | undefined>>} env
 * @returns {Promise<{ env: Record<string, string>, end: () => void }>} `env`: for the app
 */
export async function startVirtualDesktop(env) {
  const screen = ['-screen', '0', '1280x800x24', '-nolisten', 'tcp', '-noreset']
  const display = await start('Xvfb', '-displayfd', '1', ...screen)
  const DISPLAY = `:${display.line}`
  if ((env['DBUS_SESSION_BUS_ADDRESS'] ?? '') !== '') return { env: { DISPLAY }, end: display.end }
  const bus = await start(
    'dbus-daemon',
    '--session',
    '--nofork',
    '--nopidfile',
    '--print-address=1',
  )
  return {
    env: { DISPLAY, DBUS_SESSION_BUS_ADDRESS: bus.line },
    end: () => {
      bus.end()
      display.end()
    },
  }
}

/**
 * @param {string} program
 * @param {string[]} args
 */
async function start(program, ...args) {
  const child = spawn('sh', ['-c', tether, 'sh', program, ...args], {
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const failed = () => {
    throw new Error(`${program} does not start`)
  }
  const signal = AbortSignal.timeout(limitMs)
  const ended = once(child.stdout, 'end', { signal }).then(failed, failed)
  const [line] = await Promise.race([once(child.stdout.setEncoding('utf8'), 'data'), ended])
  return { line: String(line).trim(), end: () => child.stdin.end() }
}
