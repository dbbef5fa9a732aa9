import { describe, expect, test } from 'vitest'
import { chooseHost, leaveToUsers, missingDisplay } from '../../scripts/choose-host.mjs'

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
  })

  test('is missing where there is neither, with the ways to mend that', () => {
    const host = chooseHost({ ...machine, chromium: false })
    expect(host.on).toBe('nothing')
    expect('reason' in host ? host.reason : '').toMatch(/MIRROR.*chromium/s)
  })

  test('is missing on other systems, since the stand-in speaks Linux desktops only', () => {
    expect(chooseHost({ ...machine, platform: 'darwin' }).on).toBe('nothing')
    expect(chooseHost({ ...machine, platform: 'win32' }).on).toBe('nothing')
  })
})

describe('a display', () => {
  test('of either kind is enough', () => {
    expect(missingDisplay({ platform: 'linux', env: { DISPLAY: ':1' } })).toBeNull()
    expect(missingDisplay({ platform: 'linux', env: { WAYLAND_DISPLAY: 'wayland-0' } })).toBeNull()
  })

  test('that is missing is named, with what to do', () => {
    const told = missingDisplay({ platform: 'linux', env: { DISPLAY: '' } })
    expect(told).toMatch(/DISPLAY.*xvfb-run/)
  })

  test('is always there on macOS and Windows', () => {
    expect(missingDisplay({ platform: 'darwin', env: {} })).toBeNull()
    expect(missingDisplay({ platform: 'win32', env: {} })).toBeNull()
  })
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
