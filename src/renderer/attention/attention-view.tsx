import { useId, useLayoutEffect, useState } from 'preact/hooks'
import type { AccountId } from '#shared/core/account.ts'
import {
  type QuietHours,
  type QuietWindow,
  quietUntil,
} from '#shared/core/attention/quiet-hours.ts'
import { clockUntilWords, timeOfDayWords } from '#shared/core/time.ts'
import { call } from '../bridge.ts'
import { Button, LinkButton } from '../parts/button.tsx'
import {
  FormError,
  Labelled,
  SelectField,
  SettingRow,
  SwitchInput,
  withOne,
} from '../parts/field.tsx'
import { submitByKey, useForm } from '../parts/form.ts'
import { personChoices, tagsKnown } from '../parts/known-choices.ts'
import { tagTyped } from '../parts/known-fields.tsx'
import { PageBar, usePageFocus } from '../parts/page-bar.tsx'
import { OptionalZoneField } from '../parts/zone-field.tsx'
import { useBusy } from '../run.ts'
import { dismissToast, placeLeft, toast, toastFailure } from '../toast.ts'
import { appState, now } from '../window-state.ts'
import { dropDraft, edit, edited, isChanged, tried } from './attention-draft.ts'
import { DependencySection } from './dependency-list.tsx'
import { DisturbSection } from './disturb-section.tsx'
import { ProgramSection } from './programs.tsx'
import { RuleList } from './rule-list.tsx'
import { TrialView } from './trial-view.tsx'
import { WaysTable } from './ways-table.tsx'

/** The notification rules: what may interrupt, when, and how loudly; saved as a whole. */
export function AttentionView() {
  const changed = isChanged.value
  // "Save" and "Cancel" disappear, one of them with the focus.
  const page = usePageFocus(changed)
  return (
    <section
      class="page"
      aria-label="Notification rules"
      ref={page}
      tabIndex={-1}
      onKeyDown={submitByKey}
    >
      <PageBar title="Notification rules" />
      <div class="page-scroll attention">
        <DisturbSection />
        <WaysTable />
        <RuleList />
        <ProgramSection />
        <QuietSection />
        <DependencySection />
        <Trial />
      </div>
      {changed && <SaveBar />}
    </section>
  )
}

function Trial() {
  const [busy, during] = useBusy()
  const attempt = async () => {
    dismissToast()
    const attention = edited.value
    const answer = await during(call.tryAttention({ attention }))
    if (!answer.ok) return toastFailure(answer.failure)
    // Changes made meanwhile were not tried.
    if (edited.value === attention) tried.value = answer.value
  }
  return (
    <section class="attention-section" aria-label="Try it">
      <h2 class="group-label">Try it</h2>
      <p class="field-help">
        Replays the events of the last 7 days with the settings on this page.
      </p>
      <Button busy={busy} onClick={() => void attempt()}>
        Try on the last 7 days
      </Button>
      {tried.value !== null && <TrialView trial={tried.value} />}
    </section>
  )
}

function SaveBar() {
  // "Saved." is no longer true.
  useLayoutEffect(() => placeLeft(), [])
  const form = useForm({
    title: 'Notification rules',
    key: 'attention',
    draft: edited.value,
    edit,
    async send(attention) {
      dismissToast()
      const answer = await call.updateSettings({ attention })
      return answer.ok ? { ok: true, value: attention } : answer
    },
    done(saved) {
      toast('Saved.')
      // Changes made meanwhile are still to be saved.
      if (edited.value === saved) dropDraft()
    },
  })
  return (
    <form class="bar save-bar" {...form.attributes}>
      {form.errors.form === undefined ? (
        <span class="note">Not saved yet. Changes are kept while this window is open.</span>
      ) : (
        <FormError error={form.errors.form} />
      )}
      <div class="button-row">
        <Button onClick={dropDraft}>Cancel</Button>
        <Button kind="primary" type="submit" busy={form.busy} title="Key: Ctrl+Enter">
          Save
        </Button>
      </div>
    </form>
  )
}

