import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
/** A file has one subject; most have 60 to 400 lines. */
const longestFile = 450

/** What the files of one folder may import apart from each other; types count like values. */
interface Rule {
  /** Folders of src/ (files directly in them, not in folders below), or single files. */
  readonly folders: readonly string[]
  /** Packages and `node:` built-ins. `node:` alone stands for all of them. */
  readonly packages?: readonly string[]
}

type Rules = Readonly<Record<string, Rule>>

const core = 'shared/core'
const domains = [
  'checks',
  'chat',
  'outages',
  'attention',
  'attention/maintenance',
  'attention/dependencies',
  'attention/runs',
  'attention/remind-me',
  'attention/programs',
].map((name) => `${core}/${name}`)
const models = [core, ...domains]
const api = ['shared/api', 'shared/api/monitoring', 'shared/api/chat']
const shared = ['shared', ...models, `${core}/views`, ...api]
/** The ground of main: it knows nothing of the businesses above. */
const base = 'main/base'
const state = 'main/state'
const businesses = ['monitoring', 'chat', 'accounts', 'attention', 'settings', 'diagnostics'].map(
  (name) => `main/${name}`,
)
const desktop = ['system', 'tray', 'notifications', 'window'].map((name) => `main/desktop/${name}`)

/** What a part of the window may import; from other parts mostly single files. */
function view(...others: readonly string[]): Rule {
  return {
    folders: [...shared, 'renderer', 'renderer/parts', ...others],
    packages: ['preact', '@preact/signals'],
  }
}

