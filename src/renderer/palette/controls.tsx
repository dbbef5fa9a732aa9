import type { JSX, TargetedInputEvent } from 'preact'
import { useId, useState } from 'preact/hooks'
import type { FieldInput, FormField } from '#shared/api/form-fields.ts'
import { limitWords, type RawValue } from '#shared/api/form-values.ts'
import type { AccountId } from '#shared/core/account.ts'
import { defined } from '#shared/core/schemas.ts'
import { clockWords, durationWords } from '#shared/core/time.ts'
import { readMoment } from '#shared/core/typed-time.ts'
import { Labelled, notesOf, Select, withOne } from '../parts/field.tsx'
import type { Choice as PickOption } from '../parts/known-choices.ts'
import { durationRead } from '../parts/known-fields.tsx'
import { ZoneField } from '../parts/zone-field.tsx'
import { now } from '../window-state.ts'
import { isGroup } from './operation-state.ts'
import { suggestionsFor, usePickOptions } from './pick-options.ts'

interface ControlProps {
  readonly field: FormField
  readonly raw: RawValue
  readonly onChange: (raw: RawValue) => void
  readonly accountId: AccountId
  readonly id: string
  readonly described: {
    readonly 'aria-invalid': boolean
    readonly 'aria-required'?: boolean
    readonly 'aria-describedby': string | undefined
    readonly 'aria-labelledby'?: string
  }
}

/** The default, if it is a string or a number, else ''. */
function placeholderOf(fallback: unknown): string {
  if (typeof fallback === 'string' || typeof fallback === 'number') return String(fallback)
  return ''
}

function textOf(raw: RawValue): string {
  return typeof raw === 'string' ? raw : raw.join(', ')
}

interface LineProps extends ControlProps {
  /** By default the field's own default. */
  readonly placeholder?: string
  /** Suggested while the user types; by default `suggestionsFor` the field. */
  readonly likely?: readonly PickOption[]
}

function Line({ field, raw, onChange, accountId, id, described, ...more }: LineProps) {
  const { input } = field
  const likely = more.likely ?? suggestionsFor(field, accountId, textOf(raw))
  const list = likely.length === 0 ? undefined : `${id}-list`
  const attributes = {
    id,
    name: field.name,
    value: textOf(raw),
    placeholder: more.placeholder ?? placeholderOf(field.fallback),
    autocomplete: 'off',
    spellcheck: false,
    dir: 'auto',
    ...(input.kind === 'number' ? { inputMode: 'decimal' } : {}),
    ...described,
    onInput: (typed: TargetedInputEvent<HTMLInputElement>) => onChange(typed.currentTarget.value),
  } as const
  return (
    <span class="row line-field">
      {input.kind === 'text' && input.secret ? (
        <input {...attributes} type="password" />
      ) : (
        <input {...attributes} type="text" list={list} />
      )}
      {input.kind === 'number' && input.unit && <span class="note">{input.unit}</span>}
      {list !== undefined && (
        <datalist id={list}>
          {likely.map(([value, label]) => (
            <option key={value} value={value} label={label} />
          ))}
        </datalist>
      )}
    </span>
  )
}

function Lines({ field, raw, onChange, id, described, placeholder }: LineProps) {
  return (
    <textarea
      id={id}
      name={field.name}
      class={field.input.kind === 'json' ? 'code-field' : ''}
      rows={field.input.kind === 'json' ? 3 : 4}
      value={textOf(raw)}
      placeholder={placeholder ?? placeholderOf(field.fallback)}
      spellcheck={false}
      dir="auto"
      {...described}
      onInput={(input) => onChange(input.currentTarget.value)}
    />
  )
}

interface OptionProps extends ControlProps {
  readonly options: readonly PickOption[]
}

/** A list to choose one option from; the first stands for no choice. */
function Choice(props: OptionProps) {
  const { field, raw, onChange, id, described, options } = props
  return (
    <Select
      id={id}
      name={field.name}
      value={textOf(raw)}
      {...described}
      options={[['', field.required ? 'Choose…' : defaultWords(field.fallback)], ...options]}
      onChange={onChange}
    />
  )
}

function defaultWords(fallback: unknown): string {
  if (typeof fallback === 'boolean') return fallback ? 'Default (yes)' : 'Default (no)'
  const text = placeholderOf(fallback)
  return text === '' ? 'Not sent' : `Default (${text})`
}

/** Checkboxes, in a frame that scrolls if there are many. */
function Ticks(props: OptionProps) {
  const { field, raw, onChange, described, options } = props
  const chosen = typeof raw === 'string' ? [] : raw
  return (
    // A fieldset can't be invalid: its first checkbox is, so that the focus has somewhere to go.
    <fieldset
      class="ticks"
      aria-labelledby={described['aria-labelledby']}
      aria-describedby={described['aria-describedby']}
    >
      {options.map(([value, label], at) => (
        <label key={value}>
          <input
            type="checkbox"
            name={field.name}
            checked={chosen.includes(value)}
            {...(at === 0 ? { 'aria-invalid': described['aria-invalid'] } : {})}
            onChange={(change) => onChange(withOne(chosen, value, change.currentTarget.checked))}
          />
          <span class="one-line" dir="auto">
            {label}
          </span>
        </label>
      ))}
    </fieldset>
  )
}

