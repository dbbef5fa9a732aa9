import { describe, expect, test } from 'vitest'
import {
  chooseHost,
  hasDisplay,
  leaveToUsers,
  missingParts,
  takePictureOption,
} from '../../scripts/choose-host.mjs'

const desktop = { DISPLAY: ':0', DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/bus' }
const machine = { platform: 'linux', env: desktop, electron: false, chromium: true } as const

describe('the program that shows the app', () => {
  test('is Electron wherever its program is', () => {
    expect(chooseHost({ ...machine, electron: true })).toEqual({ on: 'electron', notes: [] })
    const mac = { ...machine, platform: 'darwin', electron: true } as const
    expect(chooseHost(mac).on).toBe('electron')
  })

  test('is Chromium where Electron could not be fetched, and says how to mend that', () => {
    const host = chooseHost(machine)
    expect(host).toEqual({ on: 'standIn', notes: [expect.stringContaining('ELECTRON_MIRROR')] })
  })

  test('is told to lack a tray where there is no session bus', () => {
    const host = chooseHost({ ...machine, env: { DISPLAY: ':0' } })
    expect(host).toMatchObject({
      on: 'standIn',
      notes: [expect.anything(), expect.stringContaining('dbus-run-session')],
    })
    // A virtual display comes with one.
    expect(chooseHost({ ...machine, env: {} })).toMatchObject({ notes: [expect.anything()] })
  })

  test('is missing on other systems, since the stand-in speaks Linux desktops only', () => {
    expect(chooseHost({ ...machine, platform: 'darwin' }).on).toBe('nothing')
    const host = chooseHost({ ...machine, platform: 'win32' })
    expect(host.on).toBe('nothing')
    expect('reason' in host ? host.reason : '').toContain('ELECTRON_MIRROR')
  })
})

describe('a display', () => {
  test.each([
    ['linux', { DISPLAY: ':1' }, true],
    ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, true],
    ['linux', { DISPLAY: '' }, false],
    ['darwin', {}, true],
    ['win32', {}, true],
  ] as const)('on %s with %j: %s', (platform, env, there) => {
    expect(hasDisplay({ platform, env })).toBe(there)
  })
})

describe('what a machine lacks to show the app', () => {
  const complete = { ...machine, libraries: true, isOnPath: () => true }
  const bare = { ...complete, env: {}, chromium: false, isOnPath: () => false }
  const packages = (on: Parameters<typeof missingParts>[0]) =>
    missingParts(on).map((part) => part.package)

  test('is nothing where Electron or Chromium and a display are', () => {
    expect(packages(complete)).toEqual([])
    expect(packages({ ...complete, electron: true, chromium: false })).toEqual([])
  })

  test('is Chromium, a screen and a bus on a bare machine', () => {
    expect(packages(bare)).toEqual(['chromium', 'xvfb', 'dbus'])
  })

  test('is not a bus where a session has one', () => {
    const env = { DBUS_SESSION_BUS_ADDRESS: desktop.DBUS_SESSION_BUS_ADDRESS }
    expect(packages({ ...bare, env })).toEqual(['chromium', 'xvfb'])
  })

  test("is the libraries of Electron's program where only that was fetched", () => {
    const [part, ...others] = missingParts({ ...complete, electron: true, libraries: false })
    expect(part?.package).toBe('chromium')
    expect(part?.why.join(' ')).toContain('libraries')
    expect(others).toEqual([])
  })

  test('is not looked for on systems other than Linux', () => {
    expect(packages({ ...bare, platform: 'darwin' })).toEqual([])
  })
})

test.each([
  [['--demo'], undefined, ['--demo']],
  [['--picture', 'a b.png', '--demo'], 'a b.png', ['--demo']],
  [['--demo', '--picture=a.png'], 'a.png', ['--demo']],
  [['--demo', '--picture'], '', ['--demo']],
  [['--pictures'], undefined, ['--pictures']],
])('of %j, the picture goes to %j and the app gets %j', (given, picture, rest) => {
  expect(takePictureOption(given)).toEqual({ picture, rest })
})

describe('what is for developers', () => {
  test('does nothing in a build for users', () => {
    const kept = ['--demo', '--hidden', '--user-data=/home/maria/belfry', '--lang=de']
    const env = {
      ELECTRON_RENDERER_URL: 'http://evil.example',
      REMOTE_DEBUGGING_PORT: '9222',
      NODE_OPTIONS: '--require /tmp/evil.cjs',
      DISPLAY: ':0',
    }
    const given = [
      '--remote-debugging-port=9222',
      ...kept,
      '--no-sandbox',
      '--inspect',
      '-js-flags=x',
    ]
    expect(leaveToUsers(given, env)).toEqual(kept)
    expect(env).toEqual({ DISPLAY: ':0' })
  })
})
