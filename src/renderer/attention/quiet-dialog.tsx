import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import {
  checksIn,
  type MaintenancePlan,
  type MaintenanceScope,
  maintenancePlace,
  maintenanceScopes,
  maintenanceText,
  namedScope,
  type PlannedLine,
  plannedText,
  planUntil,
  readMaintenance,
  readPlanned,
  reasonProblem,
  usualMinutes,
} from '#shared/core/attention/maintenance/maintenance.ts'
import { timesWords } from '#shared/core/attention/maintenance/planned.ts'
import { reasonLimit, type Scope, type Until } from '#shared/core/attention/silence.ts'
import { discussions } from '#shared/core/attention/silences-update.ts'
import { conversationTitle } from '#shared/core/chat/chat-names.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import type { DiscussPlace } from '#shared/core/outages/discuss.ts'
import { clockUntilWords } from '#shared/core/time.ts'
import { counted } from '#shared/core/wording.ts'
import { call } from '../bridge.ts'
import { Dialog } from '../parts/dialog.tsx'
import { CheckField, Field, submits } from '../parts/field.tsx'
import { WhenChoices } from '../parts/when-dialog.tsx'
import { useAskingForm } from '../run.ts'
import { toastFailure } from '../toast.ts'
import { appState, now } from '../window-state.ts'
import { PlannedList, planMaintenance } from './planned-list.tsx'
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
          use="until"
          onChoose={(at) => choose({ kind: 'time', at })}
          others={otherEnds(ask.scope).map(([label, kind]) => ({
            label,
            act: () => choose({ kind }),
          }))}
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

type End = readonly [label: string, kind: Exclude<Until['kind'], 'time'>]

function otherEnds(scope: Scope): readonly End[] {
  if (scope.of === 'conversation' || scope.of === 'channel')
    return [
      ['Until someone mentions me', 'change'],
      ['Until someone answers', 'answer'],
      ['Until I turn it off', 'ever'],
    ]
  if (scope.of !== 'check') return []
  const isDiscussed = discussions(appState.value, scope.accountId, scope.checkId).size > 0
  const change = ['Until it changes', 'change'] as const
  return isDiscussed ? [change, ['Until someone answers in the chat', 'answer']] : [change]
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

/** Asks what is in maintenance and for how long. Enter in a line that says both starts it. */
function MaintenanceDialog({ meant }: { readonly meant: Planned }) {
  const box = useRef<HTMLDivElement>(null)
  const [text, setText] = useState(meant?.name ?? '')
  const [reason, setReason] = useState('')
  const [announces, setAnnounces] = useState(false)
  const { ask, error, setError, isHere, report } = useAskingForm('Maintenance')
  const state = appState.value
  const planned = readPlanned(text, state, now.value, meant)
  const line = planned ?? readMaintenance(text, state, now.value, meant)
  const what = 'problem' in line ? namedScope(text.trim(), state, meant) : line
  const checks = 'problem' in what ? [] : checksIn(state, what.scope)
  const place = 'problem' in what ? null : maintenancePlace(state, what, checks)
  const close = () => {
    planning.value = undefined
  }
  const focusTimes = () => box.current?.querySelector<HTMLElement>('.quiet-choices button')?.focus()
  useLayoutEffect(() => {
    if (meant !== null) focusTimes()
  }, [])
  const begin = async (until: number, why: string) => {
    const plan = 'problem' in what ? what : planUntil(what, until, why, now.value)
    if ('problem' in plan) return setError(plan.problem)
    const failure = await ask(() => beginMaintenance(plan))
    if (failure === undefined) return
    if (failure !== null) return report(failureSentence(failure))
    if (isHere()) close()
    if (announces) await announce(maintenanceText(plan), place)
  }
  const plan = async (typed: PlannedLine) => {
    const why = typed.reason ?? reason.trim()
    if (why.length > reasonLimit) return setError(reasonProblem)
    const full = why === '' ? typed : { ...typed, reason: why }
    const failure = await ask(() => planMaintenance(full))
    if (failure === undefined) return
    if (failure !== null) return report(failureSentence(failure))
    if (isHere()) close()
    if (announces) await announce(plannedText(full), place)
  }
  const edits = (set: (typed: string) => void) => (typed: string) => {
    set(typed)
    setError(null)
  }
  return (
    <Dialog title="Maintenance" onClose={close}>
      <div ref={box} class="quiet-question">
        <form
          onSubmit={submits(async () => {
            if ('when' in line) await plan(line)
            else if ('until' in line) await begin(line.until, line.reason || reason)
            else if (planned !== null) setError(line.problem)
            else if ('problem' in what) setError(text.trim() === '' ? line.problem : what.problem)
            else focusTimes()
          })}
        >
          <Field
            label="What"
            name="what"
            value={text}
            placeholder="#db"
            suggestions={maintenanceScopes(state)
              .slice(0, 50)
              .map(({ name }) => name)}
            error={error}
            help={whatWords(what, line, checks.length)}
            onInput={edits(setText)}
          />
          <Field
            label="Reason"
            name="reason"
            value={reason}
            placeholder="Optional"
            onInput={edits(setReason)}
          />
          {place !== null && (
            <CheckField checked={announces} onChange={setAnnounces}>
              Announce it in <bdi>{placeWords(place)}</bdi>
            </CheckField>
          )}
          <button type="submit" hidden>
            Start
          </button>
        </form>
        <WhenChoices use="until" onChoose={(at) => void begin(at, reason)} />
        <PlannedList />
      </div>
    </Dialog>
  )
}

type Read<T> = T | { readonly problem: string }

function whatWords(
  what: Read<MaintenanceScope>,
  line: Read<MaintenancePlan | PlannedLine>,
  checks: number,
) {
  if ('problem' in what)
    return `A #tag, a project or a check; or all in one line: “#db for ${usualMinutes} min”, “#db every Sunday 2:00 for 2 h”.`
  const many = counted(checks, 'check')
  if ('problem' in line)
    return `${many} will be silent, with one digest afterwards. To plan it, add “every Sunday 2:00 for 2 h”.`
  return 'when' in line
    ? `Enter plans it for ${many}: ${timesWords(line.when)}.`
    : `Enter silences ${many} ${clockUntilWords(line.until, now.value)}.`
}

function placeWords({ accountId, conversation }: DiscussPlace): string {
  const realm = appState.value.realms.get(accountId)
  return realm === undefined ? 'the chat' : conversationTitle(realm, conversation)
}

/** Sends the announcement through the outbox, which sends it only once. */
async function announce(text: string, place: DiscussPlace | null): Promise<void> {
  if (place === null) return
  const sent = await call.sendMessage({ ...place, text })
  if (!sent.ok) toastFailure(sent.failure)
}
