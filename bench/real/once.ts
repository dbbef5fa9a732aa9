/**
 * One start of an app on a real Electron, on its own screen and session bus: `node once.ts ELECTRON
 * APP DATA [ARGUMENT…]`, on a copy of the folder DATA unless that is empty. Writes a `Started` as a
 * line of JSON. On each line of its input, clicks the app's icon, which hides the window, and
 * answers with a line; ends the app when its input ends.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { startDesktop } from '../../test/support/session-bus.ts'
import { cpuOfFamily } from '../idle/processes.ts'

/** Times in ms after the start of its program. */
export interface Started {
  readonly pid: number
  /** Epoch ms. */
  readonly at: number
  readonly trayMs: number
  /** When its window appeared, whatever was in it; NaN if none came. */
  readonly windowMs: number
  /** When 10 % and 90 % of the window's final content was visible. */
  readonly inkMs: number
  readonly contentMs: number
  /** CPU of all its processes by the icon, by the 10 %, and by the 90 %. */
  readonly trayCpuMs: number
  readonly inkCpuMs: number
  readonly contentCpuMs: number
}

const [electron = '', appFolder = '', data = '', ...args] = process.argv.slice(2)
const watchedMs = 10_000
const lookEveryMs = 4
const folder = mkdtempSync(join(tmpdir(), 'belfry-once-'))
const [screen, number] = await begin(process.env, 'Xvfb', [
  ...['-displayfd', '1', '-fbdir', folder],
  ...['-screen', '0', '480x700x24'],
])
const env = { ...process.env, DISPLAY: `:${number}` }
const [manager] = await begin(env, 'openbox', ['--sm-disable', '--startup', 'echo ready'])
const desktop = await startDesktop()
const userData = join(folder, 'data')
if (data !== '') cpSync(data, userData, { recursive: true })
const before = picture()

const at = Date.now()
const from = performance.now()
const own = [`--user-data=${userData}`, '--password-store=basic']
const app = spawn(electron, [appFolder, ...args, ...own], {
  env: {
    ...env,
    DBUS_SESSION_BUS_ADDRESS: desktop.address,
    XDG_CONFIG_HOME: join(folder, 'config'),
  },
  stdio: 'ignore',
})
const item = desktop.items.waitFor(() => true)
const moment = () => ({ ms: performance.now() - from, cpuMs: cpuOfFamily(app.pid ?? 0) })
type Moment = ReturnType<typeof moment>
const tray = item.then(moment)
const changes: (Moment & { readonly file: Buffer })[] = []
let seen: readonly (Moment & { readonly pixels: Uint32Array })[] = []
try {
  // Frames are evaluated afterwards: the app needs both cores.
  for (let last = screenFile(); performance.now() - from < watchedMs; await wait(lookEveryMs)) {
    const file = screenFile()
    if (file.equals(last)) continue
    changes.push({ ...moment(), file })
    last = file
  }
  seen = changes.map(({ file, ...when }) => ({ ...when, pixels: picture(file) }))
  const { ms: trayMs, cpuMs: trayCpuMs } = await tray
  const started: Started = { pid: app.pid ?? 0, at, trayMs, trayCpuMs, ...windowTimes() }
  process.stdout.write(`${JSON.stringify(started)}\n`)
  for await (const _line of createInterface(process.stdin)) {
    await desktop.activate(await item)
    while (!Buffer.from(picture().buffer).equals(Buffer.from(before.buffer)))
      await wait(lookEveryMs)
    process.stdout.write('hidden\n')
  }
} finally {
  const ended = app.exitCode === null ? once(app, 'exit') : null
  app.kill('SIGKILL')
  await ended
  manager.kill()
  screen.kill()
  await desktop.stop()
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 })
}
process.exit()

/** Starts a program and waits for what it prints when it is ready. */
async function begin(environment: NodeJS.ProcessEnv, program: string, given: readonly string[]) {
  const child = spawn(program, given, { env: environment, stdio: ['ignore', 'pipe', 'ignore'] })
  const [said] = (await once(child.stdout, 'data')) as [Buffer]
  return [child, said.toString().trim()] as const
}

/** The screen's own memory, an XWD file. */
function screenFile(): Buffer {
  return readFileSync(join(folder, 'Xvfb_screen0'))
}

/** Every second pixel of every second line. */
function picture(file = screenFile()): Uint32Array {
  const field = (index: number): number => file.readUInt32BE(index * 4)
  const [width, height, lineBytes] = [field(4), field(5), field(12)]
  const start = field(0) + field(19) * 12
  const pixels = new Uint32Array((width >> 1) * (height >> 1))
  for (let y = 0, at = 0; y < height - 1; y += 2)
    for (let x = 0; x < width - 1; x += 2, at += 1)
      pixels[at] = file.readUInt32LE(start + y * lineBytes + x * 4) & 0xffffff
  return pixels
}

function windowTimes(): Omit<Started, 'pid' | 'at' | 'trayMs' | 'trayCpuMs'> {
  const last = seen.at(-1)?.pixels ?? before
  const inWindow = [...last.keys()].filter((at) => last[at] !== before[at])
  const counts = new Map<number | undefined, number>()
  for (const at of inWindow) counts.set(last[at], (counts.get(last[at]) ?? 0) + 1)
  const [ground] = [...counts].sort(([, one], [, other]) => other - one)[0] ?? [undefined]
  const ink = inWindow.filter((at) => last[at] !== ground)
  /** When at least this share of the places first met `fits`. */
  const when = (
    places: readonly number[],
    part: number,
    fits: (pixels: Uint32Array, at: number) => boolean,
  ): Moment =>
    seen.find(
      ({ pixels }) =>
        places.length > 0 && places.filter((at) => fits(pixels, at)).length >= places.length * part,
    ) ?? { ms: Number.NaN, cpuMs: Number.NaN }
  const asLast = (pixels: Uint32Array, at: number): boolean => pixels[at] === last[at]
  const [tenth, most] = [when(ink, 0.1, asLast), when(ink, 0.9, asLast)]
  return {
    windowMs: when(inWindow, 0.5, (pixels, at) => pixels[at] !== before[at]).ms,
    inkMs: tenth.ms,
    contentMs: most.ms,
    inkCpuMs: tenth.cpuMs,
    contentCpuMs: most.cpuMs,
  }
}
