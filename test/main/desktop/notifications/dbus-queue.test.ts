import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DbusNotifier } from '../../../../src/main/desktop/notifications/dbus-notifier.ts'
import type { Notifier } from '../../../../src/main/desktop/notifications/notifier.ts'
import {
  type BusCall,
  openSessionBus,
  type SessionBus,
} from '../../../../src/main/desktop/system/session-bus.ts'
import type { Notice } from '../../../../src/shared/core/attention/notice.ts'

/** As many as are kept for a daemon that starts later, so that none is dropped on purpose. */
const subjects = 5

const kinds = ['down', 'recovered', 'direct'] as const

type DaemonDoes = 'answer' | 'refuse' | 'miss' | 'die' | 'come' | 'replace'

type Step =
  | { readonly does: 'notify'; readonly subject: number; readonly kind: (typeof kinds)[number] }
  | { readonly does: 'withdraw'; readonly subject: number }
  | { readonly does: DaemonDoes }

const subject = fc.nat(subjects - 1)
const notify = fc.record({
  does: fc.constant('notify' as const),
  subject,
  kind: fc.constantFrom(...kinds),
})
const withdraw = fc.record({ does: fc.constant('withdraw' as const), subject })
const daemonDoes = (...does: readonly DaemonDoes[]) => fc.record({ does: fc.constantFrom(...does) })
const told = [
  { weight: 5, arbitrary: notify },
  { weight: 2, arbitrary: withdraw },
] as const

interface Pending {
  readonly call: BusCall
  readonly resolve: (values: readonly unknown[]) => void
  readonly reject: (code: string) => void
  isLate: boolean
}

type BusErrorClass = new (code: string) => Error

/**
 * A notification daemon that acts only on command, and what is on its screen. `startsOnDemand`: a
 * call starts it, once it has ended.
 */
function createDaemon(busError: BusErrorClass, startsOnDemand = false) {
  const screen = new Map<number, string>()
  /** Titles in the order in which it got them, all that it showed, and those that it refused for good. */
  const log = { given: [] as string[], shown: new Set<string>(), refused: new Set<string>() }
  const pending: Pending[] = []
  let nextId = 1
  let isThere = true
  let tellOwner = (_owned: boolean): void => undefined
  const titleOf = (body: readonly unknown[] = []) => String(body[3])
  const error = (name: string) => `org.freedesktop.DBus.Error.${name}`

  const perform = ({ member, body = [] }: BusCall): readonly unknown[] => {
    if (member === 'GetCapabilities') return [['body', 'actions']]
    const id = Number(member === 'Notify' ? body[1] : body[0])
    if (member === 'CloseNotification') {
      screen.delete(id)
      return []
    }
    const given = screen.has(id) ? id : nextId++
    const title = titleOf(body)
    screen.set(given, title)
    log.shown.add(title)
    return [given]
  }
  const bus: SessionBus = {
    name: ':1.1',
    call: (call) =>
      new Promise((resolve, reject) => {
        const fail = (code: string) => reject(new busError(code))
        if (startsOnDemand) does.come()
        if (!isThere) return fail(error('ServiceUnknown'))
        if (call.member === 'Notify') log.given.push(titleOf(call.body))
        pending.push({ call, resolve, reject: fail, isLate: false })
      }),
    emit: () => undefined,
    onSignal: () => undefined,
    hasOwner: () => Promise.resolve(isThere),
    onOwner: (_name, listener) => {
      tellOwner = listener
    },
    onEnd: () => undefined,
    close: () => undefined,
  }
  const end = (): void => {
    isThere = false
    screen.clear()
    nextId = 1
    for (const { reject } of pending.splice(0)) reject(error('NoReply'))
  }
  const does = {
    answer() {
      const one = pending.shift()
      if (one === undefined) return
      const values = perform(one.call)
      if (one.isLate) one.call.onLate?.(values)
      else one.resolve(values)
    },
    refuse() {
      const one = pending.shift()
      if (one === undefined) return
      // Nobody waits for the answer any more.
      if (one.call.member === 'Notify' && one.isLate) log.refused.add(titleOf(one.call.body))
      // The notification stays on the screen.
      if (one.call.member === 'CloseNotification')
        log.refused.add(screen.get(Number(one.call.body?.[0])) ?? '')
      one.reject(error('LimitsExceeded'))
    },
    /** The deadline of a call passes; the daemon handles it later. */
    miss() {
      const one = pending.find(({ isLate }) => !isLate)
      if (one === undefined) return
      one.isLate = true
      one.reject('timeout')
    },
    die() {
      if (!isThere) return
      end()
      setImmediate(() => tellOwner(false))
    },
    come() {
      if (isThere) return
      isThere = true
      setImmediate(() => tellOwner(true))
    },
    replace() {
      if (!isThere) return
      end()
      isThere = true
      setImmediate(() => tellOwner(true))
    },
  }
  return { bus, screen, log, does, isIdle: () => pending.length === 0 }
}

