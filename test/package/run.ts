/**
 * `npm run test:package`, as root on Debian: builds, installs, uses and removes the package. It
 * installs Belfry on this computer and removes it again; it stops if Belfry is already installed.
 * Without Electron's own program, it packs the one for the tests, under a version that says so.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { readFuses } from '../../scripts/fuses.mjs'
import { debianVersion, iconSizes, makeLinuxPackages } from '../../scripts/linux-package.mjs'
import { findElectron, projectRoot } from '../../scripts/programs.mjs'
import {
  fetchRealElectron,
  ordinaryUser,
  realElectronVersion,
} from '../../scripts/real-electron.mjs'
import { filledIn } from '../support/package.ts'

/** Besides Electron, in total. */
const mostBytes = 8_000_000
const installed = '/usr/lib/belfry'
/** Where packages put their files. */
const systemFolders = ['/usr', '/etc', '/opt', '/var/lib']

const results = join(projectRoot, 'test-results')
const pictures = join(results, 'package')
let passed = 0
const failures: string[] = []

process.exitCode = await run()

async function run(): Promise<number> {
  prepare()
  const out = mkdtempSync(join(tmpdir(), 'belfry-packages-'))
  chmodSync(out, 0o755)
  try {
    await hold(out)
  } catch (error) {
    fail('to the end', error)
  } finally {
    apt('purge', 'belfry')
    rmSync(out, { recursive: true, force: true })
  }
  const counts = { passed, failed: failures.length }
  writeFileSync(join(results, 'package.json'), JSON.stringify(counts))
  process.stdout.write(`package: ${passed} passed, ${failures.length} failed\n`)
  return failures.length === 0 ? 0 : 1
}

function prepare(): void {
  const stop = (why: string): never => {
    process.stderr.write(`package: ${why}\n`)
    process.exit(1)
  }
  if (process.getuid?.() !== 0) stop('this installs the package, and so has to run as root')
  if (isInstalled()) stop('Belfry is installed here; remove it first: apt-get remove belfry')
  const setup = join(projectRoot, 'scripts', 'setup.mjs')
  const { status } = spawnSync(process.execPath, [setup, 'package'], { stdio: 'inherit' })
  if (status !== 0) stop('setup failed, see the lines above')
  rmSync(join(results, 'package.json'), { force: true })
  mkdirSync(pictures, { recursive: true })
}

async function hold(out: string): Promise<void> {
  const own = findElectron()
  if (own === undefined) expect('without Electron’s own program nothing is packed', refusesToPack())
  const electron = own ?? fetchRealElectron()
  const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
    version: string
  }
  const first = `${version}-${own === undefined ? `electron${realElectronVersion}` : 'test'}`
  const next = `${first}.2`
  const lane = own === undefined ? filledIn() : {}
  const [old, packages] = [first, next].map((one) =>
    makeLinuxPackages({ electron, version: one, out, quick: true, ...lane }),
  )
  if (old === undefined || packages === undefined) throw new Error('nothing was packed')
  const { bytesBesideElectron } = packages
  const megabytes = (bytesBesideElectron / 1e6).toFixed(1)
  expect(`${megabytes} MB beside Electron, of 8 at most`, bytesBesideElectron <= mostBytes)
  expect('the tar archive has the same', hasSame(packages.tar, `belfry-${next}`))

  apt('install', old.deb)
  expect('dpkg has installed it', versionOnDisk() === debianVersion(first))
  const linted = lint(packages.deb)
  holdInstalled(electron)
  await useAsUser(electron, () => apt('install', packages.deb))
  expect('dpkg has upgraded it', versionOnDisk() === debianVersion(next))
  expect('lintian finds nothing', await linted)

  const listed = ['find', ...systemFolders, '-xdev', '-iname', '*belfry*']
  expect(
    'its files are found while it is there',
    said(listed).split('\n').length > iconSizes.length,
  )
  apt('purge', 'belfry')
  const left = said(listed)
  expect(`nothing of it is left: ${left}`, left === '')
  const caches = ['/usr/share/applications/mimeinfo.cache', '/var/lib/dpkg/status']
  const naming = caches.filter((file) => existsSync(file) && /belfry/i.test(read(file)))
  expect(`nothing names it any more: ${naming.join()}`, naming.length === 0)
}

