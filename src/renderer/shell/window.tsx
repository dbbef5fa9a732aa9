import { useEffect, useState } from 'preact/hooks'
import { QuietDialog } from '../attention/quiet-dialog.tsx'
import { Palette } from '../palette/palette.tsx'
import { PaletteDoor } from '../palette/palette-door.tsx'
import { stepBack } from '../parts/page-bar.tsx'
import { isTyping } from '../parts/typing.ts'
import { takeOffer } from '../say.ts'
import { appState, go, place, stateReceived } from '../state.ts'
import { FirstRun } from './first-run.tsx'
import { KeyHelp } from './key-help.tsx'
import { MoreMenu } from './more-menu.tsx'
import { PlaceView } from './place-view.tsx'
import { StatusFoot } from './status-foot.tsx'
import { Tabs, tabOf } from './tabs.tsx'
import { Troubles } from './troubles.tsx'

/** The one window: its two faces and the pages beside them, always with head and foot. */
export function BelfryWindow() {
  const [help, setHelp] = useState(false)
  useEffect(() => {
    const onKey = (key: KeyboardEvent) => onWindowKey(key, () => setHelp(true))
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
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
      <Palette onHelp={() => setHelp(true)} />
      <QuietDialog />
      {help && <KeyHelp onClose={() => setHelp(false)} />}
    </div>
  )
}

/** Before the first patch nothing is known, which usually lasts less than a blink. */
function Known() {
  return stateReceived.value ? <PlaceView place={place.value} /> : <Skeleton />
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
