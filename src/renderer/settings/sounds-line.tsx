import { useEffect, useRef, useState } from 'preact/hooks'
import { type EventKind, eventKinds } from '#shared/core/attention/event.ts'
import { kindLabels, mayRing } from '#shared/core/attention/rules.ts'
import { call } from '../bridge.ts'
import { sendTestNotification } from '../notices/notice-commands.ts'
import { SmallButton } from '../parts/button.tsx'
import { toastIfFailed } from '../toast.ts'
import { appState } from '../window-state.ts'

export const soundsTitle = 'Sounds of your own'
export const soundsHelp =
  'A sound file (.wav, .ogg or .oga) for each kind of notification that has a sound, for example to tell alarms from messages.'

/** Asks each time, as another desktop or daemon may show the notifications now. */
export function SoundsLine() {
  const [plays, setPlays] = useState<boolean | null>(null)
  useEffect(() => {
    void call.playsOwnSounds({}).then((result) => {
      if (result.ok) setPlays(result.value)
    })
  }, [])
  const { settings, ownSounds } = appState.value
  const kinds = eventKinds.filter(
    (kind) => mayRing(settings.attention, kind) || ownSounds.has(kind),
  )
  return (
    <>
      <div class="setting">
        <div>
          <p class="setting-label">{soundsTitle}</p>
          <p class="field-help">
            {soundsHelp}
            {plays === false && (
              <b>
                {' '}
                Notifications on this desktop can’t play files: they have the system’s sound, or
                none.
              </b>
            )}
            {!settings.sounds && ' Sound is switched off above.'}
          </p>
        </div>
      </div>
      {plays === true && kinds.map((kind) => <KindSound key={kind} kind={kind} />)}
    </>
  )
}

function KindSound({ kind }: { readonly kind: EventKind }) {
  const row = useRef<HTMLFieldSetElement>(null)
  const own = appState.value.ownSounds.get(kind)
  const label = kindLabels[kind]
  const gone = own?.isGone === true ? ' can’t be read: the system’s sound is played instead.' : ''
  return (
    <fieldset ref={row} class="setting" aria-label={`Sound: ${label}`}>
      <div>
        <p class="setting-label">{label}</p>
        <p class="field-help">{own === undefined ? 'System sound' : `${own.name}${gone}`}</p>
      </div>
      <div class="button-row">
        <SmallButton onClick={() => sendTestNotification(kind)}>Play</SmallButton>
        <SmallButton onClick={() => toastIfFailed(call.chooseSound({ kind }))}>
          Choose a file…
        </SmallButton>
        {own !== undefined && (
          <SmallButton
            onClick={() => {
              // This button disappears.
              row.current?.querySelector('button')?.focus()
              toastIfFailed(call.useSystemSound({ kind }))
            }}
          >
            System sound
          </SmallButton>
        )}
      </div>
    </fieldset>
  )
}
