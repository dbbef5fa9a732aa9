import { effect, signal } from '@preact/signals'
import { type AccountId, isRead } from '#shared/core/account.ts'
import type { Board } from '#shared/core/checks/board.ts'
import { type Check, type CheckStatus, checkName } from '#shared/core/checks/check.ts'
import { statusWord } from '#shared/core/checks/check-words.ts'
import { counted } from '#shared/core/wording.ts'
import { call } from '../bridge.ts'
import { appState, now, place, visible } from '../window-state.ts'

/** How long a changed row may flash, in ms: at least the 1.6 s of the animation in board-rows.css. */
const flashMs = 2_000
/** If more checks than this change at once, only their number is announced. */
const mostNamed = 3
/** With more changes at once, no row flashes: it would help nobody, and each costs every frame. */
const mostFlashing = 20

const changedAt = new Map<string, number>()

/** The boards as they were last looked at; null if they were not yet looked at in this window. */
const lookedAt = signal<ReadonlyMap<AccountId, Board> | null>(null)
/** The new statuses of checks that changed while the board was looked at: they count as seen. */
const sinceSeen = new Map<string, CheckStatus>()
/** Ms. Leaving sooner doesn't count as looking. */
const leastLookMs = 2_000

/** Whether the check got its present status after the board was last looked at. */
export function hasChangedUnseen(accountId: AccountId, check: Check): boolean {
  const happened = sinceSeen.get(`${accountId}/${check.id}`)
  if (lookedAt.value === null) return happened !== check.status && beganUnseen(accountId, check)
  const board = lookedAt.value.get(accountId)
  // The first read of a project is not a change.
  if (board === undefined || !isRead(board.freshness)) return false
  return (happened ?? board.checks.get(check.id)?.status) !== check.status
}

/** For a window not looked at yet: an earlier window or run left only the time of its last look. */
function beganUnseen(accountId: AccountId, check: Check): boolean {
  const { boards, settings } = appState.value
  if (settings.boardSeenAt === null || check.since === null) return false
  return check.since - (boards.get(accountId)?.serverOffsetMs ?? 0) > settings.boardSeenAt
}

/** Records looks at the board, or at a check opened from it. Returns a function that stops it. */
export function followLooks(): () => void {
  return effect(() => {
    const looks = visible.value && (place.value.view === 'checks' || 'checkId' in place.value)
    const at = performance.now()
    if (looks) lookingSince ??= at
    else {
      if (isLooking(at)) {
        sinceSeen.clear()
        lookedAt.value = appState.peek().boards
        void call.updateSettings({ boardSeenAt: now.peek() })
      }
      lookingSince = null
    }
  })
}

/** `performance.now()`; null while the board is out of view. */
let lookingSince: number | null = null

function isLooking(at: number): boolean {
  return lookingSince !== null && at - lookingSince >= leastLookMs
}

/** For screen readers: "db-backup is down". */
export const announcement = signal('')

/** Whether the row of this check should flash once. */
export function hasJustChanged(accountId: AccountId, check: Check): boolean {
  const at = changedAt.get(`${accountId}/${check.id}`)
  return at !== undefined && performance.now() - at < flashMs
}

/** Records each change of status from now on. Returns a function that stops it. */
export function followChanges(): () => void {
  let before: ReadonlyMap<AccountId, Board> | null = null
  return effect(() => {
    const { boards } = appState.value
    if (before !== null && before !== boards) note(before, boards)
    before = boards
  })
}

function note(before: ReadonlyMap<AccountId, Board>, after: ReadonlyMap<AccountId, Board>): void {
  const changed: { readonly key: string; readonly check: Check }[] = []
  for (const [id, board] of after) {
    const old = before.get(id)
    // The first read of a project is not a change.
    if (old === undefined || old.checks === board.checks || !isRead(old.freshness)) continue
    for (const check of turned(old, board)) changed.push({ key: `${id}/${check.id}`, check })
  }
  if (changed.length === 0) return
  const at = performance.now()
  for (const [key, when] of changedAt) if (at - when > flashMs) changedAt.delete(key)
  if (changed.length <= mostFlashing) for (const { key } of changed) changedAt.set(key, at)
  if (isLooking(at)) for (const { key, check } of changed) sinceSeen.set(key, check.status)
  announcement.value =
    changed.length > mostNamed
      ? `${counted(changed.length, 'check')} changed`
      : changed.map(({ check }) => `${checkName(check)} is ${statusWord(check.status)}`).join(', ')
}

/** Checks that are new or have another status. */
function turned(old: Board, board: Board): readonly Check[] {
  const olds = old.checks.values()
  return [...board.checks.values()].filter((check) => {
    // A changed check keeps its place in the map, so a lookup is rarely needed.
    const there = olds.next().value
    const was = there?.id === check.id ? there : old.checks.get(check.id)
    return was !== check && was?.status !== check.status
  })
}
