import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
/** A file has one subject; most have 60 to 400 lines. */
const longestFile = 450

/** What the files of one folder may import besides each other; types count like values. */
interface Rule {
  /** Folders of src/ (files directly in them, not in folders below), or single files. */
  readonly folders: readonly string[]
  /** Packages and `node:` built-ins. `node:` alone stands for all of them. */
  readonly packages?: readonly string[]
}

const core = 'shared/core'
const domains = ['checks', 'chat', 'outages', 'attention'].map((name) => `${core}/${name}`)
const models = [core, ...domains]
const api = ['shared/api', 'shared/api/monitoring', 'shared/api/chat']
const shared = ['shared', ...models, `${core}/views`, ...api]
/** What a network is to those who do not know which. */
const transport = 'main/http/transport.ts'
const ports = 'main/ports.ts'
const businesses = ['http', 'monitoring', 'chat', 'accounts', 'attention', 'storage'].map(
  (name) => `main/${name}`,
)
const desktop = ['system', 'tray', 'notifications', 'window'].map((name) => `main/desktop/${name}`)

const rules: Readonly<Record<string, Rule>> = {
  shared: { folders: models },
  // The state names every domain; a domain knows the nouns, and only the domains it builds on.
  [core]: { folders: domains, packages: ['valibot'] },
  [`${core}/checks`]: { folders: [core], packages: ['valibot'] },
  [`${core}/chat`]: { folders: [core], packages: ['valibot'] },
  [`${core}/outages`]: { folders: [core, `${core}/checks`, `${core}/chat`], packages: ['valibot'] },
  [`${core}/attention`]: {
    folders: [core, `${core}/checks`, `${core}/chat`, `${core}/outages`],
    packages: ['valibot'],
  },
  // Computed from the models, and imported by none of them.
  [`${core}/views`]: { folders: models },
  'shared/api': { folders: [core], packages: ['valibot'] },
  'shared/api/monitoring': {
    folders: ['shared/api', core, `${core}/checks`],
    packages: ['valibot'],
  },
  'shared/api/chat': { folders: ['shared/api', core, `${core}/chat`], packages: ['valibot'] },
  demo: { folders: ['demo/monitoring', 'demo/chat', transport, ...shared] },
  // The pretend servers hash what real ones hash.
  'demo/monitoring': { folders: ['demo', transport, ...shared], packages: ['node:crypto'] },
  'demo/chat': { folders: ['demo', transport, ...shared], packages: ['node:crypto'] },
  // app.ts and what it is made of.
  main: { folders: [...shared, ...businesses] },
  // `node:timers/promises` is left out everywhere: test clocks do not reach it.
  'main/http': {
    folders: [ports, ...shared],
    packages: [
      'valibot',
      'node:crypto',
      'node:dns',
      'node:net',
      'node:timers',
      'node:tls',
      'node:util',
    ],
  },
  'main/monitoring': {
    folders: ['main', 'main/http', 'main/accounts', ...shared],
    packages: ['valibot', 'node:crypto'],
  },
  'main/chat': { folders: ['main', 'main/http', 'main/accounts', ...shared] },
  'main/accounts': { folders: ['main', 'main/http', 'main/monitoring', 'main/chat', ...shared] },
  'main/attention': {
    folders: ['main', 'main/accounts', 'main/chat', 'main/storage', ...shared],
  },
  'main/storage': { folders: [ports, ...models], packages: ['valibot', 'node:'] },
  'main/desktop': {
    folders: [ports, ...desktop, ...shared],
    packages: ['electron', 'node-notifier', 'node:'],
  },
  'main/desktop/system': { folders: [ports, ...shared], packages: ['electron', 'node:'] },
  'main/desktop/tray': {
    folders: [ports, 'main/desktop/system', ...shared],
    packages: ['electron', 'node:'],
  },
  'main/desktop/notifications': {
    folders: [ports, 'main/desktop/system', 'main/desktop/tray', ...shared],
    packages: ['electron', 'node:'],
  },
  'main/desktop/window': {
    folders: [ports, 'main/desktop/system', ...shared],
    packages: ['electron', 'valibot', 'node:'],
  },
  preload: { folders: ['shared', core], packages: ['electron'] },
  renderer: { folders: [...shared, ...renderer('')], packages: ['preact', '@preact/signals'] },
}

