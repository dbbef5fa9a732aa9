/**
 * Runs Electronegativity on the sources, the bundle and a bad example. Its 400 packages are kept
 * apart from ours: in a cache, with their own lockfile.
 */
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, extname, join, relative } from 'node:path'
import { installApart } from './apart.mjs'
import { projectRoot } from './programs.mjs'

const own = join(projectRoot, 'test', 'security', 'scanner')
const cache = join(projectRoot, 'node_modules', '.cache', 'scanner')
const stepLimitMs = 5 * 60_000

/**
 * @typedef {{ id: string, file: string, line: number, column: number, sample: string }} Finding
 * @typedef {{ checks: number, errors: { file: string, message: string }[], found: Finding[] }} Scan
 * @typedef {{ findings: Finding[], errors: Scan['errors'], checks: number }} Outcome
 */

/**
 * What the scanner always wants a person to review, and the result of the review. Each is tied to a
 * file and its exact words: a second occurrence, or any other, is a finding.
 */
const looked = [
  {
    id: 'OPEN_EXTERNAL_JS_CHECK',
    file: /^main\/(desktop\/system\/links\.ts|main-[\w-]+\.js)$/,
    words: /^(electron\.)?shell\.openExternal\(url\.href\);?$/,
    why: 'the one way out; safeLink has parsed the address (test/security/links.test.ts)',
  },
  {
    id: 'PRELOAD_JS_CHECK',
    file: /^main\/(desktop\/window\/windows\.ts|main-[\w-]+\.js)$/,
    words: /^preload: parts\.preload,$/,
    why: 'the preload gives the page two functions, without Node (test/e2e/windows.app.test.ts)',
  },
  {
    id: 'DANGEROUS_FUNCTIONS_JS_CHECK',
    file: /^renderer\/assets\/[\w-]+\.js$/,
    words: /^setTimeout\([\w$]{1,2}\);$/,
    why: "Preact's own clock is given a function; the policy forbids text as code",
  },
  {
    id: 'PROTOCOL_HANDLER_JS_CHECK',
    file: /^main\/(index\.ts|main-[\w-]+\.js)$/,
    words:
      /^(if \(process\.platform === "win32" && electron\.app\.isPackaged\) )?(electron\.)?app\.setAsDefaultProtocolClient\(["']belfry["'], process\.execPath, \[["']--["']\]\);?$/,
    why: 'a link only leads somewhere: it is read whole or refused (test/shared/core/deep-link.test.ts)',
  },
]

/** Appended to each of the page's scripts when they are scanned, to show that they are read. */
const planted = 'setTimeout("planted" + text);'

const lowered = /** @type {const} */ ({ lang: 'js', target: 'es2021', sourcemap: false })

/** Puts the scanner into its cache, once. */
export function installScanner() {
  installApart(own, 'scanner')
}

/** @returns {string} */
function electronVersion() {
  return JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')).devDependencies
    .electron
}

/**
 * @param {string} folder
 * @returns {Scan}
 */
function scan(folder) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, 'scan-folder.mjs'), cache, folder, electronVersion()],
    { encoding: 'utf8', timeout: stepLimitMs, maxBuffer: 64 * 2 ** 20 },
  )
  if (status !== 0) throw new Error(`the scanner failed on ${folder}:\n${stderr}`)
  return JSON.parse(stdout)
}

/**
 * @param {string} folder
 * @param {readonly string[]} known The files with reviewed findings: if the scanner finds nothing in
 *   them, it has not read them.
 * @returns {Outcome}
 */
function judged(folder, known) {
  const { checks, errors, found } = scan(folder)
  const places = found.map((finding) => ({
    id: finding.id,
    file: relative(folder, join(folder, finding.file.replace(folder, ''))).replaceAll('\\', '/'),
    words: textAt(folder, finding),
  }))
  const looks = excusedOf(places)
  const excused = places.map(({ words }, at) => looks[at] || words === planted)
  const seen = places.filter((_place, at) => excused[at]).map(({ file }) => file)
  const unseen = known
    .filter((name) => !seen.includes(name))
    .map((file) => ({ file, message: 'its known finding was not found' }))
  return {
    checks,
    errors: [...errors, ...unseen],
    findings: found.filter((_finding, at) => !excused[at]),
  }
}

/**
 * Which of them were reviewed. Each review excuses one place: another of its kind is a finding.
 *
 * @param {readonly { id: string, file: string, words: string }[]} places
 * @returns {boolean[]}
 */
export function excusedOf(places) {
  const left = new Set(looked)
  return places.map((place) => {
    for (const look of left) {
      if (look.id !== place.id || !look.file.test(place.file) || !look.words.test(place.words))
        continue
      left.delete(look)
      return true
    }
    return false
  })
}

/**
 * The text at the place of a finding; the scanner's own sample is a whole line, which in a bundle
 * is everything.
 *
 * @param {string} folder
 * @param {Finding} finding
 */
function textAt(folder, { file, line, column }) {
  const path = file.startsWith(folder) ? file : join(folder, file)
  if (!existsSync(path)) return ''
  const text = readFileSync(path, 'utf8').split('\n')[line - 1] ?? ''
  return text.slice(column, column + 200).trim()
}

/** @returns {Outcome} */
export function scanSources() {
  return judged(join(projectRoot, 'src'), [
    'main/desktop/system/links.ts',
    'main/desktop/window/windows.ts',
  ])
}

/**
 * Scans the bundle, compiled to the JavaScript of 2021, since the scanner's parser knows no private
 * members.
 *
 * @returns {Promise<Outcome>}
 */
export async function scanBundle() {
  const { transformWithOxc } = await import('vite')
  return inScratch(async (scratch) => {
    const known = []
    for (const path of filesOf(join(projectRoot, 'out'))) {
      if (extname(path) === '.map') continue
      // The scanner ignores `.cjs`.
      const name = relative(join(projectRoot, 'out'), path).replaceAll('\\', '/')
      const script = name.replace(/\.cjs$/, '.js')
      let text = readFileSync(path, 'utf8')
      if (script.endsWith('.js')) {
        text = (await transformWithOxc(text, path, lowered)).code
        if (script.startsWith('renderer/')) text += `\n${planted}\n`
        if (/^(renderer\/|main\/main-)/.test(script)) known.push(script)
      }
      mkdirSync(dirname(join(scratch, script)), { recursive: true })
      writeFileSync(join(scratch, script), text)
    }
    const parts = new Set(known.map((script) => dirname(script)))
    if (parts.size < 2) throw new Error('the bundle lacks the script of main or those of the page')
    return judged(scratch, known)
  })
}

/**
 * The number of findings in an app that does everything wrong: shows that the scanner works at all.
 *
 * @returns {Promise<number>}
 */
export function scanBadExample() {
  return inScratch(async (scratch) => {
    copyFileSync(join(own, 'bad-main.js.txt'), join(scratch, 'main.js'))
    copyFileSync(join(own, 'bad-page.html.txt'), join(scratch, 'page.html'))
    return scan(scratch).found.length
  })
}

/**
 * @template Result
 * @param {(folder: string) => Promise<Result>} use
 * @returns {Promise<Result>}
 */
async function inScratch(use) {
  const scratch = mkdtempSync(join(tmpdir(), 'belfry-scan-'))
  try {
    return await use(scratch)
  } finally {
    rmSync(scratch, { recursive: true })
  }
}

/** @param {string} folder */
function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name))
}