/** All nights: who works at night chooses the others. */
const firstWindow = { days: [0, 1, 2, 3, 4, 5, 6], from: '22:00', to: '07:00' }

function editQuiet(change: Partial<QuietHours>): void {
  edit({ quietHours: { ...edited.value.quietHours, ...change } })
}

function QuietSection() {
  const { quietHours, followSystem } = edited.value
  const { enabled, windows } = quietHours
  const until = quietUntil(quietHours, now.value)
  const turn = (on: boolean) =>
    editQuiet({ enabled: on, windows: on && windows.length === 0 ? [firstWindow] : windows })
  return (
    <section class="attention-section" aria-label="Quiet hours">
      <h2 class="group-label">Quiet hours</h2>
      <SettingRow
        label="Stay quiet at certain hours"
        help={
          until === null
            ? 'Afterwards, one digest shows what you missed.'
            : `Quiet now ${clockUntilWords(until, now.value)}; then one digest shows what you missed.`
        }
        control={(id) => <SwitchInput id={id} on={enabled} onChange={turn} />}
      />
      {enabled && <Windows quiet={quietHours} />}
      <SettingRow
        label="Follow the system’s do-not-disturb mode"
        help="While it is on, Belfry stays quiet too and shows a digest afterwards."
        control={(id) => (
          <SwitchInput id={id} on={followSystem} onChange={(on) => edit({ followSystem: on })} />
        )}
      />
    </section>
  )
}

function Windows({ quiet }: { readonly quiet: QuietHours }) {
  const { windows } = quiet
  return (
    <div class="quiet-windows">
      {windows.map((one, index) => (
        <WindowRow
          key={index}
          one={one}
          number={index + 1}
          onChange={(change) => editQuiet({ windows: windows.with(index, { ...one, ...change }) })}
          onDelete={() => editQuiet({ windows: windows.toSpliced(index, 1) })}
        />
      ))}
      <Button
        onClick={() => editQuiet({ windows: [...windows, { ...firstWindow, days: [0, 6] }] })}
      >
        Add hours
      </Button>
      <OptionalZoneField zone={quiet.zone} onChange={(zone) => editQuiet({ zone })} />
      <TagExceptions tags={quiet.exceptTags} />
      <PersonExceptions people={quiet.exceptPeople} />
    </div>
  )
}

function TagExceptions({ tags }: { readonly tags: readonly string[] }) {
  const id = useId()
  const [typed, setTyped] = useState('')
  // What was typed is gone once it says something else, such as after “Cancel”.
  const text = tagsIn(typed).join() === tags.join() ? typed : tags.join(', ')
  const read = (next: string) => {
    setTyped(next)
    editQuiet({ exceptTags: tagsIn(next) })
  }
  const known = tagsKnown(appState.value, null).filter((tag) => !tags.includes(tag))
  return (
    <Labelled id={id} label="Let checks with these tags through">
      <input
        id={id}
        type="text"
        value={text}
        placeholder="critical, prod"
        autocomplete="off"
        spellcheck={false}
        onInput={(input) => read(input.currentTarget.value)}
      />
      <div class="suggestions">
        {known.slice(0, 8).map((tag) => (
          <button
            key={tag}
            type="button"
            class="chip"
            aria-label={`Let #${tag} through`}
            onClick={() => read([...tags, tag].join(', '))}
          >
            + #{tag}
          </button>
        ))}
      </div>
    </Labelled>
  )
}

function tagsIn(text: string): readonly string[] {
  const words = text.split(',').map(tagTyped)
  return [...new Set(words.filter((word) => word !== ''))].slice(0, 50)
}

