import type { TargetedInputEvent } from 'preact'
import type { FormField } from '#shared/api/form-fields.ts'
import type { RawValue } from '#shared/api/form-values.ts'
import type { AccountId } from '#shared/core/account.ts'

export interface ControlProps {
  readonly field: FormField
  readonly raw: RawValue
  readonly onChange: (raw: RawValue) => void
  readonly accountId: AccountId
  readonly id: string
  readonly described: {
    readonly 'aria-invalid': boolean
    readonly 'aria-required'?: boolean
    readonly 'aria-describedby'?: string
    readonly 'aria-labelledby'?: string
  }
}

/** The default, where it can be said in a word. */
export function placeholderOf(fallback: unknown): string {
  if (typeof fallback === 'string' || typeof fallback === 'number') return String(fallback)
  return ''
}

function textOf(raw: RawValue): string {
  return typeof raw === 'string' ? raw : raw.join(', ')
}

interface LineProps extends ControlProps {
  readonly placeholder: string
  readonly type?: 'text' | 'password'
  readonly inputMode?: 'decimal'
  readonly after?: string
  readonly list?: string
}

export function Line({ field, raw, onChange, id, described, ...more }: LineProps) {
  const { placeholder, type = 'text', inputMode, after = '', list } = more
  const input = {
    id,
    name: field.name,
    value: textOf(raw),
    placeholder,
    autocomplete: 'off',
    spellcheck: false,
    dir: 'auto',
    ...(inputMode === undefined ? {} : { inputMode }),
    ...described,
    onInput: (typed: TargetedInputEvent<HTMLInputElement>) => onChange(typed.currentTarget.value),
  } as const
  return (
    <span class="line-field">
      {type === 'password' ? (
        <input {...input} type="password" />
      ) : (
        <input {...input} type="text" list={list} />
      )}
      {after !== '' && <span class="field-unit">{after}</span>}
    </span>
  )
}

export function Lines({ field, raw, onChange, id, described, placeholder }: LineProps) {
  return (
    <textarea
      id={id}
      name={field.name}
      class={field.input.kind === 'json' ? 'code-field' : ''}
      rows={field.input.kind === 'json' ? 3 : 4}
      value={textOf(raw)}
      placeholder={placeholder}
      spellcheck={false}
      dir="auto"
      {...described}
      onInput={(input) => onChange(input.currentTarget.value)}
    />
  )
}

type Options = readonly (readonly [value: string, label: string])[]

/** A list to choose one of; the first line is no choice. */
export function Choice({
  field,
  raw,
  onChange,
  id,
  described,
  options,
}: ControlProps & { readonly options: Options }) {
  return (
    <select
      id={id}
      name={field.name}
      value={textOf(raw)}
      {...described}
      onChange={(change) => onChange(change.currentTarget.value)}
    >
      <option value="">{field.required ? 'Choose…' : defaultWords(field.fallback)}</option>
      {options.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  )
}

function defaultWords(fallback: unknown): string {
  if (typeof fallback === 'boolean') return fallback ? 'Default (yes)' : 'Default (no)'
  const text = placeholderOf(fallback)
  return text === '' ? 'Not sent' : `Default (${text})`
}

/** Boxes to tick, in a frame that scrolls when there are many. */
export function Ticks({
  field,
  raw,
  onChange,
  id,
  described,
  options,
}: ControlProps & { readonly options: Options }) {
  const chosen = typeof raw === 'string' ? [] : raw
  return (
    <fieldset class="ticks" aria-labelledby={`${id}-label`} {...withoutInvalid(described)}>
      {options.map(([value, label], at) => (
        <label key={value}>
          <input
            type="checkbox"
            name={field.name}
            checked={chosen.includes(value)}
            {...(at === 0 ? { 'aria-invalid': described['aria-invalid'] } : {})}
            onChange={(change) =>
              onChange(
                change.currentTarget.checked
                  ? [...chosen, value]
                  : chosen.filter((one) => one !== value),
              )
            }
          />
          <span dir="auto">{label}</span>
        </label>
      ))}
    </fieldset>
  )
}

/** A group can't be invalid; its first box is, so that the focus has somewhere to go. */
function withoutInvalid(described: ControlProps['described']) {
  const by = described['aria-describedby']
  return by === undefined ? {} : { 'aria-describedby': by }
}
