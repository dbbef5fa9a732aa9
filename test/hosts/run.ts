/**
 * Runs the same probes on Electron and the stand-in, and compares the results: `npm run hosts`, or
 * `npm run hosts -- WHAT` for the probes whose names contain WHAT.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'vite'
import { findElectron, projectRoot } from '../../scripts/programs.mjs'
import { fetchRealElectron, ordinaryUser } from '../../scripts/real-electron.mjs'
import { compare } from './compare.ts'
import { probeHost, type Seen } from './drive.ts'
import { known } from './known.ts'

const [first = '', second = '', third = ''] = process.argv.slice(2)
if (first === '--drive') await drive(second, new RegExp(third, 'i'))
else process.exitCode = await hold(first)

/** Prints one line of JSON per probe. */
async function drive(app: string, wanted: RegExp): Promise<void> {
  await probeHost(app, wanted, (name, value) => {
    process.stdout.write(`${JSON.stringify({ name, value })}\n`)
  })
}

async function hold(wanted: string): Promise<number> {
  const app = await buildApp()
  const electron = findElectron() ?? fetchRealElectron()
  const user = ordinaryUser(electron)
  try {
    const [onElectron, onStandIn] = await Promise.all([
      ask(app, wanted, user, {
        ...user.env,
        BELFRY_E2E_ELECTRON: electron.replace(projectRoot, user.root),
      }),
      ask(app, wanted, { before: [], root: projectRoot }, { BELFRY_E2E_ELECTRON: '' }),
    ])
    const isWanted = new RegExp(wanted, 'i')
    const mayDiffer = Object.entries(known).filter(([name]) => isWanted.test(name))
    const { lines, alike, unexpected } = compare(
      onElectron,
      onStandIn,
      Object.fromEntries(mayDiffer),
    )
    process.stdout.write(`${lines.join('\n')}\n`)
    const results = join(projectRoot, 'test-results')
    mkdirSync(results, { recursive: true })
    writeFileSync(
      join(results, 'hosts.json'),
      JSON.stringify({ passed: alike, failed: unexpected }),
    )
    return unexpected === 0 ? 0 : 1
  } finally {
    user.end()
    rmSync(app, { recursive: true, force: true })
  }
}

async function ask(
  app: string,
  wanted: string,
  { before, root }: { readonly before: readonly string[]; readonly root: string },
  env: NodeJS.ProcessEnv,
): Promise<Seen> {
  const [node = '', script = ''] = [process.execPath, import.meta.filename].map((path) =>
    path.replace(projectRoot, root),
  )
  const command = [...before, node, script, '--drive', app, wanted]
  const [program = '', ...args] = command
  const child = spawn(program, args, {
    cwd: projectRoot,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const seen: Seen = {}
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { name, value } = JSON.parse(line) as { name: string; value: unknown }
    seen[name] = value
  })
  const [status] = (await once(child, 'close')) as [number | null]
  if (status !== 0)
    throw new Error(`the probes of ${env['BELFRY_E2E_ELECTRON'] || 'the stand-in'} failed`)
  return seen
}

/** Builds the probe app, as Electron reads it, into a folder of its own. */
async function buildApp(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'belfry-probe-app-'))
  chmodSync(folder, 0o755)
  const source = join(import.meta.dirname, 'app')
  for (const name of ['main', 'preload'])
    await build({
      configFile: false,
      logLevel: 'warn',
      build: {
        ssr: join(source, `${name}.ts`),
        outDir: folder,
        emptyOutDir: false,
        minify: false,
        rolldownOptions: {
          external: ['electron'],
          output: { format: 'cjs', entryFileNames: `${name}.cjs` },
        },
      },
    })
  writeFileSync(join(folder, 'failing.cjs'), "throw new TypeError('the preload fails')")
  const packageJson = { name: 'probe-app', version: '1.2.3', main: 'main.cjs' }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(packageJson))
  return folder
}
