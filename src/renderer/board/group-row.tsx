import { statusOrder } from '#shared/core/checks/check.ts'
import { countWords } from '#shared/core/checks/status-counts.ts'
import { clockWords } from '#shared/core/clock-words.ts'
import type { GroupRow } from '#shared/core/views/board-row.ts'
import { Icon } from '../parts/icon.tsx'
import { StatusShape } from '../parts/status-shape.tsx'
import { appState, now } from '../window-state.ts'

/** The head of a project's or a tag's checks: name, counts, and how old they are if that matters. */
export function GroupHead({ row }: { readonly row: GroupRow }) {
  const { title, counts, unreadable, open, stale, accountId, isQuiet } = row
  const account = appState.value.accounts.find(({ id }) => id === accountId)
  // Of a project that was never read there is no "was".
  const neverRead = accountId !== null && readAtOf(accountId) === null
  return (
    <div class={`group-head ${open ? 'is-open' : ''} ${isQuiet ? 'is-quiet' : ''}`}>
      <Icon name="fold" />
      <span class="group-title" dir="auto">
        {title}
      </span>
      {account?.insecure === true && (
        <span class="insecure" title={`Not encrypted: plain http to ${account.baseUrl}`}>
          http
        </span>
      )}
      <span class="group-rule" />
      {stale ? <StaleMark accountId={accountId} /> : <WorstShape row={row} />}
      {!neverRead && (
        <span class={`group-counts ${stale ? 'is-stale' : toneOf(row)}`}>
          {stale && 'was '}
          {countWords(counts, unreadable)}
          {isQuiet && ', quiet'}
        </span>
      )}
    </div>
  )
}

function toneOf({ counts, isQuiet }: GroupRow): string {
  if (isQuiet) return ''
  if (counts.down > 0) return 'is-down'
  return counts.grace > 0 ? 'is-grace' : ''
}

/** Up only when all is up: the worst of the group otherwise. */
function WorstShape({ row: { counts, unreadable } }: { readonly row: GroupRow }) {
  const count = { ...counts, unknown: counts.unknown + unreadable }
  const worst = statusOrder.find((status) => count[status] > 0)
  return worst === undefined ? null : <StatusShape shape={worst} size={12} />
}

function StaleMark({ accountId }: { readonly accountId: string | null }) {
  const readAt = accountId === null ? null : readAtOf(accountId)
  return (
    <span class="stale-mark">
      <StatusShape shape="stale" size={12} />
      {readAt === null ? 'no data' : clockWords(readAt, now.value)}
    </span>
  )
}

function readAtOf(accountId: string): number | null {
  return appState.value.boards.get(accountId)?.freshness.readAt ?? null
}