/** What a single file may import beyond its folder's rule: a package has one file that knows it. */
const more: Readonly<Record<string, Rule>> = {
  'shared/command-inputs.ts': { folders: [], packages: ['valibot'] },
  'shared/api/catalogue.ts': { folders: ['shared/api/monitoring', 'shared/api/chat'] },
  // What is kept on disk, and by which schema.
  'main/documents.ts': { folders: [], packages: ['valibot'] },
  'main/stored-document.ts': { folders: [], packages: ['valibot'] },
  'main/entry.ts': {
    folders: ['main/desktop/system'],
    packages: ['electron', 'node:'],
  },
  'main/index.ts': {
    folders: ['demo', 'main/desktop', ...desktop],
    packages: ['electron', 'node:'],
  },
  'main/http/http-transport.ts': {
    folders: [],
    packages: ['undici', 'node:stream', 'node:zlib'],
  },
  'main/http/dispatchers.ts': { folders: [], packages: ['undici'] },
  // A certificate that the user pointed at.
  'main/http/authority.ts': { folders: [], packages: ['node:fs/promises'] },
  'main/chat/message-text.ts': { folders: [], packages: ['htmlparser2'] },
  // A file goes from the disk to the network part by part.
  'main/chat/upload-file.ts': { folders: [], packages: ['tus-js-client', 'node:fs/promises'] },
  'main/chat/upload-job.ts': { folders: [], packages: ['node:path'] },
  'renderer/check-editor/next-runs.ts': { folders: [], packages: ['croner'] },
  'main/storage/disk-worker.ts': { folders: [], packages: ['electron-store'] },
  'main/desktop/system/session-bus.ts': { folders: [], packages: ['@homebridge/dbus-native'] },
  'main/desktop/system/log.ts': { folders: [transport] },
}

/** The folders of the window: what the user sees, on parts that know none of it. */
function renderer(of: string): string[] {
  const views = readdirSync(join(root, 'src/renderer'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `renderer/${name}`)
  return of === 'renderer/parts' ? ['renderer'] : ['renderer', ...views]
}

interface Source {
  /** From src/, with slashes: `main/http/client.ts`. */
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

function ruleOf(path: string): Rule | undefined {
  const folder = posix.dirname(path)
  const rule = folder.startsWith('renderer/')
    ? { ...rules['renderer'], folders: [...shared, ...renderer(folder)] }
    : rules[folder]
  if (rule === undefined) return undefined
  const own = more[path]
  return {
    folders: [folder, ...rule.folders, ...(own?.folders ?? [])],
    packages: [...(rule.packages ?? []), ...(own?.packages ?? [])],
  }
}

function offence(path: string, specifier: string): string | null {
  const rule = ruleOf(path)
  if (rule === undefined) return `${path}: no rule says what it may import`
  const to = resolved(path, specifier)
  const isAllowed =
    to.package === undefined
      ? to.path === undefined ||
        [to.path, posix.dirname(to.path)].some((place) => rule.folders.includes(place))
      : isListed(to.package, rule.packages ?? [])
  return isAllowed ? null : `${path} imports ${specifier}`
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
      made('shared/core/checks/check.ts', "import { readFile } from 'node:fs/promises'"),
      made('shared/core/checks/check.ts', "import type { Op } from '../../api/operation.ts'"),
      made('shared/core/checks/check.ts', "import { realm } from '../chat/realm.ts'"),
      made('shared/core/attention/engine.ts', "import { trayView } from '../views/tray-view.ts'"),
      made('shared/core/state.ts', "import { boardView } from './views/board-view.ts'"),
      made('shared/api/monitoring/a.ts', "import type { App } from '../../../main/app.ts'"),
      made('main/http/wait.ts', "import { setTimeout } from 'node:timers/promises'"),
      made('main/http/client.ts', "import {\n  request,\n} from 'undici'"),
      made('main/http/client.ts', "import type { BrowserWindow } from 'electron'"),
      made('main/http/client.ts', "process.getBuiltinModule('node:fs')"),
      made('main/http/client.ts', "import { project } from '../monitoring/project.ts'"),
      made('main/storage/journal.ts', "const store = await import('electron-store')"),
      made('main/app.ts', "import { createWorld } from '../demo/world.ts'"),
      made('main/chat/realm-session.ts', "import { world } from '../../demo/world.ts'"),
      made('demo/chat/realm.ts', "import { createClient } from '../../main/http/client.ts'"),
      made('main/app.ts', "export { showTray } from './desktop/tray/tray-icon.ts'"),
      made('main/app.ts', "import 'electron'"),
      made(
        'main/desktop/tray/tray-icon.ts',
        "import { Project } from '../../monitoring/project.ts'",
      ),
      made('preload/index.ts', "import { object } from 'valibot'"),
      made('renderer/board/row.tsx', "import { wait } from '../../main/http/wait.ts'"),
      made('renderer/parts/button.tsx', "import { Board } from '../board/board.tsx'"),
      made('elsewhere/new.ts', "import { object } from 'valibot'"),
    ]
    expect(offending.map((file) => offences([file]).length)).toEqual(offending.map(() => 1))
  })

  test('keep electron where windows, tray and keys are', () => {
    const places =
      /^(main\/(?:entry|index)\.ts|main\/desktop\/|main\/storage\/disk-worker\.ts|preload\/)/
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
    expect(read).toContain('main/monitoring/project.ts')
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
    const chat = [...read].filter((path) =>
      /^(main\/chat\/(realm|event|message)-|shared\/api\/chat)/.test(path),
    )
    expect([...late, ...lateOfNode].filter((name) => read.has(name))).toEqual([])
    expect(chat).toEqual([])
  })
})

