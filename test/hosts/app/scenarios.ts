import { app, BrowserWindow, dialog } from 'electron'
import { ask, openWindow, settle } from './probe.ts'

/** Writes a line that the driver records. */
function say(what: string): void {
  process.stdout.write(`said ${what}\n`)
}

function tell(scenario: string, window?: BrowserWindow): void {
  for (const name of ['before-quit', 'will-quit'] as const)
    app.on(name as 'will-quit', () => say(name))
  // A listener for this event changes what happens.
  if (!scenario.includes('nobody listens'))
    app.on('window-all-closed', () => say('window-all-closed'))
  app.on('quit', (_event, code) => say(`quit ${code}`))
  window?.on('close', () => say('close'))
  window?.on('closed', () => say('closed'))
  window?.webContents.on('destroyed', () => say('page destroyed'))
}

/** Reports that the app is still alive after everything in flight has ended. */
async function alive(): Promise<void> {
  await settle()
  await settle()
  say(`alive with ${BrowserWindow.getAllWindows().length}`)
  process.kill(process.pid, 'SIGKILL')
}

async function withWindow(use: (window: BrowserWindow) => void): Promise<void> {
  const window = openWindow()
  await window.loadURL('data:text/html,a')
  use(window)
}

function preventOnce(name: 'before-quit' | 'will-quit', then: () => void): void {
  app.once(name as 'will-quit', (event) => {
    event.preventDefault()
    then()
  })
}

/** Quits like the app: delays until everything is written, then quits again. */
function endLater(again: () => void = () => app.quit()): void {
  preventOnce('before-quit', () => void Promise.resolve().then(() => setImmediate(again)))
}

type Scenario = (window: BrowserWindow) => void

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP']

const bySignal: Record<string, Scenario> = Object.fromEntries(
  signals.flatMap((signal): [string, Scenario][] => [
    [`signal ${signal}: where nobody listens`, () => void ask('signal', signal)],
    [
      `signal ${signal}: where the app listens`,
      () => {
        process.once(signal, () => {
          say('heard')
          app.quit()
        })
        void ask('signal', signal)
      },
    ],
    [
      `signal ${signal}: where the app listens and stays`,
      () => {
        process.once(signal, () => {
          say('heard')
          void alive()
        })
        void ask('signal', signal)
      },
    ],
    [
      `signal ${signal}: once more, where the app listened`,
      () => {
        process.once(signal, () => {
          say('heard')
          setImmediate(() => void ask('signal', signal))
        })
        void ask('signal', signal)
      },
    ],
    [
      `signal ${signal}: put off, then quit within the event`,
      () => {
        preventOnce('before-quit', () => void Promise.resolve().then(() => app.quit()))
        void ask('signal', signal)
        setTimeout(() => void alive(), 3_000)
      },
    ],
    [
      `signal ${signal}: put off, then quit`,
      () => {
        endLater()
        void ask('signal', signal)
      },
    ],
  ]),
)

