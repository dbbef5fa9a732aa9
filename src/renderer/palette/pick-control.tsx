import { useState } from 'preact/hooks'
import type { FieldInput } from '#shared/api/form-fields.ts'
import { Choice, type ControlProps, Line, Ticks } from './controls.tsx'
import { type PickOption, usePickOptions } from './pick-options.ts'

interface Props extends ControlProps {
  readonly input: Extract<FieldInput, { kind: 'pick' }>
  readonly required: boolean
}

/** More than this is not looked through by eye. */
const filterFrom = 20
/** Drawn at once; the filter finds the others. */
const optionsDrawn = 200

/** A choice among what the account has; typed where nothing can be listed. */
export function PickControl(props: Props) {
  const { input, raw, accountId, id } = props
  const [filter, setFilter] = useState('')
  const options = usePickOptions(accountId, input)
  const many = input.count !== 'one'
  if (options === null)
    return <Line {...props} raw={textual(raw)} placeholder={many ? 'With commas between' : ''} />
  if (input.picker === 'message') return <Suggested {...props} options={options} />
  const shown = matching(options, filter, raw)
  return (
    <>
      {options.length > filterFrom && (
        <input
          type="search"
          class="pick-filter"
          aria-label={`Narrow ${props.field.label}`}
          placeholder={`Narrow ${options.length} to…`}
          autocomplete="off"
          value={filter}
          onInput={(typed) => setFilter(typed.currentTarget.value)}
        />
      )}
      {many ? (
        <Ticks {...props} options={shown.map(({ value, label }) => [value, label])} />
      ) : (
        <Choice {...props} id={id} options={shown.map(({ value, label }) => [value, label])} />
      )}
    </>
  )
}

/** An id that can be typed, or taken from what is here. */
function Suggested({ options, ...props }: Props & { readonly options: readonly PickOption[] }) {
  const list = `${props.id}-list`
  return (
    <>
      <Line {...props} list={list} placeholder="The number of the message" />
      <datalist id={list}>
        {options.map(({ value, label }) => (
          <option key={value} value={value} label={label} />
        ))}
      </datalist>
    </>
  )
}

/** What is chosen stays in sight whatever the filter. */
function matching(
  options: readonly PickOption[],
  filter: string,
  raw: Props['raw'],
): readonly PickOption[] {
  const word = filter.trim().toLowerCase()
  const chosen = new Set(typeof raw === 'string' ? [raw] : raw)
  return options
    .filter(({ value, label }) => chosen.has(value) || label.toLowerCase().includes(word))
    .slice(0, optionsDrawn)
}

function textual(raw: Props['raw']): string {
  return typeof raw === 'string' ? raw : raw.join(', ')
}
