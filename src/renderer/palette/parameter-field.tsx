import type { ComponentProps, JSX } from 'preact'
import { useId } from 'preact/hooks'
import type { FieldInput } from '#shared/api/form-fields.ts'
import { limitWords } from '#shared/api/form-values.ts'
import { durationWords } from '#shared/core/time.ts'
import { Choice, type ControlProps, Line, Lines, placeholderOf, Ticks } from './controls.tsx'
import { PickControl } from './pick-control.tsx'
import { suggestionsFor } from './pick-options.ts'

type Props = Omit<ControlProps, 'id' | 'described'> & { readonly error: string | null }

/** One parameter: its label, its control, what is wrong with it, what it means and its limits. */
export function ParameterField(props: Props) {
  const { field, error } = props
  const id = useId()
  const help = [field.help, limitWords(field)].filter((part) => part !== '').join(' ')
  const notes = [error === null ? '' : `${id}-error`, help === '' ? '' : `${id}-help`]
  const group = isGroup(field.input)
  const described = {
    'aria-invalid': error !== null,
    ...(group ? { 'aria-labelledby': `${id}-label` } : { 'aria-required': field.required }),
    ...(notes.join('') === '' ? {} : { 'aria-describedby': notes.join(' ').trim() }),
  }
  const name = (
    <>
      {field.label}
      {field.required && (
        <span class="needed" aria-hidden="true">
          {' needed'}
        </span>
      )}
    </>
  )
  return (
    <div class="field">
      {group ? (
        <span id={`${id}-label`} class="field-name">
          {name}
        </span>
      ) : (
        <label for={id}>{name}</label>
      )}
      <Control {...props} id={id} described={described} />
      {error !== null && (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
      {help !== '' && (
        <p class="field-help" id={`${id}-help`}>
          {help}
        </p>
      )}
    </div>
  )
}

/** Several boxes to tick are a group with a name; everything else is one control with a label. */
function isGroup(input: FieldInput): boolean {
  return input.kind === 'choices' || (input.kind === 'pick' && input.count !== 'one')
}

function Control(props: ControlProps): JSX.Element {
  const { input, fallback, required, nullable } = props.field
  switch (input.kind) {
    case 'text':
      return input.multiline ? (
        <Lines {...props} placeholder={placeholderOf(fallback)} />
      ) : (
        <SuggestedLine
          {...props}
          type={input.secret ? 'password' : 'text'}
          placeholder={placeholderOf(fallback)}
        />
      )
    case 'number':
      return (
        <Line
          {...props}
          inputMode="decimal"
          after={input.unit ?? ''}
          placeholder={placeholderOf(fallback)}
        />
      )
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
      return <Line {...props} placeholder="2026-03-17 14:30" />
    case 'list':
    case 'either':
      return <SuggestedLine {...props} placeholder={placeholderOf(fallback)} />
    case 'json':
      return <Lines {...props} placeholder={input.example} />
    case 'yesNo':
      return (
        <Choice {...props} options={[['true', 'Yes'], ['false', 'No'], ...noneOption(nullable)]} />
      )
    case 'choice':
      return (
        <Choice
          {...props}
          options={[...input.options.map((option) => optionPair(option)), ...noneOption(nullable)]}
        />
      )
    case 'choices':
      return (
        <Ticks
          {...props}
          options={input.options.map((option) => [String(option), String(option)])}
        />
      )
    case 'pick':
      return <PickControl {...props} input={input} required={required} />
  }
}

/** A line of text, with what is likely in it where that is known. */
function SuggestedLine(props: ComponentProps<typeof Line>) {
  const { field, accountId, raw, id } = props
  const likely = suggestionsFor(field, accountId, typeof raw === 'string' ? raw : '')
  const list = `${id}-list`
  // One shape either way: a line drawn anew would lose the focus in the middle of a word.
  return (
    <>
      <Line {...props} {...(likely.length === 0 ? {} : { list })} />
      {likely.length > 0 && (
        <datalist id={list}>
          {likely.map(({ value, label }) => (
            <option key={value} value={value} label={label} />
          ))}
        </datalist>
      )}
    </>
  )
}

function optionPair(option: string | number): readonly [string, string] {
  return option === '' ? ['""', 'Empty'] : [String(option), String(option)]
}

function noneOption(nullable: boolean): readonly (readonly [string, string])[] {
  return nullable ? [['null', 'None']] : []
}
