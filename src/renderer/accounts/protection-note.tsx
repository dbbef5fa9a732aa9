import { appState } from '../window-state.ts'

/** Says that the key will be asked for again, where the system offers no secure storage. */
export function ProtectionNote() {
  const { environment, settings } = appState.value
  if (environment.protection === 'os') return null
  return (
    <p class="form-note">
      This computer offers no secure storage for keys
      {settings.weakStorage
        ? '. As you chose, Belfry keeps this one on disk, readable by every program that runs as you.'
        : ', so Belfry keeps this one only until it quits, and then asks for it again. Nothing is written to disk.'}
    </p>
  )
}
