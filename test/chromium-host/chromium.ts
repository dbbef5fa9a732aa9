import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { findChromium } from '../../scripts/programs.mjs'
import { type Chromium, connectPipes, type TargetInfo } from './cdp.ts'
import { headed, running } from './running.ts'

/** No network requests, no first-run pages, no throttling of hidden pages. */
const quiet = [
  '--no-first-run',
  '--no-default-browser-check',
  '--no-startup-window',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-default-apps',
  '--disable-extensions',
  '--disable-breakpad',
  '--disable-domain-reliability',
  '--no-pings',
  '--disable-client-side-phishing-detection',
  '--disable-field-trial-config',
  '--metrics-recording-only',
  '--disable-search-engine-choice-screen',
  '--disable-backgrounding-occluded-windows',
  '--disable-background-timer-throttling',
  '--disable-renderer-backgrounding',
  '--disable-dev-shm-usage',
  '--use-mock-keychain',
  '--log-level=3',
  '--disable-features=OptimizationHints,MediaRouter,Translate,HttpsUpgrades,NetworkTimeServiceQuerying,PaintHolding',
]

/**
 * Full Chromium calls home despite the switches above; with this, no name but the loopback ones
 * resolves.
 */
const noNames = '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE localhost , EXCLUDE 127.0.0.1'

/** The app's own switches that are passed to Chromium. */
const passedOn = new Set(['remote-debugging-port', 'force-device-scale-factor', 'lang'])

/** The program that shows the windows; throws if there is none. */
function chromiumProgram(): string {
  const program = findChromium(headed ? 'headed' : 'headless')
  if (program === undefined) {
    throw new Error('chromium host: no Chromium found; set CHROMIUM_PATH or install one')
  }
  return program
}

export async function startChromium(profile: string): Promise<Chromium> {
  const program = chromiumProgram()
  const own = Array.from(running.switches)
    .filter(([name]) => passedOn.has(name))
    .map(([name, value]) => (value === '' ? `--${name}` : `--${name}=${value}`))
  const args = [
    ...quiet,
    noNames,
    '--password-store=basic',
    `--user-data-dir=${profile}`,
    '--remote-debugging-pipe',
    // --test-type: no warning bar about --no-sandbox in the app's windows.
    headed ? '--test-type' : '--headless',
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ...own,
  ]
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'] })
  const chromium = connectPipes(pipesOf(child), { arguments: args, exited: ended(child) })
  relayNotes(child)
  await chromium.send('Target.setDiscoverTargets', { discover: true })
  return chromium
}

function pipesOf(child: ChildProcess): { to: Writable; from: Readable } {
  const [, , , to, from] = child.stdio
  // Both were requested as pipes at the start.
  return { to: to as Writable, from: from as Readable }
}

async function ended(child: ChildProcess): Promise<void> {
  try {
    await once(child, 'exit')
  } catch (error) {
    console.error('[chromium host]', error)
  }
}

/** Relays the line with the DevTools address, which Playwright waits for if it asked for a port. */
function relayNotes(child: ChildProcess): void {
  if (child.stderr === null) return
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (line.startsWith('DevTools listening') || process.env['BELFRY_HOST_DEBUG'] === '1') {
      console.error(line)
    }
  })
}

/**
 * Opens a headed window. `Target.createTarget` would open one with a tab strip, so this starts a
 * second `chromium --app=`, which hands its window over to the running one and exits.
 */
export async function openAppWindow(chromium: Chromium, marker: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const look = ({ targetInfo }: { targetInfo: TargetInfo }): void => {
    if (targetInfo.url === marker) resolve(targetInfo.targetId)
  }
  const stops = [
    chromium.on('Target.targetCreated', look),
    chromium.on('Target.targetInfoChanged', look),
  ]
  const args = chromium.arguments.filter(
    (arg) => !arg.startsWith('--remote-debugging') && arg !== '--no-startup-window',
  )
  spawn(chromiumProgram(), [...args, `--app=${marker}`], { stdio: 'ignore' })
  const targetId = await promise
  for (const stop of stops) stop()
  return targetId
}
