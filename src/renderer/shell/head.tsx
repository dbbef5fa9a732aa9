import { disturbUntil } from '#shared/core/attention/silence.ts'
import { clockUntilWords, durationWords } from '#shared/core/time.ts'
import { hourMs } from '#shared/core/wall-clock.ts'
import { numberWords } from '#shared/core/wording.ts'
import { disturbNot, endDisturbNot } from '../attention/disturb.tsx'
import { PaletteButton } from '../palette/palette-button.tsx'
import { IconButton } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { focusList } from '../parts/page-bar.tsx'
import { appState, go, type List, listOf, now, place } from '../window-state.ts'
import { MoreMenu } from './more-menu.tsx'
import { downCount, newNotices, unreadCount } from './tab-counts.ts'

/** The top of the window: its two lists, the palette, what interrupts, and the menu of the rest. */
export function Head({ onHelp }: { readonly onHelp: () => void }) {
  return (
    <header class="head">
      <Tabs />
      <PaletteButton />
      <div class="head-tools">
        <DisturbToggle />
        <Bell />
        <MoreMenu onHelp={onHelp} />
      </div>
    </header>
  )
}

/** How long one press lasts; the line at the foot offers any other time. */
const disturbMs = hourMs

function DisturbToggle() {
  const until = disturbUntil(appState.value.silences, now.value)
  const isOn = until !== null
  return (
    <IconButton
      icon="moon"
      class="tool-button disturb-toggle"
      label="Do not disturb"
      title={
        isOn
          ? `Do not disturb ${clockUntilWords(until, now.value)}: press to end it`
          : `Do not disturb for ${durationWords(disturbMs)}`
      }
      aria-pressed={isOn}
      onClick={() => (isOn ? endDisturbNot() : void disturbNot(now.peek() + disturbMs))}
    />
  )
}

/** Opens the notifications, and counts those shown since they were last looked at. */
function Bell() {
  const count = newNotices.value
  const isHere = place.value.view === 'notices'
  const label = count > 0 ? `Notifications, ${numberWords(count)} new` : 'Notifications'
  return (
    <button
      type="button"
      class="tool-button bell"
      aria-label={label}
      title={label}
      {...(isHere ? { 'aria-current': 'page' } : {})}
      onClick={() => !isHere && go({ view: 'notices' })}
    >
      <Icon name="bell" />
      {count > 0 && (
        <span class="bell-count" aria-hidden="true">
          {count > 99 ? '99+' : count}
        </span>
      )}
    </button>
  )
}

function Tabs() {
  const selected = listOf(place.value)
  return (
    <div
      class="tabs"
      role="tablist"
      aria-label="Views"
      onKeyDown={(key) => {
        if (key.key === 'ArrowDown') {
          key.preventDefault()
          focusList()
        }
        if (key.key !== 'ArrowLeft' && key.key !== 'ArrowRight') return
        key.preventDefault()
        const to = selected === 'checks' ? 'chat' : 'checks'
        go({ view: to })
        document.getElementById(`tab-${to}`)?.focus()
      }}
    >
      <TabButton tab="checks" count={downCount.value} selected={selected} />
      <TabButton tab="chat" count={unreadCount.value} selected={selected} />
    </div>
  )
}

/** `counted` is read out after the number, whose meaning only its colour shows on the screen. */
const tabs = {
  checks: { label: 'Checks', counted: 'down', digit: 1 },
  chat: { label: 'Chat', counted: 'unread', digit: 2 },
} as const

function TabButton(props: { tab: List; count: number; selected: List | null }) {
  const { tab, count } = props
  const { label, counted, digit } = tabs[tab]
  const selected = props.selected === tab
  return (
    <button
      type="button"
      id={`tab-${tab}`}
      class="tab"
      role="tab"
      aria-selected={selected}
      {...(selected ? { 'aria-controls': 'tab-panel' } : {})}
      tabIndex={(props.selected ?? 'checks') === tab ? 0 : -1}
      title={`${label} (Ctrl+${digit})`}
      onClick={(click) => {
        go({ view: tab })
        // By keyboard, the focus stays on the tabs; a click moves it into the list.
        if (click.detail > 0) queueMicrotask(focusList)
      }}
    >
      {`${label} `}
      {count > 0 && (
        <span class={`tab-count tab-count-${counted}`}>
          {count > 999 ? '999+' : count}
          <span class="visually-hidden"> {counted}</span>
        </span>
      )}
    </button>
  )
}
