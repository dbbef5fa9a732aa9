import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { failureSentence } from '#shared/core/failure-words.ts'
import { showsDemo } from '#shared/core/state.ts'
import { type StatusLine, statusLine } from '#shared/core/views/status-line.ts'
import { QuietLine } from '../attention/disturb.tsx'
import { call } from '../bridge.ts'
import { writableProjects } from '../check-editor/editor-access.ts'
import { followPaletteKey, PaletteDoor, palette } from '../palette/palette-button.tsx'
import { Button, IconButton } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { MenuButton, type MenuItem } from '../parts/menu-button.tsx'
import { isTyping } from '../parts/page-actions.ts'
import { stepBack } from '../parts/page-bar.tsx'
import { StatusShape } from '../parts/status-shape.tsx'
import { saidEnough, say, sayIfFailed, saying, takeOffer } from '../toast.ts'
import { appState, go, now, place, stateReceived } from '../window-state.ts'
import { downCount, unreadCount } from './tab-counts.ts'
import { checks, rest } from './views.ts'

/** The one window: its two faces and the pages beside them, always with head and foot. */
export function BelfryWindow() {
  const [help, setHelp] = useState(false)
  // Before the first paint: what is seen takes keys.
  useLayoutEffect(() => {
    const onKey = (key: KeyboardEvent) => onWindowKey(key, () => setHelp(true))
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  useLayoutEffect(followPaletteKey, [])
  const tab = tabOf(place.value.view)
  const isFirstRun = stateReceived.value && appState.value.accounts.length === 0 && tab !== null
  return (
    <div class="window">
      {!isFirstRun && (
        <header class="head">
          <Tabs />
          <PaletteDoor />
          <MoreMenu onHelp={() => setHelp(true)} />
        </header>
      )}
      <Troubles />
      <main class="body">
        <div
          class="panel"
          id="tab-panel"
          {...(tab === null || isFirstRun
            ? {}
            : { role: 'tabpanel', 'aria-labelledby': `tab-${tab}` })}
        >
          {isFirstRun ? <FirstRun /> : <Known />}
        </div>
      </main>
      {!isFirstRun && <StatusFoot />}
      <Over help={help} onHelp={setHelp} />
    </div>
  )
}

/** What lies over the window. */
function Over({ help, onHelp }: { readonly help: boolean; onHelp(shown: boolean): void }) {
  const loaded = rest.loaded.value
  const isAsked = help || palette.value.shows !== 'nothing'
  useEffect(() => {
    if (isAsked) rest.load()
  }, [isAsked])
  return (
    loaded !== null && (
      <>
        <loaded.Palette onHelp={() => onHelp(true)} />
        <loaded.QuietDialog />
        {help && <loaded.KeyHelp onClose={() => onHelp(false)} />}
      </>
    )
  )
}

/** Before the first patch nothing is known, which usually lasts less than a blink. */
function Known() {
  if (!stateReceived.value) return <Skeleton />
  return place.value.view === 'checks' ? <Checks /> : <Elsewhere />
}

function Checks() {
  useEffect(checks.load, [])
  const view = checks.loaded.value
  return view === null ? <Skeleton /> : <view.ChecksView />
}

function Elsewhere() {
  useEffect(rest.load, [])
  const views = rest.loaded.value
  return views === null ? <Skeleton /> : <views.PlaceView place={place.value} />
}

function Skeleton() {
  return (
    <div class="skeleton-list" role="status" aria-label="Loading">
      {[62, 48, 70, 40, 55, 66].map((width) => (
        <div key={width} class="skeleton-row">
          <span style={{ width: `${width}%` }} />
        </div>
      ))}
    </div>
  )
}

/** Keys that hold everywhere. A part that means something else by them prevents the default. */
function onWindowKey(key: KeyboardEvent, onHelp: () => void): void {
  if (key.defaultPrevented || key.isComposing || document.querySelector('dialog[open]') !== null)
    return
  if ((key.ctrlKey || key.metaKey) && (key.key === '1' || key.key === '2'))
    go({ view: key.key === '1' ? 'checks' : 'chat' })
  else if ((key.ctrlKey || key.metaKey) && key.key === 'z' && !isTyping(key.target)) takeOffer()
  else if (key.key === 'Escape') stepBack()
  else if (key.key === '?' && !isTyping(key.target)) onHelp()
  else return
  key.preventDefault()
}

/** What the window offers while there is no account. */
function FirstRun() {
  const [busy, setBusy] = useState(false)
  const explore = () => {
    setBusy(true)
    void call.exploreDemo({}).then((result) => {
      setBusy(false)
      if (!result.ok) say(failureSentence(result.failure), 'failed')
    })
  }
  return (
    <section class="first-run" aria-label="Welcome">
      <Mark />
      <h1>Belfry</h1>
      <p>Watches your cron jobs, follows your team chat, and stays out of the way.</p>
      <div class="first-choices">
        <Button kind="primary" onClick={() => go({ view: 'addAccount', kind: 'monitoring' })}>
          Connect a monitoring project
        </Button>
        <Button onClick={() => go({ view: 'addAccount', kind: 'chat' })}>
          Connect a chat account
        </Button>
        <Button kind="quiet" busy={busy} onClick={explore}>
          Explore the demo
        </Button>
      </div>
      <p class="first-note">The demo runs on this computer alone: nothing is sent anywhere.</p>
    </section>
  )
}

/** The mark: a bell in the outline of a tower. */
function Mark() {
  return (
    <svg
      class="mark"
      width="72"
      height="72"
      viewBox="0 0 72 72"
      fill="none"
      stroke="currentColor"
      stroke-width="3"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d="M36 4v5M18 66V28L36 9l18 19v38M12 66h48M15 28h42" class="mark-tower" />
      <path
        d="M36 36c-5.4 0-8.6 3.8-8.6 9.4v5.4L25 55h22l-2.4-4.2v-5.4c0-5.6-3.2-9.4-8.6-9.4Z"
        fill="currentColor"
        stroke="none"
      />
      <circle cx="36" cy="58.4" r="2.9" fill="currentColor" stroke="none" />
      <path d="M36 32.5v3" />
    </svg>
  )
}

/** What is left of a small window for the rest: a full disk alone may say five things. */
const mostShown = 2

/** Sentences about things that are wrong on this computer, until they are dismissed. */
function Troubles() {
  const { troubles } = appState.value
  const [all, setAll] = useState(false)
  const more = troubles.length - mostShown
  if (troubles.length === 0) return null
  return (
    <section class="troubles" aria-label="Troubles">
      <ul>
        {(all ? troubles : troubles.slice(0, mostShown)).map(({ id, text }) => (
          <li key={id}>
            <Icon name="warning" />
            <span>{text}</span>
            <IconButton
              icon="close"
              label="Dismiss"
              onClick={() => sayIfFailed(call.dismissTrouble({ id }))}
            />
          </li>
        ))}
      </ul>
      {more > 0 && (
        <button type="button" class="link" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? 'Show fewer' : `and ${more} more`}
        </button>
      )}
    </section>
  )
}

function items(onHelp: () => void): readonly MenuItem[] {
  const { notices } = appState.value
  const [project] = writableProjects(appState.value)
  return [
    {
      label: 'Refresh now',
      act: () => sayIfFailed(call.refresh({ accountId: null })),
    },
    ...(project === undefined
      ? []
      : [
          {
            label: 'New check',
            hint: 'n',
            act: () => go({ view: 'editCheck', accountId: project.id, checkId: null }),
          },
        ]),
    {
      label: 'Notices',
      ...(notices.length > 0 ? { hint: String(notices.length) } : {}),
      act: () => go({ view: 'notices' }),
    },
    { label: 'Accounts', act: () => go({ view: 'accounts' }) },
    { label: 'Settings', act: () => go({ view: 'settings' }) },
    { label: 'Quick help', hint: '?', act: onHelp },
    ...(showsDemo(appState.value)
      ? [{ label: 'Leave the demo', act: () => sayIfFailed(call.leaveDemo({})) }]
      : []),
  ]
}

/** Everything that is not one of the two faces of the window. */
function MoreMenu({ onHelp }: { readonly onHelp: () => void }) {
  return <MenuButton label="More" items={items(onHelp)} />
}

/** The foot of the window: how fresh all of it is, and above it what the last action led to. */
function StatusFoot() {
  const line = statusLine(appState.value, now.value)
  return (
    <footer class="foot">
      <div role="status">
        {saying.value !== null && (
          <div class={`saying saying-${saying.value.tone}`}>
            <span>{saying.value.text}</span>
            {saying.value.action !== undefined && (
              <button type="button" class="link" title="Key: Ctrl Z" onClick={takeOffer}>
                {saying.value.action.label}
              </button>
            )}
            <IconButton icon="close" label="Dismiss" onClick={saidEnough} />
          </div>
        )}
      </div>
      <QuietLine />
      <div class={`status-line line-${line.tone}`}>
        {line.tone === 'stale' && <StatusShape shape="stale" size={12} />}
        {line.tone === 'trouble' && <Icon name="warning" />}
        <span class="line-text" title={line.text}>
          {line.text}
        </span>
        {line.more > 0 && (
          <button type="button" class="link" onClick={() => go({ view: 'accounts' })}>
            and {line.more} more
          </button>
        )}
        {line.action !== null && <ActionButton action={line.action} />}
        {showsDemo(appState.value) && line.action === null && (
          <button type="button" class="link" onClick={() => sayIfFailed(call.leaveDemo({}))}>
            Leave the demo
          </button>
        )}
        <IconButton
          icon="refresh"
          label="Refresh now"
          onClick={() => sayIfFailed(call.refresh({ accountId: null }))}
        />
      </div>
    </footer>
  )
}

function ActionButton({ action }: { readonly action: NonNullable<StatusLine['action']> }) {
  return (
    <button type="button" class="link" onClick={() => go(action.target)}>
      {action.label}
    </button>
  )
}

type Tab = 'checks' | 'chat'

const checkViews: ReadonlySet<string> = new Set([
  'checks',
  'check',
  'editCheck',
  'discuss',
  'timeline',
])

/** The face of the window that a place belongs to; null for pages that stand beside both. */
function tabOf(view: string): Tab | null {
  if (checkViews.has(view)) return 'checks'
  return view === 'chat' || view === 'conversation' ? 'chat' : null
}

/** The two faces of the window, each with what waits there. */
function Tabs() {
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
