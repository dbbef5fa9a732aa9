import type { AccountId } from '#shared/core/account.ts'
import { periodWords, readDuration } from '#shared/core/time.ts'
import { appState } from '../window-state.ts'
import { Field, SelectField } from './field.tsx'
import { type Choice, channelChoices, personChoices, tagsKnown } from './known-choices.ts'

interface PickProps {
  readonly label: string
  /** The label for null. */
  readonly any: string
  readonly choices: readonly Choice[]
  readonly value: string | null
  readonly onValue: (value: string | null) => void
}

/** A select that keeps listing a chosen value that no longer exists. */
export function PickField({ label, any, choices, value, onValue }: PickProps) {
  const isKnown = value === null || choices.some(([choice]) => choice === value)
  const gone = isKnown ? [] : [[value, `${value} (no longer exists)`] as const]
  return (
    <SelectField
      label={label}
      value={value ?? ''}
      options={[['', any], ...gone, ...choices]}
      onChange={(chosen) => onValue(chosen === '' ? null : chosen)}
    />
  )
}

interface IdProps {
  /** The label for null. */
  readonly any: string
  readonly accountId: AccountId
  readonly value: number | null
  readonly onValue: (id: number | null) => void
}

/** A channel of a chat. */
export function ChannelField({ accountId, ...props }: IdProps) {
  return <IdField label="Channel" choices={channelChoices(appState.value, accountId)} {...props} />
}

/** Somebody in a chat. */
export function PersonField({ accountId, ...props }: IdProps) {
  return <IdField label="Person" choices={personChoices(appState.value, accountId)} {...props} />
}

function IdField(props: Omit<PickProps, 'value' | 'onValue'> & Pick<IdProps, 'value' | 'onValue'>) {
  const { value, onValue, ...more } = props
  return (
    <PickField
      value={value === null ? null : String(value)}
      onValue={(id) => onValue(id === null ? null : Number(id))}
      {...more}
    />
  )
}

interface TypedProps extends Omit<Parameters<typeof Field>[0], 'label' | 'name' | 'suggestions'> {
  readonly label?: string
  readonly name?: string
}

/** A tag, offered from those of the project or, if it is null, of all; most used first. */
export function TagField({
  accountId,
  ...props
}: TypedProps & { readonly accountId: AccountId | null }) {
  const suggestions = tagsKnown(appState.value, accountId)
  return <Field label="Tag" name="tag" suggestions={suggestions} {...props} />
}

/** The tag that is meant, with or without its sign; '' for none. */
export function tagTyped(text: string): string {
  return text.trim().replace(/^#/, '')
}

/** How Belfry reads a duration, in parentheses, if it would write it differently. */
export function durationRead(text: string): string {
  const seconds = readDuration(text)
  if (seconds === null || periodWords(seconds) === text.trim()) return ''
  return ` (${periodWords(seconds)})`
}
