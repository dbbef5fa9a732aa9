import { useRef, useState } from 'preact/hooks'
import { anyRule } from '#shared/core/attention/any-rule.ts'
import { type Rule, ruleLimits } from '#shared/core/attention/rules.ts'
import { appState } from '../window-state.ts'
import { edit, edited } from './attention-draft.ts'
import { RuleForm } from './rule-form.tsx'
import { ruleChoice, ruleEffect } from './rule-words.ts'

/** The exceptions from the table: the first that fits decides. */
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
    focusSoon(`Edit rule ${index + 1}`)
  }
  const move = (from: number, to: number) => {
    edit({ rules: moved(rules, from, to) })
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
        The first rule that fits decides. What it leaves “as usual” the next one that fits decides,
        and else the table above.
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
                edit({ rules: rules.filter(({ id }) => id !== rule.id) })
                focusSoon(
                  rules.length > 1
                    ? `Edit rule ${Math.min(index + 1, rules.length - 1)}`
                    : 'Add a rule',
                )
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
    <div class="rule-line">
      <div class="rule-words">
        <span dir="auto">{ruleChoice(appState.value, rule)}</span>
        <span class="rule-effect">→ {ruleEffect(rule, edited.value)}</span>
      </div>
      <div class="rule-buttons">
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
        <button
          type="button"
          class="link"
          aria-label={`Edit rule ${number}`}
          aria-expanded={isOpen}
          onClick={onOpen}
        >
          {isOpen ? 'Close' : 'Edit'}
        </button>
        <button
          type="button"
          class="link rule-delete"
          aria-label={`Delete rule ${number}`}
          onClick={onDelete}
        >
          Delete
        </button>
      </div>
    </div>
  )
}

interface ArrowProps {
  readonly label: string
  readonly mark: string
  readonly off: boolean
  readonly act: () => void
}

function ArrowButton({ label, mark, off, act }: ArrowProps) {
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

function moved(rules: readonly Rule[], from: number, to: number): readonly Rule[] {
  const rule = rules[from]
  if (rule === undefined) return rules
  return rules.toSpliced(from, 1).toSpliced(to, 0, rule)
}
