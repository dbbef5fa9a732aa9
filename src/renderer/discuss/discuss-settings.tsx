import { useId, useState } from 'preact/hooks'
import { type DiscussRule, defaultTopic, discussRuleWords } from '#shared/core/outages/discuss.ts'
import { call } from '../bridge.ts'
import { Button } from '../parts/button.tsx'
import { Field } from '../parts/field.tsx'
import { sayIfFailed } from '../toast.ts'
import { appState } from '../window-state.ts'
import { PlacePicker, pickedOf, placePicked } from './place-picker.tsx'
import './discuss.css'

/** What the settings page finds this section by. */
export const discussWords =
  'discuss outages in conversation channel topic link report rule incident hand-off'

/** "Discuss outages in": which checks are talked about where. The first rule that fits decides. */
export function DiscussSettings() {
  const [adding, setAdding] = useState(false)
  const state = appState.value
  const rules = state.settings.discuss
  const hasChat = state.accounts.some(({ kind }) => kind === 'chat')
  const keep = (discuss: readonly DiscussRule[]) => sayIfFailed(call.updateSettings({ discuss }))
  return (
    <section class="settings-group" aria-label="Discuss outages in">
      <h2 class="group-label">Discuss outages in</h2>
      <p class="field-help">
        Where “Discuss” on a check leads. The first that fits decides; {'{check}'} and {'{project}'}{' '}
        stand for the names.
      </p>
      <ol class="discuss-rules">
        {rules.map((rule, index) => (
          <li key={rule.id}>
            <span dir="auto">{discussRuleWords(state, rule)}</span>
            {index > 0 && (
              <button
                type="button"
                class="small-button"
                aria-label={`Move up: ${discussRuleWords(state, rule)}`}
                onClick={() => keep(movedUp(rules, index))}
              >
                Up
              </button>
            )}
            <button
              type="button"
              class="small-button"
              aria-label={`Remove: ${discussRuleWords(state, rule)}`}
              onClick={() => keep(rules.filter((one) => one !== rule))}
            >
              Remove
            </button>
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
          {...(hasChat ? {} : { title: 'Connect a chat account first' })}
          onClick={() => setAdding(true)}
        >
          Add a place
        </Button>
      )}
    </section>
  )
}

function movedUp(rules: readonly DiscussRule[], index: number): readonly DiscussRule[] {
  const [rule] = rules.slice(index, index + 1)
  if (rule === undefined) return rules
  const others = rules.filter((one) => one !== rule)
  return [...others.slice(0, index - 1), rule, ...others.slice(index - 1)]
}

interface AddProps {
  readonly onAdd: (rule: DiscussRule) => void
  readonly onCancel: () => void
}

function AddRule({ onAdd, onCancel }: AddProps) {
  const id = useId()
  const [tag, setTag] = useState('')
  const [project, setProject] = useState('')
  const [picked, setPicked] = useState(() => pickedOf(null, defaultTopic))
  const place = placePicked(picked)
  const projects = appState.value.accounts.filter(({ kind }) => kind === 'monitoring')
  const add = () => {
    if (place?.conversation.kind !== 'topic') return
    const { channelId, topic } = place.conversation
    const plainTag = tag.trim().replace(/^#/, '')
    onAdd({
      id: crypto.randomUUID(),
      accountId: project === '' ? null : project,
      tag: plainTag === '' ? null : plainTag,
      checkId: null,
      chatId: place.accountId,
      channelId,
      topic,
    })
  }
  return (
    <form
      class="discuss-form"
      onSubmit={(submit) => {
        submit.preventDefault()
        add()
      }}
    >
      <Field
        label="Checks with the tag"
        name="tag"
        value={tag}
        placeholder="every check"
        onInput={setTag}
      />
      <div class="field">
        <label for={`${id}-project`}>Project</label>
        <select
          id={`${id}-project`}
          value={project}
          onChange={(change) => setProject(change.currentTarget.value)}
        >
          <option value="">Every project</option>
          {projects.map((account) => (
            <option key={account.id} value={account.id}>
              {account.label}
            </option>
          ))}
        </select>
      </div>
      <PlacePicker
        value={picked}
        onChange={setPicked}
        topicHelp="{check} gives each check a topic of its own."
      />
      <div class="button-row">
        <Button kind="primary" type="submit" disabled={place === null}>
          Add
        </Button>
        <Button kind="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
