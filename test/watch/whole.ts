import { PretendRealm } from '../../src/demo/chat/pretend-realm.ts'
import { keyName } from '../../src/main/accounts/connections.ts'
import { App } from '../../src/main/app.ts'
import type { Desktop, Saved } from '../../src/main/base/ports.ts'
import { memoryHistory } from '../../src/main/storage/memory-history.ts'
import { memoryVault } from '../../src/main/storage/vault.ts'
import type { Account } from '../../src/shared/core/account.ts'
import type { KeptSilence } from '../../src/shared/core/attention/silence.ts'
import { RequestFailed } from '../../src/shared/core/failure.ts'
import { type FakeDesktop, fakeDesktop } from '../support/fake-desktop.ts'
import type { Seeded } from '../support/seeded.ts'
import { createDaemon } from './daemon.ts'
import type { Ending, Plans } from './plan.ts'
import { createNetwork, otherKey, type Read } from './proxy.ts'
import type { ListedNotice, Seen, Shown } from './seen.ts'
import type { Service } from './service.ts'
import { accountIdOf, hostOf, idAfterJoin, withTwin } from './twin.ts'
import { createUser, type Silenced } from './user.ts'
import type { VirtualTime } from './virtual-time.ts'

/**
 * A mistake made on purpose between the app and its user, or between the service and the app, which the
 * oracle has to find.
 */
export type Planted = 'lost' | 'doubled' | 'untrue' | 'green' | 'noFlips' | 'slow' | 'seldom'

export interface Whole {
  readonly services: readonly Service[]
  readonly seen: readonly Seen[]
  readonly bugs: readonly string[]
}

const stopMs = 5_000
const chatUrl = 'https://chat.example'

/** The app as it runs now, and how it ends. */
export interface Run {
  readonly app: App
  readonly desktop: FakeDesktop
  readonly daemon: ReturnType<typeof createDaemon>
  isOver: boolean
  /** Ends with the next pop-up, or the next document on the disk. */
  endsAt: 'popUp' | 'disk' | null
}