function noticeOf(title: string, about: number, kind: Notice['kind']): Notice {
  return {
    id: title,
    kind,
    accountId: 'ops',
    subject: `ops/${about}`,
    title,
    body: '',
    at: 0,
    target: { view: 'check', accountId: 'ops', checkId: String(about) },
    sound: false,
    outcome: 'shown',
    reasons: [],
    lines: [],
  }
}

const fallback: Notifier = {
  notify: () => expect.unreachable(),
  replace: () => undefined,
  withdraw: () => undefined,
  delivery: () => ({ by: 'nobody', capabilities: [] }),
  settled: () => Promise.resolve(),
  stop: () => undefined,
}

function notifierFor(daemon: ReturnType<typeof createDaemon>, monotonic = () => 0): Notifier {
  return new DbusNotifier({
    actions: { onOpen: () => undefined, onReplyText: () => undefined, onAct: () => undefined },
    openBus: () => Promise.resolve(daemon.bus),
    fallback,
    monotonic,
  })
}

async function played(steps: readonly Step[], busError: BusErrorClass) {
  const daemon = createDaemon(busError)
  let now = 0
  const notifier = notifierFor(daemon, () => now)
  /** The newest about each subject; null: withdrawn. */
  const newest = new Map<number, string | null>()
  const alarms: { readonly title: string; readonly waiting: readonly string[] }[] = []
  const lesser: string[] = []
  for (const [at, step] of steps.entries()) {
    if (step.does === 'notify') {
      const title = `${step.subject} ${step.kind} ${at}`
      if (step.kind === 'down')
        alarms.push({ title, waiting: lesser.filter((one) => !daemon.log.given.includes(one)) })
      else lesser.push(title)
      newest.set(step.subject, title)
      notifier.notify(noticeOf(title, step.subject, step.kind))
    } else if (step.does === 'withdraw') {
      newest.set(step.subject, null)
      notifier.withdraw(`ops/${step.subject}`)
    } else daemon.does[step.does]()
    await turn()
    await turn()
  }
  daemon.does.come()
  // Makes the notifier check again whether a daemon shows notifications.
  now += 60_000
  let settled = 0
  for (let quiet = 0; quiet < 3; quiet += 1) {
    const before = settled
    void notifier.settled().then(() => {
      settled += 1
    })
    await turn()
    await turn()
    if (settled === before || !daemon.isIdle()) quiet = 0
    daemon.does.answer()
  }
  notifier.stop()
  return { daemon, newest, alarms }
}

