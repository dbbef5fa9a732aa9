/** Packages kept apart from the app's own: in a cache, with their own lockfile. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installLocked } from './machine.mjs'
import { projectRoot } from './programs.mjs'

/**
 * Installs what a folder's package-lock.json lists, once for each version of that file, without
 * running any scripts. Returns the folder whose `node_modules` has it.
 *
 * @param {string} own
 * @param {string} name
 * @returns {string}
 */
export function installApart(own, name) {
  const cache = join(projectRoot, 'node_modules', '.cache', name)
  const lock = readFileSync(join(own, 'package-lock.json'), 'utf8')
  const stamp = join(cache, '.lock')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return cache
  mkdirSync(cache, { recursive: true })
  for (const file of ['package.json', 'package-lock.json'])
    copyFileSync(join(own, file), join(cache, file))
  if (!installLocked(cache, 'ignore'))
    throw new Error(`${name} could not be installed: see the lines above`)
  writeFileSync(stamp, lock)
  return cache
}
