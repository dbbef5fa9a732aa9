import { useState } from 'preact/hooks'
import { unknownZone } from '#shared/core/checks/check-draft.ts'
import { findZone, zoneNames } from '#shared/core/wall-clock.ts'
import { Field } from './field.tsx'

interface ZoneFieldProps {
  readonly value: string
  readonly error?: string | null | undefined
  readonly help?: string
  readonly placeholder?: string
  readonly name?: string
  /** What was typed, until the field is left: then the name of the zone that it means. */
  readonly onInput: (zone: string) => void
}

/** A time zone by its name, its city or its usual abbreviation; says below which one it takes. */
export function ZoneField({ value, help, name = 'zone', onInput, ...field }: ZoneFieldProps) {
  const found = findZone(value)
  const isMeant = found !== null && found !== value.trim()
  const [taken, setTaken] = useState<string | null>(null)
  const leave = () => {
    if (!isMeant) return
    setTaken(found)
    onInput(found)
  }
  // It stays when the field is left, or what is below would move away from the pointer that left it.
  const isTaken = isMeant || (taken !== null && taken === value)
  return (
    <div onFocusOut={leave}>
      <Field
        label="Time zone"
        name={name}
        value={value}
        help={isTaken ? `Taken as ${found}.` : help}
        suggestions={zoneNames()}
        onInput={onInput}
        {...field}
      />
    </div>
  )
}

interface OptionalZoneProps {
  /** Null: that of this computer. */
  readonly zone: string | null
  /** Only with zones that exist. */
  readonly onChange: (zone: string | null) => void
}

/** The same where the field may be left empty, and what is typed counts at once. */
export function OptionalZoneField({ zone, onChange }: OptionalZoneProps) {
  const [typed, setTyped] = useState(zone ?? '')
  // What was typed is gone once the zone is another, such as after “Cancel”.
  const meant = typed.trim() === '' ? null : findZone(typed)
  const isUnknown = typed.trim() !== '' && meant === null
  const text = isUnknown || meant === zone ? typed : (zone ?? '')
  return (
    <ZoneField
      value={text}
      placeholder={Intl.DateTimeFormat().resolvedOptions().timeZone}
      help="Leave it empty for this computer’s."
      error={isUnknown ? unknownZone : null}
      onInput={(next) => {
        setTyped(next)
        const named = findZone(next)
        if (next.trim() === '' || named !== null) onChange(named)
      }}
    />
  )
}
