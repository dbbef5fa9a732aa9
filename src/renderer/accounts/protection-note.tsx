import { appState } from '../state.ts'

/** Says that the key will be asked for again, where the system offers no secure storage. */
export function ProtectionNote() {
  if (appState.value.environment.protection === 'os') return null
  return (
    <p class="form-note">
      This computer offers no secure storage for keys, so Belfry keeps this one only until it quits,
      and then asks for it again. Nothing is written to disk.
    </p>
  )
}
