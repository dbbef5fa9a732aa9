import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectRoot } from '../../scripts/programs.mjs'

/** Electron's fuses, by the packager's names, each with what it keeps from happening. */
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

const config = JSON.parse(readFileSync(join(projectRoot, 'electron-builder.json'), 'utf8')) as {
  electronFuses: Record<string, boolean>
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

  test('is one archive, and is never told where updates come from', () => {
    expect(config.asar).toBe(true)
    expect(config.publish).toBeNull()
  })
})
