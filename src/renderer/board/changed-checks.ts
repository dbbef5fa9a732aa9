import { effect, signal } from '@preact/signals'
import type { AccountId } from '#shared/core/account.ts'
import type { Board } from '#shared/core/checks/board.ts'
import { type Check, checkName } from '#shared/core/checks/check.ts'
import { statusWord } from '#shared/core/checks/check-words.ts'
import { counted } from '#shared/core/wording.ts'
import { appState } from '../window-state.ts'

/** How long a change is new, in ms: the duration of the flash in board.css. */
const flashMs = 2_000
/** More changes at once than this are announced as a number. */
const mostNamed = 3
/** More rows flashing at once would help nobody, and each is drawn again in every frame. */
const mostFlashing = 20

const changedAt = new Map<string, number>()

/** For screen readers: "db-backup is down". */
export const announcement = signal('')

/** Whether the row of this check should flash once. */
export function hasJustChanged(accountId: AccountId, check: Check): boolean {
  const at = changedAt.get(`${accountId}/${check.id}`)
  return at !== undefined && performance.now() - at < flashMs
}

/** Notes each change of status from now on. Returns a function that stops it. */
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
    // The first read of a project is no change.
    if (old === undefined || old.checks === board.checks || old.freshness.readAt === null) continue
    for (const check of turned(old, board)) changed.push({ key: `${id}/${check.id}`, check })
  }
  if (changed.length === 0) return
  const at = performance.now()
  for (const [key, when] of changedAt) if (at - when > flashMs) changedAt.delete(key)
  if (changed.length <= mostFlashing) for (const { key } of changed) changedAt.set(key, at)
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
