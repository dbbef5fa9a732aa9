import { afterEach, describe, expect, test, vi } from 'vitest'
import { DbusNotifier } from '../../../../src/main/desktop/notifications/dbus-notifier.ts'
import type { Notifier } from '../../../../src/main/desktop/notifications/notifier.ts'
import { openSessionBus, socketPath } from '../../../../src/main/desktop/system/session-bus.ts'
import { watchTrayHost } from '../../../../src/main/desktop/tray/tray-host.ts'
import type { Notice } from '../../../../src/shared/core/attention/notice.ts'
import { checkButtons, messageButtons } from '../../../support/eg.ts'
import { type FakeDesktop, type Log, startDesktop, until } from '../../../support/session-bus.ts'

const closing: (() => void | Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function desktopWith(options: Parameters<typeof startDesktop>[0] = {}): Promise<FakeDesktop> {
  const desktop = await startDesktop({ watcher: false, ...options })
  closing.push(() => desktop.stop())
  return desktop
}

/** A fallback that only records. */
function memoryNotifier() {
  const given: Notice[] = []
  const notifier: Notifier = {
    notify: (notice) => given.push(notice),
    replace: () => undefined,
    withdraw: () => undefined,
    delivery: () => ({ by: 'fallback', capabilities: [] }),
    settled: () => Promise.resolve(),
    stop: () => undefined,
  }
  return { given, notifier }
}

function notifierOn(
  address: string | null,
  deadlineMs?: number,
  soundFile: (notice: Notice) => Promise<string | null> = async () => null,
) {
  const happened: string[] = []
  const fallback = memoryNotifier()
  const clock = { now: 0 }
  const notifier = new DbusNotifier({
    monotonic: () => clock.now,
    actions: {
      onOpen: ({ id }) => happened.push(`open ${id}`),
      onReplyText: ({ id }, text) => happened.push(`reply ${id}: ${text}`),
      onAct: ({ id }, action) => happened.push(`${action} ${id}`),
    },
    openBus: () => openSessionBus(address, deadlineMs),
    soundFile,
    fallback: fallback.notifier,
  })
  closing.push(() => notifier.stop())
  return { notifier, happened, fallback: fallback.given, clock }
}

const inChat = {
  view: 'conversation',
  accountId: 'chat',
  conversation: { kind: 'direct', userIds: [7] },
  messageId: null,
} as const
const aboutCheck = {
  kind: 'down',
  target: { view: 'check', accountId: 'ops', checkId: 'abc' },
} as const

function notice(change: Partial<Notice> = {}): Notice {
  return {
    id: 'n1',
    kind: 'direct',
    accountId: 'chat',
    subject: 'chat/7',
    title: 'Ann',
    body: 'Lunch?',
    at: 0,
    target: inChat,
    sound: true,
    outcome: 'shown',
    reasons: [],
    lines: [],
    ...change,
  }
}

/** The nth notification that arrived. */
const nth = <T>(log: Log<T>, count: number): Promise<T> =>
  log.waitFor(() => log.all.length >= count).then(() => log.all[count - 1]!)

describe('a notification over D-Bus', () => {
  test('of an outage displaces a message if too many wait for a busy daemon', async () => {
    const desktop = await desktopWith()
    const { notifier } = notifierOn(desktop.address)
    const { done } = desktop.busy()
    for (let n = 1; n <= 60; n += 1)
      notifier.notify(notice({ id: `m${n}`, subject: `chat/${n}`, title: `message ${n}` }))
    notifier.notify(notice({ ...aboutCheck, id: 'down', subject: 'ops/abc', title: 'db is down' }))
    done()
    await nth(desktop.notifications, 50)
    await notifier.settled()
    const titles = desktop.notifications.all.map(({ title }) => title)
    expect(titles).toHaveLength(50)
    expect(titles.slice(0, 3)).toEqual(['message 1', 'db is down', 'message 3'])
  })

  test('of an outage is closed by its recovery, even if the recovery itself has no room', async () => {
    const desktop = await desktopWith()
    const { notifier } = notifierOn(desktop.address)
    const about = (kind: Notice['kind'], name: string) =>
      notice({ kind, subject: `ops/${name}`, title: `${name} ${kind}` })
    for (const name of ['db', 'web']) notifier.notify(about('down', name))
    await notifier.settled()
    const ids = new Map(desktop.notifications.all.map(({ title, id }) => [title, id]))
    const { done } = desktop.busy()
    notifier.notify(notice({ title: 'with the daemon' }))
    // An alarm takes its place in the queue.
    notifier.notify(about('recovered', 'web'))
    for (let n = 0; n < 48; n += 1) notifier.notify(about('late', `${n}`))
    notifier.notify(about('recovered', 'db'))
    notifier.notify(about('down', 'disk'))
    done()
    await notifier.settled()
    expect(desktop.notifications.all.filter(({ title }) => /recovered/.test(title))).toEqual([])
    expect(desktop.closed.all).toEqual([ids.get('web down'), ids.get('db down')])
  })

  test('of an outage is delivered before others that wait, and is neither replaced nor closed by them', async () => {
    const desktop = await desktopWith()
    const { notifier } = notifierOn(desktop.address)
    const down = (name: string, more = '') =>
      notice({ ...aboutCheck, subject: `ops/${name}`, title: `${name} is down${more}` })
    notifier.notify(down('db'))
    await notifier.settled()
    const { done } = desktop.busy()
    notifier.notify(notice({ title: 'first' }))
    notifier.notify(notice({ kind: 'recovered', subject: 'ops/db', title: 'db is up' }))
    notifier.withdraw('ops/db')
    notifier.notify(notice({ kind: 'recovered', subject: 'ops/web', title: 'web is up' }))
    notifier.notify(down('db', ' again'))
    notifier.notify(down('disk'))
    done()
    await notifier.settled()
    expect(desktop.notifications.all.map(({ title }) => title)).toEqual([
      'db is down',
      'first',
      'db is down again',
      'disk is down',
      'web is up',
    ])
    expect(desktop.closed.all).toEqual([])
  })

  test('has its text, and the buttons that the daemon supports', async () => {
    const desktop = await desktopWith()
    const { notifier } = notifierOn(desktop.address)
    notifier.notify(notice({ body: 'a < b & c' }))
    const shown = await nth(desktop.notifications, 1)
    expect(shown).toMatchObject({
      appName: 'Belfry',
      title: 'Ann',
      body: 'a &lt; b &amp; c',
      replaces: 0,
      actions: ['default', 'Open', ...messageButtons],
    })
    expect(shown.hints).toMatchObject({
      urgency: 1,
      category: 'im.received',
      'suppress-sound': false,
      'desktop-entry': 'org.belfry.Belfry',
    })
    await until(() => notifier.delivery().by === 'D-Bus')
  })

  test('plays the file of its kind where the daemon plays sounds, and else the system’s sound', async () => {
    const desktop = await desktopWith({ notifications: { capabilities: ['sound'] } })
    const { notifier } = notifierOn(desktop.address, undefined, async ({ kind }) =>
      kind === 'down' ? '/home/me/alarm.wav' : null,
    )
    const down = { ...aboutCheck, subject: 'ops/abc' }
    for (const [at, change] of [
      down,
      { ...down, again: 2 },
      { ...down, sound: false },
      {},
    ].entries())
      notifier.notify(notice({ ...change, subject: `n${at}` }))
    await nth(desktop.notifications, 4)
    const sounds = desktop.notifications.all.map(({ hints }) => [
      hints['sound-file'],
      hints['sound-name'],
    ])
    expect(sounds).toEqual([
      ['/home/me/alarm.wav', undefined],
      ['/home/me/alarm.wav', undefined],
      [undefined, undefined],
      [undefined, 'message-new-instant'],
    ])
  })

  test('names no sound to a daemon that plays none', async () => {
    const desktop = await desktopWith({ notifications: { capabilities: ['body'] } })
    const { notifier } = notifierOn(desktop.address, undefined, async () => '/home/me/alarm.wav')
    notifier.notify(notice())
    const { hints } = await nth(desktop.notifications, 1)
    expect(Object.keys(hints).filter((hint) => hint.startsWith('sound-'))).toEqual([])
  })

  test('has no buttons if the daemon has none, and no escapes if it has no markup', async () => {
    const desktop = await desktopWith({ notifications: { capabilities: ['body'] } })
    const { notifier } = notifierOn(desktop.address)
    notifier.notify(notice({ body: 'a < b' }))
    const shown = await nth(desktop.notifications, 1)
    expect([shown.actions, shown.body]).toEqual([[], 'a < b'])
  })

  test('offers an inline reply if the daemon has one, and passes its text on', async () => {
    const desktop = await desktopWith({
      notifications: { capabilities: ['actions', 'inline-reply'] },
    })
    const { notifier, happened } = notifierOn(desktop.address)
    notifier.notify(notice())
    const { id, actions } = await nth(desktop.notifications, 1)
    expect(actions.slice(2, 4)).toEqual(['inline-reply', 'Reply'])
    desktop.reply(id, 'Yes, at noon')
    await until(() => happened.length > 0)
    expect(happened).toEqual(['reply n1: Yes, at noon'])
  })

  test.each([
    ['default', 'open n1', {}],
    ['open', 'open n1', {}],
    ['reply', 'reply n1', {}],
    ['inline-reply', 'reply n1', {}],
    ['acknowledge', 'acknowledge n1', aboutCheck],
    ['snooze', 'snooze n1', aboutCheck],
  ])('performs its action "%s" once', async (key, done, change) => {
    const desktop = await desktopWith()
    const { notifier, happened } = notifierOn(desktop.address)
    notifier.notify(notice(change))
    notifier.notify(notice({ id: 'n2', subject: 'other' }))
    const { id } = await nth(desktop.notifications, 1)
    const other = await nth(desktop.notifications, 2)
    desktop.act(id, key)
    desktop.act(id, key)
    desktop.act(other.id, 'default')
    await until(() => happened.includes('open n2'))
    expect(happened).toEqual([done, 'open n2'])
  })

  test('about a check can silence it, with buttons that say for how long', async () => {
    const desktop = await desktopWith()
    const { notifier } = notifierOn(desktop.address)
    notifier.notify(notice(aboutCheck))
    const { actions, hints } = await nth(desktop.notifications, 1)
    expect(actions).toEqual(['default', 'Open', ...checkButtons])
    expect(checkButtons).toEqual(expect.arrayContaining(['Acknowledge', 'Snooze 1 h']))
    expect(hints['urgency']).toBe(2)
  })

  test('ignores buttons that it does not have', async () => {
    const desktop = await desktopWith()
    const { notifier, happened } = notifierOn(desktop.address)
    notifier.notify(notice())
    const { id } = await nth(desktop.notifications, 1)
    for (const key of ['', 'quit', 'acknowledge', 'snooze ', '__proto__']) desktop.press(id, key)
    desktop.press(id + 1, 'default')
    desktop.act(id, 'default')
    await until(() => happened.length > 0)
    expect(happened).toEqual(['open n1'])
  })

  test('is answered once, by whatever comes first', async () => {
    const desktop = await desktopWith({
      notifications: { capabilities: ['actions', 'inline-reply'] },
    })
    const { notifier, happened } = notifierOn(desktop.address)
    notifier.notify(notice())
    notifier.notify(notice({ id: 'n2', subject: 'other' }))
    const { id } = await nth(desktop.notifications, 1)
    const other = await nth(desktop.notifications, 2)
    desktop.press(id, 'snooze')
    desktop.press(id, 'default')
    desktop.reply(id, 'too late')
    desktop.reply(other.id, 'one')
    desktop.reply(other.id, 'one')
    desktop.act(other.id, 'default')
    await until(() => happened.length > 1)
    expect(happened).toEqual(['snooze n1', 'reply n2: one'])
  })

  test('can still be acknowledged after its runbook was read', async () => {
    const desktop = await desktopWith()
    const { notifier, happened } = notifierOn(desktop.address)
    notifier.notify(notice({ ...aboutCheck, hasRunbook: true }))
    const { id } = await nth(desktop.notifications, 1)
    desktop.press(id, 'runbook')
    desktop.press(id, 'acknowledge')
    await until(() => happened.length > 1)
    expect(happened).toEqual(['runbook n1', 'acknowledge n1'])
  })

  test('ignores the response of a later daemon to the same id', async () => {
    const desktop = await desktopWith()
    const { notifier, happened } = notifierOn(desktop.address)
    notifier.notify(notice())
    const { id } = await nth(desktop.notifications, 1)
    await desktop.dropNotifications()
    await desktop.serveNotifications()
    desktop.press(id, 'snooze')
    notifier.notify(notice({ id: 'n2' }))
    const second = await nth(desktop.notifications, 2)
    expect(second).toMatchObject({ id, replaces: 0 })
    desktop.act(second.id, 'default')
    await until(() => happened.length > 0)
    expect(happened).toEqual(['open n2'])
  })

  test('reports the capabilities of its daemon', async () => {
    const desktop = await desktopWith({ notifications: { capabilities: ['body', 'actions'] } })
    const { notifier } = notifierOn(desktop.address)
    notifier.notify(notice())
    await notifier.settled()
    expect(notifier.delivery()).toEqual({ by: 'D-Bus', capabilities: ['body', 'actions'] })
  })

  test('replaces the earlier one on the same subject, and is answered itself', async () => {
    const desktop = await desktopWith()
    const { notifier, happened } = notifierOn(desktop.address)
    notifier.notify(notice())
    notifier.notify(notice({ id: 'n2', body: 'Or dinner?' }))
    const first = await nth(desktop.notifications, 1)
    const second = await nth(desktop.notifications, 2)
    expect(second).toMatchObject({ id: first.id, replaces: first.id })
    desktop.act(second.id, 'default')
    await until(() => happened.length > 0)
    expect(happened).toEqual(['open n2'])
  })

  test('can still be answered after it expired, since some desktops keep it in a list', async () => {
    const desktop = await desktopWith()
    const { notifier, happened } = notifierOn(desktop.address)
    notifier.notify(notice())
    const { id } = await nth(desktop.notifications, 1)
    desktop.close(id, 1)
    desktop.act(id, 'default')
    await until(() => happened.length > 0)
    expect(happened).toEqual(['open n1'])
  })

  test('is replaced when its message is edited, but not shown again once it is gone', async () => {
    const desktop = await desktopWith()
    const { notifier } = notifierOn(desktop.address)
    notifier.notify(notice())
    const { id } = await nth(desktop.notifications, 1)
    notifier.replace(notice({ body: 'Lunch at one?' }))
    expect(await nth(desktop.notifications, 2)).toMatchObject({ id, body: 'Lunch at one?' })
    for (const reason of [1, 2] as const) {
      notifier.notify(notice({ subject: `chat/${reason}` }))
      await notifier.settled()
      desktop.close(desktop.notifications.all.at(-1)?.id ?? 0, reason)
    }
    // Whatever comes later has been told of both.
    notifier.notify(notice({ subject: 'chat/9' }))
    await notifier.settled()
    const before = desktop.notifications.all.length
    for (const reason of [1, 2]) notifier.replace(notice({ subject: `chat/${reason}` }))
    await notifier.settled()
    expect(desktop.notifications.all).toHaveLength(before)
  })

  test('is closed instead of replaced if it is an alarm that expired', async () => {
    const desktop = await desktopWith({ notifications: { keepsExpired: true } })
    const { notifier } = notifierOn(desktop.address)
    notifier.notify(notice(aboutCheck))
    const { id } = await nth(desktop.notifications, 1)
    await notifier.settled()
    desktop.close(id, 1)
    // Whatever comes later has been told of it.
    notifier.notify(notice({ subject: 'chat/9' }))
    await notifier.settled()
    notifier.replace(notice({ ...aboutCheck, title: 'Something is down' }))
    await notifier.settled()
    expect(desktop.notifications.all).toHaveLength(2)
    expect(await desktop.closed.waitFor((closed) => closed === id)).toBe(id)
  })

  test('is not brought back by a replacement once it was withdrawn', async () => {
    const desktop = await desktopWith()
    const { notifier } = notifierOn(desktop.address)
    notifier.notify(notice())
    const { id } = await nth(desktop.notifications, 1)
    await notifier.settled()
    // Something else is being sent, so that the withdrawal waits.
    notifier.notify(notice({ subject: 'chat/9' }))
    notifier.withdraw('chat/7')
    notifier.replace(notice({ body: 'Lunch at one?' }))
    await notifier.settled()
    expect(await desktop.closed.waitFor((closed) => closed === id)).toBe(id)
    expect(desktop.notifications.all).toHaveLength(2)
  })

  test('is withdrawn when it no longer holds', async () => {
    const desktop = await desktopWith()
    const { notifier } = notifierOn(desktop.address)
    notifier.notify(notice())
    notifier.withdraw('chat/7')
    const { id } = await nth(desktop.notifications, 1)
    expect(await desktop.closed.waitFor((closed) => closed === id)).toBe(id)
  })

  test('is shown even when many others are withdrawn, shown or not', async () => {
    const desktop = await desktopWith()
    const { notifier } = notifierOn(desktop.address)
    for (let n = 0; n < 60; n += 1) {
      notifier.notify(notice({ subject: `ops/check/${n}` }))
      await notifier.settled()
    }
    for (let n = 0; n < 120; n += 1) notifier.withdraw(`ops/check/${n}`)
    notifier.notify(notice({ title: 'db is down', subject: 'ops/check/db' }))
    await notifier.settled()
    expect(desktop.notifications.all.slice(60).map(({ title }) => title)).toEqual(['db is down'])
    expect(desktop.closed.all).toHaveLength(60)
  })

  test('reaches a restarted daemon, whose ids begin again', async () => {
    const desktop = await desktopWith()
    const { notifier, happened } = notifierOn(desktop.address)
    notifier.notify(notice())
    await nth(desktop.notifications, 1)
    await desktop.dropNotifications()
    notifier.notify(notice({ id: 'lost' }))
    await until(() => notifier.delivery().by === 'nobody')
    notifier.withdraw('chat/7')
    await notifier.settled()
    await desktop.serveNotifications(['actions', 'inline-reply'])
    notifier.notify(notice({ id: 'n3' }))
    const shown = await desktop.notifications.waitFor(({ actions }) =>
      actions.includes('inline-reply'),
    )
    expect(shown.replaces).toBe(0)
    desktop.act(shown.id, 'default')
    await until(() => happened.length > 0)
    expect(happened).toEqual(['open n3'])
  })

  test('waits for a daemon that starts later, unless it is withdrawn first', async () => {
    const desktop = await desktopWith({ notifications: false })
    const { notifier } = notifierOn(desktop.address)
    const subjects = Array.from({ length: 8 }, (_, i) => `check/${i}`)
    for (const subject of subjects) notifier.notify(notice({ subject, title: subject }))
    notifier.withdraw('check/6')
    await notifier.settled()
    expect(notifier.delivery().by).toBe('nobody')
    await desktop.serveNotifications()
    await nth(desktop.notifications, 5)
    notifier.notify(notice({ id: 'n2', title: 'Later' }))
    await nth(desktop.notifications, 6)
    const titles = desktop.notifications.all.map(({ title }) => title)
    // Only the newest ones, so that a starting daemon does not face a storm.
    expect(titles).toEqual([...[2, 3, 4, 5, 7].map((n) => `check/${n}`), 'Later'])
  })

  test('of an outage waits for the daemon even if many messages follow', async () => {
    const desktop = await desktopWith({ notifications: false })
    const { notifier } = notifierOn(desktop.address)
    notifier.notify(notice({ kind: 'down', subject: 'ops/check/db', title: 'db is down' }))
    for (let n = 0; n < 8; n += 1) notifier.notify(notice({ subject: `chat/${n}`, title: `${n}` }))
    await notifier.settled()
    await desktop.serveNotifications()
    await nth(desktop.notifications, 5)
    const titles = desktop.notifications.all.map(({ title }) => title)
    expect(titles).toEqual(['db is down', '4', '5', '6', '7'])
  })

  test('is given up if the daemon never answers', async () => {
    const desktop = await desktopWith({ notifications: { hangs: true } })
    // Long enough for the bus itself to answer on a busy machine.
    const { notifier, fallback } = notifierOn(desktop.address, 2_000)
    notifier.notify(notice())
    await until(() => notifier.delivery().by === 'nobody')
    expect([desktop.notifications.all.length, fallback.length]).toEqual([0, 0])
  })

  test.each([null, 'unix:path=/nonexistent/bus', 'tcp:host=127.0.0.1', 'nonsense'])(
    'goes to the fallback if there is no bus at %j',
    async (address) => {
      const { notifier, fallback } = notifierOn(address)
      notifier.notify(notice())
      await until(() => fallback.length > 0)
      expect(fallback.map(({ id }) => id)).toEqual(['n1'])
    },
  )

  test('goes to the fallback once the bus has died, and nothing breaks', async () => {
    const desktop = await startDesktop({ watcher: false })
    const { notifier, fallback } = notifierOn(desktop.address)
    notifier.notify(notice())
    await nth(desktop.notifications, 1)
    await desktop.stop()
    await until(() => {
      notifier.notify(notice({ id: 'n2', subject: 'b' }))
      return fallback.length > 0
    })
    expect(fallback[0]?.id).toBe('n2')
  })
})

describe('a tray host', () => {
  test('is present from the moment it appears until it goes', async () => {
    const desktop = await desktopWith({ notifications: false })
    const host = watchTrayHost(() => openSessionBus(desktop.address))
    expect(host.present()).toBe(false)
    await desktop.serveWatcher()
    await host.settled
    expect(host.present()).toBe(true)
    await desktop.stop()
    await until(() => !host.present())
  })

  test('is absent without a bus', async () => {
    const host = watchTrayHost(() => openSessionBus(null))
    await host.settled
    expect(host.present()).toBe(false)
  })
})

describe('a bus address', () => {
  test.each([
    ['unix:path=/run/user/1000/bus', '/run/user/1000/bus'],
    ['unix:path=/run/my%20bus,guid=12', '/run/my bus'],
    ['tcp:host=x;unix:abstract=/tmp/dbus-x,guid=1', '\0/tmp/dbus-x'],
    ['unix:tmpdir=/tmp', null],
    ['', null],
  ])('%j leads to %j', (address, path) => {
    expect(socketPath(address)).toBe(path)
  })
})

describe('the delivery of the next notification', () => {
  const asked = async (notifier: Notifier) => {
    await notifier.settled()
    return notifier.delivery()
  }

  test('is known before the first one', async () => {
    const desktop = await desktopWith({ notifications: false })
    const { notifier, clock } = notifierOn(desktop.address)
    expect((await asked(notifier)).by).toBe('nobody')
    await desktop.serveNotifications(['actions'])
    clock.now += 6_000
    expect(await asked(notifier)).toEqual({ by: 'D-Bus', capabilities: ['actions'] })
    expect(desktop.notifications.all).toEqual([])
  })

  test('is determined again a few seconds later, since a daemon may have come or gone', async () => {
    const desktop = await desktopWith()
    const { notifier, clock } = notifierOn(desktop.address)
    notifier.notify(notice())
    expect((await asked(notifier)).by).toBe('D-Bus')
    await desktop.dropNotifications()
    clock.now += 6_000
    expect((await asked(notifier)).by).toBe('nobody')
    await desktop.serveNotifications()
    clock.now += 6_000
    expect((await asked(notifier)).by).toBe('D-Bus')
  })

  test('is still by the daemon if it refuses to close an expired notification', async () => {
    const desktop = await desktopWith()
    const { notifier } = notifierOn(desktop.address)
    notifier.notify(notice())
    const { id } = await nth(desktop.notifications, 1)
    desktop.close(id, 1)
    notifier.withdraw('chat/7')
    expect((await asked(notifier)).by).toBe('D-Bus')
    expect(desktop.closed.all).toEqual([])
  })

  test('is by the fallback without a bus', async () => {
    const { notifier } = notifierOn(null)
    expect((await asked(notifier)).by).toBe('fallback')
  })
})

describe('a daemon too busy to answer in time', () => {
  /** Deadlines pass only when a test lets them. */
  async function desktopInTime() {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    closing.push(() => void vi.useRealTimers())
    const desktop = await desktopWith()
    const it = notifierOn(desktop.address)
    const getsBusy = () => {
      const { asked, done } = desktop.busy()
      return {
        done,
        /** Lets the deadlines of the next `calls` calls pass, one after the other. */
        async missed(calls: number): Promise<void> {
          for (let call = 1; call <= calls; call += 1) {
            await until(() => asked() >= call)
            vi.advanceTimersByTime(5_000)
          }
          await it.notifier.settled()
        },
      }
    }
    return { desktop, ...it, getsBusy }
  }

  /** Its capabilities are known from a first notification; the next ones are shown late. */
  async function busyDesktop() {
    const { getsBusy, ...it } = await desktopInTime()
    it.notifier.notify(notice({ id: 'early', subject: 'early' }))
    await nth(it.desktop.notifications, 1)
    await it.notifier.settled()
    return { ...it, getsBusy, ...getsBusy() }
  }

  test('shows a notification with working buttons and reply', async () => {
    const { desktop, notifier, happened, missed, done } = await busyDesktop()
    notifier.notify(notice())
    await missed(1)
    done()
    const { id } = await nth(desktop.notifications, 2)
    desktop.reply(id, 'On my way')
    await until(() => happened.length > 0)
    expect(happened).toEqual(['reply n1: On my way'])
    expect(notifier.delivery().by).toBe('D-Bus')
  })

  test('counts as showing nothing until it confirms one, even if it reports its capabilities', async () => {
    const { desktop, notifier, clock, missed, done, getsBusy } = await busyDesktop()
    notifier.notify(notice())
    await missed(1)
    // From now on it answers, except for what it was given before.
    getsBusy().done()
    for (let asked = 1; asked <= 3; asked += 1) {
      clock.now += 6_000
      await notifier.settled()
      expect(notifier.delivery().by).toBe('nobody')
    }
    done()
    await nth(desktop.notifications, 2)
    await until(() => notifier.delivery().by === 'D-Bus')
  })

  test('is asked to close what is over by then', async () => {
    const { desktop, notifier, missed, done } = await busyDesktop()
    notifier.notify(notice())
    notifier.withdraw('chat/7')
    await missed(1)
    done()
    const { id } = await nth(desktop.notifications, 2)
    expect(await nth(desktop.closed, 1)).toBe(id)
  })

  test('shows the newer notification about a subject, and nothing else', async () => {
    const { desktop, notifier, happened, missed, done } = await busyDesktop()
    notifier.notify(notice({ id: 'older' }))
    notifier.notify(notice({ id: 'newer' }))
    await missed(2)
    done()
    const [{ id: older }, { id: newer }] = [
      await nth(desktop.notifications, 2),
      await nth(desktop.notifications, 3),
    ]
    expect(await nth(desktop.closed, 1)).toBe(older)
    desktop.press(newer, 'default')
    await until(() => happened.length > 0)
    expect(happened).toEqual(['open newer'])
  })

  test('shows the newest in place of what it had shown before', async () => {
    const { desktop, notifier, happened, missed, done } = await busyDesktop()
    notifier.notify(notice({ id: 'older', subject: 'early' }))
    notifier.notify(notice({ id: 'newer', subject: 'early' }))
    await missed(2)
    done()
    const { id } = await nth(desktop.notifications, 3)
    // Calls arrive in order, so nothing was closed before this one.
    notifier.notify(notice({ id: 'other', subject: 'other' }))
    notifier.withdraw('other')
    const { id: other } = await nth(desktop.notifications, 4)
    await nth(desktop.closed, 1)
    expect(desktop.closed.all).toEqual([other])
    desktop.press(id, 'default')
    await until(() => happened.length > 0)
    expect(happened).toEqual(['open newer'])
  })

  test('gets a notification even if it was too busy to report its capabilities', async () => {
    const { desktop, notifier, getsBusy } = await desktopInTime()
    const { missed, done } = getsBusy()
    notifier.notify(notice())
    await missed(1)
    done()
    const shown = await nth(desktop.notifications, 1)
    expect(shown.title).toBe('Ann')
    expect(shown.actions).toContain('reply')
  })
})
