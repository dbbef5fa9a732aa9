import { EventEmitter } from 'node:events'
import type { App, Session } from 'electron'
import { describe, expect, test, vi } from 'vitest'
import { refusedSwitches, refuseSwitches } from '../../src/main/desktop/system/computer.ts'
import { denyPermissions, guardPages } from '../../src/main/desktop/window/ipc.ts'

vi.mock(import('electron'), () => ({}))

type OpenHandler = (details: { url: string }) => { action: string }

class FakeContents extends EventEmitter {
  openHandler: OpenHandler = () => ({ action: 'allow' })

  setWindowOpenHandler(handler: OpenHandler): void {
    this.openHandler = handler
  }

  /** Whether the event’s default is allowed. */
  may(event: string, details: object = {}): boolean {
    let prevented = false
    const preventDefault = (): void => {
      prevented = true
    }
    this.emit(event, { ...details, preventDefault })
    return !prevented
  }
}

function guardedContents(devServer: string | null = null): FakeContents[] {
  const app = new EventEmitter()
  // Only `on` of Electron's app is used.
  guardPages(app as unknown as App, devServer)
  return Array.from({ length: 3 }, () => {
    const contents = new FakeContents()
    app.emit('web-contents-created', {}, contents)
    return contents
  })
}

const addresses = [
  'https://evil.example/',
  'http://127.0.0.1:8000/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'data:text/html,x',
  'about:blank',
  'chrome://settings',
  'app://main/index.html',
  'app://other/index.html',
]

describe('every page that is ever created', () => {
  test.each(addresses)('stays where it is and opens nothing, at %s', (url) => {
    for (const contents of guardedContents()) {
      expect(contents.may('will-navigate', { url, isMainFrame: true })).toBe(false)
      expect(contents.may('will-redirect', { url, isMainFrame: true })).toBe(false)
      expect(contents.may('will-frame-navigate', { url, isMainFrame: false })).toBe(false)
      expect(contents.openHandler({ url })).toEqual({ action: 'deny' })
    }
  })

  test('attaches no webview', () => {
    for (const contents of guardedContents()) {
      expect(contents.may('will-attach-webview')).toBe(false)
    }
  })

  test('reloads from the dev server while there is one, but from no address that only resembles it', () => {
    const [contents] = guardedContents('http://localhost:5173')
    const may = (url: string): boolean | undefined => contents?.may('will-navigate', { url })
    expect(may('http://localhost:5173/index.html')).toBe(true)
    expect(may('http://localhost:51730/')).toBe(false)
    expect(may('http://localhost:5173.evil.example/')).toBe(false)
    expect(may('http://localhost:5173@evil.example/')).toBe(false)
    expect(may('nonsense')).toBe(false)
  })

  test('is free unless guarded: the control of the above', () => {
    const contents = new FakeContents()
    expect(contents.may('will-navigate', { url: 'https://evil.example/' })).toBe(true)
    expect(contents.openHandler({ url: 'https://evil.example/' })).toEqual({ action: 'allow' })
  })
})

/** Electron's names of permissions in version 45, in both handlers. */
const permissions = [
  ...['clipboard-read', 'clipboard-sanitized-write', 'deprecated-sync-clipboard-read'],
  ...['display-capture', 'fullscreen', 'geolocation', 'hid', 'idle-detection', 'keyboardLock'],
  ...[
    'media',
    'mediaKeySystem',
    'midi',
    'midiSysex',
    'notifications',
    'pointerLock',
    'openExternal',
  ],
  ...['serial', 'speaker-selection', 'storage-access', 'top-level-storage-access', 'usb'],
  ...['window-management', 'fileSystem', 'unknown', 'local-fonts'],
]

describe('the session', () => {
  function guarded() {
    const emitter = new EventEmitter()
    let request: (contents: null, name: string, answer: (granted: boolean) => void) => void = () =>
      undefined
    let check: (contents: null, name: string) => boolean = () => true
    const session = Object.assign(emitter, {
      setPermissionRequestHandler: (handler: typeof request) => {
        request = handler
      },
      setPermissionCheckHandler: (handler: typeof check) => {
        check = handler
      },
    })
    // Only these members of Electron's session are used.
    denyPermissions(session as unknown as Session)
    return { emitter, request: () => request, check: () => check }
  }

  test.each(permissions)('grants no %s, whether requested or checked', (name) => {
    const { request, check } = guarded()
    const answers: boolean[] = []
    request()(null, name, (granted) => answers.push(granted))
    expect(answers).toEqual([false])
    expect(check()(null, name)).toBe(false)
  })

  test('downloads nothing', () => {
    let prevented = false
    guarded().emitter.emit('will-download', {
      preventDefault: () => {
        prevented = true
      },
    })
    expect(prevented).toBe(true)
  })
})

describe('the command line of the packaged app', () => {
  const refused = refusedSwitches.map((name) => `--${name}`)

  /** The remaining command line, the arguments of a restart, and whether the app quits. */
  function started(isPackaged: boolean, given: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const left = new Set<string>([...refusedSwitches, 'lang', 'password-store'])
    const anew: unknown[] = []
    // Only these members of Electron's app are used.
    const app = {
      isPackaged,
      commandLine: { removeSwitch: (name: string) => void left.delete(name) },
      relaunch: (options: unknown) => void anew.push(options),
    } as unknown as App
    const ends = refuseSwitches(app, { argv: ['belfry', ...given], env })
    return { left: [...left], anew, ends, env }
  }

  test('loses every switch that opens the app to others', () => {
    expect(started(true, refused).left).toEqual(['lang', 'password-store'])
  })

  test('is that of an app that restarts without such switches, once', () => {
    const kept = ['--hidden', '--lang=de', '--no-sandboxes', 'no-sandbox']
    const { anew, ends, env } = started(true, [...refused, ...kept, '-no-sandbox', '--Inspect=1'])
    expect({ anew, ends }).toEqual({ anew: [{ args: kept }], ends: true })
    // Whoever adds them at each start still gets an app, which tells its children nothing.
    const again = started(true, refused, env)
    expect([again.anew, again.ends, again.env]).toEqual([[], false, {}])
  })

  test('restarts an AppImage from its image', () => {
    const { anew } = started(true, ['--no-sandbox'], { APPIMAGE: '/home/me/Belfry.AppImage' })
    expect(anew).toEqual([{ args: [], execPath: '/home/me/Belfry.AppImage' }])
  })

  test('without such switches restarts nothing', () => {
    expect(started(true, ['--hidden', '--user-data=/tmp/x'])).toMatchObject({
      anew: [],
      ends: false,
    })
  })

  test('is left alone in a checkout, which is debugged with them', () => {
    const { left, anew, ends } = started(false, refused)
    expect(left).toHaveLength(refusedSwitches.length + 2)
    expect([anew, ends]).toEqual([[], false])
  })

  test('may not have debuggers, unprotected pages or foreign programs', () => {
    const named = ['remote-debugging-port', 'inspect', 'no-sandbox', 'renderer-cmd-prefix']
    expect(refusedSwitches).toEqual(expect.arrayContaining(named))
  })
})
