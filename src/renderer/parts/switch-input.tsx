interface Props {
  /** Of itself; what helps with it is `${id}-help`. */
  readonly id: string
  readonly on: boolean
  readonly onChange: (on: boolean) => void
}

/** The switch itself, beside its label and the help. */
export function SwitchInput({ id, on, onChange }: Props) {
  return (
    <input
      id={id}
      class="switch"
      type="checkbox"
      // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox says itself whether it is checked.
      role="switch"
      aria-describedby={`${id}-help`}
      checked={on}
      onChange={(change) => onChange(change.currentTarget.checked)}
    />
  )
}
