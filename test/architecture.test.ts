import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const longestFile = 300

/** What one folder (or file) of src/ may import; types count like values. */
interface Rule {
  /** The longest one that a path starts with holds for it. */
  readonly of: string
  /** Places in src/ besides the folder itself. */
  readonly from: readonly string[]
  /** Packages and `node:` built-ins. `node:` alone stands for all of them. */
  readonly packages: readonly string[]
}

const rules: readonly Rule[] = [
  { of: 'shared/core/', from: [], packages: [] },
  { of: 'shared/api/', from: ['shared/core/'], packages: ['valibot'] },
  { of: 'shared/contract.ts', from: ['shared/core/'], packages: [] },
  { of: 'shared/discuss-inputs.ts', from: ['shared/core/'], packages: ['valibot'] },
  {
    of: 'shared/attention-inputs.ts',
    from: ['shared/core/'],
    packages: ['valibot'],
  },
  {
    of: 'shared/command-inputs.ts',
    from: [
      'shared/attention-inputs.ts',
      'shared/discuss-inputs.ts',
      'shared/contract.ts',
      'shared/core/',
    ],
    packages: ['valibot'],
  },
  // `node:timers/promises` is left out: test clocks do not reach it.
  {
    of: 'main/sync/',
    from: ['shared/', 'main/ports.ts'],
    packages: ['valibot', 'node:crypto', 'node:net', 'node:timers', 'node:tls', 'node:util'],
  },
  {
    of: 'main/sync/http.ts',
    from: ['shared/', 'main/ports.ts', 'main/sync/'],
    packages: ['undici', 'node:stream', 'node:zlib'],
  },
  {
    of: 'main/sync/http-dispatchers.ts',
    from: ['shared/', 'main/ports.ts', 'main/sync/'],
    packages: ['undici', 'node:net', 'node:tls'],
  },
  {
    of: 'main/sync/message-text.ts',
    from: ['shared/', 'main/ports.ts', 'main/sync/'],
    packages: ['htmlparser2'],
  },
  // A file goes from the disk to the network part by part.
  {
    of: 'main/sync/upload',
    from: ['shared/', 'main/ports.ts', 'main/sync/'],
    packages: ['tus-js-client', 'node:crypto', 'node:fs/promises', 'node:path'],
  },
  // A certificate that the user pointed at.
  {
    of: 'main/sync/authority.ts',
    from: ['shared/', 'main/ports.ts', 'main/sync/'],
    packages: ['node:crypto', 'node:fs/promises'],
  },
  { of: 'main/storage/', from: ['shared/', 'main/ports.ts'], packages: ['valibot', 'node:'] },
  {
    of: 'main/storage/saved.ts',
    from: ['shared/', 'main/ports.ts', 'main/storage/'],
    packages: ['electron-store', 'valibot', 'node:'],
  },
  // The pretend servers hash what real ones hash.
  {
    of: 'main/demo/',
    from: ['shared/', 'main/sync/transport.ts'],
    packages: ['valibot', 'node:crypto'],
  },
  {
    of: 'main/desktop/',
    from: ['shared/', 'main/ports.ts', 'main/sync/transport.ts'],
    packages: ['electron', 'node-notifier', '@homebridge/dbus-native', 'valibot', 'node:'],
  },
  { of: 'main/index.ts', from: ['shared/', 'main/'], packages: ['electron', 'node:'] },
  { of: 'main/ports.ts', from: ['shared/'], packages: [] },
  // app.ts and the commands that it is made of.
  {
    of: 'main/',
    from: ['shared/', 'main/ports.ts', 'main/sync/', 'main/storage/'],
    packages: [],
  },
  { of: 'preload/', from: ['shared/contract.ts', 'shared/core/'], packages: ['electron'] },
  { of: 'renderer/', from: ['shared/'], packages: ['preact', '@preact/signals'] },
  { of: 'renderer/check-editor/next-runs.ts', from: [], packages: ['croner'] },
]

interface Source {
  /** From src/, with slashes: `main/sync/http.ts`. */
  readonly path: string
  readonly text: string
}

function sources(): Source[] {
  const files = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
  return files
    .filter((file) => file.isFile() && /\.(ts|tsx)$/.test(file.name))
    .map((file) => join(file.parentPath, file.name))
    .map((path) => ({
      path: path.slice(join(root, 'src/').length).replaceAll('\\', '/'),
      text: readFileSync(path, 'utf8'),
    }))
}

