import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { followPaletteKey, palette } from '../palette/palette-button.tsx'
import { PaletteDoor } from '../palette/palette-door.tsx'
import { stepBack } from '../parts/page-bar.tsx'
import { isTyping } from '../parts/typing.ts'
import { takeOffer } from '../toast.ts'
import { appState, go, place, stateReceived } from '../window-state.ts'
import { FirstRun } from './first-run.tsx'
import { MoreMenu } from './more-menu.tsx'
import { StatusFoot } from './status-foot.tsx'
import { Tabs, tabOf } from './tabs.tsx'
import { Troubles } from './troubles.tsx'
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
