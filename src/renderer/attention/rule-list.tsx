import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { accountById } from '#shared/core/account.ts'
import {
  anyRule,
  type Rule,
  ruleLimits,
  type Way,
  wayLabels,
} from '#shared/core/attention/rules.ts'
import { Button, LinkButton } from '../parts/button.tsx'
import { CheckField, Field, Labelled, withOne } from '../parts/field.tsx'
import { checkChoices } from '../parts/known-choices.ts'
import { ChannelField, PersonField, PickField, TagField, tagTyped } from '../parts/known-fields.tsx'
import { appState } from '../window-state.ts'
import { edit, edited } from './attention-draft.ts'
import { ProgramField } from './programs.tsx'
import { inheritedWords, kinds, ruleChoice, ruleEffect } from './rule-words.ts'
import { MinutesInput } from './ways-table.tsx'

/** The exceptions to the table. The first matching rule decides. */
export function RuleList() {
  const { rules } = edited.value
  const [open, setOpen] = useState<string | null>(null)
  const box = useRef<HTMLElement>(null)
  const focusSoon = (label: string) =>
    queueMicrotask(() =>
      box.current?.querySelector<HTMLElement>(`[aria-label="${CSS.escape(label)}"]`)?.focus(),
    )
  const close = (index: number) => {
    setOpen(null)
    focusSoon(toggleLabel(index, false))
  }
  const move = (from: number, to: number) => {
    edit({ rules: rules.toSpliced(from, 1).toSpliced(to, 0, ...rules.slice(from, from + 1)) })
    focusSoon(`Move rule ${to + 1} ${to < from ? 'up' : 'down'}`)
  }
  const add = () => {
    const rule: Rule = { ...anyRule, id: crypto.randomUUID() }
    edit({ rules: [...rules, rule] })
    setOpen(rule.id)
  }
  return (
    <section class="attention-section" aria-label="Rules" ref={box}>
      <h2 class="group-label">Rules</h2>
      <p class="field-help">
        The first matching rule decides. What it leaves at “Default” is decided by the next matching
        rule, or by the table above.
      </p>
      <ol class="rules">
        {rules.map((rule, index) => (
          <li key={rule.id} class="rule">
            <RuleLine
              rule={rule}
              index={index}
              isLast={index === rules.length - 1}
              isOpen={open === rule.id}
              onOpen={() => (open === rule.id ? close(index) : setOpen(rule.id))}
              onMove={(to) => move(index, to)}
              onDelete={() => {
                const rest = rules.filter(({ id }) => id !== rule.id)
                edit({ rules: rest })
                const next = Math.min(index, rest.length - 1)
                focusSoon(next < 0 ? 'Add a rule' : toggleLabel(next, rest[next]?.id === open))
              }}
            />
            {open === rule.id && (
              <RuleForm
                rule={rule}
                onChange={(change) => edit({ rules: rules.with(index, { ...rule, ...change }) })}
                onDone={() => close(index)}
              />
            )}
          </li>
        ))}
      </ol>
      <button
        type="button"
        class="button button-plain"
        aria-label="Add a rule"
        aria-disabled={rules.length >= ruleLimits.rules}
        onClick={() => rules.length < ruleLimits.rules && add()}
      >
        Add a rule
      </button>
    </section>
  )
}

interface LineProps {
  readonly rule: Rule
  readonly index: number
  readonly isLast: boolean
  readonly isOpen: boolean
  readonly onOpen: () => void
  readonly onMove: (to: number) => void
  readonly onDelete: () => void
}

function RuleLine({ rule, index, isLast, isOpen, onOpen, onMove, onDelete }: LineProps) {
  const number = index + 1
  return (
    <div class="row rule-line">
      <div class="rule-words">
        <span dir="auto">{ruleChoice(appState.value, rule)}</span>
        <span class="rule-effect">→ {ruleEffect(rule, edited.value, appState.value)}</span>
      </div>
      <div class="row rule-buttons">
        <ArrowButton
          label={`Move rule ${number} up`}
          mark="↑"
          off={index === 0}
          act={() => onMove(index - 1)}
        />
        <ArrowButton
          label={`Move rule ${number} down`}
          mark="↓"
          off={isLast}
          act={() => onMove(index + 1)}
        />
        <LinkButton
          aria-label={toggleLabel(number - 1, isOpen)}
          aria-expanded={isOpen}
          onClick={onOpen}
        >
          {isOpen ? 'Close' : 'Edit'}
        </LinkButton>
        <LinkButton class="rule-delete" aria-label={`Remove rule ${number}`} onClick={onDelete}>
          Remove
        </LinkButton>
      </div>
    </div>
  )
}

/** Begins with the text on the button, by which users of speech input name it. */
function toggleLabel(index: number, isOpen: boolean): string {
  return `${isOpen ? 'Close' : 'Edit'} rule ${index + 1}`
}

function ArrowButton(props: { label: string; mark: string; off: boolean; act: () => void }) {
  const { label, mark, off, act } = props
  return (
    <button
      type="button"
      class="tool-button"
      aria-label={label}
      title={label}
      aria-disabled={off}
      onClick={() => !off && act()}
    >
      {mark}
    </button>
  )
}

