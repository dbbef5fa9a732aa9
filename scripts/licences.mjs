/** Writes docs/licences.md: the third-party packages that Belfry ships, and their licences. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { projectRoot } from './programs.mjs'

/**
 * The packages that run in the shipped app: bundled into `out/`, or beside it. Everything else in
 * package.json is for building or testing.
 */
export const runtimePackages = [
  '@homebridge/dbus-native',
  '@preact/signals',
  'ansi-regex',
  'electron-store',
  'htmlparser2',
  'node-notifier',
  'postal-mime',
  'preact',
  'tus-js-client',
  'undici',
  'valibot',
]

/**
 * @typedef {{ version?: string, license?: string | string[], dependencies?: Record<string, string>,
 *   integrity?: string, resolved?: string, hasInstallScript?: boolean, link?: boolean }} LockedPackage
 * @typedef {{ lockfileVersion: number, packages: Record<string, LockedPackage> }} Lock
 * @typedef {{ name: string, version: string, licence: string, path: string }} Shipped
 */

/** @returns {Lock} */
export function readLock() {
  return JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8'))
}

/**
 * The runtime packages and everything they depend on, resolved as Node does.
 *
 * @param {Lock} lock
 * @returns {Shipped[]}
 */
export function shippedPackages(lock) {
  /** @type {Map<string, Shipped>} */
  const shipped = new Map()
  const waiting = runtimePackages.map((name) => ({ name, from: '' }))
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    const path = locate(lock, one.name, one.from)
    if (shipped.has(path)) continue
    const { version = '', license, dependencies = {} } = lock.packages[path] ?? {}
    const licence = Array.isArray(license) ? license.join(' OR ') : (license ?? licenceInside(path))
    shipped.set(path, { name: one.name, version, licence, path })
    waiting.push(...Object.keys(dependencies).map((name) => ({ name, from: path })))
  }
  return [...shipped.values()].sort(
    (one, other) =>
      one.name.localeCompare(other.name, 'en') || one.version.localeCompare(other.version, 'en'),
  )
}

/**
 * @param {Lock} lock
 * @param {string} name
 * @param {string} from
 * @returns {string}
 */
function locate(lock, name, from) {
  for (
    let folder = from;
    ;
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))
  ) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    if (Object.hasOwn(lock.packages, path)) return path
    if (folder === '') throw new Error(`package-lock.json has no ${name}`)
    if (!folder.includes('/node_modules/')) folder = ''
  }
}

/** Packages that state their licence only in their readme. */
const inReadme = new Map([['node_modules/combine-errors', 'MIT']])

/**
 * Older packages state their licence in ways that the lockfile leaves out.
 *
 * @param {string} path
 * @returns {string}
 */
function licenceInside(path) {
  const { license, licenses } = JSON.parse(
    readFileSync(join(projectRoot, path, 'package.json'), 'utf8'),
  )
  const named =
    license?.type ?? licenses?.[0]?.type ?? licenses?.type ?? inReadme.get(path) ?? 'unknown'
  return String(named)
}

/** @param {Lock} lock */
export function licencesPage(lock) {
  const rows = shippedPackages(lock).map(
    ({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`,
  )
  return [
    '# Licences',
    '',
    'All third-party packages that Belfry ships; written by `node scripts/licences.mjs`. Electron itself is MIT,',
    'and its own package contains the notices of Chromium and Node.',
    '',
    `Belfry's own code uses ${runtimePackages.length} of them directly: ${runtimePackages.join(', ')}.`,
    '',
    '| Package | Version | Licence |',
    '|---|---|---|',
    ...rows,
    '',
    'The shapes of tokens in `src/shared/core/secret-rules.ts` are data from gitleaks (MIT); `node',
    'scripts/secret-rules.mjs` renews them, and the file says from which version they are. So it is with the characters',
    'that look alike in `src/renderer/parts/confusables.ts`, data from Unicode (Unicode License v3); `node',
    'scripts/confusables.mjs` renews them.',
    '',
  ].join('\n')
}

/**
 * The notices in every package: the full text of each licence, as its npm package has it.
 *
 * @param {Lock} lock
 */
export function licenceNotices(lock) {
  const head =
    "Belfry ships these packages. Electron's own notices, and those of Chromium and Node, are beside its program.\n"
  const licenceOf = (/** @type {string} */ data) =>
    readFileSync(join(projectRoot, `scripts/${data}.licence.txt`), 'utf8')
  return [
    head,
    ...shippedPackages(lock).map(noticeOf),
    `gitleaks, its rules: MIT\n\n${licenceOf('secret-rules')}`,
    `Unicode, its table of confusable characters: Unicode-3.0\n\n${licenceOf('confusables')}`,
  ].join(`\n${'='.repeat(80)}\n\n`)
}

/** @param {Shipped} shipped */
function noticeOf({ name, version, licence, path }) {
  const folder = join(projectRoot, path)
  const texts = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
    .map((file) => readFileSync(join(folder, file), 'utf8').trim())
  const none = `It comes without a licence text; its package only names the licence: ${licence}.`
  return `${name} ${version}: ${licence}\n\n${texts.length === 0 ? none : texts.join('\n\n')}\n`
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(join(projectRoot, 'docs', 'licences.md'), licencesPage(readLock()))
}
