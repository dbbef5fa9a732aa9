import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { appFiles, asar } from '../../scripts/asar.mjs'
import { setFuses } from '../../scripts/fuses.mjs'
import { projectRoot } from '../../scripts/programs.mjs'

/** What the tests' Electron lacks, loaded before the app. */
export function filledIn(): { readonly extra: ReadonlyMap<string, Buffer>; readonly main: string } {
  const newer = readFileSync(join(projectRoot, 'test', 'real-electron', 'newer-electron.cjs'))
  const main = 'newer-electron-first.cjs'
  const entry = Buffer.from("require('./newer-electron.cjs')\nrequire('./out/main/entry.cjs')\n")
  return {
    extra: new Map([
      ['newer-electron.cjs', newer],
      [main, entry],
    ]),
    main,
  }
}

/** As the packager names it. */
const productName = 'belfry'

/**
 * Makes the built app like the packager, in `folder`: Electron's program under the app's name, with
 * our fuses, and the app as one archive. Returns the program.
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
  // The fuses that test/security/fuses.test.ts checks.
  setFuses(
    program,
    (JSON.parse(config) as { electronFuses: Record<string, boolean> }).electronFuses,
  )
  const { extra, main } = filledIn()
  writeFileSync(join(resources, 'app.asar'), asar(new Map([...appFiles({ main }), ...extra])))
  return program
}
