import { useState } from 'preact/hooks'
import { call } from '../bridge.ts'
import { IconButton } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { sayIfFailed } from '../toast.ts'
import { appState } from '../window-state.ts'

/** What is left of a small window for the rest: a full disk alone may say five things. */
const mostShown = 2

/** Sentences about things that are wrong on this computer, until they are dismissed. */
export function Troubles() {
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
