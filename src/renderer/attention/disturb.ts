import { call } from '../bridge.ts'
import { sayIfFailed } from '../toast.ts'
import { appState } from '../window-state.ts'

/** Holds everything back until then: it comes as one digest. */
export function disturbNot(until: number): void {
  sayIfFailed(
    call.silence({
      how: 'mute',
      scope: { of: 'everything' },
      until: { kind: 'time', at: until },
    }),
  )
}

export function endDisturbNot(): void {
  for (const { id, scope } of appState.value.silences)
    if (scope.of === 'everything') sayIfFailed(call.endSilence({ id }))
}