function refusesToPack(): boolean {
  const script = join(projectRoot, 'scripts', 'package.mjs')
  const { status, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' })
  return status === 1 && /Electron's own program is not installed/.test(stderr)
}

function hasSame(tar: string, top: string): boolean {
  const names = said(['tar', '-tzf', tar]).split('\n')
  return [
    ...['bin/belfry', 'belfry/belfry', 'belfry/resources/app.asar', 'LICENSE', 'README'],
    ...['share/applications/org.belfry.Belfry.desktop', 'share/doc/belfry/THIRD-PARTY-NOTICES.txt'],
  ].every((name) => names.includes(`${top}/${name}`))
}

/** Checks what dpkg installed with the reference tools. */
function holdInstalled(electron: string): void {
  const { electronFuses } = JSON.parse(read(join(projectRoot, 'electron-builder.json'))) as {
    electronFuses: Record<string, boolean>
  }
  const wanted = JSON.stringify(Object.entries(electronFuses).sort())
  const fusesOf = (program: string): string =>
    JSON.stringify(Object.entries(readFuses(program)).sort())
  expect('the fuses of the installed program are ours', fusesOf(`${installed}/belfry`) === wanted)
  expect('the fuses of Electron as it comes are not', fusesOf(electron) !== wanted)
  expect(
    'its sandbox helper is root’s, and setuid',
    (statSync(`${installed}/chrome-sandbox`).mode & 0o7777) === 0o4755,
  )
  const asked = (arg: string) => spawnSync('belfry', [arg], { encoding: 'utf8' })
  expect('the command tells its version', /^belfry \d+\.\d+/.test(asked('version').stdout))
  expect('the command says that Belfry is not running', asked('status').status === 2)
  expect('the command refuses what it does not know', asked('frob').status === 64)
  const entry = '/usr/share/applications/org.belfry.Belfry.desktop'
  holdFile('desktop-file-validate', ['desktop-file-validate'], entry, 'Type=Application')
  const about = '/usr/share/metainfo/org.belfry.Belfry.metainfo.xml'
  const validate = ['appstreamcli', 'validate', '--no-net', '--no-color']
  holdFile('appstreamcli', validate, about, '<id>org.belfry.Belfry</id>')
  expect(
    'there is an icon in each size',
    iconSizes.every((size) => {
      const icon = `/usr/share/icons/hicolor/${size}x${size}/apps/org.belfry.Belfry.png`
      return existsSync(icon) && readFileSync(icon).readUInt32BE(16) === size
    }),
  )
  const notices = read('/usr/share/doc/belfry/THIRD-PARTY-NOTICES.txt')
  expect('licences come in full', /preact/.test(notices) && notices.split('Permission').length > 20)
}

/** Checks a file with a tool, which must reject the same file without one of its lines. */
function holdFile(name: string, tool: readonly string[], file: string, without: string): void {
  expect(`${name} finds nothing`, spawnSync(tool[0] ?? '', [...tool.slice(1), file]).status === 0)
  const folder = mkdtempSync(join(tmpdir(), 'belfry-broken-'))
  const broken = join(folder, file.split('/').at(-1) ?? '')
  writeFileSync(broken, read(file).replace(without, ''))
  expect(
    `${name} finds what is missing`,
    spawnSync(tool[0] ?? '', [...tool.slice(1), broken]).status !== 0,
  )
  rmSync(folder, { recursive: true })
}

async function lint(deb: string): Promise<boolean> {
  const args = ['--allow-root', '--fail-on', 'error,warning', deb]
  const child = spawn('lintian', args, { stdio: ['ignore', 'inherit', 'inherit'] })
  const [status] = (await once(child, 'close')) as [number | null]
  return status === 0
}

/** Runs everything that needs an ordinary user, since the sandbox refuses root. */
async function useAsUser(electron: string, upgrade: () => void): Promise<void> {
  const user = ordinaryUser(electron, pictures)
  const there = (path: string): string => path.replace(projectRoot, user.root)
  const script = join(import.meta.dirname, 'user.ts')
  const paths = [process.execPath, script, pictures].map(there)
  const [program = '', ...args] = [...user.before, ...paths]
  const child: ChildProcess = spawn(program, args, {
    cwd: dirname(installed),
    env: { ...process.env, ...user.env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  try {
    if (child.stdout === null) throw new Error('no output to read')
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('ok ')) expect(line.slice(3), true)
      if (line !== 'upgrade') return
      upgrade()
      child.stdin?.write('\n')
    })
    const [status] = (await once(child, 'close')) as [number | null]
    expect('everything a user does went well', status === 0)
    const kept = join(user.env['HOME'] ?? '', '.config', 'Belfry', 'data', 'accounts.json')
    expect('the user’s data is still there', existsSync(kept))
  } finally {
    user.end()
  }
}

/** Runs apt-get, waiting for dpkg's lock. */
function apt(...what: readonly string[]): void {
  const patience = ['-o', 'DPkg::Lock::Timeout=300', '-o', 'APT::Sandbox::User=root']
  const args = ['-q', '-y', '--no-install-recommends', ...patience, ...what]
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const { status, stdout, stderr } = spawnSync('apt-get', args, { env, encoding: 'utf8' })
  if (status !== 0 && what[0] !== 'purge')
    throw new Error(`apt-get ${what.join(' ')}: ${stdout}${stderr}`)
}

function isInstalled(): boolean {
  return versionOnDisk() !== ''
}

function versionOnDisk(): string {
  const { stdout } = spawnSync('dpkg', ['--status', 'belfry'], { encoding: 'utf8' })
  if (!/^Status: install ok installed$/m.test(stdout)) return ''
  return /^Version: (.*)$/m.exec(stdout)?.[1] ?? ''
}

function said([program = '', ...args]: readonly string[]): string {
  return execFileSync(program, args, { encoding: 'utf8', maxBuffer: 2 ** 24 }).trim()
}

function read(file: string): string {
  return readFileSync(file, 'utf8')
}

function expect(what: string, isSo: boolean): void {
  if (isSo) {
    passed += 1
    process.stdout.write(`  ok  ${what}\n`)
  } else fail(what, 'not so')
}

function fail(what: string, why: unknown): void {
  failures.push(what)
  process.stdout.write(`FAIL  ${what}: ${why instanceof Error ? why.message : String(why)}\n`)
}