interface Props {
  readonly rule: Rule
  readonly onChange: (change: Partial<Rule>) => void
  readonly onDone: () => void
}

/** An empty field matches everything. */
function RuleForm({ rule, onChange, onDone }: Props) {
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
      <fieldset class="rule-kinds">
        <legend>When (leave empty for all)</legend>
        {kinds.map(([kind, label]) => (
          <CheckField
            key={kind}
            checked={rule.kinds.includes(kind)}
            onChange={(on) => onChange({ kinds: withOne(rule.kinds, kind, on) })}
          >
            {label}
          </CheckField>
        ))}
      </fieldset>
      <Where rule={rule} onChange={onChange} />
      <Then rule={rule} onChange={onChange} />
      <Button onClick={onDone}>Done</Button>
    </div>
  )
}

function Where({ rule, onChange }: Omit<Props, 'onDone'>) {
  const state = appState.value
  const account = rule.accountId === null ? null : accountById(state, rule.accountId)
  const accounts = state.accounts.map(({ id, label }) => [id, label] as const)
  const nowhere = { checkId: null, channelId: null, senderId: null }
  return (
    <>
      <PickField
        label="Account"
        any="Any account"
        choices={accounts}
        value={rule.accountId}
        onValue={(accountId) => {
          const kind = accountId === null ? null : accountById(state, accountId)?.kind
          onChange({
            accountId,
            ...nowhere,
            // With a field that this kind of account lacks, the rule could never match.
            ...(kind === 'chat' ? { tag: null } : {}),
            ...(kind === 'monitoring' ? { topic: null } : {}),
          })
        }}
      />
      {account?.kind !== 'chat' && (
        <TagField
          accountId={rule.accountId}
          value={rule.tag ?? ''}
          placeholder="Any tag"
          onInput={(typed) => onChange({ tag: tagTyped(typed).slice(0, 100) || null })}
        />
      )}
      {account?.kind === 'monitoring' && (
        <PickField
          label="Check"
          any="Any check"
          choices={checkChoices(state, account.id)}
          value={rule.checkId}
          onValue={(checkId) => onChange({ checkId })}
        />
      )}
      {account?.kind === 'chat' && (
        <>
          <ChannelField
            any="Any channel"
            accountId={account.id}
            value={rule.channelId}
            onValue={(channelId) => onChange({ channelId })}
          />
          <PersonField
            any="Anybody"
            accountId={account.id}
            value={rule.senderId}
            onValue={(senderId) => onChange({ senderId })}
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

const runLimits = [
  { kind: 'tooLong', name: 'longerMinutes', label: 'If a run takes longer than (minutes)' },
  { kind: 'tooShort', name: 'shorterMinutes', label: 'If a run takes less than (minutes)' },
] as const

function Then({ rule, onChange }: Omit<Props, 'onDone'>) {
  const id = useId()
  const { afterMinutes } = edited.value
  const mayWait = rule.kinds.length === 0 || rule.kinds.includes('down')
  return (
    <>
      <PickField
        label="Then"
        any={inheritedWords(rule.kinds, edited.value)}
        choices={Object.entries(wayLabels)}
        value={rule.way}
        // One of `ways`, or null.
        onValue={(way) => onChange({ way: way as Way | null })}
      />
      {rule.way !== null && (
        <p class="field-help">For messages, this overrides the chat’s own settings.</p>
      )}
      {mayWait && (
        <Labelled
          id={id}
          label="Ignore outages shorter than (minutes)"
          help={`Leave empty for the usual ${afterMinutes === 0 ? 'notification at once' : `${afterMinutes} min`}.`}
        >
          <MinutesInput
            id={id}
            value={rule.afterMinutes}
            placeholder={String(afterMinutes)}
            onValue={(minutes) => onChange({ afterMinutes: minutes })}
          />
        </Labelled>
      )}
      {mayWait && (
        <Labelled
          id={`${id}-again`}
          label="Repeat until someone has seen it, every (minutes)"
          help="Gets louder each time, until you open its page, someone acknowledges it (here or with 👀), or it recovers. Leave empty to notify once."
        >
          <MinutesInput
            id={`${id}-again`}
            value={rule.repeatMinutes ?? null}
            onValue={(minutes) => onChange({ repeatMinutes: minutes })}
          />
        </Labelled>
      )}
      <ProgramField rule={rule} onChange={onChange} />
      {runLimits
        .filter(({ kind }) => rule.kinds.includes(kind))
        .map(({ name, label }) => (
          <Labelled
            key={name}
            id={`${id}-${name}`}
            label={label}
            help="0: never. Leave empty for what Belfry has learned from the check’s last runs, or as set on its page."
          >
            <MinutesInput
              id={`${id}-${name}`}
              value={rule[name] ?? null}
              placeholder="As learned"
              most={ruleLimits.runMinutes}
              onValue={(minutes) => onChange({ [name]: minutes })}
            />
          </Labelled>
        ))}
    </>
  )
}
