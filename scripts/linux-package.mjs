import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { png } from '../src/main/desktop/tray/drawing.ts'
import { appIcon } from '../src/main/desktop/tray/tray-image.ts'
import { appFiles, asar } from './asar.mjs'
import { setFuses } from './fuses.mjs'
import { licenceNotices, readLock } from './licences.mjs'
import { projectRoot } from './programs.mjs'

const id = 'org.belfry.Belfry'
/** Pixels: the sizes that the icon theme has folders for. */
export const iconSizes = [16, 22, 24, 32, 48, 64, 96, 128, 256, 512]

/** What Electron's program links to or opens, by Debian's package names. */
const depends = [
  ...['libasound2', 'libatk-bridge2.0-0', 'libatspi2.0-0', 'libc6', 'libcups2', 'libdrm2'],
  ...['libgbm1', 'libgtk-3-0', 'libnotify4', 'libnss3', 'libudev1', 'libxkbcommon0', 'xdg-utils'],
]
const recommends = ['libsecret-1-0']

/** Debian's names for Node's architectures. */
const architectures = new Map([
  ['x64', 'amd64'],
  ['arm64', 'arm64'],
  ['arm', 'armhf'],
])

/**
 * @typedef {object} Plan
 * @property {string} electron Electron's program.
 * @property {string} version As in package.json; a suffix after a dash means an earlier version.
 * @property {string} out Folder for the packages, created if missing.
 * @property {ReadonlyMap<string, Buffer>} [extra] More files of the app, by path in its archive.
 * @property {string} [main] The app's entry, one of those.
 * @property {boolean} [quick] Compresses less.
 *
 * @typedef {{ deb: string, tar: string, bytesBesideElectron: number }} Packages
 */

/**
 * Makes the .deb and the tar archive. Needs dpkg-deb and tar.
 *
 * @param {Plan} plan
 * @returns {Packages}
 */
