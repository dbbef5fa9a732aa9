import type { ComponentChildren, TargetedInputEvent } from 'preact'
import { useId, useState } from 'preact/hooks'

interface Props {
  readonly label: string
  readonly value: string
  readonly onInput: (value: string) => void
  readonly name: string
  readonly help?: ComponentChildren | undefined
  /** Shown under the field; `focusFirstError` finds the first field that has one. */
  readonly error?: string | null | undefined
  readonly placeholder?: string | undefined
  readonly inputMode?: 'url' | 'email'
  /** Id of a `datalist` with likely values. */
  readonly list?: string
}

/** A labelled line of text with its help and its error under it. */
export function Field(props: Props) {
  const id = useId()
  return (
    <Labelled id={id} {...props}>
      <input type="text" inputMode={props.inputMode} list={props.list} {...typedInto(id, props)} />
    </Labelled>
  )
}

/** A labelled text of several lines. */
export function LongField(props: Omit<Props, 'inputMode' | 'list'> & { readonly rows?: number }) {
  const id = useId()
  return (
    <Labelled id={id} {...props}>
      <textarea rows={props.rows ?? 3} {...typedInto(id, props)} />
    </Labelled>
  )
}

/** A key: hidden as it is typed, shown on demand, never remembered by the browser. */
export function SecretField(props: Omit<Props, 'inputMode' | 'placeholder' | 'list'>) {
  const id = useId()
  const [shown, setShown] = useState(false)
  const input = { ...typedInto(id, props), autocapitalize: 'off' } as const
  return (
    <Labelled id={id} {...props}>
      <div class="field-with-button">
        {shown ? <input {...input} type="text" /> : <input {...input} type="password" />}
        <button
          type="button"
          class="field-button"
          aria-pressed={shown}
          aria-label={`Show the ${props.label}`}
          onClick={() => setShown(!shown)}
        >
          {shown ? 'Hide' : 'Show'}
        </button>
      </div>
    </Labelled>
  )
}

interface SelectProps {
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [value: string | number, label: string])[]
  readonly onChange: (value: string) => void
}

/** A labelled choice of one among several. */
export function SelectField({ label, ...select }: SelectProps) {
  const id = useId()
  return (
    <Labelled id={id} label={label}>
      <Select id={id} {...select} />
    </Labelled>
  )
}

interface SelectInputProps extends Omit<SelectProps, 'label'> {
  readonly id: string
  readonly describedBy?: string
}

export function Select({ id, value, options, onChange, describedBy }: SelectInputProps) {
  return (
    <select
      id={id}
      aria-describedby={describedBy}
      value={value}
      onChange={(change) => onChange(change.currentTarget.value)}
    >
      {options.map(([choice, words]) => (
        <option key={choice} value={choice}>
          {words}
        </option>
      ))}
    </select>
  )
}

interface LabelledProps extends Pick<Props, 'label' | 'help' | 'error'> {
  readonly id: string
  readonly children: ComponentChildren
}

function Labelled({ id, label, help, error, children }: LabelledProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      {hasText(error) && (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
      {help !== undefined && (
        <p class="field-help" id={`${id}-help`}>
          {help}
        </p>
      )}
    </div>
  )
}

function hasText(error: Props['error']): boolean {
  return error != null && error !== ''
}

/** What every field for text has. */
function typedInto(id: string, { name, value, placeholder, help, error, onInput }: Props) {
  const notes = `${hasText(error) ? `${id}-error ` : ''}${help === undefined ? '' : `${id}-help`}`
  return {
    id,
    name,
    value,
    placeholder,
    autocomplete: 'off',
    spellcheck: false,
    'aria-invalid': hasText(error),
    'aria-describedby': notes.trim() || undefined,
    onInput: (input: TargetedInputEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      onInput(input.currentTarget.value),
  } as const
}

/** For a form's `onSubmit`: calls `send`, and the page stays. */
export function submits(send: () => void) {
  return (submitted: Event): void => {
    submitted.preventDefault()
    send()
  }
}

/** Puts the focus on the first field that has an error, once it is drawn and before the next key. */
export function focusFirstError(form: HTMLFormElement | null): void {
  queueMicrotask(() => {
    form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  })
}

interface SwitchInputProps {
  /** Its help has the id `${id}-help`. */
  readonly id: string
  readonly on: boolean
  readonly onChange: (on: boolean) => void
}

/** The switch itself, beside its label and the help. */
export function SwitchInput({ id, on, onChange }: SwitchInputProps) {
  return (
    <input
      id={id}
      class="switch"
      type="checkbox"
      // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox already says whether it is checked.
      role="switch"
      aria-describedby={`${id}-help`}
      checked={on}
      onChange={(change) => onChange(change.currentTarget.checked)}
    />
  )
}