/** Every specifier: of import and export lines, dynamic imports, types by `import('…')`, built-ins taken late. */
function importsOf({ text }: Source): string[] {
  const lines = /(?:^|\n)\s*(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]/g
  const bare = /(?:^|\n)\s*import\s*['"]([^'"]+)['"]/g
  const calls = /\b(?:import|require|getBuiltinModule)\(\s*['"]([^'"]+)['"]/g
  return [lines, bare, calls].flatMap((form) =>
    Array.from(text.matchAll(form), ([, specifier = '']) => specifier),
  )
}

/** A specifier as a path from src/, or the package's name. */
function resolved(path: string, specifier: string): { path?: string; package?: string } {
  if (specifier.startsWith('#shared/')) return { path: specifier.slice(1) }
  if (!specifier.startsWith('.')) return { package: specifier }
  const joined = posix.join(posix.dirname(path), specifier.replace(/\?.*$/, ''))
  // Out of src/ there are no layers to keep, only packaged files such as icons.
  return joined.startsWith('../resources/') ? {} : { path: joined }
}

function isListed(name: string, packages: readonly string[]): boolean {
  if (packages.includes(name)) return true
  // Of a package every part is meant (`preact/hooks`), of a built-in the one named.
  if (name.startsWith('node:')) return packages.includes('node:')
  return packages.some((one) => name.startsWith(`${one}/`))
}

function offence(path: string, specifier: string): string | null {
  const rule = rules
    .filter(({ of }) => path.startsWith(of))
    .sort((one, other) => other.of.length - one.of.length)[0]
  if (rule === undefined) return `${path}: no rule says what it may import`
  const to = resolved(path, specifier)
  if (to.package !== undefined) {
    return isListed(to.package, rule.packages) ? null : `${path} imports ${specifier}`
  }
  const allowed = rule.of.endsWith('/') && rule.of !== 'main/' ? [rule.of, ...rule.from] : rule.from
  const inside = to.path === undefined || allowed.some((place) => to.path?.startsWith(place))
  const beside = rule.of === 'main/' && posix.dirname(to.path ?? '') === 'main'
  return inside || beside ? null : `${path} imports ${specifier}`
}

function offences(files: readonly Source[]): string[] {
  return files.flatMap((file) =>
    importsOf(file).flatMap((specifier) => offence(file.path, specifier) ?? []),
  )
}

describe('the layers', () => {
  test('import only what their place allows', () => {
    expect(offences(sources())).toEqual([])
  })

  test('are seen through: an offence of any form is found', () => {
    const made = (path: string, line: string): Source => ({ path, text: `const a = 1\n${line}\n` })
    const offending = [
      made('shared/core/check.ts', "import { readFile } from 'node:fs/promises'"),
      made('shared/core/check.ts', "import type { Operation } from '../api/operation.ts'"),
      made('shared/api/monitoring.ts', "import type { App } from '../../main/app.ts'"),
      made('main/sync/wait.ts', "import { setTimeout } from 'node:timers/promises'"),
      made('main/sync/client.ts', "import {\n  request,\n} from 'undici'"),
      made('main/sync/client.ts', "import type { BrowserWindow } from 'electron'"),
      made('main/sync/client.ts', "process.getBuiltinModule('node:fs')"),
      made('main/storage/journal.ts', "const store = await import('electron-store')"),
      made('main/demo/world.ts', "import { createClient } from '../sync/client.ts'"),
      made('main/app.ts', "export { showTray } from './desktop/tray.ts'"),
      made('main/app.ts', "import 'electron'"),
      made('main/desktop/tray.ts', "import { App } from '../app.ts'"),
      made('preload/index.ts', "import { object } from 'valibot'"),
      made('renderer/board/row.tsx', "import { wait } from '../../main/sync/wait.ts'"),
      made('elsewhere/new.ts', "import { object } from 'valibot'"),
    ]
    expect(offending.map((file) => offences([file]).length)).toEqual(offending.map(() => 1))
  })

  test('keep electron where windows, tray and keys are', () => {
    const places = /^(main\/index\.ts|main\/desktop\/|main\/storage\/saved\.ts|preload\/)/
    const users = sources().filter((file) => importsOf(file).some((one) => /^electron/.test(one)))
    expect(users.map(({ path }) => path).filter((path) => !places.test(path))).toEqual([])
    expect(users.map(({ path }) => path)).toContain('main/index.ts')
  })
})

/** What is read before the first line of a file runs: no types, and nothing that is asked for by `import()`. */
function readAtOnce(entry: string): Set<string> {
  const files = new Map(sources().map((file) => [file.path, file.text]))
  const read = new Set<string>()
  const waiting = [entry]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (read.has(path)) continue
    read.add(path)
    const lines = /(?:^|\n)(?:import|export)\b(?! type\b)(?:[^'"`;]*?\bfrom)?\s*['"]([^'"]+)['"]/g
    for (const [, specifier = ''] of (files.get(path) ?? '').matchAll(lines)) {
      const to = resolved(path, specifier)
      waiting.push(to.path ?? to.package ?? '')
    }
  }
  return read
}

describe('the start of main', () => {
  test('reads nothing that can wait for what needs it', () => {
    const read = readAtOnce('main/index.ts')
    expect(read).toContain('main/sync/project-link.ts')
    expect(read).toContain('valibot')
    const late = [
      'electron-store',
      'htmlparser2',
      'tus-js-client',
      'undici',
      '@homebridge/dbus-native',
    ]
    const lateOfNode = [
      'child_process',
      'crypto',
      'fs/promises',
      'http',
      'https',
      'http2',
      'sqlite',
      'tls',
      'zlib',
    ].map((name) => `node:${name}`)
    const chat = [...read].filter((path) => /^(main\/sync\/realm-|shared\/api\/chat)/.test(path))
    expect([...late, ...lateOfNode].filter((name) => read.has(name))).toEqual([])
    expect(chat).toEqual([])
  })
})

describe('a source file', () => {
  test('is named by what is in it', () => {
    const vague = /(^|\/)(utils?|helpers?|common|misc|types|index)\.tsx?$/
    const entries = ['main/index.ts', 'preload/index.ts']
    const paths = sources().map(({ path }) => path)
    expect(paths.filter((path) => vague.test(path) && !entries.includes(path))).toEqual([])
    expect(paths.filter((path) => vague.test(path))).toEqual(entries)
  })

  test(`has at most ${longestFile} lines`, () => {
    const long = sources().filter(({ text }) => text.split('\n').length - 1 > longestFile)
    expect(long.map(({ path }) => path)).toEqual([])
  })
})
