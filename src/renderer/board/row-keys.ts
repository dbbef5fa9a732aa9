import { signal } from '@preact/signals'
import { type AccountId, accountById } from '#shared/core/account.ts'
import type { ChecksScope } from '#shared/core/attention/silence.ts'
import { type Check, type CheckId, checkName } from '#shared/core/checks/check.ts'
import { isTrouble } from '#shared/core/checks/status-counts.ts'
import type { Failure } from '#shared/core/failure.ts'
import { pinLimit } from '#shared/core/settings.ts'
import type { BoardRow, GroupRow } from '#shared/core/views/board-view.ts'
import { counted } from '#shared/core/wording.ts'
import { maintain, quietActions } from '../attention/check-quiet.tsx'
import { acknowledgeActions, acknowledgeAll, asking, type Named } from '../attention/quiet-menu.tsx'
import { call } from '../bridge.ts'
import { editAction, someWritable, whyNotWritable } from '../check-editor/editor-access.ts'
import type { PageAction } from '../parts/page-actions.ts'
import { failedWords, isNotFound, run } from '../run.ts'
import { dismissToast, toast, toastIfFailed, toastResult } from '../toast.ts'
import { appState, go, place } from '../window-state.ts'
import { activeKey, fold, movedKey, view } from './board-state.ts'

/** The single-key actions of a row. */
export function rowActions(row: BoardRow | undefined): readonly PageAction[] {
  if (row === undefined || row.kind === 'note') return []
  return row.kind === 'check' ? checkActions(row, row.key) : groupActions(row)
}

/** `row`: the key of its row on the board, where it has one. */
export function checkActions({ accountId, check }: Named, row?: string): readonly PageAction[] {
  const pause: PageAction = {
    key: 'p',
    title: `${pauseLabel(check)} ${checkName(check)}`,
    act: () => togglePause({ accountId, check }, row),
  }
  const isWritable = someWritable([{ accountId, check }])
  return [
    ...quietActions({ accountId, check }).map((one) =>
      row !== undefined && /^Acknowledge /.test(one.title) ? thenNext(one, check, row) : one,
    ),
    ...(isWritable ? [pause] : []),
    pinAction([{ accountId, check }]),
    ...(isWritable ? [editAction(accountId, check)] : []),
    ...discussActions(accountId, check),
    ...deleteActions(accountId, check),
  ]
}

/** The same action, which also selects the next check that still needs somebody. */
function thenNext(action: PageAction, check: Check, row: string): PageAction {
  const act = () => {
    const { rows } = view.peek()
    const at = rows.indexOf(row)
    const waits = (one: BoardRow) =>
      one.kind === 'check' && one.key !== row && isTrouble(one.check) && one.silence === null
    const [first, last] = [rows.slice(0, at).find(waits), rows.slice(at, rows.length).find(waits)]
    if (isTrouble(check)) activeKey.value = (last ?? first)?.key ?? activeKey.peek()
    return action.act()
  }
  return { ...action, act }
}

/** Only a read-write key tells Belfry the ping address. */
export function copyActions({ accountId, check }: Named): readonly PageAction[] {
  if (!someWritable([{ accountId, check }])) return []
  const act = () =>
    toastIfFailed(call.copyPingAddress({ accountId, checkId: check.id, form: 'curl' }))
  return [{ key: '', title: `Copy the ping of ${checkName(check)} as curl`, act }]
}

/** Says why a key that is enough to watch isn't enough for this one; false for all other keys. */
export function refuse(key: string, [first]: readonly Named[]): boolean {
  if (first === undefined || (key !== 'p' && key !== 'e')) return false
  const why = whyNotWritable(accountById(appState.peek(), first.accountId), first.check)
  if (why !== null) toast(why, 'failed')
  return why !== null
}

/** The check whose page asks at once whether to delete it; null: none. */
export const deleting = signal<CheckId | null>(null)

/** Leads to the check's page, which asks: what is deleted is in view. */
export function deleteActions(accountId: AccountId, check: Check): readonly PageAction[] {
  if (!someWritable([{ accountId, check }])) return []
  const account = accountById(appState.peek(), accountId)
  const act = () => {
    const why = whyNotWritable(account, check)
    if (why !== null) return toast(why, 'failed')
    deleting.value = check.id
    go({ view: 'check', accountId, checkId: check.id })
  }
  return [{ key: '', title: `Delete ${checkName(check)}…`, act }]
}

/** The check whose page opens its timeline at once; null: none. */
export const timelineAsked = signal<CheckId | null>(null)

/** Opens the timeline on the check's page. */
export function showTimeline(accountId: AccountId, checkId: CheckId): void {
  timelineAsked.value = checkId
  const at = place.peek()
  const isThere = at.view === 'check' && at.accountId === accountId && at.checkId === checkId
  if (!isThere) go({ view: 'check', accountId, checkId })
}

/** Actions that lead to a check's discussion and timeline, on its page and on the board. */
export function discussActions(accountId: AccountId, check: Check): readonly PageAction[] {
  const here = { accountId, checkId: check.id }
  const name = checkName(check)
  return [
    { key: 'd', title: `Share ${name} to chat`, act: () => go({ view: 'discuss', ...here }) },
    { key: 't', title: `Timeline of ${name}`, act: () => showTimeline(accountId, check.id) },
  ]
}

