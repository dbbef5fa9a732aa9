import './discuss.css'
import { useState } from 'preact/hooks'
import { type DiscussRule, defaultTopic, discussRuleWords } from '#shared/core/outages/discuss.ts'
import { call } from '../bridge.ts'
import { Button, SmallButton } from '../parts/button.tsx'
import { Field, SelectField, submits } from '../parts/field.tsx'
import { toastIfFailed } from '../toast.ts'
import { appState } from '../window-state.ts'
import { PlacePicker, pickedOf, placePicked, ruleOf } from './place-picker.tsx'

/** The rules for where the outages of checks are discussed. */
export function DiscussSettings() {
  const [adding, setAdding] = useState(false)
  const state = appState.value
  const rules = state.settings.discuss
  const hasChat = state.accounts.some(({ kind }) => kind === 'chat')
  const keep = (discuss: readonly DiscussRule[]) => toastIfFailed(call.updateSettings({ discuss }))
  return (
    <>
      <p class="field-help">
        Where “Discuss” on a check leads. The first rule that matches applies; {'{check}'} and{' '}
        {'{project}'} stand for the names.
      </p>
      <ol class="discuss-rules">
        {rules.map((rule, index) => (
          <li key={rule.id}>
            <span dir="auto">{discussRuleWords(state, rule)}</span>
            {index > 0 && (
              <SmallButton
                aria-label={`Move up: ${discussRuleWords(state, rule)}`}
                onClick={() => keep(movedUp(rules, index))}
              >
                Up
              </SmallButton>
            )}
            <SmallButton
              aria-label={`Remove: ${discussRuleWords(state, rule)}`}
              onClick={() => keep(rules.filter((one) => one !== rule))}
            >
              Remove
            </SmallButton>
          </li>
        ))}
      </ol>
      {adding ? (
        <AddRule
          onAdd={(rule) => {
            keep([...rules, rule])
            setAdding(false)
          }}
          onCancel={() => setAdding(false)}
        />
      ) : (
        <Button
          icon="add"
          disabled={!hasChat}
          title={hasChat ? undefined : 'Connect a chat account first'}
          onClick={() => setAdding(true)}
        >
          Add a rule
        </Button>
      )}
    </>
  )
}

function movedUp(rules: readonly DiscussRule[], index: number): readonly DiscussRule[] {
  return rules.toSpliced(index, 1).toSpliced(index - 1, 0, ...rules.slice(index, index + 1))
}

function AddRule(props: { onAdd: (rule: DiscussRule) => void; onCancel: () => void }) {
  const [tag, setTag] = useState('')
  const [project, setProject] = useState('')
  const [picked, setPicked] = useState(() => pickedOf(null, defaultTopic))
  const projects = appState.value.accounts.filter(({ kind }) => kind === 'monitoring')
  const add = () => {
    const plainTag = tag.trim().replace(/^#/, '')
    const which = { accountId: project || null, tag: plainTag || null, checkId: null }
    const rule = ruleOf(picked, which)
    if (rule !== null) props.onAdd(rule)
  }
  return (
    <form class="discuss-form" onSubmit={submits(add)}>
      <Field
        label="Checks with the tag"
        name="tag"
        value={tag}
        placeholder="every check"
        onInput={setTag}
      />
      <SelectField
        label="Project"
        value={project}
        options={[['', 'Every project'], ...projects.map(({ id, label }) => [id, label] as const)]}
        onChange={setProject}
      />
      <PlacePicker
        value={picked}
        onChange={setPicked}
        topicHelp="{check} gives each check a topic of its own."
      />
      <div class="button-row">
        <Button kind="primary" type="submit" disabled={placePicked(picked) === null}>
          Add
        </Button>
        <Button kind="quiet" onClick={props.onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
