import type { ComponentChildren, SelectHTMLAttributes, TargetedInputEvent } from 'preact'
import { useId, useState } from 'preact/hooks'
import { numberWords } from '#shared/core/wording.ts'
import { toast } from '../toast.ts'
import { Button } from './button.tsx'

interface Props {
  readonly label: string
  readonly value: string
  readonly onInput: (value: string) => void
  readonly name: string
  readonly help?: ComponentChildren | undefined
  /** Shown under the field; the first field that has one gets the focus. */
  readonly error?: string | null | undefined
  readonly placeholder?: string | undefined
  readonly inputMode?: 'url' | 'email'
  /** Likely values, offered while the user types. */
  readonly suggestions?: readonly string[]
}

/** A labelled text input with its error and its help below. */
export function Field(props: Props) {
  const id = useId()
  const { inputMode, suggestions } = props
  const list = suggestions && `${id}-list`
  return (
    <Labelled id={id} {...props}>
      <input type="text" inputMode={inputMode} list={list} {...typedInto(id, props)} />
      {suggestions && (
        <datalist id={list}>
          {suggestions.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </Labelled>
  )
}

export function LongField(
  props: Omit<Props, 'inputMode' | 'suggestions'> & { readonly rows: number },
) {
  const id = useId()
  return (
    <Labelled id={id} {...props}>
      <textarea rows={props.rows} {...typedInto(id, props)} />
    </Labelled>
  )
}

/** A key: hidden as it is typed, shown on demand, never remembered by the browser. */
export function SecretField(props: Omit<Props, 'inputMode' | 'placeholder' | 'suggestions'>) {
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

export type Options = readonly (readonly [value: string | number, label: string])[]

interface SelectProps extends Omit<SelectHTMLAttributes, 'onChange' | 'role' | 'size'> {
  readonly value: string
  readonly options: Options
  readonly onChange: (value: string) => void
}

/** Longer lists are filtered: 20,000 options take Chromium seconds. All time zones are fewer. */
const mostOptions = 1_000
/** How many options of a longer list are shown at a time. */
const mostOfMany = 200

/**
 * A labelled select. Of a very long list, it shows the options that contain the text typed above
 * it, and always the first one, which stands for “none”.
 */
export function SelectField({
  label,
  options,
  ...select
}: SelectProps & { readonly label: string }) {
  const id = useId()
  const [part, setPart] = useState('')
  const isLong = options.length > mostOptions
  const wanted = part.trim().toLowerCase()
  const fitting = isLong
    ? options.filter(([, words]) => words.toLowerCase().includes(wanted))
    : options
  const shown = isLong ? fitting.slice(0, mostOfMany) : fitting
  // The option for “none” and the chosen one are always listed.
  const kept = options.filter(
    (one, at) => (at === 0 || one[0] === select.value) && !shown.includes(one),
  )
  return (
    <Labelled id={id} label={label}>
      {isLong && (
        <input
          type="search"
          aria-label={`${label}: filter by name`}
          aria-controls={id}
          placeholder={`Type part of a name (${numberWords(options.length - 1)} in all)`}
          value={part}
          onInput={({ currentTarget }) => setPart(currentTarget.value)}
          onKeyDown={(key) => {
            if (key.key !== 'Enter') return
            // Instead of submitting the form, moves on to what was found.
            key.preventDefault()
            document.getElementById(id)?.focus()
          }}
        />
      )}
      <Select id={id} {...select} options={[...kept, ...shown]}>
        {fitting.length > shown.length && (
          <option value="more" disabled>
            {`… ${numberWords(fitting.length - shown.length)} more: type part of a name`}
          </option>
        )}
      </Select>
    </Labelled>
  )
}

export function Select({ options, onChange, children, ...select }: SelectProps) {
  return (
    <select {...select} onChange={(change) => onChange(change.currentTarget.value)}>
      {options.map(([choice, words]) => (
        <option key={choice} value={choice}>
          {words}
        </option>
      ))}
      {children}
    </select>
  )
}

interface LabelledProps extends Pick<Props, 'help' | 'error'> {
  readonly id: string
  readonly label: ComponentChildren
  /** The label is for several controls, which refer to it by the id `${id}-label`. */
  readonly isGroup?: boolean
  readonly children: ComponentChildren
}

/** A control with its label above, and its error and help below. */
export function Labelled({ id, label, isGroup = false, help, error, children }: LabelledProps) {
  return (
    <div class="field">
      {isGroup ? (
        <span id={`${id}-label`} class="field-name">
          {label}
        </span>
      ) : (
        <label for={id}>{label}</label>
      )}
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

/** The ids of the error and help that `Labelled` shows, for the control's `aria-describedby`. */
export function notesOf(
  id: string,
  { help, error }: Pick<Props, 'help' | 'error'>,
): string | undefined {
  const notes = `${hasText(error) ? `${id}-error ` : ''}${help === undefined ? '' : `${id}-help`}`
  return notes.trim() || undefined
}

/** The attributes that all text fields share. */
function typedInto(id: string, props: Props) {
  const { name, value, placeholder, error, onInput } = props
  return {
    id,
    name,
    value,
    placeholder,
    autocomplete: 'off',
    spellcheck: false,
    'aria-invalid': hasText(error),
    'aria-describedby': notesOf(id, props),
    onInput: (input: TargetedInputEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      onInput(input.currentTarget.value),
  } as const
}

interface FileDropProps {
  readonly children: ComponentChildren
  /** A longer text is cut to this number of characters. */
  readonly longest: number
  readonly onText: (text: string) => void
  /** The id of the element that says what is wrong with the text, if anything is. */
  readonly errorId?: string | undefined
}

/** Reads the text of a file that is dropped here or chosen. */
export function FileDrop({ children, longest, onText, errorId }: FileDropProps) {
  const [over, setOver] = useState(false)
  const read = async (file: File | undefined) => {
    if (file === undefined) return
    try {
      // A character takes at most three bytes.
      const text = await file.slice(0, 3 * longest).text()
      onText(text.slice(0, longest))
    } catch {
      // A folder, or a file that was deleted meanwhile.
      toast('This could not be read. Choose a file.', 'failed')
    }
  }
  return (
    <label
      class={`drop ${over ? 'drop-over' : ''}`}
      onDragOver={(drag) => {
        drag.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(drop) => {
        drop.preventDefault()
        setOver(false)
        void read(drop.dataTransfer?.files[0])
      }}
    >
      <span>{children}</span>
      <input
        type="file"
        aria-describedby={errorId}
        aria-invalid={errorId !== undefined}
        onChange={({ currentTarget }) => {
          void read(currentTarget.files?.[0])
          // Otherwise, choosing the same file again would not be a change.
          currentTarget.value = ''
        }}
      />
    </label>
  )
}

interface CheckFieldProps {
  readonly children: ComponentChildren
  readonly help?: string | null
  readonly checked: boolean
  readonly onChange: (on: boolean) => void
}

export function CheckField({ children, help = null, checked, onChange }: CheckFieldProps) {
  return (
    <label class="check-field">
      <input
        type="checkbox"
        checked={checked}
        onChange={(change) => onChange(change.currentTarget.checked)}
      />
      <span>
        {children}
        {help !== null && <span class="field-help">{help}</span>}
      </span>
    </label>
  )
}

/** The list with `one` at its end, or without it. */
export function withOne<T>(list: readonly T[], one: T, on: boolean): readonly T[] {
  const others = list.filter((other) => other !== one)
  return on ? [...others, one] : others
}

interface FormFootProps {
  /** Why submitting failed. */
  readonly error?: string | null | undefined
  readonly onCancel: () => void
  /** The submit button. */
  readonly children: ComponentChildren
}

/** What is wrong with a form that concerns none of its fields. */
export function FormError({ error }: Pick<Props, 'error'>) {
  if (!hasText(error)) return null
  return (
    <p class="field-error" role="alert">
      {error}
    </p>
  )
}

/** The foot of a form or a dialog: its error, and the buttons to cancel and submit. */
export function FormFoot({ error, onCancel, children }: FormFootProps) {
  return (
    <>
      <FormError error={error} />
      <div class="button-row button-row-end">
        <Button onClick={onCancel}>Cancel</Button>
        {children}
      </div>
    </>
  )
}

interface SettingRowProps {
  readonly label: string
  readonly help: ComponentChildren
  /** Renders the control with the id that its label refers to; its help has the id `${id}-help`. */
  readonly control: (id: string) => ComponentChildren
}

/** A setting: its label and help, with the control at the end of the line. */
export function SettingRow({ label, help, control }: SettingRowProps) {
  const id = useId()
  return (
    <div class="setting">
      <div>
        <label class="setting-label" for={id}>
          {label}
        </label>
        <p class="field-help" id={`${id}-help`}>
          {help}
        </p>
      </div>
      {control(id)}
    </div>
  )
}

interface SwitchInputProps {
  /** Its help has the id `${id}-help`. */
  readonly id: string
  readonly on: boolean
  readonly onChange: (on: boolean) => void
}

/** A switch without its label and help, which the caller renders. */
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
