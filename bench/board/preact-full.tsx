import { render } from 'preact'
import '../../src/renderer/styles.css'
import { type Check, checkName } from '#shared/core/checks/check.ts'
import { scheduleWords } from '#shared/core/checks/schedule-words.ts'
import { lastPingWords, rowTitle, rowWords } from '../../src/renderer/board/row-words.ts'
import { StatusShape } from '../../src/renderer/parts/status-shape.tsx'
import { drive } from './drive.ts'
import { headHeight, isTrouble, ordered, rowHeight, troubleHeight } from './row-order.ts'

/** The ordinary way: a component for each row and all rows in the page. */
let root: HTMLElement | null = null
let order: (checks: readonly Check[]) => readonly Check[] = (checks) => checks

drive<readonly Check[]>({
  message: (checks) => checks,
  mount(element, checks) {
    root = element
    order = ordered(checks)
    draw(checks)
  },
  apply: draw,
})

function draw(checks: readonly Check[]): void {
  if (root !== null) render(<List checks={order(checks)} />, root)
}

function List({ checks }: { readonly checks: readonly Check[] }) {
  const now = Date.now()
  return (
    <div class="board">
      <div class="filter-bar">
        <div class="filter-box" />
      </div>
      <div class="virtual-list" role="tree">
        <div class="group-head" style={{ height: `${headHeight}px` }}>
          ops-project
        </div>
        {checks.map((check) => (
          <Row key={check.id} check={check} now={now} />
        ))}
      </div>
    </div>
  )
}

function Row({ check, now }: { readonly check: Check; readonly now: number }) {
  const trouble = isTrouble(check)
  const height = `${trouble ? troubleHeight : rowHeight}px`
  const tags = <span class="check-tags">{check.tags.map((tag) => `#${tag}`).join(' ')}</span>
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: as the board, whose list holds the focus.
    <div class="board-row" role="treeitem" style={{ height }}>
      <div
        class={`check-line ${trouble ? 'check-line-trouble' : ''} is-${check.status}`}
        title={rowTitle({ accountId: '', check }, checkName(check), now)}
      >
        <StatusShape shape={check.status} />
        <div class="check-main">
          <span class="check-name" dir="auto">
            {check.name}
          </span>
          {!trouble && tags}
        </div>
        <span class="check-status">{rowWords({ accountId: '', check, stale: false }, now)}</span>
        <span class="check-facts">
          {trouble && tags}
          <span class="check-last">{lastPingWords(check, now)}</span>
          <span class="check-schedule">{scheduleWords(check.schedule)}</span>
        </span>
      </div>
    </div>
  )
}
