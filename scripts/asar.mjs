import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from './programs.mjs'

/**
 * The files of the packaged app, by their path in the archive: the built app without source maps,
 * and the resources.
 *
 * @param {Readonly<Record<string, unknown>>} [fields] override those of package.json
 * @returns {Map<string, Buffer>}
 */
export function appFiles(fields = {}) {
  const text = readFileSync(join(projectRoot, 'package.json'), 'utf8')
  const { name, version, description, license, author, homepage, type, main, desktopName } = {
    ...JSON.parse(text),
    ...fields,
  }
  const packageJson = {
    ...{ name, productName: 'Belfry', version, description, license, author, homepage },
    ...{ type, main, desktopName },
  }
  return new Map([
    ['package.json', Buffer.from(JSON.stringify(packageJson))],
    ...filesIn('out').filter(([path]) => !path.endsWith('.map')),
    ...filesIn('resources'),
  ])
}

/**
 * @param {string} folder from the project's root
 * @returns {[string, Buffer][]}
 */
function filesIn(folder) {
  const names = readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' }).sort()
  return names
    .map((name) => join(folder, name))
    .filter((path) => statSync(join(projectRoot, path)).isFile())
    .map((path) => [path.replaceAll('\\', '/'), readFileSync(join(projectRoot, path))])
}

/**
 * Creates Electron's archive: a header that names every file, then their bytes one after the other.
 *
 * @typedef {{ size: number, offset: string } | { files: Record<string, Entry> }} Entry
 *
 * @param {ReadonlyMap<string, Buffer>} contents by path
 * @returns {Buffer}
 */
export function asar(contents) {
  /** @type {Record<string, Entry>} */
  const root = {}
  let offset = 0
  for (const [path, body] of contents) {
    const names = path.split('/')
    const last = names.pop() ?? ''
    let folder = root
    for (const name of names) {
      const inside = folder[name] ?? { files: {} }
      folder[name] = inside
      if (!('files' in inside)) throw new Error(`${name} of ${path} is a file`)
      folder = inside.files
    }
    folder[last] = { size: body.length, offset: String(offset) }
    offset += body.length
  }
  const text = Buffer.from(JSON.stringify({ files: root }))
  const padded = Buffer.alloc(Math.ceil(text.length / 4) * 4)
  text.copy(padded)
  const sizes = [4, padded.length + 8, padded.length + 4, text.length]
  return Buffer.concat([Buffer.from(Uint32Array.from(sizes).buffer), padded, ...contents.values()])
}