function PersonExceptions({ people }: { readonly people: QuietHours['exceptPeople'] }) {
  const state = appState.value
  const nameOf = ({ accountId, userId }: (typeof people)[number]) =>
    state.realms.get(accountId)?.users.get(userId)?.name ?? `user ${userId}`
  const isIn = (accountId: AccountId, userId: string) =>
    people.some((one) => one.accountId === accountId && String(one.userId) === userId)
  const realms = state.accounts.filter(({ kind }) => kind === 'chat')
  const choices = realms.flatMap(({ id, label }) =>
    personChoices(state, id)
      .filter(([userId]) => !isIn(id, userId))
      .map(([userId, name]) => {
        const words = realms.length > 1 ? `${name} (${label})` : name
        return [JSON.stringify([id, Number(userId)]), words] as const
      }),
  )
  return (
    <>
      <SelectField
        label="Let messages from these people through"
        value=""
        options={[['', realms.length === 0 ? 'No chat account' : 'Add a person'], ...choices]}
        onChange={(chosen) => {
          if (chosen === '') return
          const [accountId, userId] = JSON.parse(chosen) as [AccountId, number] // made above
          editQuiet({ exceptPeople: [...people, { accountId, userId }] })
        }}
      />
      <div class="suggestions">
        {people.map((one) => (
          <button
            key={`${one.accountId}/${one.userId}`}
            type="button"
            class="chip chip-on"
            aria-label={`Stop letting ${nameOf(one)} through`}
            onClick={() => editQuiet({ exceptPeople: people.filter((other) => other !== one) })}
          >
            {nameOf(one)} ×
          </button>
        ))}
      </div>
    </>
  )
}

/** 0 is Sunday. */
const week: readonly (readonly [day: number, short: string, name: string])[] = [
  [1, 'Mo', 'Monday'],
  [2, 'Tu', 'Tuesday'],
  [3, 'We', 'Wednesday'],
  [4, 'Th', 'Thursday'],
  [5, 'Fr', 'Friday'],
  [6, 'Sa', 'Saturday'],
  [0, 'Su', 'Sunday'],
]

interface WindowRowProps {
  readonly one: QuietWindow
  readonly number: number
  readonly onChange: (change: Partial<QuietWindow>) => void
  readonly onDelete: () => void
}

/** Hours past midnight belong to the day they begin on. */
function WindowRow({ one, number, onChange, onDelete }: WindowRowProps) {
  const { days, from, to } = one
  const turn = (day: number, on: boolean) => onChange({ days: withOne(days, day, on).toSorted() })
  return (
    <fieldset class="row quiet-window" aria-label={`Quiet hours ${number}`}>
      <div class="days">
        {week.map(([day, short, name]) => (
          <label key={day} class="stack day">
            <input
              type="checkbox"
              aria-label={name}
              checked={days.includes(day)}
              onChange={(change) => turn(day, change.currentTarget.checked)}
            />
            <span aria-hidden="true">{short}</span>
          </label>
        ))}
      </div>
      <div class="hours">
        <Time label="From" value={from} onValue={(value) => onChange({ from: value })} />
        <span aria-hidden="true">–</span>
        <Time label="To" value={to} onValue={(value) => onChange({ to: value })} />
        <LinkButton aria-label={`Remove quiet hours ${number}`} onClick={onDelete}>
          Remove
        </LinkButton>
      </div>
      {days.length === 0 && <p class="field-error">Choose a day, or remove these hours.</p>}
      {to <= from && (
        <p class="field-help">
          {to === from ? 'All day.' : `Until ${timeOfDayWords(to)} the next day.`}
        </p>
      )}
    </fieldset>
  )
}

function Time(props: { label: string; value: string; onValue: (value: string) => void }) {
  const { label, value, onValue } = props
  return (
    <input
      type="time"
      aria-label={label}
      value={value}
      required
      // Empty while it is half typed.
      onChange={(change) =>
        change.currentTarget.value !== '' && onValue(change.currentTarget.value)
      }
    />
  )
}