const rules: Rules = {
  shared: { folders: models },
  // The state extends every domain's slice; a domain knows the core types, and only the domains it
  // builds on.
  [core]: { folders: domains, packages: ['valibot'] },
  [`${core}/checks`]: { folders: [core], packages: ['valibot'] },
  [`${core}/chat`]: { folders: [core], packages: ['valibot'] },
  [`${core}/outages`]: { folders: [core, `${core}/checks`, `${core}/chat`], packages: ['valibot'] },
  [`${core}/attention`]: { folders: [core, ...domains], packages: ['valibot'] },
  [`${core}/attention/maintenance`]: { folders: [core, ...domains], packages: ['valibot'] },
  [`${core}/attention/dependencies`]: { folders: [core, ...domains], packages: ['valibot'] },
  [`${core}/attention/runs`]: { folders: [core, ...domains] },
  [`${core}/attention/remind-me`]: { folders: [core, ...domains], packages: ['valibot'] },
  [`${core}/attention/programs`]: { folders: [core, ...domains] },
  // Computed from the models, and imported by none of them.
  [`${core}/views`]: { folders: models },
  'shared/api': { folders: [core], packages: ['valibot'] },
  'shared/api/monitoring': {
    folders: ['shared/api', core, `${core}/checks`],
    packages: ['valibot'],
  },
  'shared/api/chat': { folders: ['shared/api', core, `${core}/chat`], packages: ['valibot'] },
  demo: { folders: ['demo/monitoring', 'demo/chat', ...shared] },
  // The pretend servers hash what real ones hash.
  'demo/monitoring': { folders: ['demo', ...shared], packages: ['node:crypto'] },
  'demo/chat': { folders: ['demo', ...shared], packages: ['node:crypto'] },
  // The roof: app.ts and what opens it.
  main: { folders: [base, state, 'main/http', 'main/storage', ...businesses, ...shared] },
  // A check's public name is a hash.
  [base]: { folders: shared, packages: ['node:crypto'] },
  [state]: { folders: [base, 'main/storage', ...shared], packages: ['valibot'] },
  // `node:timers/promises` is left out everywhere: test clocks do not reach it.
  'main/http': {
    folders: [base, ...shared],
    packages: ['valibot', 'node:crypto', 'node:dns', 'node:net', 'node:tls'],
  },
  'main/monitoring': {
    folders: [base, state, 'main/http', ...shared],
    packages: ['valibot'],
  },
  'main/chat': { folders: [base, state, 'main/http', ...shared] },
  'main/accounts': {
    folders: [base, state, 'main/http', 'main/monitoring', 'main/chat', ...shared],
  },
  'main/attention': {
    folders: [base, state, 'main/chat/realm-session.ts', ...shared],
  },
  'main/settings': { folders: [base, state, ...shared] },
  'main/diagnostics': { folders: [base, state, 'main/http/wait.ts', ...shared] },
  'main/storage': { folders: [base, ...models], packages: ['valibot', 'node:'] },
  'main/desktop': {
    folders: [base, ...desktop, ...shared],
    packages: ['electron', 'node-notifier', 'node:'],
  },
  'main/desktop/system': { folders: [base, ...shared], packages: ['electron', 'node:'] },
  'main/desktop/tray': {
    folders: [base, 'main/desktop/system', ...shared],
    packages: ['electron', 'node:'],
  },
  'main/desktop/notifications': {
    folders: [base, 'main/desktop/system', 'main/desktop/tray', ...shared],
    packages: ['electron', 'node:'],
  },
  'main/desktop/window': {
    folders: [base, ...shared],
    packages: ['electron', 'valibot', 'node:'],
  },
  preload: { folders: ['shared', core], packages: ['electron'] },
  renderer: view(),
  'renderer/parts': view(),
  'renderer/accounts': view(),
  'renderer/attention': view(),
  'renderer/diagnostics': view(),
  'renderer/outages': view(),
  'renderer/notices': view(
    'renderer/attention/quiet-menu.tsx',
    'renderer/attention/trial-view.tsx',
  ),
  'renderer/settings': view(
    'renderer/attention/attention-draft.ts',
    'renderer/discuss/discuss-settings.tsx',
    'renderer/notices/notice-commands.ts',
  ),
  'renderer/check-editor': view('renderer/board/use-details.ts'),
  'renderer/board': view(
    'renderer/attention',
    'renderer/check-editor',
    'renderer/discuss/check-discussion.tsx',
    'renderer/discuss/check-timeline.tsx',
    'renderer/chat/message-link.ts',
  ),
  'renderer/chat': view(
    'renderer/attention',
    'renderer/accounts/account-words.ts',
    'renderer/discuss/conversation-checks.tsx',
  ),
  'renderer/discuss': view('renderer/board', 'renderer/chat'),
  'renderer/palette': view(
    'renderer/attention',
    // What can be done with a check and with the list, and how it stands.
    'renderer/board/board-state.ts',
    'renderer/board/row-keys.ts',
    'renderer/board/row-words.ts',
    'renderer/chat',
    'renderer/notices/notice-commands.ts',
    'renderer/settings/settings-view.tsx',
    'renderer/shell/appearance.ts',
  ),
  // The frame, which shows all of them.
  'renderer/shell': view(
    'renderer/accounts',
    'renderer/attention',
    'renderer/board',
    'renderer/chat',
    'renderer/check-editor',
    'renderer/diagnostics',
    'renderer/discuss',
    'renderer/notices',
    'renderer/outages',
    'renderer/palette',
    'renderer/settings',
  ),
}

