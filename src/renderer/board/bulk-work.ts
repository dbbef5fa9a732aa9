import { computed, signal } from '@preact/signals'
import { type AccountId, accountById } from '#shared/core/account.ts'
import {
  type BulkAction,
  type BulkOutcome,
  type BulkService,
  type BulkTarget,
  outcomeOfGone,
  runBulk,
} from '#shared/core/checks/bulk.ts'
import { checkName, type Integration, integrationName } from '#shared/core/checks/check.ts'
import type { Result } from '#shared/core/failure.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import type { CheckRow } from '#shared/core/views/board-view.ts'
import { counted, numberWords } from '#shared/core/wording.ts'
import {
  acknowledgeActions,
  acknowledgeAll,
  asking,
  type Named,
  oppositeOfMany,
} from '../attention/quiet-menu.tsx'
import { call } from '../bridge.ts'
import { someWritable, whyNotWritable } from '../check-editor/editor-access.ts'
import { holdsInput } from '../held-input.ts'
import type { PageAction } from '../parts/page-actions.ts'
import { integrationsOf, run, waitWhile } from '../run.ts'
import { toast, undo } from '../toast.ts'
import { appState } from '../window-state.ts'
import { view } from './board-state.ts'
import { pinAction } from './row-keys.ts'

/** Keys of the selected checks: under two tags a check is selected once. */
const selected = signal<ReadonlySet<string>>(new Set())
/** The row that a range begins at. */
let anchor: string | null = null

function keyOf({ accountId, check }: Named): string {
  return `${accountId}/${check.id}`
}

/** The selected checks, those that are still there. */
export const chosen = computed<readonly Named[]>(() => {
  if (selected.value.size === 0) return []
  return [...appState.value.boards].flatMap(([accountId, { checks }]) =>
    [...checks.values()].flatMap((check) =>
      selected.value.has(keyOf({ accountId, check })) ? [{ accountId, check }] : [],
    ),
  )
})

export function isSelected(row: CheckRow): boolean {
  return selected.value.has(keyOf(row))
}

export function clearSelection(): void {
  selected.value = new Set()
  anchor = null
}

/** Adds the check to the selection, or takes it out. */
export function toggleSelected(row: CheckRow): void {
  const next = new Set(selected.value)
  if (!next.delete(keyOf(row))) next.add(keyOf(row))
  selected.value = next
  anchor = row.key
}

/** Selects all from where the selection began, or from the row `from`, to the row `to`. */
export function selectRange(from: number, to: number): void {
  const { rows } = view.value
  const known = rows.indexOf(anchor)
  const start = known < 0 ? from : known
  anchor = rows.at(start)?.key ?? null
  select(Math.min(start, to), Math.max(start, to) + 1)
}

export function selectAll(): void {
  select(0, view.value.rows.length)
}

function select(from: number, to: number): void {
  const rows = view.value.rows.slice(Math.max(0, from), to)
  selected.value = new Set(rows.flatMap((row) => (row.kind === 'check' ? [keyOf(row)] : [])))
}

/** What is being done to several checks, or was: until it is dismissed. */
export interface Work {
  readonly action: BulkAction
  readonly total: number
  readonly outcomes: readonly { readonly target: BulkTarget; readonly outcome: BulkOutcome }[]
  readonly state: 'running' | 'stopping' | 'ended'
  /** Epoch ms at which the request limit lets the next one through. */
  readonly waitsUntil: number
}

export const work = signal<Work | null>(null)

const isWorking = () => work.peek() !== null && work.peek()?.state !== 'ended'

// Also what failed: a rate limit may let it end long after anybody looked.
holdsInput(() => {
  const shown = work.peek()
  return isWorking() || (shown !== null && hasTrouble(shown))
})

export function stopWork(): void {
  change({ state: 'stopping' })
}

