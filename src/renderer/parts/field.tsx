import type { ComponentChildren, TargetedInputEvent } from 'preact'
import { useId, useState } from 'preact/hooks'

interface Props {
  readonly label: string
  readonly value: string
  readonly onInput: (value: string) => void
  readonly name: string
  readonly help?: ComponentChildren
  /** Said under the field; `focusFirstError` finds the first field that has one. */
  readonly error?: string | null
  readonly placeholder?: string
  readonly inputMode?: 'url' | 'email'
  /** Id of a `datalist` with what is likely. */
  readonly list?: string
}

/** A labelled line of text with its help and its error under it. */
export function Field(props: Props) {
  const id = useId()
  const { label, value, onInput, name, placeholder = '', inputMode, list } = props
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        name={name}
        type="text"
        {...(inputMode === undefined ? {} : { inputMode })}
        {...(list === undefined ? {} : { list })}
        value={value}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        {...described(id, props)}
        onInput={(input) => onInput(input.currentTarget.value)}
      />
      <FieldNotes id={id} {...props} />
    </div>
  )
}

/** A labelled text of several lines. */
export function LongField(props: Omit<Props, 'inputMode' | 'list'> & { readonly rows?: number }) {
  const id = useId()
  const { label, value, onInput, name, placeholder = '', rows = 3 } = props
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        name={name}
        rows={rows}
        value={value}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        {...described(id, props)}
        onInput={(input) => onInput(input.currentTarget.value)}
      />
      <FieldNotes id={id} {...props} />
    </div>
  )
}

/** A key: hidden as it is typed, shown on demand, never remembered by the browser. */
export function SecretField(props: Omit<Props, 'inputMode' | 'placeholder' | 'list'>) {
  const id = useId()
  const [shown, setShown] = useState(false)
  const { label, value, onInput, name } = props
  const input = {
    id,
    name,
    value,
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: false,
    ...described(id, props),
    onInput: (typed: TargetedInputEvent<HTMLInputElement>) => onInput(typed.currentTarget.value),
  } as const
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="field-with-button">
        {shown ? <input {...input} type="text" /> : <input {...input} type="password" />}
        <button
          type="button"
          class="field-button"
          aria-pressed={shown}
          aria-label={`Show the ${label}`}
          onClick={() => setShown(!shown)}
        >
          {shown ? 'Hide' : 'Show'}
        </button>
      </div>
      <FieldNotes id={id} {...props} />
    </div>
  )
}

function described(id: string, { help, error }: Pick<Props, 'help' | 'error'>) {
  const notes = [
    error != null && error !== '' ? `${id}-error` : null,
    help !== undefined ? `${id}-help` : null,
  ].filter((note) => note !== null)
  return {
    'aria-invalid': error != null && error !== '',
    ...(notes.length > 0 ? { 'aria-describedby': notes.join(' ') } : {}),
  }
}

function FieldNotes({ id, help, error }: Pick<Props, 'help' | 'error'> & { readonly id: string }) {
  return (
    <>
      {error != null && error !== '' && (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
      {help !== undefined && (
        <p class="field-help" id={`${id}-help`}>
          {help}
        </p>
      )}
    </>
  )
}

/** Puts the focus on the first field that has an error, once it is drawn and before the next key. */
export function focusFirstError(form: HTMLFormElement | null): void {
  queueMicrotask(() => {
    form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  })
}

interface SwitchInputProps {
  /** Of itself; what helps with it is `${id}-help`. */
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
      // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox says itself whether it is checked.
      role="switch"
      aria-describedby={`${id}-help`}
      checked={on}
      onChange={(change) => onChange(change.currentTarget.checked)}
    />
  )
}