/** What a single file may import beyond its folder's rule: each package is known to one file. */
const more: Rules = {
  'shared/command-inputs.ts': { folders: [], packages: ['valibot'] },
  // Which codes a terminal obeys.
  [`${core}/checks/output.ts`]: { folders: [], packages: ['ansi-regex'] },
  'shared/api/catalogue.ts': { folders: ['shared/api/monitoring', 'shared/api/chat'] },
  'main/entry.ts': {
    folders: ['main/desktop/system'],
    packages: ['electron', 'node:'],
  },
  'main/index.ts': {
    folders: ['demo', 'main/desktop', 'main/desktop/system', 'main/desktop/window'],
    packages: ['electron', 'node:'],
  },
  'main/http/http-transport.ts': {
    folders: [],
    packages: ['undici', 'node:stream', 'node:zlib'],
  },
  'main/http/dispatchers.ts': { folders: [], packages: ['undici'] },
  // A certificate that the user chose.
  'main/http/authority.ts': { folders: [], packages: ['node:fs/promises'] },
  // A sound that the user chose.
  'main/attention/sound-file.ts': { folders: [], packages: ['node:fs'] },
  // Programs that the user chose.
  'main/attention/program-file.ts': { folders: [], packages: ['node:fs', 'node:path'] },
  'main/attention/file-strangers.ts': { folders: [], packages: ['node:fs', 'node:path'] },
  'main/attention/program-run.ts': {
    folders: [],
    packages: ['node:child_process', 'node:os'],
  },
  'main/chat/message-text.ts': { folders: [], packages: ['htmlparser2'] },
  'main/monitoring/ping-mail.ts': { folders: [], packages: ['postal-mime'] },
  // A file goes from the disk to the network part by part.
  'main/chat/upload-file.ts': { folders: [], packages: ['tus-js-client', 'node:fs/promises'] },
  'main/chat/upload-job.ts': { folders: [], packages: ['node:path'] },
  'main/storage/disk-worker.ts': { folders: [], packages: ['electron-store'] },
  'main/desktop/system/session-bus.ts': { folders: [], packages: ['@homebridge/dbus-native'] },
  'renderer/main.tsx': { folders: ['renderer/board', 'renderer/shell'] },
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

/**
 * Every specifier: of import and export lines, dynamic imports, types by `import('…')`, built-ins
 * loaded late. One that is computed while the app runs is ''.
 */
function importsOf({ text }: Source): string[] {
  const lines = /(?:^|\n)\s*(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]/g
  const bare = /(?:^|\n)\s*import\s*['"]([^'"]+)['"]/g
  const calls =
    /\b(?:import|require|getBuiltinModule)\((?:\s|\/\*[\s\S]*?\*\/|\/\/.*)*(?:['"`]([^'"`$]+)['"`])?/g
  return [lines, bare, calls].flatMap((form) =>
    Array.from(text.matchAll(form), ([, specifier = '']) => specifier),
  )
}

/** A specifier as a path from src/, or the package's name. */
function resolved(path: string, specifier: string): { path?: string; package?: string } {
  if (specifier.startsWith('#shared/')) return { path: specifier.slice(1) }
  if (!specifier.startsWith('.')) return { package: specifier }
  const joined = posix.join(posix.dirname(path), specifier.replace(/\?.*$/, ''))
  // Outside of src/ there are no layers to keep, only packaged files such as icons.
  return joined.startsWith('../resources/') ? {} : { path: joined }
}

function isListed(name: string, packages: readonly string[]): boolean {
  if (packages.includes(name)) return true
  // A package includes all its parts (`preact/hooks`), a built-in only the named one.
  if (name.startsWith('node:')) return packages.includes('node:')
  return packages.some((one) => name.startsWith(`${one}/`))
}

function ruleOf(path: string): Rule | undefined {
  const folder = posix.dirname(path)
  const rule = rules[folder]
  if (rule === undefined) return undefined
  const own = more[path]
  return {
    folders: [folder, ...rule.folders, ...(own?.folders ?? [])],
    packages: [...(rule.packages ?? []), ...(own?.packages ?? [])],
  }
}

function allows({ folders, packages = [] }: Rule, path: string, specifier: string): boolean {
  const to = resolved(path, specifier)
  if (to.package !== undefined) return isListed(to.package, packages)
  return (
    to.path === undefined ||
    [to.path, posix.dirname(to.path)].some((place) => folders.includes(place))
  )
}

function offences(files: readonly Source[]): string[] {
  return files.flatMap((file) => {
    const rule = ruleOf(file.path)
    if (rule === undefined) return `${file.path}: no rule says what it may import`
    return importsOf(file)
      .filter((specifier) => !allows(rule, file.path, specifier))
      .map((specifier) => `${file.path} imports ${specifier}`)
  })
}

/** The foundation of the app and of the window: allowed everywhere, whether needed or not. */
const ground = [...shared, 'renderer', 'renderer/parts', 'preact', '@preact/signals']

/** Permissions that no file uses, or for places that no longer exist. */
function unused(files: readonly Source[]): string[] {
  return [rules, more].flatMap((table) =>
    Object.entries(table).flatMap(([place, { folders, packages = [] }]) => {
      const users = files.filter(({ path }) => [path, posix.dirname(path)].includes(place))
      if (users.length === 0) return `${place}: nothing is there`
      const isUsed = (rule: Rule): boolean =>
        users.some((file) => importsOf(file).some((one) => allows(rule, file.path, one)))
      return [
        ...folders.filter((one) => !ground.includes(one) && !isUsed({ folders: [one] })),
        ...packages.filter(
          (one) => !ground.includes(one) && !isUsed({ folders: [], packages: [one] }),
        ),
      ].map((one) => `${place} never imports ${one}`)
    }),
  )
}

describe('the layers', () => {
  test('import only what their place allows', () => {
    expect(offences(sources())).toEqual([])
  })

  test('are checked thoroughly: an offence of any form is found', () => {
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
      made('renderer/board/row.tsx', "import { Composer } from '../chat/composer.tsx'"),
      made('renderer/parts/button.tsx', "import { palette } from '../palette/palette-state.ts'"),
      made('renderer/chat/row.tsx', "import { beginMessage } from '../palette/palette-button.tsx'"),
      made('main/monitoring/project.ts', "import type { App } from '../app.ts'"),
      made(
        'main/monitoring/project.ts',
        "import type { Connections } from '../accounts/connections.ts'",
      ),
      made('main/chat/realm-session.ts', "import { perform } from '../attention/tray-actions.ts'"),
      made('main/state/store.ts', "import { perform } from '../attention/tray-actions.ts'"),
      made('main/settings/a.ts', "import type { Connections } from '../accounts/connections.ts'"),
      made('main/state/store.ts', "import { createClient } from '../http/client.ts'"),
      made('main/base/ports.ts', "import type { LiveState } from '../state/store.ts'"),
      made('demo/world.ts', "import type { Clock } from '../main/base/ports.ts'"),
      made('main/http/client.ts', 'const undici = await import(`undici`)'),
      made('main/http/client.ts', "const undici = await import(/* later */ 'undici')"),
      made('main/http/client.ts', 'const one = await import(name)'),
      made('elsewhere/new.ts', "import { object } from 'valibot'"),
      made('elsewhere/new.ts', 'export const one = 1'),
    ]
    expect(offending.map((file) => offences([file]).length)).toEqual(offending.map(() => 1))
  })

  test('are allowed nothing that they do not need', () => {
    expect(unused(sources())).toEqual([])
  })

  test('are reported if they need less, or no longer exist', () => {
    const withoutFolder = sources().filter(({ path }) => !path.startsWith('demo/chat/'))
    expect(unused(withoutFolder)).toEqual(['demo/chat: nothing is there'])
    const withoutFile = sources().filter(({ path }) => path !== 'main/chat/message-text.ts')
    expect(unused(withoutFile)).toEqual(['main/chat/message-text.ts: nothing is there'])
    const path = 'main/chat/message-text.ts'
    expect(unused([...withoutFile, { path, text: '' }])).toEqual([
      `${path} never imports htmlparser2`,
    ])
  })

  test('keep Electron where windows, tray and keys are', () => {
    const places =
      /^(main\/(?:entry|index)\.ts|main\/desktop\/|main\/storage\/disk-worker\.ts|preload\/)/
    const users = sources().filter((file) => importsOf(file).some((one) => /^electron/.test(one)))
    expect(users.map(({ path }) => path).filter((path) => !places.test(path))).toEqual([])
    expect(users.map(({ path }) => path)).toContain('main/index.ts')
  })
})

/** The files that each imports, types included. */
function importGraph(files: readonly Source[]): ReadonlyMap<string, readonly string[]> {
  return new Map(
    files.map((file) => [
      file.path,
      importsOf(file).flatMap((one) => resolved(file.path, one).path ?? []),
    ]),
  )
}

/** Files that import each other, directly or through others: each circle once. */
function importCircles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const reaches = (from: string): Set<string> => {
    const reached = new Set<string>()
    const waiting = [...(graph.get(from) ?? [])]
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (reached.has(path)) continue
      reached.add(path)
      waiting.push(...(graph.get(path) ?? []))
    }
    return reached
  }
  const all = new Map([...graph.keys()].map((path) => [path, reaches(path)]))
  const circles = [...all].flatMap(([path, reached]) => {
    const others = [...reached].filter((one) => all.get(one)?.has(path) === true)
    return others.length === 0 ? [] : [others.sort().join(' ')]
  })
  return [...new Set(circles)].map((circle) => circle.split(' '))
}

describe('imports', () => {
  test('go round in no circle, types included', () => {
    expect(importCircles(importGraph(sources()))).toEqual([])
  })

  test('are followed through types, to any depth (control)', () => {
    const path = 'shared/core/wording.ts'
    const text = "import type { AppState } from './state.ts'\n"
    const files = [...sources().filter((file) => file.path !== path), { path, text }]
    const [circle, ...others] = importCircles(importGraph(files))
    expect(circle).toContain('shared/core/state.ts')
    expect(circle?.length).toBeGreaterThan(10)
    expect(others).toEqual([])
  })

  test('name the whole state only where everything comes together', () => {
    const users = (files: readonly Source[]) =>
      [...importGraph(files)].flatMap(([path, to]) => (to.includes(`${core}/state.ts`) ? path : []))
    const wrong = (files: readonly Source[]) =>
      users(files).filter((path) => !/^(main|renderer|shared\/core\/views)\//.test(path))
    expect(wrong(sources())).toEqual([])
    expect(users(sources()).length).toBeGreaterThan(20)
    const path = `${core}/checks/board.ts`
    const text = "import type { AppState } from '../state.ts'"
    expect(wrong([{ path, text }])).toEqual([path])
  })
})

/** What is loaded before the first line of a file runs: no types, nothing loaded by `import()`. */
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
  test('loads nothing that can wait until it is needed', () => {
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

/** The files that use the server's word for late, where they could call `isLate`. */
function usersOfGrace(files: readonly Source[]): string[] {
  // In the API it is a status and also a field of a check; in the editor it is that field.
  const wire = /^((shared\/api|demo)\/monitoring|renderer\/check-editor)\//
  return files
    .filter(({ path, text }) => !wire.test(path) && /(?<!name=)['"`]grace['"`]/.test(text))
    .map(({ path }) => path)
}

describe('whether a check is late', () => {
  test('is decided in one file, and put into words in one', () => {
    const places = ['check-words.ts', 'check.ts'].map((name) => `shared/core/checks/${name}`)
    expect(usersOfGrace(sources()).sort()).toEqual(places)
  })

  test('is noticed where it is decided elsewhere', () => {
    const text = "const a = check.status === 'grace'"
    const paths = ['main/app.ts', 'renderer/board/row.tsx']
    expect(usersOfGrace(paths.map((path) => ({ path, text })))).toEqual(paths)
    expect(usersOfGrace([{ path: 'demo/monitoring/a.ts', text }])).toEqual([])
  })
})

/** Dates, numbers, plurals and lists that a file puts into words on its own. */
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
  ])('are noticed elsewhere: %s', (text) => {
    expect(ownWording({ path: 'renderer/board/row.tsx', text })).not.toEqual([])
  })
})

