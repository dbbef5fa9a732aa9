import { useEffect, useState } from 'preact/hooks'
import type { Account } from '#shared/core/account.ts'
import { levelOf } from '#shared/core/attention/rules.ts'
import type { AppState } from '#shared/core/state.ts'
import { palette } from '../palette-shown.ts'
import { IconButton, LinkButton } from '../parts/button.tsx'
import { appState, go, listOf, place } from '../window-state.ts'

type Hint = 'icon' | 'interrupts' | 'palette' | 'keys'

/** In the order in which they are given. Null where there is nothing to say. */
const hints: Readonly<Record<Hint, (state: AppState) => string | null>> = {
  icon: () =>
    'In the tray, a plain bell means that all is well; a triangle counts the checks that are down.',
  interrupts: ({ settings }) => levelOf(settings.attention.ways)?.words ?? null,
  palette: () => 'Ctrl+K finds checks, conversations, settings and commands.',
  keys: () => 'Press ? to see all keys.',
}

function isReal({ demo }: Account): boolean {
  return !demo
}

/**
 * One line at a time about what a new user can't see, in the window in which the first account was
 * connected. Each is gone once it was dismissed, or what it is about was used.
 */
export function FirstHints({ help }: { readonly help: boolean }) {
  const state = appState.value
  const [wasNew] = useState(() => !state.accounts.some(isReal))
  const [done, setDone] = useState<ReadonlySet<Hint>>(new Set())
  const [openings] = useState(() => state.target.times)
  const end = (hint: Hint) => setDone((before) => new Set(before).add(hint))
  const used: Readonly<Record<Hint, boolean>> = {
    // A click on the icon, or on a notification, brought the window here.
    icon: state.target.times !== openings,
    interrupts: place.value.view === 'attention',
    palette: palette.value.shows !== 'nothing',
    keys: help,
  }
  const news = (Object.keys(hints) as Hint[]).filter((one) => used[one] && !done.has(one)).join()
  useEffect(() => {
    for (const one of Object.keys(hints) as Hint[]) if (used[one]) end(one)
  }, [news])
  if (!wasNew || !state.accounts.some(isReal) || listOf(place.value) === null) return null
  const hint = (Object.keys(hints) as Hint[]).find(
    (one) => !done.has(one) && !used[one] && hints[one](state) !== null,
  )
  if (hint === undefined) return null
  return (
    <section class="row foot-line" aria-label="Hint">
      <span class="line-text">{hints[hint](state)}</span>
      {hint === 'interrupts' && (
        <LinkButton onClick={() => go({ view: 'attention' })}>Change</LinkButton>
      )}
      <IconButton icon="close" label="Close the hint" onClick={() => end(hint)} />
    </section>
  )
}