/** Pins the checks to the top of the board, or unpins them if all of them are. */
export function pinAction(checks: readonly Named[]): PageAction {
  const { pins } = appState.value.settings
  const others = pins.filter(
    ({ accountId, checkId }) =>
      !checks.some((one) => one.accountId === accountId && one.check.id === checkId),
  )
  const unpins = pins.length - others.length === checks.length
  const [first] = checks
  const name =
    checks.length === 1 && first !== undefined
      ? checkName(first.check)
      : counted(checks.length, 'check')
  const done = unpins ? `Unpinned ${name}.` : `Pinned ${name} to the top of the board.`
  const act = () => {
    const added = checks.map(({ accountId, check }) => ({ accountId, checkId: check.id }))
    const all = unpins ? others : [...others, ...added]
    const tooMany = `At most ${pinLimit} checks can be pinned; this would make ${all.length}.`
    if (all.length > pinLimit) toast(tooMany, 'failed')
    else toastResult(call.updateSettings({ pins: all }), done)
  }
  return { key: 'f', title: `${unpins ? 'Unpin' : 'Pin'} ${name}`, act }
}

/** What `p` does to the check. */
export function pauseLabel({ status }: Check): 'Pause' | 'Resume' {
  return status === 'paused' ? 'Resume' : 'Pause'
}

/** The outcome of pausing or resuming; `ok` is false if it failed. */
export interface PauseOutcome {
  readonly ok: boolean
  readonly text: string
  /** What ends a pause, which the check's page says anyway. */
  readonly ends?: string
}

export function toastPause({ ok, text, ends = '' }: PauseOutcome): void {
  toast(`${text} ${ends}`.trim(), ok ? 'done' : 'failed')
}

function groupActions(row: GroupRow): readonly PageAction[] {
  const { title } = row
  const scope = scopeOf(row)
  const acknowledge = acknowledgeActions(`Acknowledge all of ${title}`, (tellOthers) =>
    acknowledgeAll(title, checksOf(row), tellOthers),
  )
  if (scope === null) return acknowledge
  const ask = () => {
    asking.value = { scope, name: title }
  }
  return [
    { key: 's', title: `Snooze ${title}…`, act: ask },
    ...acknowledge,
    maintain({ scope, name: title }),
  ]
}

/** The project or tag of a group; null for a status, and for the checks without a tag. */
function scopeOf({ accountId, tag }: GroupRow): ChecksScope | null {
  if (accountId !== null) return { of: 'project', accountId }
  return tag === null ? null : { of: 'tag', tag }
}

/** All checks of a group, folded or not. */
function checksOf({ accountId, tag, status }: GroupRow): readonly Named[] {
  const named: Named[] = []
  for (const [id, { checks }] of appState.value.boards)
    for (const check of checks.values()) {
      const isOfTag =
        status !== null
          ? check.status === status
          : tag === null
            ? check.tags.length === 0
            : check.tags.includes(tag)
      if (accountId === null ? isOfTag : accountId === id) named.push({ accountId: id, check })
    }
  return named
}

function togglePause({ accountId, check }: Named, row: string | undefined): void {
  const why = whyNotWritable(accountById(appState.value, accountId), check)
  if (why !== null) {
    toast(why, 'failed')
    return
  }
  if (row !== undefined) followRow(row)
  void pauseOrResume(accountId, check).then(toastPause)
}

/** The row moves when its status changes: keeps it in view, and its group from folding. */
function followRow(key: string): void {
  const { rows } = view.value
  const head = rows.slice(0, rows.indexOf(key)).findLast(({ kind }) => kind === 'group')
  movedKey.value = key
  if (head !== undefined) fold(head.key, true)
}

/** Pauses or resumes, and returns the outcome in words. Main reads the check again on its own. */
export async function pauseOrResume(accountId: AccountId, check: Check): Promise<PauseOutcome> {
  // "Resumed db-backup" must not stay on the screen while it is paused.
  dismissToast()
  const name = checkName(check)
  const resumes = check.status === 'paused'
  const operation = resumes ? 'resumeCheck' : 'pauseCheck'
  const result = await run(accountId, operation, { uuid: check.id })
  if (!result.ok) return { ok: false, text: pauseFailedWords(name, resumes, result.failure) }
  if (resumes) {
    // Resuming clears the last ping of a check, but not its number of pings.
    const next = check.pingCount > 0 ? 'next' : 'first'
    return { ok: true, text: `Resumed ${name}. It is new: waiting for the ${next} ping.` }
  }
  const ends = check.manualResume
    ? 'It stays paused until somebody resumes it.'
    : 'The next ping ends the pause.'
  return { ok: true, text: `Paused ${name}.`, ends }
}

function pauseFailedWords(name: string, resumes: boolean, failure: Failure): string {
  // Monitoring API: 409 for a check that is not stored as paused.
  if (resumes && failure.kind === 'refused' && failure.httpStatus === 409)
    return `${name} is no longer paused: there is nothing to resume.`
  if (isNotFound(failure)) return `${name} no longer exists.`
  const done = resumes ? 'resumed' : 'paused'
  return failedWords(failure, `${name} may have been ${done} anyway.`, `Nothing was ${done}.`)
}
