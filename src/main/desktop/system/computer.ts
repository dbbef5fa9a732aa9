import { accessSync, constants, readlinkSync, writeFileSync } from 'node:fs'
import { type NetworkInterfaceInfo, networkInterfaces, uptime as systemUptime } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { App } from 'electron'
import { type Asked, askable } from '../../../shared/core/attention/asked.ts'
import type { Beat } from '../../base/beat.ts'
import type { Clock } from '../../base/ports.ts'

/** The name of the app's menu entry in the packages: desktops know the app by it. */
export const appId = 'org.belfry.Belfry'

/** Some systems report the uptime in seconds, so nothing shorter counts as sleep. */
const sleepGrainMs = 2_000

const system = {
  now: Date.now,
  /** Ms, never set back; stands still while the computer sleeps on Linux. */
  running: () => performance.now(),
  /** Seconds since the computer was started, including sleep, whatever the wall clock is set to. */
  uptime: systemUptime,
  random: Math.random,
}

/**
 * This computer's clock. Its monotonic side continues through sleep, which JavaScript's clocks
 * don't do everywhere: what happened ten minutes before the lid was closed is hours ago afterwards.
 */
export function createClock({ now, running, uptime, random } = system): Clock {
  const awake = (): number => {
    try {
      return uptime() * 1_000 - running()
    } catch {
      // A sandbox without /proc: sleep goes unnoticed here, and the system's own events must do.
      return 0
    }
  }
  const start = awake()
  let slept = 0
  return {
    now,
    monotonic: () => {
      const more = awake() - start - slept
      if (more > sleepGrainMs) slept += more
      return running() + slept
    },
    random,
  }
}

/** Only pages get events when the network changes, so main polls the addresses. */
const lookMs = 5_000

type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>

/**
 * Calls back when this computer gains or loses an address: another Wi-Fi, a VPN, a cable. Every
 * open connection may then be dead without notice.
 */
export function watchNetwork(
  beat: Beat,
  onChange: () => void,
  read: () => Interfaces = networkInterfaces,
): () => void {
  let known = addresses(read)
  return beat.each(lookMs, () => {
    const found = addresses(read)
    if (found === null || found === known) return
    known = found
    onChange()
  })
}

/** Without loopback, and without the addresses that every interface gives itself. Null: not available now. */
function addresses(read: () => Interfaces): string | null {
  try {
    return Object.values(read())
      .flatMap((list) => list ?? [])
      .filter(({ internal, address }) => !internal && !/^(fe80:|169\.254\.)/i.test(address))
      .map(({ address }) => address)
      .sort()
      .join(' ')
  } catch {
    // Out of file handles, for example: that is not a change of network.
    return null
  }
}

const zoneLookMs = 60_000

/**
 * Calls back when the time zone changes. Main's JavaScript keeps the zone that it started with,
 * even when windows learn of the new one, until the variable `TZ` is set or removed.
 */
export function watchTimeZone(
  beat: Beat,
  onChange: () => void,
  env: NodeJS.ProcessEnv = process.env,
  read = () => Intl.DateTimeFormat().resolvedOptions().timeZone,
): () => void {
  let known = read()
  return beat.each(zoneLookMs, () => {
    // A zone that Belfry was started with is kept.
    if (env['TZ'] !== undefined) return
    delete env['TZ']
    const found = read()
    if (found === known) return
    known = found
    onChange()
  })
}

/** How long a proxy that can't be reached is passed over, as in Chromium. */
const unreachableMs = 5 * 60_000

/**
 * Chooses a proxy, a URL with a port, from lists in Chromium's format (`PROXY host:port; DIRECT`):
 * the first that could be reached lately; null for a direct connection.
 */
export function createProxyChoice(monotonic: () => number) {
  const unreachableAt = new Map<string, number>()
  const mayTry = (proxy: string | null): boolean =>
    monotonic() - (unreachableAt.get(proxy ?? '') ?? Number.NEGATIVE_INFINITY) >= unreachableMs
  return {
    from(list: string): string | null {
      const proxies = list.split(';').flatMap(usableProxy)
      return proxies.filter(mayTry).concat(proxies)[0] ?? null
    },
    unreachable(proxy: string) {
      unreachableAt.set(proxy, monotonic())
    },
  }
}

/** None if undici has no way through such a proxy: SOCKS 4. */
function usableProxy(entry: string): [string | null] | [] {
  const [kind = '', host = ''] = entry.trim().split(/\s+/)
  if (kind === 'DIRECT') return [null]
  const [scheme, usualPort] = proxySchemes[kind] ?? []
  if (scheme === undefined || !URL.canParse(`${scheme}://${host}`)) return []
  // Without user and password: whoever wrote the list could have them shown and sent.
  const url = new URL(`${scheme}://${host}`)
  return [`${scheme}://${url.hostname}:${url.port || usualPort}`]
}

const proxySchemes: Readonly<Record<string, readonly [scheme: string, usualPort: number]>> = {
  PROXY: ['http', 80],
  HTTPS: ['https', 443],
  SOCKS5: ['socks5', 1080],
}

/**
 * Switches that let whoever starts us open the window to a debugger, run code, redirect requests,
 * or remove the barriers between page and computer. Electron's fuses turn off Node's own
 * (`--inspect`); the rest are Chromium's, which reads some at its very start and the others at
 * `ready`.
 */
