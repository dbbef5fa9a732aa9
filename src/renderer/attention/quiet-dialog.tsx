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
import type { Failure } from '#shared/core/failure.ts'
import type { DiscussPlace } from '#shared/core/outages/discuss.ts'
import { clockUntilWords } from '#shared/core/time.ts'
import { counted } from '#shared/core/wording.ts'
import { call } from '../bridge.ts'
import { Dialog } from '../parts/dialog.tsx'
import { CheckField, Field, FormError } from '../parts/field.tsx'
import { draftField, type Errors, useForm } from '../parts/form.ts'
import { WhenChoices } from '../parts/when-dialog.tsx'
import { toastFailure } from '../toast.ts'
import { appState, now } from '../window-state.ts'
import { NoteDialog, noting } from './note-dialog.tsx'
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
import { LimitsDialog, limiting } from './run-limits.tsx'

/** Asks how long to silence something. A digit chooses at once. */
export function QuietDialog() {
  const ask = asking.value
  const meant = planning.value
  const noted = noting.value
  const limited = limiting.value
  if (noted !== null) return <NoteDialog key={noted.id} silence={noted} />
  if (limited !== null) return <LimitsDialog key={limited.check.id} named={limited} />
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
          <p class="row quiet-present">
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
            <label class="row quiet-whole">
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

/** What the line that says what is in maintenance amounts to, as far as it can be read. */
function readLine(text: string, meant: Planned) {
  const state = appState.value
  const planned = readPlanned(text, state, now.value, meant)
  const line = planned ?? readMaintenance(text, state, now.value, meant)
  const what = 'problem' in line ? namedScope(text.trim(), state, meant) : line
  const checks = 'problem' in what ? [] : checksIn(state, what.scope)
  const place = 'problem' in what ? null : maintenancePlace(state, what, checks)
  const isPlanned = planned !== null
  return { isPlanned, line, what, checks, place }
}

/** Why the line says too little to go on with; null if at most the time is missing. */
function lineProblem({ isPlanned, line, what }: ReturnType<typeof readLine>, text: string) {
  if (!('problem' in line)) return null
  if (isPlanned || text.trim() === '') return line.problem
  return 'problem' in what ? what.problem : null
}

/** What is asked of main, and how others hear of it. */
interface MaintenanceDeed {
  readonly act: () => Promise<Failure | null>
  readonly announcement: string
}

function begins(
  { what }: ReturnType<typeof readLine>,
  until: number,
  reason: string,
): Read<MaintenanceDeed> {
  const plan = 'problem' in what ? what : planUntil(what, until, reason, now.value)
  if ('problem' in plan) return plan
  return { act: () => beginMaintenance(plan), announcement: maintenanceText(plan) }
}

function plans(line: PlannedLine, typedReason: string): MaintenanceDeed {
  const reason = line.reason ?? typedReason.trim()
  const full = reason === '' ? line : { ...line, reason }
  return { act: () => planMaintenance(full), announcement: plannedText(full) }
}

/** Asks what is in maintenance and for how long. Enter in a line that says both starts it. */
function MaintenanceDialog({ meant }: { readonly meant: Planned }) {
  const box = useRef<HTMLDivElement>(null)
  const close = () => {
    planning.value = undefined
  }
  const focusTimes = () => box.current?.querySelector<HTMLElement>('.quiet-choices button')?.focus()
  useLayoutEffect(() => {
    if (meant !== null) focusTimes()
  }, [])
  const perform = async (deed: Read<MaintenanceDeed>) => {
    if ('problem' in deed) return { ok: true, value: deed } as const
    const failure = await deed.act()
    return failure === null
      ? ({ ok: true, value: deed } as const)
      : ({ ok: false, failure } as const)
  }
  const form = useForm({
    title: 'Maintenance',
    start: { what: meant?.name ?? '', reason: '', announces: false },
    check({ what, reason }): Errors<'what' | 'reason'> {
      if (reason.trim().length > reasonLimit) return { reason: reasonProblem }
      const problem = lineProblem(readLine(what, meant), what)
      return problem === null ? {} : { what: problem }
    },
    async send({ what, reason }) {
      const read = readLine(what, meant)
      const { line } = read
      if ('when' in line) return perform(plans(line, reason))
      if ('until' in line) return perform(begins(read, line.until, line.reason || reason))
      focusTimes()
      return { ok: true, value: null }
    },
    done,
  })
  async function done(
    deed: Read<MaintenanceDeed> | null,
    isHere: () => boolean,
  ): Promise<Errors<'what'> | undefined> {
    if (deed === null) return undefined
    if ('problem' in deed) return { what: deed.problem }
    if (isHere()) close()
    if (form.draft.announces) await announce(deed.announcement, place)
    return undefined
  }
  const { draft } = form
  const { what, line, checks, place } = readLine(draft.what, meant)
  const beginUntil = (at: number) =>
    void form.ask({
      send: ({ what, reason }) => perform(begins(readLine(what, meant), at, reason)),
      done,
    })
  return (
    <Dialog title="Maintenance" onClose={close}>
      <div ref={box} class="quiet-question">
        <form {...form.attributes}>
          <Field
            label="What"
            placeholder="#db"
            suggestions={maintenanceScopes(appState.value)
              .slice(0, 50)
              .map(({ name }) => name)}
            help={whatWords(what, line, checks.length)}
            {...draftField(form, 'what')}
          />
          <Field label="Reason" placeholder="Optional" {...draftField(form, 'reason')} />
          {place !== null && (
            <CheckField
              checked={draft.announces}
              onChange={(announces) => form.onChange({ announces })}
            >
              Announce it in <bdi>{placeWords(place)}</bdi>
            </CheckField>
          )}
          <FormError error={form.errors.form} />
          <button type="submit" hidden>
            Start
          </button>
        </form>
        <WhenChoices use="until" onChoose={beginUntil} />
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
