import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import {
  checksIn,
  type MaintenancePlan,
  maintenancePlace,
  maintenanceScopes,
  maintenanceText,
  readMaintenance,
  usualMinutes,
} from '#shared/core/attention/maintenance.ts'
import type { Scope, Until } from '#shared/core/attention/silence.ts'
import { discussions } from '#shared/core/attention/silences-update.ts'
import { timeChoices, type UntilChoice } from '#shared/core/attention/until-choices.ts'
import { channelName } from '#shared/core/chat/conversation.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import type { DiscussPlace } from '#shared/core/outages/discuss.ts'
import { clockUntilWords } from '#shared/core/time.ts'
import { counted } from '#shared/core/wording.ts'
import { call } from '../bridge.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { CheckField, Field, FormFoot, submits } from '../parts/field.tsx'
import { WhenChoices } from '../parts/when-dialog.tsx'
import { useAskingForm } from '../run.ts'
import { toastFailure } from '../toast.ts'
import { appState, now } from '../window-state.ts'
import {
  asking,
  beginMaintenance,
  EndButton,
  ownSilence,
  type Planned,
  planning,
  type QuietAsk,
  QuietMark,
  snooze,
} from './quiet-menu.tsx'

/** Asks how long to silence something. A digit chooses at once. */
export function QuietDialog() {
  const ask = asking.value
  const meant = planning.value
  if (meant !== undefined) return <MaintenanceDialog meant={meant} />
  return ask === null ? null : <Question key={JSON.stringify(ask.scope)} ask={ask} />
}

function Question({ ask: asked }: { readonly ask: QuietAsk }) {
  const wider = channelOf(asked)
  const [whole, setWhole] = useState(false)
  const ask = whole && wider !== null ? wider : asked
  const isChat = ask.scope.of === 'conversation' || ask.scope.of === 'channel'
  const choices = choicesFor(ask.scope, now.value)
  // The scope of several checks is only a placeholder: a silence of everything is do not disturb.
  const present = ask.many === undefined ? ownSilence(ask.scope) : null
  const close = () => {
    asking.value = null
  }
  const choose = (until: Until) => {
    close()
    void snooze(ask, until)
  }
  return (
    <Dialog title={`${isChat ? 'Mute' : 'Snooze'} ${ask.name}`} onClose={close}>
      <div class="quiet-question">
        {present !== null && (
          <p class="quiet-present">
            <QuietMark silence={present} />
            <EndButton silence={present} onEnd={close} />
          </p>
        )}
        {isChat && (
          <p class="note">
            Only in Belfry: the chat itself, on its website and your phone, is not muted.
          </p>
        )}
        <WhenChoices
          choices={choices.map(({ label, until }) => ({
            label,
            at: until.kind === 'time' ? until.at : null,
            act: () => choose(until),
          }))}
          pick="Until"
          onPick={(at) => choose({ kind: 'time', at })}
        >
          {wider !== null && (
            <label class="quiet-whole">
              <input
                type="checkbox"
                checked={whole}
                onChange={({ currentTarget }) => setWhole(currentTarget.checked)}
              />
              All of {wider.name}
            </label>
          )}
        </WhenChoices>
      </div>
    </Dialog>
  )
}

function choicesFor(scope: Scope, at: number): readonly UntilChoice[] {
  const times = timeChoices(at)
  if (scope.of === 'check') {
    const isDiscussed = discussions(appState.value, scope.accountId, scope.checkId).size > 0
    const change: UntilChoice = { label: 'Until it changes', until: { kind: 'change' } }
    if (!isDiscussed) return [...times, change]
    return [
      ...times,
      change,
      { label: 'Until someone answers in the chat', until: { kind: 'answer' } },
    ]
  }
  if (scope.of !== 'conversation' && scope.of !== 'channel') return times
  return [
    ...times.slice(1, 2),
    ...times.slice(3),
    { label: 'Until someone mentions me', until: { kind: 'change' } },
    { label: 'Until someone answers', until: { kind: 'answer' } },
    { label: 'Until I turn it off', until: { kind: 'ever' } },
  ]
}

