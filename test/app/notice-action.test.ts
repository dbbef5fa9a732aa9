import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { DbusNotifier } from '../../src/main/desktop/notifications/dbus-notifier.ts'
import { createElectronNotifier } from '../../src/main/desktop/notifications/electron-notifier.ts'
import type {
  NotificationActions,
  Notifier,
} from '../../src/main/desktop/notifications/notifier.ts'
import { openSessionBus } from '../../src/main/desktop/system/session-bus.ts'
import { actionsFor, noticeActions } from '../../src/shared/core/views/notice-actions.ts'
import type { TrayAction, TrayMenuItem } from '../../src/shared/core/views/tray.ts'
import { trayView } from '../../src/shared/core/views/tray-view.ts'
import { startApp } from '../support/app.ts'
import * as eg from '../support/eg.ts'
import { startDesktop } from '../support/session-bus.ts'

type Listener = (event: { actionIndex: number }) => void

/** The notifications created through Electron. */
const electron = vi.hoisted(() => ({ shown: [] as { labels: string[]; press: Listener }[] }))

vi.mock('electron', () => ({
  Notification: class {
    readonly #listeners = new Map<string, Listener>()
    constructor({ actions }: { actions: { text: string }[] }) {
      electron.shown.push({
        labels: actions.map(({ text }) => text),
        press: (event) => this.#listeners.get('action')?.(event),
      })
    }
    on(name: string, listener: Listener) {
      this.#listeners.set(name, listener)
    }
    show() {}
    close() {}
  },
}))

/** The row that adds a new action. */
const silenceForGood = {
  label: 'Mute for good',
  kinds: new Set(['down'] as const),
  deed: (): TrayAction => ({
    do: 'silence',
    how: 'mute',
    scope: { of: 'tag', tag: 'noisy' },
    until: { kind: 'ever' },
  }),
}

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
  })
  noticeActions.set('muteForGood', silenceForGood)
})
afterEach(() => {
  noticeActions.delete('muteForGood')
  vi.useRealTimers()
})

/** The app after it reported a check that went down, and what a notifier does with that. */
async function told() {
  const it = await startApp()
  onTestFinished(() => it.app.stop())
  await it.app.commands.addAccount(it.world.newAccounts.ops)
  await vi.advanceTimersByTimeAsync(3_000)
  it.world.ops.controls.goDown('cert-renew')
  it.world.ops.tick()
  await it.app.commands.refresh({ accountId: null })
  await vi.advanceTimersByTimeAsync(3_000)
  const notice = it.desktop.notices.find(({ title }) => title === 'cert-renew is down')!
  const done = Promise.withResolvers<void>()
  const actions: NotificationActions = {
    onOpen: ({ target }) => it.app.open(target),
    onReplyText: (one, text) => void it.app.noticeReplied(one, text),
    onAct: (one, action) => void it.app.noticeAction(one, action).then(done.resolve, done.reject),
  }
  const muted = () => it.app.state.silences.map(({ how, scope }) => [how, scope])
  return { ...it, notice, actions, muted, done: done.promise }
}

const none: Notifier = {
  notify: () => undefined,
  replace: () => undefined,
  withdraw: () => undefined,
  delivery: () => ({ by: 'nobody', capabilities: [] }),
  settled: () => Promise.resolve(),
  stop: () => undefined,
}
const muting = [['mute', { of: 'tag', tag: 'noisy' }]]

describe('one more row in the table of notification actions', () => {
  test('is a button over D-Bus, and pressing it carries it out', async () => {
    const it = await told()
    const desktop = await startDesktop({ watcher: false })
    onTestFinished(() => desktop.stop())
    const openBus = () => openSessionBus(desktop.address)
    const notifier = new DbusNotifier({ actions: it.actions, openBus, fallback: none })
    onTestFinished(() => notifier.stop())
    notifier.notify(it.notice)
    const { id, actions } = await desktop.notifications.waitFor(() => true)
    expect(actions.slice(-2)).toEqual(['muteForGood', 'Mute for good'])
    desktop.press(id, 'muteForGood')
    await it.done
    expect(it.muted()).toEqual(muting)
  })

  test('is a button in Electron, and pressing it carries it out', async () => {
    const it = await told()
    createElectronNotifier(it.actions, none).notify(it.notice)
    const shown = electron.shown.at(-1)!
    expect(shown.labels).toEqual(actionsFor(it.notice).map(({ label }) => label))
    expect(shown.labels.at(-1)).toBe('Mute for good')
    shown.press({ actionIndex: shown.labels.length - 1 })
    await it.done
    expect(it.muted()).toEqual(muting)
  })

  test('is in the tray menu, only for checks of its kinds', () => {
    const down = eg.check({ status: 'down', name: 'db-backup' })
    const late = eg.check({ status: 'grace', name: 'mailer' })
    const state = eg.state({ boards: new Map([[eg.opsId, eg.board([down, late])]]) })
    const { menu } = trayView(state, eg.now)
    const labelsOf = (name: string) =>
      menu.flatMap((item: TrayMenuItem) =>
        'submenu' in item && item.label.startsWith(name) ? item.submenu : [],
      )
    expect(labelsOf('db-backup').at(-1)).toEqual({
      label: 'Mute for good',
      action: silenceForGood.deed(),
    })
    const mailer = labelsOf('mailer').map((item) => ('label' in item ? item.label : ''))
    expect(mailer).toContain('Open')
    expect(mailer).not.toContain('Mute for good')
    expect(actionsFor(eg.notice({ kind: 'recovered' }))).toEqual([])
    // For several checks at once, the scope is their project.
    const [snooze] = actionsFor(eg.notice({ kind: 'down', target: { view: 'checks' } }))
    const project = { of: 'project', accountId: eg.opsId }
    expect(snooze).toMatchObject({ label: 'Snooze 1 h', deed: { scope: project } })
  })
})
