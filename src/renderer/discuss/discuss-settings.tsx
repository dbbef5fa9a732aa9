import './discuss.css'
import { useState } from 'preact/hooks'
import { failureSentence } from '#shared/core/failure-words.ts'
import { type DiscussRule, defaultTopic, discussRuleWords } from '#shared/core/outages/discuss.ts'
import { call } from '../bridge.ts'
import { Button, SmallButton } from '../parts/button.tsx'
import { Field, FormFoot, SelectField, submits } from '../parts/field.tsx'
import { useAskingForm } from '../run.ts'
import { toastIfFailed, toastResult, undo } from '../toast.ts'
import { appState } from '../window-state.ts'
import { PlacePicker, pickedOf, placePicked, ruleOf } from './place-picker.tsx'

/** The rules for where the outages of checks are discussed. */
export function DiscussSettings() {
  const [adding, setAdding] = useState(false)
  const state = appState.value
  const rules = state.settings.discuss
  const hasChat = state.accounts.some(({ kind }) => kind === 'chat')
  const keep = (discuss: readonly DiscussRule[]) => call.updateSettings({ discuss })
  const remove = (rule: DiscussRule, index: number): void => {
    const others = () => appState.peek().settings.discuss.filter(({ id }) => id !== rule.id)
    const back = undo(() => toastIfFailed(keep(others().toSpliced(index, 0, rule))))
    toastResult(keep(others()), 'The rule was removed.', undefined, back)
  }
  return (
    <>
      <p class="field-help">
        Where “Share to chat” on a check leads. The first rule that matches applies; {'{check}'} and{' '}
        {'{project}'} stand for the names.
      </p>
      <ol class="discuss-rules">
        {rules.map((rule, index) => (
          <li key={rule.id}>
            <span dir="auto">{discussRuleWords(state, rule)}</span>
            {index > 0 && (
              <SmallButton
                aria-label={`Move up: ${discussRuleWords(state, rule)}`}
                onClick={() => toastIfFailed(keep(movedUp(rules, index)))}
              >
                Up
              </SmallButton>
            )}
            <SmallButton
              aria-label={`Remove: ${discussRuleWords(state, rule)}`}
              onClick={() => remove(rule, index)}
            >
              Remove
            </SmallButton>
          </li>
        ))}
      </ol>
      {adding ? (
        <AddRule onClose={() => setAdding(false)} />
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

function AddRule({ onClose }: { readonly onClose: () => void }) {
  const [tag, setTag] = useState('')
  const [project, setProject] = useState('')
  const [picked, setPicked] = useState(() => pickedOf(null, defaultTopic))
  const { busy, ask, error, setError, isHere, report } = useAskingForm('Add a rule')
  const projects = appState.value.accounts.filter(({ kind }) => kind === 'monitoring')
  const add = async () => {
    const plainTag = tag.trim().replace(/^#/, '')
    const which = { accountId: project || null, tag: plainTag || null, checkId: null }
    const rule = ruleOf(picked, which)
    if (rule === null) return
    setError(null)
    const { discuss } = appState.peek().settings
    const result = await ask(() => call.updateSettings({ discuss: [...discuss, rule] }))
    if (result === undefined) return
    if (!result.ok) report(failureSentence(result.failure))
    else if (isHere()) onClose()
  }
  return (
    <form class="discuss-form" onSubmit={submits(add)}>
      <Field
        label="Checks with the tag"
        name="tag"
        value={tag}
        placeholder="Every check"
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
      <FormFoot error={error} onCancel={onClose}>
        <Button kind="primary" type="submit" busy={busy} disabled={placePicked(picked) === null}>
          Add
        </Button>
      </FormFoot>
    </form>
  )
}
