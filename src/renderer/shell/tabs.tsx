import { go, place } from '../window-state.ts'
import { downCount, unreadCount } from './tab-counts.ts'

type Tab = 'checks' | 'chat'

const checkViews: ReadonlySet<string> = new Set([
  'checks',
  'check',
  'editCheck',
  'discuss',
  'timeline',
])

/** The face of the window that a place belongs to; null for pages that stand beside both. */
export function tabOf(view: string): Tab | null {
  if (checkViews.has(view)) return 'checks'
  return view === 'chat' || view === 'conversation' ? 'chat' : null
}

/** The two faces of the window, each with what waits there. */
export function Tabs() {
  const selected = tabOf(place.value.view)
  const down = downCount.value
  const unread = unreadCount.value
  return (
    <div
      class="tabs"
      role="tablist"
      aria-label="Views"
      onKeyDown={(key) => {
        if (key.key === 'ArrowDown') {
          key.preventDefault()
          enterView()
        }
        if (key.key !== 'ArrowLeft' && key.key !== 'ArrowRight') return
        key.preventDefault()
        const to = selected === 'checks' ? 'chat' : 'checks'
        go({ view: to })
        document.getElementById(`tab-${to}`)?.focus()
      }}
    >
      <TabButton
        tab="checks"
        label="Checks"
        count={down}
        countWord="down"
        tone="down"
        selected={selected === 'checks'}
        reachable={selected !== 'chat'}
      />
      <TabButton
        tab="chat"
        label="Chat"
        count={unread}
        countWord="unread"
        tone="unread"
        selected={selected === 'chat'}
        reachable={selected === 'chat'}
      />
    </div>
  )
}

/** From the tabs into the list behind the selected one. */
function enterView(): void {
  const panel = document.getElementById('tab-panel')
  panel?.querySelector<HTMLElement>('[role=tree], .chat-row[tabindex="0"]')?.focus()
}

interface TabProps {
  readonly tab: Tab
  readonly label: string
  readonly count: number
  /** Beside the number, for those who do not see its colour. */
  readonly countWord: string
  readonly tone: 'down' | 'unread'
  readonly selected: boolean
  readonly reachable: boolean
}

function TabButton({ tab, label, count, countWord, tone, selected, reachable }: TabProps) {
  return (
    <button
      type="button"
      id={`tab-${tab}`}
      class="tab"
      role="tab"
      aria-selected={selected}
      {...(selected ? { 'aria-controls': 'tab-panel' } : {})}
      tabIndex={reachable ? 0 : -1}
      title={`${label} (Ctrl+${tab === 'checks' ? 1 : 2})`}
      onClick={(click) => {
        go({ view: tab })
        // Who walks along the tabs by keyboard stays on them; who clicks wants what is behind.
        if (click.detail > 0) queueMicrotask(enterView)
      }}
    >
      {`${label} `}
      {count > 0 && (
        <span class={`tab-count tab-count-${tone}`}>
          {count > 999 ? '999+' : count}
          <span class="visually-hidden"> {countWord}</span>
        </span>
      )}
    </button>
  )
}
