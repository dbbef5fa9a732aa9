import { clockWords } from '#shared/core/clock-words.ts'
import { StatusShape } from '../parts/status-shape.tsx'
import { go, now } from '../window-state.ts'
import type { ColumnFlip } from './column-items.tsx'

/** What became of the check while people wrote. Leads to it. */
export function FlipDivider({ flip }: { readonly flip: ColumnFlip }) {
  const { accountId, checkId, name, status, words, at } = flip
  return (
    <div class="day-divider flip-divider">
      <button type="button" onClick={() => go({ view: 'check', accountId, checkId })}>
        <StatusShape shape={status} size={12} />
        <bdi>{name}</bdi>
        <span>
          {words} · {clockWords(at, now.peek())}
        </span>
      </button>
    </div>
  )
}