/** The files that use the service's word for what is late, where they could ask `isLate`. */
function usersOfGrace(files: readonly Source[]): string[] {
  // On the wire it is a status, and a field of a check as well; in the editor it is that field.
  const wire = /^((shared\/api|demo)\/monitoring|renderer\/check-editor)\//
  return files
    .filter(({ path, text }) => !wire.test(path) && /(?<!name=)['"`]grace['"`]/.test(text))
    .map(({ path }) => path)
}

describe('that a check is late', () => {
  test('is decided in one file, and put into words in one', () => {
    const places = ['check-words.ts', 'check.ts'].map((name) => `shared/core/checks/${name}`)
    expect(usersOfGrace(sources()).sort()).toEqual(places)
  })

  test('is seen where it is decided elsewhere', () => {
    const text = "const a = check.status === 'grace'"
    const paths = ['main/app.ts', 'renderer/board/row.tsx']
    expect(usersOfGrace(paths.map((path) => ({ path, text })))).toEqual(paths)
    expect(usersOfGrace([{ path: 'demo/monitoring/a.ts', text }])).toEqual([])
  })
})

/** Dates, numbers, plurals and lists that a file words by itself. */
function ownWording({ path, text }: Source): string[] {
  const forms = [
    /\.toLocale(?:|Date|Time)String\(|\.localeCompare\(/g,
    /\bIntl\.(?!supportedValuesOf|DateTimeFormat\((?:\)|machineLocale)|DateTimeFormatOptions)\w+/g,
    /['"`]en-[A-Z]{2}['"`]/g,
    /=== 1 \? '' : 's'|=== 1 \? 's' : ''/g,
    /[\d}] %(?=['"`<])/g,
  ]
  return forms.flatMap((form) => Array.from(text.matchAll(form), ([found]) => `${path}: ${found}`))
}

describe('the words for dates, numbers, plurals and lists', () => {
  const place = 'shared/core/wording.ts'

  test('are made in one place, which knows the locale', () => {
    const others = sources().filter(({ path }) => path !== place)
    expect(others.flatMap(ownWording)).toEqual([])
    expect(
      sources()
        .filter(({ path }) => path === place)
        .flatMap(ownWording).length,
    ).toBeGreaterThan(4)
  })

  test.each([
    "count.toLocaleString('en')",
    'at.toLocaleTimeString()',
    'one.localeCompare(other)',
    "new Intl.DateTimeFormat('en', shape)",
    'new Intl.PluralRules(undefined)',
    "const locale = 'en-GB'",
    "words + (count === 1 ? '' : 's')",
    'const words = `{share} %`',
    '<span>{percent} %</span>',
    "'Zoom: 100 %'",
  ])('are found elsewhere: %s', (text) => {
    expect(ownWording({ path: 'renderer/board/row.tsx', text })).not.toEqual([])
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

  test('stands alone with its name', () => {
    const seen = new Map<string, string[]>()
    for (const { path } of sources()) {
      const name = posix.basename(path).replace(/\.tsx?$/, '')
      seen.set(name, [...(seen.get(name) ?? []), path])
    }
    seen.delete('index')
    expect([...seen.values()].filter((paths) => paths.length > 1)).toEqual([])
    expect(seen.get('board')).toBeDefined()
  })

  test('shares its folder with at most 29 others', () => {
    const counts = new Map<string, number>()
    for (const { path } of sources()) {
      const folder = posix.dirname(path)
      counts.set(folder, (counts.get(folder) ?? 0) + 1)
    }
    expect([...counts].filter(([, count]) => count > 30)).toEqual([])
    expect(counts.get('main/http')).toBeGreaterThan(1)
  })

  test(`has at most ${longestFile} lines`, () => {
    const long = sources().filter(({ text }) => text.split('\n').length - 1 > longestFile)
    expect(long.map(({ path }) => path)).toEqual([])
  })
})
