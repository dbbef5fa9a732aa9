import { isFresh } from '#shared/core/account.ts'
import { checkName } from '#shared/core/checks/check.ts'
import type { LinkedCheck } from '#shared/core/outages/discuss.ts'
import { rowShape, rowWords } from '../board/row-words.ts'
import { StatusShape } from '../parts/status-shape.tsx'
import { appState, go, now } from '../window-state.ts'
import { UpdateOffer } from './update-offer.tsx'
import './discuss.css'

interface Props {
  readonly linked: readonly LinkedCheck[]
  /** Checks that are talked about here as well, and are not shown. */
  readonly more: number
}

/** The live state of the checks that a conversation is about. */
export function ConversationChecks({ linked, more }: Props) {
  if (linked.length === 0) return null
  return (
    <section class="conversation-checks" aria-label="Checks of this conversation">
      {linked.map(({ accountId, check }) => {
        const board = appState.value.boards.get(accountId)
        const stale = board === undefined || !isFresh(board.freshness, now.value)
        const serverNow = now.value + (board?.serverOffsetMs ?? 0)
        return (
          <div key={`${accountId}/${check.id}`} class="conversation-check">
            <button
              type="button"
              class={`conversation-check-state is-${stale ? 'stale' : check.status}`}
              onClick={() => go({ view: 'check', accountId, checkId: check.id })}
            >
              <StatusShape shape={rowShape(check, stale)} />
              <span class="conversation-check-name" dir="auto">
                {checkName(check)}
              </span>
              <span class="check-status">{rowWords(check, stale, serverNow)}</span>
            </button>
            <UpdateOffer accountId={accountId} check={check} />
          </div>
        )
      })}
      {more > 0 && (
        <p class="raw">
          and {more} more {more === 1 ? 'check' : 'checks'}
        </p>
      )}
    </section>
  )
}
