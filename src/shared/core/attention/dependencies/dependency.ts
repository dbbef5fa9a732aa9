import * as v from 'valibot'
import { type AccountId, type AccountsSlice, accountById } from '../../account.ts'
import { type ChecksSlice, notifiedStatus } from '../../checks/board.ts'
import { type Check, type CheckId, checkName, isWell } from '../../checks/check.ts'
import { mapped } from '../../identity.ts'
import { type Immutable, idSchema } from '../../schemas.ts'
import { checkSubject } from '../event.ts'
import { type ChecksScope, checksScopeSchema, silenceSchema } from '../silence.ts'

const { id, label } = silenceSchema.entries
const checkIds = v.object({ accountId: idSchema, checkId: idSchema })

/** “#site-a depends on gateway”: while that check is down, the others are quiet. */
export const dependencySchema = v.object({
  id,
  scope: checksScopeSchema,
  label,
  on: checkIds,
  /** Its name when this was set, for when it is gone. */
  onLabel: v.string(),
  /** It was down, and not up since: a pause doesn’t end that. */
  out: v.boolean(),
  /** When it was last found not to be so any more, epoch ms; 0: never. */
  overAt: v.number(),
})
export type Dependency = Immutable<v.InferOutput<typeof dependencySchema>>

/** What a user asks for. */
export const dependsSchema = v.pick(dependencySchema, ['scope', 'on'])

export interface DependenciesSlice {
  readonly dependencies: readonly Dependency[]
}

/** What tells who is quiet. */
type Known = AccountsSlice & ChecksSlice & DependenciesSlice

export const dependencyLimit = 100
export const dependenciesFullWords = `Belfry can keep at most ${dependencyLimit} dependencies: remove one, or let a tag or a whole project depend on the check instead.`

/** Children of a check that could not be read for so long are loud. */
const unreadMs = 60_000

type One = Pick<Dependency, 'scope' | 'on'>
type Own = Dependency['on']

/** Remembers which of the checks that others depend on are out. */
export function withDependenciesRead<State extends Known>(state: State, now: number): State {
  const dependencies = mapped(state.dependencies, (one): Dependency => {
    const isOutNow = isOut(state, one)
    const { out, overAt } = one
    if (isOutNow) return out ? one : { ...one, out: true }
    if (out) return { ...one, out: false, overAt: now }
    // The clock was set back while Belfry was off.
    return overAt > now ? { ...one, overAt: now } : one
  })
  return dependencies === state.dependencies ? state : { ...state, dependencies }
}

/** By the status that was notified, which survives restarts. */
function isOut({ boards }: Known, { on, out }: Dependency): boolean {
  const board = boards.get(on.accountId)
  const status = board === undefined ? null : notifiedStatus(board, on.checkId)
  if (status === null || isWell(status)) return false
  return status === 'down' || out
}

/** Whether nobody can tell what the check is: its project can’t be read, or it is gone. */
function isUnknown(state: Known, { accountId, checkId }: Own, now: number): boolean {
  const board = state.boards.get(accountId)
  if (board === undefined || accountById(state, accountId)?.key !== 'present') return true
  const { failedAt, readAt } = board.freshness
  if (failedAt !== null && now - failedAt >= unreadMs) return true
  return readAt !== null && !board.checks.has(checkId)
}

/** One that keeps the checks that depend on it quiet. */
export interface Outage {
  readonly accountId: AccountId
  readonly checkId: CheckId
  readonly name: string
  readonly isPaused: boolean
}

/** “gateway is down” */
export function outageWords({ name, isPaused }: Outage): string {
  return `${name} is ${isPaused ? 'paused' : 'down'}`
}

/** A dependency with everything that it depends on in turn. */
interface Chain {
  readonly scope: ChecksScope
  /** Subjects of the checks that are never quiet because of it: in a circle, nobody would be told. */
  readonly except: ReadonlySet<string>
  /** The nearest that is out, if any. */
  readonly outage: Outage | null
  readonly links: readonly Dependency[]
}

function chainsOf(state: Known, now: number): readonly Chain[] {
  const all = state.dependencies
  return all.map((one) => {
    const links = linksOf(state, all, one)
    const out = links.find((each) => each.out && !isUnknown(state, each.on, now))
    return {
      scope: one.scope,
      except: new Set(links.map(({ on }) => checkSubject(on.accountId, on.checkId))),
      outage: out === undefined ? null : outageOf(state, out),
      links,
    }
  })
}

/** The dependency itself, then those of what it depends on. */
function linksOf(
  state: Known,
  all: readonly Dependency[],
  first: Dependency,
): readonly Dependency[] {
  const links = [first]
  for (const { on } of links)
    for (const other of all)
      if (!links.includes(other) && isChild(state, other, on)) links.push(other)
  return links
}