/** One after the other, and each once; what came of each is kept until it is dismissed. */
export async function startWork(
  action: BulkAction,
  checks: readonly Named[],
  gone: readonly BulkTarget[] = [],
): Promise<void> {
  // A key that is pressed twice, or held down, would send every change again.
  if (isWorking()) {
    toast('One change after the other: wait until this one is done, or stop it.', 'failed')
    return
  }
  const state = 'running'
  const outcomes = gone.map((target) => ({ target, outcome: outcomeOfGone(action) }))
  work.value = { action, total: checks.length + gone.length, outcomes, state, waitsUntil: 0 }
  const onOutcome = (target: BulkTarget, outcome: BulkOutcome) => {
    const before = work.value
    if (before === null) return
    work.value = { ...before, outcomes: [...before.outcomes, { target, outcome }] }
  }
  const targets: BulkTarget[] = []
  for (const { accountId, check } of checks) {
    const isPaused = check.status === 'paused'
    const target = { accountId, checkId: check.id, name: checkName(check), isPaused }
    const why = whyNotWritable(accountById(appState.value, accountId), check)
    if (why === null) targets.push(target)
    else onOutcome(target, { is: 'failed', why })
  }
  const isStopped = () => work.peek()?.state !== 'running'
  let longestWait = 0
  const onWait = (ms: number) => {
    longestWait = Math.max(longestWait, ms)
    change({ waitsUntil: Date.now() + ms })
  }
  await runBulk(action, targets, serviceOfApp(onWait), { isStopped, onOutcome })
  const ended: Work = { ...work.value, state: 'ended' }
  work.value = ended
  // What took long may end while nobody looks, and what went wrong is to be read: both stay.
  if (longestWait > 0 || hasTrouble(ended)) return
  work.value = null
  const takeBack = undoOf(ended)
  toast(`${endWords(ended)}.`, 'done', takeBack === null ? null : undo(takeBack))
}

function hasTrouble({ outcomes }: Work): boolean {
  return outcomes.some(({ outcome }) => outcomeWords(outcome) !== null)
}

/** Takes back what was done, and only that; null if nothing can be. */
export function undoOf({ action, outcomes }: Work): (() => void) | null {
  const opposite = oppositeOf(action)
  const done = new Set(
    outcomes.flatMap(({ target, outcome }) =>
      outcome.is === 'done' ? [`${target.accountId}/${target.checkId}`] : [],
    ),
  )
  if (opposite === null || done.size === 0) return null
  return () => {
    const checks = [...appState.value.boards].flatMap(([accountId, board]) =>
      [...board.checks.values()].map((check) => ({ accountId, check })),
    )
    void startWork(
      opposite,
      checks.filter((one) => done.has(keyOf(one))),
    )
  }
}

function oppositeOf(action: BulkAction): BulkAction | null {
  switch (action.do) {
    case 'pause':
      return { do: 'resume' }
    case 'resume':
      return { do: 'pause' }
    case 'delete':
      return null
    case 'tag':
    case 'integration':
      return { ...action, on: !action.on }
  }
}

function change(part: Partial<Work>): void {
  if (work.value !== null) work.value = { ...work.value, ...part }
}

/** Tries again what failed or may have; what left the board meanwhile is reported as gone. */
export function tryAgain(): void {
  if (work.value === null) return
  const { action, outcomes } = work.value
  const again: Named[] = []
  const gone: BulkTarget[] = []
  for (const { target, outcome } of outcomes) {
    if (outcomeWords(outcome) === null) continue
    const { accountId, checkId } = target
    const check = appState.value.boards.get(accountId)?.checks.get(checkId)
    if (check === undefined) gone.push(target)
    else again.push({ accountId, check })
  }
  void startWork(action, again, gone)
}

/** Through main, where each change waits for the request limit. */
function serviceOfApp(onWait: (ms: number) => void): BulkService {
  const known = new Map<AccountId, Result<readonly Integration[]>>()
  const changing = async <T>({ accountId }: BulkTarget, send: () => Promise<T>): Promise<T> => {
    const wait = await call.changeWait({ accountId })
    if (wait.ok) onWait(wait.value)
    return send()
  }
  return {
    async read({ accountId, checkId }) {
      const read = await run(accountId, 'getCheck', { id: checkId })
      if (!read.ok) return read
      const { status, tags, channels } = read.value
      const ids = (channels ?? '').split(',').filter((id) => id !== '')
      return { ok: true, value: { status, tags, channels: ids } }
    },
    pause: (to) => changing(to, () => run(to.accountId, 'pauseCheck', { uuid: to.checkId })),
    resume: (to) => changing(to, () => run(to.accountId, 'resumeCheck', { uuid: to.checkId })),
    remove: (to) => changing(to, () => run(to.accountId, 'deleteCheck', { uuid: to.checkId })),
    update: (to, what) =>
      changing(to, () => run(to.accountId, 'updateCheck', { uuid: to.checkId, ...what })),
    async integrations(accountId, name) {
      const found = known.get(accountId) ?? (await integrationsOf(accountId))
      if (!found.ok) return found
      known.set(accountId, found)
      const ids = found.value.filter((one) => integrationName(one) === name).map(({ id }) => id)
      return { ok: true, value: ids }
    },
    wait: (ms) => {
      onWait(ms)
      return waitWhile(ms, work, (shown) => shown?.state === 'running')
    },
  }
}

