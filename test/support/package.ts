import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { projectRoot } from '../../scripts/programs.mjs'
import { setFuses } from '../../scripts/real-electron.mjs'

/** As the packager names it. */
const productName = 'belfry'

interface Folder {
  readonly files: Record<string, Folder | { readonly size: number; readonly offset: string }>
}

/**
 * The built app as the packager makes it: Electron's program under the app's name, with our fuses, and the
 * app as one archive, in `folder`. Returns the program.
 */
export function makePackage(electron: string, folder: string): string {
  const resources = join(folder, 'resources')
  mkdirSync(resources, { recursive: true })
  for (const name of readdirSync(dirname(electron)))
    if (name !== basename(electron) && name !== 'resources')
      symlinkSync(join(dirname(electron), name), join(folder, name))
  const program = join(folder, productName)
  copyFileSync(electron, program)
  chmodSync(program, 0o755)
  const config = readFileSync(join(projectRoot, 'electron-builder.json'), 'utf8')
  // Our own, held by test/security/fuses.test.ts.
  setFuses(
    program,
    (JSON.parse(config) as { electronFuses: Record<string, boolean> }).electronFuses,
  )
  writeFileSync(join(resources, 'app.asar'), archive(['package.json', 'out', 'resources']))
  return program
}

/** Electron's archive: a head that names every file, and their bytes one after the other. */
function archive(names: readonly string[]): Buffer {
  const bodies: Buffer[] = []
  let offset = 0
  const entry = (path: string): Folder['files'][string] => {
    if (statSync(path).isDirectory()) return folderOf(readdirSync(path), path)
    const body = readFileSync(path)
    bodies.push(body)
    offset += body.length
    return { size: body.length, offset: String(offset - body.length) }
  }
  const folderOf = (inside: readonly string[], path: string): Folder => ({
    files: Object.fromEntries(
      inside
        .filter((name) => !name.endsWith('.map'))
        .map((name) => [name, entry(join(path, name))]),
    ),
  })
  const text = Buffer.from(JSON.stringify(folderOf(names, projectRoot)))
  const padded = Buffer.alloc(Math.ceil(text.length / 4) * 4)
  text.copy(padded)
  const sizes = [4, padded.length + 8, padded.length + 4, text.length]
  return Buffer.concat([Buffer.from(Uint32Array.from(sizes).buffer), padded, ...bodies])
}