describe('a source file', () => {
  test('is named after its content', () => {
    const vague = /(^|\/)(utils?|helpers?|common|misc|types|index)\.tsx?$/
    const entries = ['main/index.ts', 'preload/index.ts']
    const paths = sources().map(({ path }) => path)
    expect(paths.filter((path) => vague.test(path) && !entries.includes(path))).toEqual([])
    expect(paths.filter((path) => vague.test(path))).toEqual(entries)
  })

  test('has a name that no other has', () => {
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

/** Folders of test/ that should mirror those of src/, and don't. */
function strays(ofTests: readonly string[], ofSources: readonly string[]): string[] {
  const mirrored = /^(demo|main|renderer|shared)\//
  return ofTests.filter((path) => mirrored.test(path) && !ofSources.includes(path))
}

function foldersIn(place: string): string[] {
  const entries = readdirSync(join(root, place), { recursive: true, withFileTypes: true })
  return (
    entries
      .filter((entry) => entry.isDirectory())
      .map(({ parentPath, name }) => join(parentPath, name).slice(join(root, place, '/').length))
      .map((path) => path.replaceAll('\\', '/'))
      // Component tests store pictures of failures here.
      .filter((path) => !path.includes('__screenshots__'))
  )
}

describe('the test folders', () => {
  test('mirror those of the sources', () => {
    expect(strays(foldersIn('test'), foldersIn('src'))).toEqual([])
    expect(foldersIn('test')).toContain('renderer/chat')
  })

  test('are reported if their source folder is gone', () => {
    const others = foldersIn('src').filter((path) => path !== 'renderer/chat')
    expect(strays(foldersIn('test'), others)).toEqual(['renderer/chat'])
  })
})

/** Top-level functions of more than 100 lines, the longest first. */
function longFunctions(files: readonly Source[]): string[] {
  const form =
    /^(?:export )?(?:async )?(?:function\*? (\w+)|const (\w+)[^\n]* = (?:async )?\()[\s\S]*?^\}$/gm
  const found = files.flatMap(({ path, text }) =>
    Array.from(text.matchAll(form), ([whole, one, other = '']) => ({
      words: `${one ?? other} in ${path}`,
      lines: whole.split('\n').length,
    })),
  )
  const long = found.filter(({ lines }) => lines > 100)
  return long.sort((one, other) => other.lines - one.lines).map(({ words }) => words)
}

/** Files that keep the errors of a form themselves, rather than by `useForm`. */
function formMachines(files: readonly Source[]): string[] {
  return files.flatMap(({ path, text }) => (/\bsetErrors?\b/.test(text) ? path : []))
}

/** Classes that more than one style sheet styles. */
function sharedClasses(sheets: readonly Source[]): string[] {
  const places = new Map<string, Set<string>>()
  for (const { path, text } of sheets)
    for (const [selector] of text.replace(/\/\*[\s\S]*?\*\//g, '').matchAll(/[^{};]+(?=\{)/g))
      for (const [, name = ''] of selector.matchAll(/\.([a-zA-Z][\w-]*)/g))
        places.set(name, (places.get(name) ?? new Set()).add(path))
  return [...places].flatMap(([name, { size }]) => (size > 1 ? [name] : []))
}

function styleSheets(): Source[] {
  const place = join(root, 'src')
  return readdirSync(place, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.css'))
    .map((path) => ({ path, text: readFileSync(join(place, path), 'utf8') }))
}

describe('a class', () => {
  test('is styled in one style sheet: each knows only its own, and the elements in them', () => {
    expect(sharedClasses(styleSheets())).toEqual([])
    expect(styleSheets().length).toBeGreaterThan(20)
  })

  test('is found in two (control)', () => {
    const sheets = styleSheets()
    const [first] = sheets.filter(({ path }) => path.endsWith('controls.css'))
    expect(first?.text).toContain('.tool-button')
    const other = {
      path: 'a.css',
      text: '@media print {\n  .elsewhere > .tool-button { gap: 0 }\n}',
    }
    expect(sharedClasses([...sheets, other])).toEqual(['tool-button'])
    expect(sharedClasses([{ path: 'a.css', text: '.row {} .row {}' }])).toEqual([])
  })
})

// The number is to fall, and not to rise: lower it with the code.
describe('what is still too large', () => {
  test('has a limit: top-level functions of more than 100 lines', () => {
    expect(longFunctions(sources()).length).toBeLessThanOrEqual(2)
  })

  test('has a limit: files that keep what is wrong with a form', () => {
    expect(formMachines(sources())).toEqual(['renderer/parts/form.ts'])
  })

  test('is counted (control)', () => {
    const body = '  call()\n'.repeat(100)
    const made = (text: string): Source => ({ path: 'main/a.ts', text })
    const long = `export function one(parts: {\n  a: number\n}) {\n${body}}\n`
    expect(longFunctions([made(long)])).toEqual(['one in main/a.ts'])
    expect(longFunctions([made(long.replace('  call()\n'.repeat(9), ''))])).toEqual([])
    expect(formMachines([made('const [error, setError] = useState(null)')])).toEqual(['main/a.ts'])
  })
})