/** Why it did not happen, in words; null where it did. */
export function outcomeWords(outcome: BulkOutcome): string | null {
  switch (outcome.is) {
    case 'done':
    case 'already':
      return null
    case 'unsure':
      return 'The response was lost, and Belfry couldn’t check whether it took effect.'
    case 'left':
      return 'Not tried.'
    case 'gone':
      return 'It no longer exists.'
    case 'failed':
      return typeof outcome.why === 'string' ? outcome.why : failureSentence(outcome.why)
  }
}

/** While it is done, and when it is. */
export function wordsOf(action: BulkAction): readonly [doing: string, done: string] {
  switch (action.do) {
    case 'pause':
      return ['Pausing', 'Paused']
    case 'resume':
      return ['Resuming', 'Resumed']
    case 'delete':
      return ['Deleting', 'Deleted']
    case 'tag':
      return action.on
        ? [`Adding #${action.tag}`, `Added #${action.tag}`]
        : [`Removing #${action.tag}`, `Removed #${action.tag}`]
    case 'integration':
      return action.on
        ? [`Adding ${action.name}`, `Added ${action.name}`]
        : [`Removing ${action.name}`, `Removed ${action.name}`]
  }
}

/** "Paused: 10 of 13 checks, 1 unchanged, 2 failed" */
export function endWords({ action, outcomes }: Work): string {
  const count = (is: BulkOutcome['is']) =>
    outcomes.filter(({ outcome }) => outcome.is === is).length
  const parts = [
    [count('already'), 'unchanged'],
    [count('failed'), 'failed'],
    [count('unsure'), 'unsure'],
    [count('left'), 'not tried'],
    [count('gone'), 'no longer there'],
  ] as const
  const others = parts
    .filter(([many]) => many > 0)
    .map(([many, words]) => `${numberWords(many)} ${words}`)
  const all = `${numberWords(count('done'))} of ${counted(outcomes.length, 'check')}`
  return `${wordsOf(action)[1]}: ${[all, ...others].join(', ')}`
}

/** The question that is open. */
export type BulkAsk =
  | { readonly about: 'tag' | 'integration'; readonly on: boolean }
  | { readonly about: 'delete' }
  | { readonly about: 'pause' }

export const bulkAsk = signal<BulkAsk | null>(null)

/** What `p` does to the selection. */
export function pauseOrResume(checks: readonly Named[]): 'pause' | 'resume' {
  return checks.every(({ check }) => check.status === 'paused') ? 'resume' : 'pause'
}

/** Pausing more checks than fit on a screen is confirmed first: a stray key would silence them all. */
const mostUnasked = 20

export function startPauseOrResume(what: 'pause' | 'resume', checks: readonly Named[]): void {
  if (what === 'pause' && checks.length > mostUnasked) bulkAsk.value = { about: 'pause' }
  else void startWork({ do: what }, checks)
}

/** What single keys do with the selection. */
export function bulkActions(checks: readonly Named[]): readonly PageAction[] {
  const many = counted(checks.length, 'check')
  const main = pauseOrResume(checks)
  const snooze = () => {
    asking.value = { scope: { of: 'everything' }, name: many, many: checks }
  }
  const pause: PageAction = {
    key: 'p',
    title: `${main === 'pause' ? 'Pause' : 'Resume'} ${many}`,
    act: () => startPauseOrResume(main, checks),
  }
  const acknowledges = acknowledgeActions(`Acknowledge ${many}`, (tellOthers) =>
    acknowledgeAll('the selection', checks, tellOthers),
  )
  const unacknowledge = oppositeOfMany(checks, 'acknowledge', { key: 'a', name: many })
  return [
    oppositeOfMany(checks, 'snooze', { key: 's', name: many }) ?? {
      key: 's',
      title: `Snooze ${many}…`,
      act: snooze,
    },
    ...(unacknowledge === null
      ? acknowledges
      : [unacknowledge, ...acknowledges.filter(({ key }) => key !== 'a')]),
    ...(someWritable(checks) ? [pause] : []),
    pinAction(checks),
  ]
}
