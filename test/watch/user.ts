import type { PretendRealm } from '../../src/demo/chat/pretend-realm.ts'
import type { KeptSilence, Silence } from '../../src/shared/core/attention/silence.ts'
import { RequestFailed } from '../../src/shared/core/failure.ts'
import type { Seeded } from '../support/seeded.ts'
import { createEyes } from './eyes.ts'
import type { Happening, Plans } from './plan.ts'
import { clockIn } from './planned.ts'
import { otherKey, type Read } from './proxy.ts'
import type { Act, Covers, Done, PlannedFor } from './seen.ts'
import { type Service, uniqueKey } from './service.ts'
import { accountIdOf, hostOf } from './twin.ts'
import type { VirtualTime } from './virtual-time.ts'
import type { Run } from './whole.ts'

export interface Around {
  readonly plans: Plans
  readonly services: readonly Service[]
  readonly time: VirtualTime
  readonly keys: string[]
  readonly run: () => Run
  readonly reads: () => readonly Read[]
  readonly realm: PretendRealm
  readonly chatGate: { fails: boolean }
  readonly log: (one: Done) => void
  readonly silenced: Silenced
}

/**
 * Tells of the first new silence like this in the instant it begins: it may end, and what it is about be
 * withdrawn, in the next one. Returns how to stop.
 */
export type Silenced = (
  isIt: (silence: KeptSilence) => boolean,
  tell: (silence: KeptSilence) => void,
) => () => void

type Silencing = Extract<Happening, { do: 'silence' }>

/** A silence of which only the aim matters. */
const byWindow = { do: 'silence', how: 'maintenance', minutes: 5, through: 'window' } as const