/** Whether the check depends on that of the dependency. None depends on itself. */
function isChild({ boards }: Known, { scope, on }: One, own: Own): boolean {
  if (isSame(on, own)) return false
  if (scope.of === 'tag')
    return boards.get(own.accountId)?.checks.get(own.checkId)?.tags.includes(scope.tag) === true
  return scope.accountId === own.accountId && (scope.of === 'project' || isSame(scope, own))
}

function isSame(one: Own, other: Own): boolean {
  return one.accountId === other.accountId && one.checkId === other.checkId
}

function outageOf(state: Known, { on, onLabel }: Dependency): Outage {
  const board = state.boards.get(on.accountId)
  return {
    ...on,
    name: nameOf(state, on) ?? onLabel,
    isPaused: board !== undefined && notifiedStatus(board, on.checkId) !== 'down',
  }
}

function nameOf({ boards }: Known, { accountId, checkId }: Own): string | null {
  const check = boards.get(accountId)?.checks.get(checkId)
  return check === undefined ? null : checkName(check)
}

/** What a check’s outage is put down to; null: nothing. */
export type OutageBehind = (
  accountId: AccountId,
  check: Pick<Check, 'id' | 'tags'>,
) => Outage | null

const nothing: OutageBehind = () => null

export function outagesBehind(state: Known, now: number): OutageBehind {
  if (!state.dependencies.some(({ out }) => out)) return nothing
  const chains = chainsOf(state, now).filter(({ outage }) => outage !== null)
  if (chains.length === 0) return nothing
  return (accountId, { id: checkId, tags }) =>
    chains.find(
      ({ scope, except }) =>
        isIn(scope, accountId, checkId, tags) && !except.has(checkSubject(accountId, checkId)),
    )?.outage ?? null
}

export function isIn(
  scope: ChecksScope,
  accountId: AccountId,
  checkId: CheckId,
  tags: readonly string[],
): boolean {
  if (scope.of === 'tag') return tags.includes(scope.tag)
  return scope.accountId === accountId && (scope.of === 'project' || scope.checkId === checkId)
}

/** A dependency as the attention engine needs it. */
export interface DependencyNow extends Pick<Dependency, 'scope'> {
  /** Subjects of checks that it is not about. */
  readonly except: readonly string[]
  /** “gateway is down”; null: nothing that they depend on is. */
  readonly why: string | null
  /** When that was over, epoch ms; 0: long ago. */
  readonly overAt: number
  /** Of what they depend on, where that is well. `readAt`: 0 unless something waits for it. */
  readonly reads: readonly { readonly readAt: number; readonly intervalMs: number }[]
}

/** `isAwaited`: whether something waits for what it depends on to be read. */
export function dependenciesNow(
  state: Known,
  now: number,
  isAwaited: boolean,
): readonly DependencyNow[] {
  return chainsOf(state, now).map(({ scope, except, outage, links }) => {
    const known = links.filter(({ on }) => !isUnknown(state, on, now))
    const reads = known.flatMap(({ on }) => {
      const board = state.boards.get(on.accountId)
      if (board === undefined || !isWell(notifiedStatus(board, on.checkId))) return []
      const { readAt, intervalMs } = board.freshness
      return [{ readAt: isAwaited ? (readAt ?? 0) : 0, intervalMs }]
    })
    return {
      scope,
      except: [...except],
      why: outage === null ? null : outageWords(outage),
      overAt: Math.max(0, ...known.map(({ overAt }) => overAt)),
      reads,
    }
  })
}

/** Why it can’t be added; null if it can. */
export function dependencyProblem(state: Known, one: One): string | null {
  const { scope, on } = one
  const parent = nameOf(state, on) ?? 'a check'
  if (scope.of === 'check' && isSame(scope, on)) return `${parent} can’t depend on itself.`
  const path = pathTo(state, one)
  if (path === null) return null
  const [first = parent, ...others] = path
  const rest = others.join(', which depends on ')
  return `They would depend on each other: ${first} depends on ${rest}.`
}

/** From the one that is depended on back to one of the checks, by name; null: it doesn’t depend on them. */
function pathTo(state: Known, { scope, on }: One): readonly string[] | null {
  const paths: { readonly at: Own; readonly names: readonly string[] }[] = [
    { at: on, names: [nameOf(state, on) ?? 'a check'] },
  ]
  const seen = new Set<string>()
  for (const { at, names } of paths) {
    const tags = state.boards.get(at.accountId)?.checks.get(at.checkId)?.tags ?? []
    // A check of the scope itself: one of a tag may well be what the others depend on.
    if (names.length > 1 && isIn(scope, at.accountId, at.checkId, tags)) return names
    for (const other of state.dependencies) {
      const key = checkSubject(other.on.accountId, other.on.checkId)
      if (seen.has(key) || !isChild(state, other, at)) continue
      seen.add(key)
      paths.push({ at: other.on, names: [...names, nameOf(state, other.on) ?? other.onLabel] })
    }
  }
  return null
}