describe('the queue for the notification daemon', () => {
  const busError = openSessionBus(null).catch(
    (error: unknown) => (error as object).constructor as BusErrorClass,
  ) as Promise<BusErrorClass>

  test('shows the newest notification about each subject and leaves none that is over, however the daemon behaves', async () => {
    const steps = fc.array(
      fc.oneof(
        ...told,
        { weight: 4, arbitrary: daemonDoes('answer') },
        { weight: 3, arbitrary: daemonDoes('miss', 'refuse', 'die', 'come', 'replace') },
      ),
      { maxLength: 40 },
    )
    await fc.assert(
      fc.asyncProperty(steps, async (given) => {
        const { daemon, newest } = await played(given, await busError)
        const { refused, shown } = daemon.log
        const onScreen = [...daemon.screen.values()]
        for (const [about, title] of newest) {
          const isAbout = (one: string) => one.startsWith(`${about} `)
          // The daemon may refuse to close something, or refuse to show it after the deadline.
          if ([...refused].some(isAbout)) continue
          expect(onScreen.filter((one) => isAbout(one) && one !== title)).toEqual([])
          expect(onScreen.filter(isAbout).length).toBeLessThanOrEqual(1)
          if (title !== null) expect(shown).toContain(title)
          const isTheOne = given.every(({ does }) => does !== 'die' && does !== 'replace')
          if (title !== null && isTheOne) expect(onScreen).toContain(title)
        }
      }),
      { seed: 11, numRuns: 1_500 },
    )
  })

  test('starts a daemon on demand once more for the notification on which it ended', async () => {
    const daemon = createDaemon(await busError, true)
    const notifier = notifierFor(daemon)
    const rest = async () => {
      for (let turns = 0; turns < 10; turns += 1) await turn()
    }
    const given = async (count: number) => {
      daemon.does.answer()
      await rest()
      expect(daemon.log.given).toEqual(Array<string>(count).fill('db is down'))
    }
    notifier.notify(noticeOf('db is down', 1, 'down'))
    await rest()
    await given(1)
    daemon.does.die()
    await rest()
    await given(2)
    // This notification may be what ends the daemon.
    daemon.does.die()
    await rest()
    await given(2)
    notifier.notify(noticeOf('web is down', 2, 'down'))
    for (let answers = 0; answers < 3; answers += 1) {
      await rest()
      daemon.does.answer()
    }
    await rest()
    expect([...daemon.screen.values()].sort()).toEqual(['db is down', 'web is down'])
    notifier.stop()
  })

  test('reports nobody as long as the daemon refuses an alarm', async () => {
    const daemon = createDaemon(await busError)
    let now = 0
    const notifier = notifierFor(daemon, () => now)
    const rest = async () => {
      for (let turns = 0; turns < 10; turns += 1) await turn()
    }
    const by = async (answers: 'answer' | 'refuse') => {
      now += 60_000
      const settled = notifier.settled().then(() => notifier.delivery().by)
      await rest()
      // To the question whether it shows any.
      daemon.does.answer()
      await rest()
      daemon.does[answers]()
      await rest()
      return settled
    }
    notifier.notify(noticeOf('db is down', 1, 'down'))
    await rest()
    daemon.does.answer()
    await rest()
    daemon.does.refuse()
    await rest()
    expect(await by('refuse')).toBe('nobody')
    expect(await by('answer')).toBe('D-Bus')
    expect([...daemon.screen.values()]).toEqual(['db is down'])
    notifier.stop()
  })

  test('delivers what was said of a check before its alarm, which would seem to be over otherwise', async () => {
    const daemon = createDaemon(await busError)
    const notifier = notifierFor(daemon)
    const db = noticeOf('db is down', 1, 'down')
    const past = { ...db, kind: 'missed', lines: [] } as const
    const line = { text: 'db went down and came back', at: 0, target: db.target }
    notifier.notify(noticeOf('web is late', 2, 'late'))
    notifier.notify({ ...past, subject: 'ops/1/recovered', title: 'db came back' })
    const target = { view: 'checks' } as const
    notifier.notify({ ...past, subject: 'ops/checks', title: '2 recovered', target, lines: [line] })
    notifier.notify(noticeOf('mail is late', 3, 'late'))
    notifier.notify(db)
    for (let answers = 0; answers < 20; answers += 1) {
      await turn()
      daemon.does.answer()
    }
    expect(daemon.log.given).toEqual([
      ...['web is late', 'db came back', '2 recovered', 'db is down', 'mail is late'],
    ])
    notifier.stop()
  })

  test('delivers an alarm before everything else that waits, except for one notification in flight', async () => {
    const steps = fc.array(fc.oneof(...told, { weight: 3, arbitrary: daemonDoes('answer') }), {
      maxLength: 60,
    })
    await fc.assert(
      fc.asyncProperty(steps, async (given) => {
        const { daemon, alarms } = await played(given, await busError)
        const order = daemon.log.given
        for (const { title, waiting } of alarms) {
          const at = order.indexOf(title)
          if (at === -1) continue
          const before = waiting.filter((one) => order.slice(0, at).includes(one))
          expect(before.length).toBeLessThanOrEqual(1)
        }
      }),
      { seed: 12, numRuns: 1_000 },
    )
  })
})