/** Each runs with one hidden window, once it has loaded. */
const scenarios: Readonly<Record<string, Scenario>> = {
  ...bySignal,
  'signal SIGTERM: prevented': () => {
    preventOnce('before-quit', () => void alive())
    void ask('signal', 'SIGTERM')
  },
  'signal SIGTERM: where a window stays': (window) => {
    window.on('close', (event) => {
      event.preventDefault()
      void alive()
    })
    void ask('signal', 'SIGTERM')
  },
  'quit: by quit()': () => app.quit(),
  'quit: twice at once': () => {
    app.quit()
    app.quit()
  },
  'quit: put off, then quit': () => {
    endLater()
    app.quit()
  },
  'quit: prevented at before-quit': () => {
    preventOnce('before-quit', () => void alive())
    app.quit()
  },
  'quit: prevented at will-quit': () => {
    preventOnce('will-quit', () => {
      say(`windows ${BrowserWindow.getAllWindows().length}`)
      void alive()
    })
    app.quit()
  },
  'quit: prevented at will-quit, then quit': () => {
    preventOnce('will-quit', () => setImmediate(() => app.quit()))
    app.quit()
  },
  'quit: where a window stays': (window) => {
    window.on('close', (event) => {
      event.preventDefault()
      void alive()
    })
    app.quit()
  },
  'quit: where a window stays, then goes': (window) => {
    window.once('close', (event) => {
      event.preventDefault()
      setImmediate(() => app.quit())
    })
    app.quit()
  },
  'quit: in the listener of a window’s close': (window) => {
    window.once('close', (event) => {
      event.preventDefault()
      app.quit()
    })
    window.close()
    void alive()
  },
  'quit: quit() within before-quit': () => {
    app.once('before-quit', () => app.quit())
    app.quit()
  },
  'quit: with a window that is destroyed within before-quit': (window) => {
    app.once('before-quit', () => window.destroy())
    app.quit()
  },
  'quit: with a window that opens within before-quit': () => {
    app.once('before-quit', () => void openWindow())
    app.quit()
  },
  'quit: begun by the browser': () => void ask('close'),
  'quit: begun by the browser, put off, then quit': () => {
    endLater()
    void ask('close')
  },
  'exit: with a code': () => app.exit(3),
  'exit: without': () => app.exit(),
  'exit: process.exit()': () => process.exit(4),
  'exit: within before-quit': () => {
    app.once('before-quit', () => app.exit(5))
    app.quit()
  },
  'exit: with a code of the process': () => {
    process.exitCode = 6
    app.quit()
  },
  'last window: where nobody listens': (window) => {
    window.close()
  },
  'last window: destroyed, where nobody listens': (window) => {
    window.destroy()
  },
  'last window: where the app listens': (window) => {
    window.close()
    void alive()
  },
  'error: uncaught, and the app listens': () => {
    process.once('uncaughtException', ({ message }) => {
      say(`uncaught ${message}`)
      void alive()
    })
    setImmediate(() => {
      throw new Error('thrown')
    })
  },
  'error: an unhandled rejection': () => {
    void Promise.reject(new Error('rejected'))
    void alive()
  },
  'error: an unhandled rejection, and the app listens': () => {
    process.once('unhandledRejection', (reason) => say(`unhandled ${String(reason)}`))
    void Promise.reject(new Error('rejected'))
    void alive()
  },
  'error: in a listener of before-quit': () => {
    process.once('uncaughtException', ({ message }) => {
      say(`uncaught ${message}`)
      void alive()
    })
    app.once('before-quit', () => {
      throw new Error('in a listener')
    })
    app.quit()
  },
  // Electron's dialog stays open as long as the app runs.
  'dialog: nobody chooses': (window) => {
    window.show()
    const chosen = dialog.showOpenDialog(window, { properties: ['openFile'] })
    void chosen.then((choice) => say(JSON.stringify(choice)))
    void alive()
  },
  'instances: a second one': () => {
    say(`first ${app.requestSingleInstanceLock()}`)
    app.on('second-instance', (_event, argv, folder, data) => {
      const own = argv.filter((arg) => /^(second|--own)/.test(arg))
      say(`second ${own.join(' ')}, ${folder === process.cwd()}, ${JSON.stringify(data)}`)
      void ask('wait for the second')
    })
    void ask('start a second')
  },
}

/** These run before the app is ready. */
const early: Readonly<Record<string, () => void>> = {
  'early: quit before ready': () => {
    tell('early')
    app.on('ready', () => say('ready'))
    app.quit()
  },
  'early: exit before ready': () => {
    tell('early')
    app.exit(2)
  },
  'early: the only instance': () => {
    tell('early')
    say(`lock ${app.requestSingleInstanceLock()}`)
    app.quit()
  },
  'early: what the main script throws': () => {
    process.once('uncaughtException', ({ message }) => {
      say(`uncaught ${message}`)
      app.exit(7)
    })
    throw new Error('at the start')
  },
}

export const scenarioNames = [...Object.keys(scenarios), ...Object.keys(early)]

export function runScenario(name: string): void {
  const atOnce = early[name]
  if (atOnce !== undefined) {
    atOnce()
    return
  }
  const scenario = scenarios[name]
  if (scenario === undefined) throw new Error(`no scenario ${name}`)
  void app.whenReady().then(() =>
    withWindow((window) => {
      tell(name, window)
      scenario(window)
    }),
  )
}
