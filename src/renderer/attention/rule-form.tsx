import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import type { EventKind } from '#shared/core/attention/event.ts'
import type { Rule, Way } from '#shared/core/attention/rules.ts'
import { accountById } from '#shared/core/state.ts'
import { Button } from '../parts/button.tsx'
import { Field } from '../parts/field.tsx'
import { appState } from '../window-state.ts'
import { edited } from './attention-draft.ts'
import { kinds, ways } from './kind-words.ts'
import {
  type Choice,
  channelChoices,
  checkChoices,
  personChoices,
  tagsKnown,
} from './rule-choices.ts'
import { inheritedWords } from './rule-words.ts'
import { MinutesInput } from './ways-table.tsx'

interface Props {
  readonly rule: Rule
  readonly onChange: (change: Partial<Rule>) => void
  readonly onDone: () => void
}

/** One rule: which events it is about, and what is made of them. Nothing given fits everything. */
export function RuleForm({ rule, onChange, onDone }: Props) {
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => box.current?.querySelector('input')?.focus(), [])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Esc closes the form from all its fields.
    <div
      ref={box}
      class="rule-form"
      onKeyDown={(key) => {
        if (key.key !== 'Escape') return
        key.preventDefault()
        onDone()
      }}
    >
      <Kinds chosen={rule.kinds} onChosen={(chosen) => onChange({ kinds: chosen })} />
      <Where rule={rule} onChange={onChange} />
      <Then rule={rule} onChange={onChange} />
      <Button onClick={onDone}>Done</Button>
    </div>
  )
}

function Kinds(props: {
  readonly chosen: readonly EventKind[]
  readonly onChosen: (chosen: readonly EventKind[]) => void
}) {
  const { chosen, onChosen } = props
  return (
    <fieldset class="rule-kinds">
      <legend>When (none: everything)</legend>
      {kinds.map(([kind, label]) => (
        <label key={kind} class="check-field">
          <input
            type="checkbox"
            checked={chosen.includes(kind)}
            onChange={(change) =>
              onChosen(
                change.currentTarget.checked
                  ? [...chosen, kind]
                  : chosen.filter((other) => other !== kind),
              )
            }
          />
          {label}
        </label>
      ))}
    </fieldset>
  )
}

function Where({ rule, onChange }: Omit<Props, 'onDone'>) {
  const state = appState.value
  const account = rule.accountId === null ? null : accountById(state, rule.accountId)
  const accounts = state.accounts.map(({ id, label }) => ({ value: id, label }))
  const nowhere = { checkId: null, channelId: null, senderId: null }
  return (
    <>
      <Pick
        label="Account"
        any="Any account"
        choices={accounts}
        value={rule.accountId}
        onValue={(accountId) => {
          const kind = accountId === null ? null : accountById(state, accountId)?.kind
          onChange({
            accountId,
            ...nowhere,
            // What can't be asked for there would keep the rule from ever fitting.
            ...(kind === 'chat' ? { tag: null } : {}),
            ...(kind === 'monitoring' ? { topic: null } : {}),
          })
        }}
      />
      {account?.kind !== 'chat' && <Tag rule={rule} onChange={onChange} />}
      {account?.kind === 'monitoring' && (
        <Pick
          label="Check"
          any="Any check"
          choices={checkChoices(state, account.id)}
          value={rule.checkId}
          onValue={(checkId) => onChange({ checkId })}
        />
      )}
      {account?.kind === 'chat' && (
        <>
          <Pick
            label="Channel"
            any="Any channel"
            choices={channelChoices(state, account.id)}
            value={rule.channelId === null ? null : String(rule.channelId)}
            onValue={(id) => onChange({ channelId: id === null ? null : Number(id) })}
          />
          <Pick
            label="Person"
            any="Anybody"
            choices={personChoices(state, account.id)}
            value={rule.senderId === null ? null : String(rule.senderId)}
            onValue={(id) => onChange({ senderId: id === null ? null : Number(id) })}
          />
        </>
      )}
      {account?.kind !== 'monitoring' && (
        <Field
          label="Topic"
          name="topic"
          value={rule.topic ?? ''}
          placeholder="Any topic"
          onInput={(topic) => onChange({ topic: topic.trim() === '' ? null : topic })}
        />
      )}
    </>
  )
}

function Tag({ rule, onChange }: Omit<Props, 'onDone'>) {
  const list = useId()
  return (
    <>
      <Field
        label="Tag"
        name="tag"
        list={list}
        value={rule.tag ?? ''}
        placeholder="Any tag"
        onInput={(typed) => {
          const tag = typed.trim().replace(/^#/, '').slice(0, 100)
          onChange({ tag: tag === '' ? null : tag })
        }}
      />
      <datalist id={list}>
        {tagsKnown(appState.value, rule.accountId).map((tag) => (
          <option key={tag} value={tag} />
        ))}
      </datalist>
    </>
  )
}

function Then({ rule, onChange }: Omit<Props, 'onDone'>) {
  const id = useId()
  const { afterMinutes } = edited.value
  const mayWait = rule.kinds.length === 0 || rule.kinds.includes('down')
  return (
    <>
      <Pick
        label="Then"
        any={inheritedWords(rule.kinds, edited.value)}
        choices={ways.map(([value, label]) => ({
          value,
          label: value === 'sound' ? 'Notification with sound' : label,
        }))}
        value={rule.way}
        // One of `ways`, or nothing.
        onValue={(way) => onChange({ way: way as Way | null })}
      />
      {rule.way !== null && (
        <p class="field-help">
          This wins over the chat’s own settings, where it is about messages.
        </p>
      )}
      {mayWait && (
        <div class="field">
          <label for={id}>Only after it has been down, minutes</label>
          <MinutesInput
            id={id}
            value={rule.afterMinutes}
            placeholder={String(afterMinutes)}
            onValue={(minutes) => onChange({ afterMinutes: minutes })}
          />
          <p class="field-help" id={`${id}-help`}>
            Empty: as usual, which is {afterMinutes === 0 ? 'at once' : `${afterMinutes} min`}.
          </p>
        </div>
      )}
    </>
  )
}

interface PickProps {
  readonly label: string
  /** What null is called. */
  readonly any: string
  readonly choices: readonly Choice[]
  readonly value: string | null
  readonly onValue: (value: string | null) => void
}

/** One of many by name; what was chosen and is gone stays in sight. */
function Pick({ label, any, choices, value, onValue }: PickProps) {
  const id = useId()
  const isKnown = value === null || choices.some((choice) => choice.value === value)
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value ?? ''}
        onChange={(change) => {
          const chosen = change.currentTarget.value
          onValue(chosen === '' ? null : chosen)
        }}
      >
        <option value="">{any}</option>
        {!isKnown && <option value={value}>{value} (gone)</option>}
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
    </div>
  )
}
