import { readFileSync, writeFileSync } from 'node:fs'

/** In the order of the fuse wire, with the packager's names. */
const fuses = [
  ...['runAsNode', 'enableCookieEncryption', 'enableNodeOptionsEnvironmentVariable'],
  ...['enableNodeCliInspectArguments', 'enableEmbeddedAsarIntegrityValidation'],
  ...['onlyLoadAppFromAsar', 'loadBrowserProcessSpecificV8Snapshot'],
  'grantFileProtocolExtraPrivileges',
]
const fuseMark = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'

/**
 * The offset of each fuse in the program. Throws if it has none.
 *
 * @param {string} program
 * @param {Buffer} bytes its content
 * @returns {Map<string, number>} in bytes
 */
function fusePlaces(program, bytes) {
  const mark = bytes.indexOf(fuseMark)
  // The wire starts with its version and its length.
  const wire = mark + fuseMark.length + 2
  if (mark === -1 || bytes[wire - 2] !== 1) throw new Error(`${program} has no fuses`)
  const known = fuses.slice(0, bytes[wire - 1])
  return new Map(known.map((name, at) => [name, wire + at]))
}

/**
 * Sets these fuses in the program file and leaves the others. Throws if Electron has no such fuse.
 *
 * @param {string} program
 * @param {Readonly<Record<string, boolean>>} wanted
 */
export function setFuses(program, wanted) {
  const bytes = readFileSync(program)
  const places = fusePlaces(program, bytes)
  for (const [name, on] of Object.entries(wanted)) {
    const at = places.get(name)
    if (at === undefined) throw new Error(`no fuse ${name}`)
    bytes.write(on ? '1' : '0', at)
  }
  writeFileSync(program, bytes)
}

/**
 * Reads the fuses of the program. A fuse that Electron removed is absent.
 *
 * @param {string} program
 * @returns {Record<string, boolean>}
 */
export function readFuses(program) {
  const bytes = readFileSync(program)
  const all = [...fusePlaces(program, bytes)]
  const present = all.filter(([, at]) => bytes[at] === 0x30 || bytes[at] === 0x31)
  return Object.fromEntries(present.map(([name, at]) => [name, bytes[at] === 0x31]))
}
