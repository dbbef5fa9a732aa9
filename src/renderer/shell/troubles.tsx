import { call } from '../bridge.ts'
import { IconButton } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { sayIfFailed } from '../say.ts'
import { appState } from '../state.ts'

/** Sentences about things that are wrong on this computer, until they are dismissed. */
export function Troubles() {
  const { troubles } = appState.value
  if (troubles.length === 0) return null
  return (
    <section class="troubles" aria-label="Troubles">
      <ul>
        {troubles.map(({ id, text }) => (
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
    </section>
  )
}
