/**
 * The app that both hosts run. On standard output it writes `does` with the names of its probes and
 * scenarios, `value` for each name read from standard input, and `please` to ask something of the
 * driver. It may not survive a `--scenario=`.
 */
import { createInterface } from 'node:readline'
import { app, Menu } from 'electron'
import { bridgeProbes } from './bridge-probes.ts'
import { desktopProbes } from './desktop-probes.ts'
import { ipcProbes, listen } from './ipc-probes.ts'
import { lifeProbes, lookEarly } from './life-probes.ts'
import { navigationProbes } from './navigation-probes.ts'
import { registerScheme, serve } from './page.ts'
import { hearAnswer, outcome, type Probes } from './probe.ts'
import { runScenario, scenarioNames } from './scenarios.ts'
import { trayProbes } from './tray-probes.ts'
import { windowProbes } from './window-probes.ts'

const probes: Probes = {
  ...lifeProbes,
  ...windowProbes,
  ...desktopProbes,
  ...trayProbes,
  ...ipcProbes,
  ...bridgeProbes,
  ...navigationProbes,
}

const userData = app.commandLine.getSwitchValue('user-data')
app.setPath('userData', userData)
const scenario = app.commandLine.getSwitchValue('scenario')
if (scenario !== '') runScenario(decodeURIComponent(scenario))
else answerAll()

function answerAll(): void {
  registerScheme()
  lookEarly()
  void app.whenReady().then(() => {
    Menu.setApplicationMenu(null)
    serve()
    listen()
    write('does', { probes: Object.keys(probes), scenarios: scenarioNames })
    createInterface({ input: process.stdin }).on('line', (line) => {
      if (line.startsWith('{')) hearAnswer(line)
      else void answer(line)
    })
  })
}

async function answer(name: string): Promise<void> {
  const probe = probes[name]
  write('value', { name, value: probe === undefined ? 'no such probe' : await outcome(probe) })
}

function write(kind: string, value: unknown): void {
  process.stdout.write(`${kind} ${JSON.stringify(value)}\n`)
}
