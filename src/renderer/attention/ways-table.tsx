import { useLayoutEffect, useState } from 'preact/hooks'
import {
  type AttentionSettings,
  alertLevels,
  levelOf,
  ruleLimits,
} from '#shared/core/attention/rules.ts'
import { LinkButton } from '../parts/button.tsx'
import { SettingRow } from '../parts/field.tsx'
import { FoldSign } from '../parts/fold.tsx'
import { edit, edited } from './attention-draft.ts'
import { kindHelp, kinds, ways } from './rule-words.ts'

/** How loudly each kind of event notifies, where no rule says otherwise: a level or, below it, each kind. */
export function WaysTable() {
  const { ways: chosen, afterMinutes } = edited.value
  const level = levelOf(chosen)
  const [open, setOpen] = useState(level === null)
  // It doesn't close under the pointer either when the choices amount to a level again.
  useLayoutEffect(() => {
    if (level === null) setOpen(true)
  }, [level])
  return (
    <section class="attention-section" aria-label="Alert level">
      <h2 class="group-label">Alert level</h2>
      {alertLevels.map(({ name, words, ways: these }) => (
        <label key={name} class="level">
          <input
            type="radio"
            name="level"
            aria-label={name}
            aria-describedby={`level-${name}`}
            checked={name === level?.name}
            onChange={() => edit({ ways: these })}
          />
          <span>{name}</span>
          <span id={`level-${name}`} class="field-help">
            {words}
          </span>
        </label>
      ))}
      {level === null ? (
        <p class="row level-own">Customised, as below.</p>
      ) : (
        <LinkButton class="row level-own" aria-expanded={open} onClick={() => setOpen(!open)}>
          <FoldSign />
          Customise
        </LinkButton>
      )}
      {open && <EachKind chosen={chosen} />}
      <p class="field-help">
        For messages, the chat’s own settings come first: what is muted or silent there stays so,
        unless a rule below says otherwise.
      </p>
      <SettingRow
        label="Ignore outages shorter than"
        help="A check that recovers sooner does not notify you. 0 notifies at once."
        control={(id) => (
          <span class="row minutes">
            <MinutesInput
              id={id}
              value={afterMinutes}
              onValue={(value) => edit({ afterMinutes: value ?? 0 })}
            />
            minutes
          </span>
        )}
      />
    </section>
  )
}

function EachKind({ chosen }: { readonly chosen: AttentionSettings['ways'] }) {
  return (
    <>
      <table class="ways">
        <thead>
          <tr>
            <th scope="col">
              <span class="visually-hidden">What happens</span>
            </th>
            {ways.map(([way, label]) => (
              <th key={way} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {kinds.map(([kind, label]) => (
            <tr key={kind}>
              <th scope="row" title={kindHelp[kind]}>
                {label}
              </th>
              {ways.map(([way, wayLabel]) => (
                <td key={way}>
                  <label class="way">
                    <input
                      type="radio"
                      name={`way-${kind}`}
                      aria-label={`${label}: ${wayLabel}`}
                      checked={chosen[kind] === way}
                      onChange={() => edit({ ways: { ...chosen, [kind]: way } })}
                    />
                  </label>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="field-help">“Silent” also lists it under Notifications.</p>
    </>
  )
}

interface MinutesProps {
  readonly id: string
  readonly value: number | null
  readonly placeholder?: string
  readonly most?: number
  readonly onValue: (value: number | null) => void
}

/** Whole minutes within the limits; empty is null. */
export function MinutesInput({
  id,
  value,
  placeholder,
  most = ruleLimits.afterMinutes,
  onValue,
}: MinutesProps) {
  return (
    <input
      id={id}
      type="number"
      min={0}
      max={most}
      step={1}
      inputMode="numeric"
      aria-describedby={`${id}-help`}
      value={value ?? ''}
      placeholder={placeholder}
      onChange={(change) => {
        const typed = change.currentTarget.value.trim()
        // A number input returns an empty string for anything that is not a number.
        const whole = Math.round(Number(typed))
        onValue(typed === '' ? null : Math.min(most, Math.max(0, whole)))
      }}
    />
  )
}
