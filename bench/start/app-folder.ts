import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { keyName } from '../../src/main/accounts/connections.ts'
import { SavedFiles } from '../../src/main/storage/saved-files.ts'
import { openVault } from '../../src/main/storage/vault.ts'

const project = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const here = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')

/** The built app with the `electron` of the bench, and the data of a user with one project. */
export interface AppFolder {
  readonly app: readonly string[]
  readonly bare: readonly string[]
  remove(): void
}

export async function makeAppFolder(port: number): Promise<AppFolder> {
  const folder = mkdtempSync(join(tmpdir(), 'belfry-bench-'))
  cpSync(project('out'), join(folder, 'out'), {
    recursive: true,
    filter: (path) => !path.endsWith('.map'),
  })
  cpSync(project('resources'), join(folder, 'resources'), { recursive: true })
  const electron = join(folder, 'node_modules', 'electron')
  mkdirSync(electron, { recursive: true })
  writeFileSync(join(electron, 'package.json'), '{"type":"module","exports":"./index.js"}')
  // As JavaScript: compiling TypeScript is not part of the app's start.
  writeFileSync(join(electron, 'index.js'), stripTypeScriptTypes(here('electron.ts')))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'bare.js'), stripTypeScriptTypes(here('bare.ts')))
  const userData = join(folder, 'user')
  await connectProject(userData, port)
  return {
    app: [join(folder, 'out', 'main', 'entry.cjs'), `--user-data=${userData}`],
    bare: [join(folder, 'bare.js'), String(port)],
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** What is on disk once the user has connected a project. */
async function connectProject(userData: string, port: number): Promise<void> {
  const saved = new SavedFiles({
    folder: join(userData, 'data'),
    onTrouble: ({ text }) => {
      throw new Error(text ?? '')
    },
    openStored: () => null,
    now: Date.now,
  })
  const vault = await openVault({
    secure: {
      available: async () => true,
      encrypt: async (text) => Buffer.from(`v11${text}`),
      decrypt: async (bytes) => ({ text: Buffer.from(bytes).toString('utf8', 3), stale: false }),
    },
    saved,
    platform: 'linux',
  })
  const account = {
    id: 'one',
    kind: 'monitoring',
    label: 'Ops',
    baseUrl: `http://127.0.0.1:${port}`,
    key: 'present',
    protection: 'os',
    insecure: true,
    demo: false,
    keyKind: 'readWrite',
  } as const
  await vault.put(keyName(account), 'k'.repeat(32))
  await saved.write('accounts', [account])
}
