import { readFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectRoot } from '../../scripts/programs.mjs'

/** Electron's fuses, by the packager's names, with what each setting is for. */
const fuses = [
  [
    'runAsNode',
    false,
    'ELECTRON_RUN_AS_NODE would make Belfry a Node for any script, under its name',
  ],
  ['enableCookieEncryption', true, 'whatever Chromium keeps of a session is not kept in clear'],
  ['enableNodeOptionsEnvironmentVariable', false, 'NODE_OPTIONS=--require would run foreign code'],
  ['enableNodeCliInspectArguments', false, '--inspect would let any process read keys in memory'],
  ['enableEmbeddedAsarIntegrityValidation', true, 'a changed app.asar does not start'],
  ['onlyLoadAppFromAsar', true, 'an app folder laid beside the archive is not run'],
  ['loadBrowserProcessSpecificV8Snapshot', false, 'no snapshot of ours, so none is loaded'],
  ['grantFileProtocolExtraPrivileges', false, 'nothing is served from file:'],
] as const

const read = (name: string): unknown => JSON.parse(readFileSync(join(projectRoot, name), 'utf8'))
const config = read('electron-builder.json') as {
  electronFuses: Record<string, boolean>
  files: string[]
  asar: boolean
  publish: unknown
}

describe('the package', () => {
  test.each(fuses)('has the fuse %s set to %s: %s', (name, value) => {
    expect(config.electronFuses[name]).toBe(value)
  })

  test('leaves no fuse to a default', () => {
    expect(Object.keys(config.electronFuses).sort()).toEqual(fuses.map(([name]) => name).sort())
  })

  test('includes what the app needs to run, but not the Node that only its tests use', () => {
    const { dependencies, optionalDependencies } = read('package.json') as Record<
      'dependencies' | 'optionalDependencies',
      Record<string, string>
    >
    // Packages are included unless a pattern excludes them.
    const isPacked = (name: string): boolean =>
      !config.files.some(
        (pattern) =>
          pattern.startsWith('!') && matchesGlob(`node_modules/${name}/bin/x`, pattern.slice(1)),
      )
    expect(Object.keys(dependencies).filter((name) => !isPacked(name))).toEqual([])
    expect(Object.keys(optionalDependencies).filter(isPacked)).toEqual([])
  })

  test('is one archive, and has no source of updates', () => {
    expect(config.asar).toBe(true)
    expect(config.publish).toBeNull()
  })
})