/** Whoever sits in front of this computer, and acts on what the app shows. */
export function createUser(around: Around) {
  const { plans, services, time, keys, run, reads, log, realm, chatGate, silenced } = around
  const accountIds = plans.projects.map((_, at): string | null => accountIdOf(at))
  const set: string[] = []
  const plannedIds: string[] = []
  const dependencyIds: string[] = []
  let messages = 0
  const act = (one: Act): void => log({ what: 'act', act: one })
  const eyes = createEyes(around)

  /** Of two accounts of a project that were joined, the one that stayed. Null: the user removed it. */
  function idOf(project: number): string | null {
    const id = accountIds[project] ?? null
    const { accounts } = run().app.state
    if (id === null || accounts.some((one) => one.id === id)) return id
    const left = accounts.find(({ baseUrl }) => baseUrl === hostOf(project))
    return left?.id ?? id
  }

  /** Lets time pass until it is done; null if that takes too long, or it is refused in words. */
  async function done<T>(promise: Promise<T>): Promise<{ readonly value: T } | null> {
    let result: { readonly value: T } | null = null
    const over = { is: false }
    const settled = promise
      .then((value) => {
        result = { value }
      })
      .catch(refusal)
      .finally(() => {
        over.is = true
      })
    for (let left = 600; left > 0 && !over.is; left -= 1) await time.run(time.real + 100)
    if (over.is) await settled
    return result
  }

  async function silence(what: Silencing, chance: Seeded): Promise<void> {
    const covers = coversOf(what, chance)
    if (covers === null) return
    const { app } = run()
    const scope = scopeOf(covers)
    if (scope === null) return
    const lasts = covers.of === 'check' || what.minutes !== 'change' ? what.minutes : 30
    const until =
      lasts === 'change' || lasts === 'ever'
        ? { kind: lasts }
        : { kind: 'time' as const, at: time.now + lasts * 60_000 }
    const how = covers.of === 'everything' ? 'mute' : what.how
    const stop = silenced(isOwn, noteSilence({ how, covers, lasts }))
    await done(app.commands.silence({ how, scope, until }))
    stop()
  }

  /** What was planned begins by itself. */
  function isOwn({ id, by }: KeptSilence): boolean {
    return by === null && !plannedIds.some((one) => id.startsWith(`${one}-`))
  }

  function noteSilence(its: Omit<Extract<Act, { did: 'silence' }>, 'did' | 'id'>) {
    return ({ id }: KeptSilence): void => {
      set.push(id)
      act({ did: 'silence', id, ...its })
    }
  }

  /** Presses a button of a notification about a check that is down, or chooses it in the tray. */
  async function press(what: Silencing, chance: Seeded): Promise<void> {
    const { app } = run()
    const covers = coversOf({ ...what, aim: 'down check' }, chance)
    if (covers?.of !== 'check') return
    const scope = scopeOf(covers)
    if (scope === null) return
    const how = what.how === 'acknowledge' ? 'acknowledge' : 'snooze'
    const notice = app.state.notices.find(
      ({ kind, outcome, target }) =>
        kind === 'down' &&
        outcome === 'shown' &&
        target.view === 'check' &&
        target.checkId === (scope.of === 'check' ? scope.checkId : ''),
    )
    if (what.through === 'popUp' && notice === undefined) return
    const lasts = how === 'snooze' ? 60 : 'change'
    const stop = silenced(isOwn, noteSilence({ how, covers, lasts }))
    if (notice !== undefined && what.through === 'popUp') {
      await done(app.noticeAction(notice, how))
    } else {
      const until =
        how === 'snooze' ? ({ kind: 'for', minutes: 60 } as const) : { kind: 'change' as const }
      app.trayAction({ do: 'silence', how, scope, until })
      await time.run(time.real + 50)
    }
    stop()
  }

  function coversOf({ aim }: Silencing, chance: Seeded): Covers | null {
    const places = accountIds.flatMap((id, at) => (id === null ? [] : [at]))
    const project = places[chance.whole(0, places.length - 1)]
    if (project === undefined) return null
    if (aim === 'everything') return { of: 'everything' }
    if (aim === 'project') return { of: 'project', project }
    if (aim === 'tag') return { of: 'tag', tag: chance.pick(['db', 'web', 'prod']) }
    const down = places.flatMap((at) => {
      const read = reads().findLast((one) => one.project === at && one.outcome === 'good')
      return (read?.down ?? []).map((uuid) => ({ of: 'check' as const, project: at, uuid }))
    })
    const any = (services[project]?.existing() ?? []).map(({ uuid }) => ({
      ...{ of: 'check' as const, project, uuid },
    }))
    const list = aim === 'down check' && down.length > 0 ? down : any
    return list[chance.whole(0, list.length - 1)] ?? null
  }

  function scopeOf(covers: Covers): Silence['scope'] | null {
    if (covers.of === 'tag' || covers.of === 'everything') return covers
    const accountId = idOf(covers.project)
    if (accountId === null) return null
    return covers.of === 'project'
      ? { of: 'project', accountId }
      : { of: 'check', accountId, checkId: uniqueKey(covers.uuid) }
  }

  /** Goes on with the project’s other key, which may do less, or more. */
  async function useOtherKey(project: number): Promise<void> {
    const accountId = idOf(project)
    if (accountId === null) return
    act({ did: 'other', what: 'otherKey' })
    const given = { kind: 'monitoring', baseUrl: hostOf(project) } as const
    const { label = '' } = plans.projects[project] ?? {}
    const input = { ...given, label, key: otherKey(project), allowHttp: false }
    await done(run().app.commands.addAccount({ ...input, instead: accountId }))
  }

  async function addAccount(project: number): Promise<void> {
    if (idOf(project) !== null) return
    const { label = '' } = plans.projects[project] ?? {}
    const given = { kind: 'monitoring', baseUrl: hostOf(project) } as const
    const input = { ...given, label, key: keys[project] ?? '', allowHttp: false }
    const added = await done(run().app.commands.addAccount(input))
    if (added === null) return
    const { accountId } = added.value
    accountIds[project] = accountId
    act({ did: 'added', project, accountId })
  }

  async function removeAccount(project: number): Promise<void> {
    const { app } = run()
    const accountId = idOf(project)
    if (accountId === null) return
    accountIds[project] = null
    act({ did: 'removed', project, accountId })
    // Both, if it has two that are not joined yet.
    for (const { id, baseUrl } of app.state.accounts)
      if (baseUrl === hostOf(project)) await done(app.commands.removeAccount({ accountId: id }))
  }

  /** The service gets another key, and the app a while later. */
  async function replaceKey(project: number): Promise<void> {
    const accountId = idOf(project)
    if (accountId === null) return
    keys[project] = `${keys[project] ?? ''}+`
    act({ did: 'other', what: 'replaceKey' })
    await time.run(time.real + 120_000)
    await done(run().app.commands.replaceKey({ accountId, key: keys[project] ?? '' }))
  }

  /** What somebody else writes to the user. */
  function say({ what, from, place }: Extract<Happening, { do: 'say' }>): void {
    messages += 1
    const token = `m${messages}x`
    const to = what === 'direct' ? from : place
    realm.controls.say({ from, to, text: `see ${token}`, mention: what === 'mention' })
    log({ what: 'said', token, said: what, place: to, from })
  }

  /** A bot writes of an outage, and somebody adds 👀 to that. */
  async function look(from: string, chance: Seeded): Promise<void> {
    const { app } = run()
    const aim = { do: 'silence', how: 'acknowledge', aim: 'down check', minutes: 5 } as const
    const about = coversOf({ ...aim, through: 'window' }, chance)
    const scope = about === null ? null : scopeOf(about)
    if (about?.of !== 'check' || scope?.of !== 'check') return
    const check = app.state.boards.get(scope.accountId)?.checks.get(scope.checkId)
    if (check?.status !== 'down') return
    messages += 1
    await eyes.added({ from, about, checkId: scope.checkId, token: `m${messages}x` })
  }

  /** Plans a maintenance, for once or for each week. */
  async function plan(what: Extract<Happening, { do: 'plan' }>, chance: Seeded): Promise<void> {
    const covers = coversOf({ ...byWindow, aim: what.aim }, chance)
    const scope = covers === null ? null : scopeOf(covers)
    if (covers === null || scope === null) return
    if (scope.of !== 'check' && scope.of !== 'tag' && scope.of !== 'project') return
    const ahead = time.now - time.real
    const [from, until] = [what.from + ahead, what.until + ahead]
    const { zone } = what
    const [start, end] = [clockIn(zone ?? 'UTC', from), clockIn(zone ?? 'UTC', until)]
    const { day } = start
    const when: PlannedFor =
      zone === null ? { from, until } : { day, from: start.time, to: end.time, zone }
    const given =
      zone === null
        ? { of: 'once' as const, from, until }
        : { of: 'weekly' as const, days: [day], from: start.time, to: end.time, zone }
    const planned = await done(run().app.commands.planMaintenance({ scope, when: given }))
    if (planned === null) return
    const { id } = planned.value
    plannedIds.push(id)
    act({ did: 'plan', id, covers, when })
  }

  async function unplan(chance: Seeded): Promise<void> {
    const id = plannedIds[chance.whole(0, plannedIds.length - 1)]
    if (id === undefined) return
    act({ did: 'unplan', id })
    await done(run().app.commands.cancelPlanned({ id }))
  }

  /** Says that checks depend on one, of the same project or of another. */
  async function depend(
    { aim }: Extract<Happening, { do: 'depend' }>,
    chance: Seeded,
  ): Promise<void> {
    const covers = coversOf({ ...byWindow, aim }, chance.part('children'))
    const on = coversOf({ ...byWindow, aim: 'any check' }, chance.part('parent'))
    const [scope, parent] = [covers, on].map((one) => (one === null ? null : scopeOf(one)))
    if (covers === null || on?.of !== 'check' || parent?.of !== 'check') return
    if (scope?.of !== 'check' && scope?.of !== 'tag' && scope?.of !== 'project') return
    const { of: _check, ...ids } = parent
    const made = await done(run().app.commands.addDependency({ scope, on: ids }))
    if (made === null) return
    const { id } = made.value
    dependencyIds.push(id)
    act({ did: 'depend', id, covers, on })
  }

  async function independ(chance: Seeded): Promise<void> {
    const id = dependencyIds[chance.whole(0, dependencyIds.length - 1)]
    if (id === undefined) return
    act({ did: 'independ', id })
    await done(run().app.commands.removeDependency({ id }))
  }

  /** Ends one of the silences, and undoes that within the ten seconds in which it is offered. */
  async function endAndUndo(chance: Seeded): Promise<void> {
    const one = await end(chance)
    if (one === null) return
    await time.run(time.real + chance.whole(1, 9) * 1_000)
    act({ did: 'restore', id: one.act })
    await done(run().app.commands.restoreSilence({ ids: [one.id] }))
  }

  /** What ends is known by what the user did: the maintenance that was planned begins by itself. */
  async function end(chance: Seeded): Promise<{ id: string; act: string } | null> {
    const live = run().app.state.silences.flatMap(({ id }) => {
      const own = [...set, ...plannedIds].find((one) => id === one || id.startsWith(`${one}-`))
      return own === undefined ? [] : [{ id, act: own }]
    })
    const one = live[chance.whole(0, live.length - 1)]
    if (one === undefined) return null
    act({ did: 'end', id: one.act })
    await done(run().app.commands.endSilence({ ids: [one.id] }))
    return one
  }

  /** Opens the page of a check, and goes away again. */
  async function open(chance: Seeded): Promise<void> {
    const { app } = run()
    const aim = { do: 'silence', how: 'snooze', aim: 'down check', minutes: 5 } as const
    const covers = coversOf({ ...aim, through: 'window' }, chance)
    const scope = covers === null ? null : scopeOf(covers)
    if (covers?.of !== 'check' || scope?.of !== 'check') return
    act({ did: 'open', project: covers.project, uuid: covers.uuid })
    const { accountId, checkId } = scope
    const place = { view: 'check', accountId, checkId } as const
    await done(app.commands.showing({ view: 'check', place }))
    await done(app.commands.showing({ view: null, place: { view: 'checks' } }))
  }

  async function does(what: Happening, chance: Seeded): Promise<void> {
    const { app, desktop } = run()
    switch (what.do) {
      case 'silence':
        return what.through === 'window' ? silence(what, chance) : press(what, chance)
      case 'plan':
        return plan(what, chance)
      case 'unplan':
        return unplan(chance)
      case 'depend':
        return depend(what, chance)
      case 'independ':
        return independ(chance)
      case 'endSilence':
        await end(chance)
        return
      case 'undo':
        return endAndUndo(chance)
      case 'systemQuiet':
        act({ did: 'systemQuiet', on: what.on })
        desktop.setQuiet(what.on)
        return
      case 'poll':
        act({ did: 'poll', seconds: what.seconds })
        await done(app.commands.updateSettings({ pollSeconds: what.seconds }))
        return
      case 'clock':
        time.setClock(time.now - time.real + what.byMs)
        log({ what: 'clock', ahead: time.now - time.real, zone: process.env['TZ'] ?? 'UTC' })
        return
      case 'rules':
        act({ did: 'rules', attention: what.attention })
        await done(app.commands.updateSettings({ attention: what.attention }))
        return
      case 'eyes':
        return what.on ? look(what.from, chance) : eyes.removed(what.from)
      case 'zone':
        process.env['TZ'] = what.zone
        log({ what: 'clock', ahead: time.now - time.real, zone: what.zone })
        return
      case 'removeAccount':
        return removeAccount(what.project)
      case 'addAccount':
        return addAccount(what.project)
      case 'replaceKey':
        return replaceKey(what.project)
      case 'otherKey':
        return useOtherKey(what.project)
      case 'open':
        return open(chance)
      case 'clearNotices':
        act({ did: 'other', what: what.do })
        await done(app.commands.clearNotices({}))
        return
      case 'refresh':
        act({ did: 'other', what: what.do })
        void app.commands.refresh({ accountId: null }).catch(refusal)
        return
      case 'say':
        say(what)
        return
      case 'loseQueue':
        realm.controls.dropQueues()
        return
      case 'chatFails':
      case 'chatWorks':
        chatGate.fails = what.do === 'chatFails'
        return
      case 'sleep':
      case 'off':
      case 'daemon':
    }
  }

  return { does }
}

/** The service or the app said no, in words; anything else is a bug. */
function refusal(error: unknown): true {
  if (error instanceof RequestFailed) return true
  throw error
}