type Props = Omit<ControlProps, 'id' | 'described'> & { readonly error: string | null }

/** How Belfry reads what was typed where that isn't plain. */
function readAs({ kind }: FieldInput, text: string): string {
  if (kind === 'duration') return durationRead(text).trim()
  const at = kind === 'time' ? readMoment(text, now.value) : null
  return at === null ? '' : `(${clockWords(at, now.value)})`
}

/** One parameter: its label, control, error, help and limits. */
export function ParameterField(props: Props) {
  const { field, error, raw, onChange } = props
  const id = useId()
  const notes = [field.help, limitWords(field), readAs(field.input, textOf(raw))]
  const help = notes.filter((part) => part !== '').join(' ') || undefined
  if (field.input.kind === 'zone')
    return (
      <ZoneField
        name={field.name}
        value={textOf(raw)}
        error={error}
        {...defined({ help })}
        onInput={onChange}
      />
    )
  const group = isGroup(field.input)
  const described = {
    'aria-invalid': error !== null,
    'aria-describedby': notesOf(id, { help, error }),
    ...(group ? { 'aria-labelledby': `${id}-label` } : { 'aria-required': field.required }),
  }
  const name = (
    <>
      {field.label}
      {field.required && (
        <span class="raw needed" aria-hidden="true">
          {' required'}
        </span>
      )}
    </>
  )
  return (
    <Labelled id={id} label={name} isGroup={group} help={help} error={error}>
      <Control {...props} id={id} described={described} />
    </Labelled>
  )
}

function Control(props: ControlProps): JSX.Element {
  const { input, fallback, nullable } = props.field
  switch (input.kind) {
    case 'text':
      return input.multiline ? <Lines {...props} /> : <Line {...props} />
    case 'zone':
    case 'number':
    case 'list':
    case 'either':
      return <Line {...props} />
    case 'duration':
      return (
        <Line
          {...props}
          placeholder={
            typeof fallback === 'number' ? durationWords(fallback * 1_000) : '1 h, or 3600'
          }
        />
      )
    case 'time':
      return <Line {...props} placeholder="2026-03-17 14:30, or tomorrow 9" />
    case 'json':
      return <Lines {...props} placeholder={input.example} />
    case 'yesNo':
      return (
        <Choice {...props} options={[['true', 'Yes'], ['false', 'No'], ...noneOption(nullable)]} />
      )
    case 'choice':
      return (
        <Choice {...props} options={[...input.options.map(optionPair), ...noneOption(nullable)]} />
      )
    case 'choices':
      return (
        <Ticks
          {...props}
          options={input.options.map((option) => [String(option), String(option)])}
        />
      )
    case 'pick':
      return <PickControl {...props} input={input} />
  }
}

function optionPair(option: string | number): PickOption {
  return option === '' ? ['""', 'Empty'] : [String(option), String(option)]
}

function noneOption(nullable: boolean): readonly PickOption[] {
  return nullable ? [['null', 'None']] : []
}

interface PickControlProps extends ControlProps {
  readonly input: Extract<FieldInput, { kind: 'pick' }>
}

/** A list with more options gets a filter. */
const filterFrom = 20
/** How many options are drawn; the filter finds the others. */
const optionsDrawn = 200

/** A choice among what the account has, or a text field if nothing can be listed. */
function PickControl(props: PickControlProps) {
  const { input, raw, accountId } = props
  const [filter, setFilter] = useState('')
  const options = usePickOptions(accountId, input)
  const many = input.count !== 'one'
  if (options === null)
    return <Line {...props} raw={textOf(raw)} placeholder={many ? 'Separated by commas' : ''} />
  // The id can be typed, or chosen from the messages loaded here.
  if (input.picker === 'message')
    return <Line {...props} likely={options} placeholder="Message id" />
  const shown = matching(options, filter, raw)
  return (
    <>
      {options.length > filterFrom && (
        <input
          type="search"
          class="pick-filter"
          aria-label={`Filter ${props.field.label}`}
          placeholder={`Filter ${options.length} entries`}
          autocomplete="off"
          value={filter}
          onInput={(typed) => setFilter(typed.currentTarget.value)}
        />
      )}
      {many ? <Ticks {...props} options={shown} /> : <Choice {...props} options={shown} />}
    </>
  )
}

/** The options that match the filter, and those chosen whatever the filter is. */
function matching(
  options: readonly PickOption[],
  filter: string,
  raw: PickControlProps['raw'],
): readonly PickOption[] {
  const word = filter.trim().toLowerCase()
  const chosen = new Set(typeof raw === 'string' ? [raw] : raw)
  const found = options.filter(([, label]) => label.toLowerCase().includes(word))
  const drawn = new Set(found.slice(0, optionsDrawn))
  return options.filter((option) => chosen.has(option[0]) || drawn.has(option))
}