/** Runs the real app through this life; only the computer, its clock, its user and its network are fake. */
export async function liveWhole(
  time: VirtualTime,
  plans: Plans,
  chance: Seeded,
  planted: Planted | null = null,
): Promise<Whole> {
  time.moveTo(plans.from)
  process.env['TZ'] = plans.zone
  const seen: Seen[] = []
  const bugs: string[] = []
  const keys = plans.projects.map((_, at) => `key-of-p${at}`)
  const realm = new PretendRealm({
    baseUrl: chatUrl,
    now: () => time.real,
    seed: plans.seed,
    lively: false,
    rateLimit: 200,
  })
  const chatGate = { fails: false }
  const {
    transport: monitoring,
    services,
    reads,
    asked,
  } = createNetwork({
    life: plans,
    spoilt: planted === 'noFlips' || planted === 'slow' ? planted : null,
    random: chance.part('network').random,
    now: () => time.real,
    keyOf: (project) => keys[project] ?? '',
    badgeFaults: plans.badgeFaults,
  })
  const log = (
    one: Seen extends infer Each ? (Each extends Seen ? Omit<Each, 'at'> : never) : never,
  ): void => {
    // Each kind is whole with its time.
    seen.push({ at: time.real, ...one } as Seen)
  }
  const transport: typeof monitoring = async (request, signal) => {
    if (!request.url.startsWith(chatUrl)) return monitoring(request, signal)
    if (chatGate.fails)
      throw new RequestFailed({
        kind: 'network',
        reason: 'reset',
        host: 'chat.example',
        reached: 'maybe',
      })
    realm.tick()
    return realm.handle(request, signal)
  }
  let known = 0
  let knownAsked = 0
  let isOff = true
  /** What the app heard; what one that was killed had asked for comes to nobody. */
  const heard: Read[] = []
  const logReads = (): void => {
    for (const read of isOff ? [] : (reads.slice(known) as Read[])) {
      heard.push(read)
      log({ what: 'read', read })
    }
    known = reads.length
    for (const one of isOff ? [] : asked.slice(knownAsked)) log({ what: 'counts', asked: one })
    knownAsked = asked.length
  }
  const vault = memoryVault()
  const documents = new Map<string, string>()
  const accounts = plans.projects.map(({ isWritable, label }, at): Account => {
    const given = { kind: 'monitoring', id: accountIdOf(at), baseUrl: hostOf(at) } as const
    const kept = { key: 'present', protection: 'os', insecure: false, demo: false } as const
    const keyKind = isWritable ? 'readWrite' : 'readOnly'
    const minutes = plans.wholeMinutes[at] ?? null
    const counted =
      minutes === null ? {} : { wholeReadMinutes: planted === 'seldom' ? 60 : minutes }
    return { ...given, ...kept, label, keyKind, ...counted }
  })
  for (const [at, account] of accounts.entries()) await vault.put(keyName(account), keys[at] ?? '')
  if (plans.hasChat) {
    const { email, key } = realm.user
    const given = { kind: 'chat', id: 'chat', baseUrl: chatUrl, label: 'Chat', email } as const
    const kept = { key: 'present', protection: 'os', insecure: false, demo: false } as const
    const account: Account = { ...given, ...kept, images: false }
    accounts.push(account)
    await vault.put(keyName(account), key)
  }
  documents.set('accounts', JSON.stringify(accounts))
  documents.set(
    'settings',
    JSON.stringify({ pollSeconds: plans.pollSeconds, attention: plans.attention }),
  )
  const marks: { readonly at: number; readonly text: string }[] = []
  let isDaemonThere = true
  let listed: readonly ListedNotice[] = []
  const mistakes = chance.part('planted')
  let runs = 0
  const awaited = new Set<{ readonly look: (silences: readonly KeptSilence[]) => void }>()
  const lookAtSilences = ({ app, isOver }: Run): void => {
    if (!isOver) for (const one of awaited) one.look(app.state.silences)
  }

  async function start(): Promise<Run> {
    runs += 1
    logReads()
    isOff = false
    const its = chance.part(`run ${runs}`)
    const saved: Saved = {
      read: (name) => JSON.parse(documents.get(name) ?? 'null') as unknown,
      write: async (name, value) => {
        const text = JSON.stringify(value)
        const asOf = time.real
        await new Promise((resolve) => setTimeout(resolve, its.whole(1, 15)))
        if (run.isOver) return never()
        documents.set(name, text)
        if (name === 'marks') {
          marks.push({ at: time.real, text })
          log({ what: 'marked', asOf })
        }
        if (run.endsAt === 'disk') end(run, 'disk')
      },
    }
    let last = ''
    const lookAtList = (): void => {
      const now = run.app.state.notices as readonly ListedNotice[]
      if (now === listed || run.isOver) return
      logReads()
      const keyOf = ({ id, outcome }: ListedNotice): string => `${outcome} ${idAfterJoin(id)}`
      const before = new Set(listed.map(keyOf))
      for (const one of now.toReversed())
        if (!before.has(keyOf(one))) log({ what: 'listed', notice: one })
      listed = now
    }
    const base = fakeDesktop()
    const show = (what: 'popUp' | 'late', notice: Shown): void => {
      if (run.isOver) return
      log({ what, notice })
      if (run.endsAt === 'popUp' && what === 'popUp') end(run, 'popUp')
    }
    const daemon = createDaemon({
      shown: (notice, isLate) => show(isLate ? 'late' : 'popUp', notice),
      // The list has it.
      unshown: (notice) => show('popUp', notice),
    })
    daemon.turn(isDaemonThere)
    const desktop: Desktop = {
      ...base,
      systemQuiet: () => base.quiet,
      pushPatch: () => {
        lookAtList()
        lookAtSilences(run)
      },
      notify: (notice) => {
        logReads()
        if (run.isOver) return
        for (const one of misled(notice as Shown, planted, mistakes)) daemon.notify(one)
      },
      withdraw: (subject) => {
        logReads()
        if (run.isOver) return
        log({ what: 'withdrawn', subject })
        daemon.withdraw(subject)
      },
      showTray: ({ shape, count }) => {
        logReads()
        if (run.isOver) return
        const icon = { shape: planted === 'green' && mistakes.chance(0.5) ? 'good' : shape, count }
        if (`${icon.shape} ${icon.count}` === last) return
        last = `${icon.shape} ${icon.count}`
        log({ what: 'icon', ...icon })
      },
    }
    const app: App = new App({
      ...{ desktop, saved, vault },
      // A killed app hears nothing any more.
      transport: async (request, signal) => (run.isOver ? never() : transport(request, signal)),
      history: memoryHistory(),
      clock: { now: () => time.now, monotonic: () => performance.now(), random: its.random },
      environment: {
        ...{ protection: 'os', demo: false, version: '0.0.0', standIn: false, systemLocale: '' },
      },
      openDemo: () => Promise.reject(new Error('a life has no demo')),
      onBug: (where, error) => {
        if (run.isOver) return
        bugs.push(`${where}: ${error instanceof Error ? error.stack : String(error)}`)
      },
    })
    const run: Run = { app, desktop: base, daemon, isOver: false, endsAt: null }
    log({ what: 'began' })
    await app.start()
    return run
  }

  function end(run: Run, by: Ending): void {
    if (run.isOver) return
    logReads()
    run.isOver = true
    isOff = true
    log({ what: 'ended', by })
  }

  /** The other key may have been read up to an interval before the first. */
  async function addTwin(project: number, its: Seeded): Promise<void> {
    const since = time.real - 1_000 * plans.pollSeconds
    const late = marks.filter(({ at }) => at >= since)
    const known = [null, marks.at(-1), marks.at(-1), ...late].at(its.whole(0, 2 + late.length))
    const twin = withTwin(documents, project, known?.text ?? null)
    if (twin === null) return
    const isFirst = plans.projects[project]?.isWritable === (twin.keyKind === 'readWrite')
    await vault.put(keyName(twin), isFirst ? (keys[project] ?? '') : otherKey(project))
    log({ what: 'act', act: { did: 'twin', project, accountId: twin.id } })
  }

  async function off(
    run: Run,
    { by, forMs, twin }: { readonly by: Ending; readonly forMs: number; readonly twin?: number },
    its: Seeded,
  ): Promise<Run> {
    if (by === 'quit') {
      void run.app.stop()
      await time.run(time.real + stopMs)
    } else if (by !== 'kill') {
      run.endsAt = by
      // If neither comes in time, it is a kill at any moment.
      for (let left = 60; left > 0 && !run.isOver; left -= 1) await time.run(time.real + 10_000)
    }
    end(run, by === 'quit' ? 'quit' : 'kill')
    time.clear()
    // What it was computing may set another timer.
    await time.run(time.real)
    time.clear()
    time.sleep(time.real + forMs)
    if (twin !== undefined) await addTwin(twin, its)
    return start()
  }

  log({ what: 'clock', ahead: 0, zone: plans.zone })
  for (const project of plans.projects.keys())
    log({ what: 'act', act: { did: 'added', project, accountId: accountIdOf(project) } })
  let run = await start()
  const silenced: Silenced = (isIt, tell) => {
    const known = new Set(run.app.state.silences.map(({ id }) => id))
    const one = {
      look: (silences: readonly KeptSilence[]): void => {
        const found = silences.find((each) => !known.has(each.id) && isIt(each))
        if (found === undefined) return
        awaited.delete(one)
        logReads()
        tell(found)
      },
    }
    awaited.add(one)
    return () => awaited.delete(one)
  }
  const user = createUser({
    ...{ plans, services, log, time, keys, realm, chatGate, silenced },
    run: () => run,
    reads: () => heard,
  })
  for (const { at, what } of plans.planned) {
    await time.run(Math.max(at, time.real))
    logReads()
    const part = chance.part(`happening ${at}`)
    // Whatever came before it, the end of the life is calm.
    const lastsMs = (ms: number): number =>
      Math.max(1_000, Math.min(ms, plans.calmFrom - time.real))
    if (what.do === 'off') run = await off(run, { ...what, forMs: lastsMs(what.forMs) }, part)
    else if (what.do === 'sleep') {
      const since = time.real
      time.sleep(time.real + lastsMs(what.forMs))
      log({ what: 'slept', since })
      if (what.told) run.app.wake()
    } else if (what.do === 'daemon') {
      isDaemonThere = what.on
      log({ what: 'daemon', on: what.on })
      run.daemon.turn(what.on)
    } else await user.does(what, part)
  }
  await time.run(plans.to)
  end(run, 'kill')
  time.clear()
  for (const [at, service] of services.entries())
    service.advance(plans.to + (plans.projects[at]?.skew ?? 0))
  return { services, seen, bugs }
}

/** Never settles. */
function never(): Promise<never> {
  return new Promise(() => undefined)
}

/** What the user gets instead of this notice if somebody plants a mistake. */
function misled(notice: Shown, planted: Planted | null, chance: Seeded): readonly Shown[] {
  const isTurned = planted === 'lost' || planted === 'doubled' || planted === 'untrue'
  if (!isTurned || !chance.chance(0.3)) return [notice]
  if (planted === 'lost') return []
  if (planted === 'doubled') return [notice, notice]
  const turned = (text: string): string =>
    text.includes(' is down')
      ? text.replace(' is down', ' is up again')
      : text.replace(' is up again', ' is down')
  const lines = notice.lines.map((line) => ({ ...line, text: turned(line.text) }))
  return [{ ...notice, title: turned(notice.title), lines }]
}