export const refusedSwitches = [
  'remote-debugging-port',
  'remote-debugging-pipe',
  'remote-debugging-address',
  'remote-allow-origins',
  'inspect',
  'inspect-brk',
  'inspect-port',
  'js-flags',
  'load-extension',
  'no-sandbox',
  'no-zygote-sandbox',
  'disable-gpu-sandbox',
  'disable-namespace-sandbox',
  'disable-setuid-sandbox',
  'disable-seccomp-filter-sandbox',
  'no-zygote',
  'disable-web-security',
  'disable-site-isolation-trials',
  'allow-file-access-from-files',
  'allow-running-insecure-content',
  'unsafely-treat-insecure-origin-as-secure',
  'host-rules',
  'host-resolver-rules',
  'proxy-server',
  'proxy-pac-url',
  'auth-server-whitelist',
  'auth-server-allowlist',
  'log-net-log',
  'ssl-key-log-file',
  'renderer-cmd-prefix',
  'utility-cmd-prefix',
  'gpu-launcher',
  'browser-subprocess-path',
  'single-process',
] as const

/**
 * Keeps the keys in memory out of core dumps: on Linux, those of this process and its children then
 * contain no memory (core(5), "Controlling which mappings are written"). The sandbox already denies
 * dumps of renderers; other systems make none unless told to.
 */
export function leaveNoMemoryBehind(platform = process.platform): void {
  if (platform !== 'linux') return
  try {
    writeFileSync('/proc/self/coredump_filter', '0')
  } catch {
    // No /proc, or a kernel without core dumps.
  }
}

/** Set in the environment of a restarted app, so that it does not restart again. */
const startedAnew = 'BELFRY_STARTED_ANEW'

/**
 * Removes these switches from the command line before `ready`, and restarts the app without them:
 * Chromium has acted on some by then, and after `--no-sandbox` its zygotes are not sandboxed.
 * Returns true if this process must end. Only in the packaged app: in a checkout, developers debug
 * and tests drive the windows with these very switches.
 */
export function refuseSwitches(
  app: Pick<App, 'isPackaged' | 'commandLine' | 'relaunch'>,
  { argv, env }: { readonly argv: readonly string[]; readonly env: NodeJS.ProcessEnv },
): boolean {
  if (!app.isPackaged) return false
  for (const name of refusedSwitches) app.commandLine.removeSwitch(name)
  const [, ...given] = argv
  const args = given.filter((arg) => !isRefused(arg))
  const isSecond = env[startedAnew] !== undefined
  delete env[startedAnew]
  if (isSecond || args.length === given.length) return false
  env[startedAnew] = '1'
  startAfterwards(app, args, env)
  return true
}

/** Starts the app once more as soon as this process has ended. */
export function startAfterwards(
  app: Pick<App, 'relaunch'>,
  args: string[],
  env: NodeJS.ProcessEnv,
): void {
  // An AppImage is unmounted with its first process, so the image itself is started.
  const image = env['APPIMAGE']
  app.relaunch({ args, ...(image === undefined ? {} : { execPath: image }) })
}

/** Chromium accepts a single dash as well, and a slash on Windows. */
export function isRefused(arg: string): boolean {
  const name = /^(?:--?|\/)([a-z-]+)(?:=|$)/i.exec(arg)?.[1]?.toLowerCase()
  return name !== undefined && (refusedSwitches as readonly string[]).includes(name)
}

/** The folder of everything that is stored. `appData`: the user's folder for the data of all apps. */
export function dataFolder(
  { userData }: ReturnType<typeof readArguments>,
  appData: string,
): string {
  return userData ?? join(appData, 'Belfry')
}

/**
 * The folder of this session's files, which a script finds without asking, or null: elsewhere than
 * on Linux, and for a Belfry with a folder of its own beside the usual one.
 */
export function sessionFolder(
  { userData }: ReturnType<typeof readArguments>,
  env: NodeJS.ProcessEnv = process.env,
  platform = process.platform,
): string | null {
  const folder = env['XDG_RUNTIME_DIR'] ?? ''
  return platform === 'linux' && userData === null && isAbsolute(folder) ? folder : null
}

function mayWriteTo(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Whether another Belfry runs on this folder, once Electron got no lock for it. It gets none on a
 * read-only disk either, where Belfry can still watch.
 */
export function isInUse(folder: string, mayWrite = mayWriteTo): boolean {
  if (mayWrite(folder)) return true
  try {
    // "<computer>-<process>", left by a run that ended or that still goes on.
    const [, pid] = /-(\d+)$/.exec(readlinkSync(join(folder, 'SingletonLock'))) ?? []
    return pid !== undefined && process.kill(Number(pid), 0)
  } catch {
    // There is no lock, or no such process of ours.
    return false
  }
}

/**
 * Reads the known options of the command line and ignores everything else. There are no options
 * after `--`: that is where the system puts a link, with whatever its author wrote.
 */
export function readArguments(argv: readonly string[]) {
  const end = argv.indexOf('--')
  const options = end === -1 ? argv : argv.slice(0, end)
  const valueAt = (name: string) =>
    options.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1)
  const folder = valueAt('--user-data')
  const link = argv.find((one) => /^belfry:/i.test(one)) ?? null
  const what = askable.find((one) => one === valueAt('--ask'))
  const id = valueAt('--ask-answer') ?? ''
  const asked: Asked | null =
    what === undefined || link !== null || !/^\d{1,30}$/.test(id)
      ? null
      : { what, to: valueAt('--ask-to') ?? '', until: valueAt('--ask-until') ?? '', id }
  return {
    /** Runs on simulated servers; nothing is read from or written to disk. */
    demo: options.includes('--demo'),
    /** Starts in the tray, without a window: for a start at login. */
    hidden: options.includes('--hidden'),
    /** A `belfry:` link, which anybody may have written. */
    link,
    /** A command of the shell script, which never comes with a link. */
    asked,
    /** Another folder for everything that is stored, or null for the usual one. */
    userData: folder !== undefined && isAbsolute(folder) ? folder : null,
  }
}
