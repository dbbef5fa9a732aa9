import './discuss.css'
import { useState } from 'preact/hooks'
import { type DiscussRule, defaultTopic, discussRuleWords } from '#shared/core/outages/discuss.ts'
import { call } from '../bridge.ts'
import { Button, SmallButton } from '../parts/button.tsx'
import { FormFoot, SelectField } from '../parts/field.tsx'
import { draftField, useForm } from '../parts/form.ts'
import { TagField, tagTyped } from '../parts/known-fields.tsx'
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
  const projects = appState.value.accounts.filter(({ kind }) => kind === 'monitoring')
  const form = useForm({
    title: 'Add a rule',
    start: { tag: '', project: '', ...pickedOf(null, defaultTopic) },
    check: (draft) =>
      placePicked(draft) === null ? { form: 'Choose a channel and a topic.' } : {},
    send({ tag, project, ...picked }) {
      const which = { accountId: project || null, tag: tagTyped(tag) || null, checkId: null }
      const rule = ruleOf(picked, which)
      const { discuss } = appState.peek().settings
      return call.updateSettings({ discuss: rule === null ? discuss : [...discuss, rule] })
    },
    done(_done, isHere) {
      if (isHere()) onClose()
    },
  })
  return (
    <form class="stack discuss-form" {...form.attributes}>
      <TagField
        label="Checks with the tag"
        accountId={form.draft.project || null}
        placeholder="Every check"
        {...draftField(form, 'tag')}
      />
      <SelectField
        label="Project"
        value={form.draft.project}
        options={[['', 'Every project'], ...projects.map(({ id, label }) => [id, label] as const)]}
        onChange={(project) => form.onChange({ project })}
      />
      <PlacePicker
        value={form.draft}
        onChange={form.onChange}
        topicHelp="{check} gives each check a topic of its own."
      />
      <FormFoot error={form.errors.form} onCancel={onClose}>
        <Button
          kind="primary"
          type="submit"
          busy={form.busy}
          disabled={placePicked(form.draft) === null}
        >
          Add
        </Button>
      </FormFoot>
    </form>
  )
}