export function makeLinuxPackages(plan) {
  const { out, version, quick = false } = plan
  mkdirSync(out, { recursive: true })
  const work = mkdtempSync(join(tmpdir(), 'belfry-package-'))
  try {
    const [root, top] = [join(work, 'deb'), join(work, `belfry-${version}`)]
    const program = join(root, 'usr', 'lib', 'belfry')
    stageProgram(plan, program)
    stageShare(plan, join(root, 'usr', 'share'))
    const added = bytesIn(root) - bytesOfElectron(plan.electron)

    stageCommand(plan, join(root, 'usr', 'bin'))
    stageDebian(plan, root)
    const architecture = architectures.get(process.arch)
    const deb = join(out, `belfry_${debianVersion(version)}_${architecture}.deb`)
    const less = quick ? ['-Zgzip', '-z1'] : []
    run('dpkg-deb', ['--root-owner-group', ...less, '--build', root, deb])

    // The tar archive has the same folders, without Debian's own.
    mkdirSync(top)
    renameSync(program, join(top, 'belfry'))
    renameSync(join(root, 'usr', 'bin'), join(top, 'bin'))
    renameSync(join(root, 'usr', 'share'), join(top, 'share'))
    rmSync(join(top, 'share', 'lintian'), { recursive: true })
    cpSync(join(projectRoot, 'LICENSE'), join(top, 'LICENSE'))
    writeFileSync(join(top, 'README'), tarReadme)
    const tar = join(out, `belfry-${version}-linux-${process.arch}.tar.gz`)
    const owner = ['--owner=0', '--group=0', '--numeric-owner', '--sort=name']
    run('tar', [
      ...['-C', work, '-I', quick ? 'gzip -1' : 'gzip -9', ...owner],
      ...['-cf', tar, basename(top)],
    ])
    return { deb, tar, bytesBesideElectron: added }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

const tarReadme = `Run bin/belfry; bin/belfry --help says what else it can do.

Chromium's sandbox needs either user namespaces, which most systems allow, or its setuid helper:

  sudo chown root:root belfry/chrome-sandbox && sudo chmod 4755 belfry/chrome-sandbox

For a menu entry, put belfry/ in ~/.local/lib, bin/belfry in ~/.local/bin, and the contents of share/ in
~/.local/share.
`

/** @param {string} version */
export function debianVersion(version) {
  return version.replaceAll('-', '~')
}

/**
 * Stages Electron under the app's name, with our fuses, and the app as one archive.
 *
 * @param {Plan} plan
 * @param {string} folder
 */
function stageProgram({ electron, version, extra = new Map(), main }, folder) {
  for (const name of electronFiles(electron))
    cpSync(join(dirname(electron), name), join(folder, name), { recursive: true })
  const program = join(folder, 'belfry')
  renameSync(join(folder, basename(electron)), program)
  const config = readFileSync(join(projectRoot, 'electron-builder.json'), 'utf8')
  setFuses(program, JSON.parse(config).electronFuses)
  mkdirSync(join(folder, 'resources'))
  const fields = { version, ...(main === undefined ? {} : { main }) }
  writeFileSync(
    join(folder, 'resources', 'app.asar'),
    asar(new Map([...appFiles(fields), ...extra])),
  )
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const runs = ['belfry', 'chrome_crashpad_handler']
  for (const path of names) {
    const isFolder = statSync(join(folder, path)).isDirectory()
    chmodSync(join(folder, path), isFolder || runs.includes(path) ? 0o755 : 0o644)
  }
  // Chromium needs this for its sandbox where users have no namespaces of their own.
  chmodSync(join(folder, 'chrome-sandbox'), 0o4755)
}

/**
 * Stages the command, a shell script that starts the program in `../lib` or answers without it.
 *
 * @param {Plan} plan
 * @param {string} folder
 */
function stageCommand({ version }, folder) {
  const script = readFileSync(join(projectRoot, 'packaging', 'belfry'), 'utf8')
  write(join(folder, 'belfry'), script.replace('@VERSION@', version))
  chmodSync(join(folder, 'belfry'), 0o755)
}

/** @param {string} electron */
function electronFiles(electron) {
  return readdirSync(dirname(electron)).filter((name) => name !== 'resources')
}

/** @param {string} electron */
function bytesOfElectron(electron) {
  return electronFiles(electron).reduce(
    (sum, name) => sum + bytesIn(join(dirname(electron), name)),
    0,
  )
}

/**
 * @param {string} path
 * @returns {number}
 */
function bytesIn(path) {
  const found = lstatSync(path)
  if (!found.isDirectory()) return found.size
  return readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0)
}

/**
 * Stages what the desktop reads about the app.
 *
 * @param {Plan} plan
 * @param {string} share
 */
function stageShare({ version }, share) {
  const day = releasedAt().toISOString().slice(0, 10)
  /** @param {string} name */
  const filled = (name) =>
    readFileSync(join(projectRoot, 'packaging', name), 'utf8')
      .replaceAll('@VERSION@', version)
      .replaceAll('@DATE@', day)
  write(join(share, 'applications', `${id}.desktop`), filled(`${id}.desktop`))
  write(join(share, 'metainfo', `${id}.metainfo.xml`), filled(`${id}.metainfo.xml`))
  write(join(share, 'man', 'man1', 'belfry.1.gz'), zipped(filled('belfry.1')))
  for (const size of iconSizes)
    write(
      join(share, 'icons', 'hicolor', `${size}x${size}`, 'apps', `${id}.png`),
      png(appIcon(size)),
    )
  const doc = join(share, 'doc', 'belfry')
  write(join(doc, 'copyright'), filled('copyright'))
  write(join(doc, 'THIRD-PARTY-NOTICES.txt'), licenceNotices(readLock()))
  write(join(doc, 'changelog.gz'), zipped(changelog(version)))
  write(join(share, 'lintian', 'overrides', 'belfry'), filled('lintian-overrides'))
}

/**
 * @param {Plan} plan
 * @param {string} root
 */
function stageDebian({ version }, root) {
  const { description, author, homepage } = about()
  const [short, ...long] = filledDescription(description)
  write(
    join(root, 'DEBIAN', 'control'),
    [
      'Package: belfry',
      `Version: ${debianVersion(version)}`,
      `Architecture: ${architectures.get(process.arch)}`,
      `Maintainer: ${author.name} <${author.email}>`,
      `Installed-Size: ${Math.ceil(bytesIn(join(root, 'usr')) / 1_024)}`,
      `Depends: ${depends.join(', ')}`,
      `Recommends: ${recommends.join(', ')}`,
      'Section: net',
      'Priority: optional',
      `Homepage: ${homepage}`,
      `Description: ${short}`,
      ...long.map((line) => ` ${line}`),
      '',
    ].join('\n'),
  )
  run('sh', ['-c', 'find usr -type f -print0 | sort -z | xargs -0 md5sum > DEBIAN/md5sums'], root)
}

/**
 * @param {string} summary
 * @returns {readonly string[]} the short description, then the lines of the long one
 */
function filledDescription(summary) {
  return [
    summary.replace(/^An? /, '').replace(/,.*$/, ''),
    'Belfry watches the cron-job checks of a monitoring service (Healthchecks) and',
    'a team chat (Zulip). Its tray icon shows by its shape whether anything is',
    'broken, a notification takes you to the very check or message, and a reply',
    'takes seconds.',
  ]
}

/** @param {string} version */
function changelog(version) {
  const { author } = about()
  const at = releasedAt().toUTCString().replace('GMT', '+0000')
  const lines = [`belfry (${debianVersion(version)}) unstable; urgency=medium`, '']
  return [
    ...lines,
    `  * Version ${version}.`,
    '',
    ` -- ${author.name} <${author.email}>  ${at}`,
    '',
  ].join('\n')
}

/** @returns {{ version: string, description: string, homepage: string, author: { name: string, email: string } }} */
export function about() {
  return JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))
}

/**
 * The time of the last commit, so that the same source gives the same package; the current time
 * without git.
 */
function releasedAt() {
  const { stdout } = spawnSync('git', ['log', '-1', '--format=%ct'], {
    cwd: projectRoot,
    encoding: 'utf8',
  })
  const seconds = Number(process.env['SOURCE_DATE_EPOCH'] ?? stdout ?? '')
  return seconds > 0 ? new Date(seconds * 1_000) : new Date()
}

/** @param {string} text */
function zipped(text) {
  return gzipSync(text, { level: 9 })
}

/**
 * @param {string} path
 * @param {string | Uint8Array} content
 */
function write(path, content) {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 })
  writeFileSync(path, content, { mode: 0o644 })
}

/**
 * @param {string} program
 * @param {readonly string[]} args
 * @param {string} [cwd]
 */
function run(program, args, cwd = projectRoot) {
  const { status, error } = spawnSync(program, args, {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (error !== undefined)
    throw new Error(`${program} is needed to make packages: ${error.message}`)
  if (status !== 0) throw new Error(`${program} failed, see the lines above`)
}