/** The same question about the channel of a topic; null for direct messages. */
function channelOf({ scope }: QuietAsk): QuietAsk | null {
  if (scope.of !== 'conversation') return null
  const realm = appState.value.realms.get(scope.accountId)
  const conversation = realm?.conversations.get(scope.key)?.conversation
  if (conversation?.kind !== 'topic') return null
  const { channelId } = conversation
  const name = realm?.channels.get(channelId)?.name ?? 'the channel'
  return { scope: { of: 'channel', accountId: scope.accountId, channelId }, name: `# ${name}` }
}

/** Asks in one line what is in maintenance and for how long. Enter starts it. */
function MaintenanceDialog({ meant }: { readonly meant: Planned }) {
  const form = useRef<HTMLFormElement>(null)
  const length = `for ${usualMinutes} min`
  const [text, setText] = useState(meant === null ? '' : `${meant.name} ${length}`)
  const [reason, setReason] = useState('')
  const [announces, setAnnounces] = useState(false)
  const { busy, ask, error, setError, isHere, report } = useAskingForm('Maintenance')
  const state = appState.value
  const plan = planOf(text, reason, meant)
  const checks = 'problem' in plan ? [] : checksIn(state, plan.scope)
  const place = 'problem' in plan ? null : maintenancePlace(state, plan, checks)
  const close = () => {
    planning.value = undefined
  }
  // Selects the duration, so that typing replaces it.
  useLayoutEffect(() => {
    const field = form.current?.querySelector('input')
    if (field != null && meant !== null)
      field.setSelectionRange(meant.name.length + 1, field.value.length)
  }, [])
  const begin = async () => {
    const asked = planOf(text, reason, meant)
    if ('problem' in asked) return setError(asked.problem)
    const failure = await ask(() => beginMaintenance(asked))
    if (failure === undefined) return
    if (failure !== null) return report(failureSentence(failure))
    if (isHere()) close()
    if (announces) await announce(asked, place)
  }
  return (
    <Dialog title="Maintenance" onClose={close}>
      <form ref={form} onSubmit={submits(begin)}>
        <Field
          label="What and how long"
          name="what"
          value={text}
          placeholder={`#db ${length}`}
          suggestions={maintenanceScopes(state)
            .slice(0, 50)
            .map(({ name }) => `${name} ${length}`)}
          error={error}
          help={'problem' in plan ? helpWords : planWords(plan, checks.length)}
          onInput={(typed) => {
            setText(typed)
            setError(null)
          }}
        />
        <Field
          label="Reason"
          name="reason"
          value={reason}
          placeholder="Optional"
          onInput={(typed) => {
            setReason(typed)
            setError(null)
          }}
        />
        {place !== null && (
          <CheckField checked={announces} onChange={setAnnounces}>
            Announce it in <bdi>{placeWords(place)}</bdi>
          </CheckField>
        )}
        <FormFoot onCancel={close}>
          <Button type="submit" kind="primary" busy={busy}>
            Start
          </Button>
        </FormFoot>
      </form>
    </Dialog>
  )
}

const helpWords = 'A #tag, a project or a check, then “for 2 h” or “until 14:30”.'

function planOf(text: string, reason: string, meant: Planned) {
  const all = reason.trim() === '' ? text : `${text}: ${reason.trim()}`
  return readMaintenance(all, appState.value, now.value, meant)
}

function planWords({ until }: MaintenancePlan, checks: number): string {
  const many = counted(checks, 'check')
  return `${many} silenced ${clockUntilWords(until, now.value)}. One digest afterwards shows what happened.`
}

function placeWords({ accountId, conversation }: DiscussPlace): string {
  const realm = appState.value.realms.get(accountId)
  if (conversation.kind !== 'topic') return 'the chat'
  const channel = realm === undefined ? '' : `# ${channelName(realm, conversation.channelId)} › `
  return `${channel}${conversation.topic}`
}

/** Sends the announcement through the outbox, which sends it only once. */
async function announce(plan: MaintenancePlan, place: DiscussPlace | null): Promise<void> {
  if (place === null) return
  const sent = await call.sendMessage({ ...place, text: maintenanceText(plan) })
  if (!sent.ok) toastFailure(sent.failure)
}
