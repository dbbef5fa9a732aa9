import type { JSX } from 'preact'
import { type Outcome, outcomeLabels } from '#shared/core/attention/notice.ts'
import type { AttentionTrial, OutcomeCounts } from '#shared/core/attention/trial.ts'
import { relativeWords } from '#shared/core/time.ts'
import { counted } from '#shared/core/wording.ts'
import { Drawing } from '../parts/icon.tsx'
import { TimeAgo } from '../parts/time-ago.tsx'
import { now } from '../window-state.ts'

const rows: readonly (readonly [name: keyof OutcomeCounts, label: string])[] = [
  ['popUps', 'Notifications'],
  ['shown', 'Events shown'],
  ['tray', outcomeLabels.tray],
  ['folded', outcomeLabels.folded],
  ['silent', outcomeLabels.silent],
]

export function TrialView({ trial }: { readonly trial: AttentionTrial }) {
  const { events, changes, changed, from } = trial
  if (events === 0)
    return (
      <p class="note" role="status">
        There are no events yet to try the rules on.
      </p>
    )
  return (
    <section class="trial" aria-label="What would have happened">
      <p role="status">
        <b>{changes === 0 ? 'Nothing' : counted(changes, 'event')} would have been different.</b>{' '}
        {counted(events, 'event')}
        {from !== null && ` since ${relativeWords(from, now.value)}`}.
      </p>
      <table class="trial-counts">
        <thead>
          <tr>
            <th scope="col">
              <span class="visually-hidden">Outcome</span>
            </th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, label]) => (
            <tr key={name} class={trial.before[name] === trial.after[name] ? '' : 'is-different'}>
              <th scope="row">{label}</th>
              <td>{trial.before[name]}</td>
              <td>{trial.after[name]}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <ul class="trial-changes" aria-label="What would have been different">
        {changed.map(({ title, at, before, after }, i) => (
          <li key={i}>
            <span class="one-line" dir="auto">
              {title}
            </span>
            <span class="raw notice-at">
              <TimeAgo at={at} />
            </span>
            <span class="row trial-change">
              <span class="raw outcome">{outcomeLabels[before]}</span>
              <span class="visually-hidden">becomes</span>
              <span aria-hidden="true">→</span>
              <OutcomeMark outcome={after} />
            </span>
          </li>
        ))}
      </ul>
      {changes > changed.length && (
        <p class="field-help">Only the newest {changed.length} are listed.</p>
      )}
    </section>
  )
}

export function OutcomeMark({ outcome }: { readonly outcome: Outcome }) {
  return (
    <span class={`raw outcome outcome-${outcome}`}>
      <Drawing size={12} stroke={1.8}>
        {drawings[outcome]()}
      </Drawing>
      {outcomeLabels[outcome]}
    </span>
  )
}

const bell = 'M3 12h10c-1.4-1.2-1.4-2.6-1.4-4.6a3.6 3.6 0 0 0-7.2 0c0 2 0 3.4-1.4 4.6Z'

/** Functions, since a shared element would retain the whole page that it was last part of. */
const drawings: Readonly<Record<Outcome, () => JSX.Element>> = {
  shown: () => <path d={bell} fill="currentColor" />,
  tray: () => (
    <>
      <rect x="2" y="2" width="12" height="12" rx="2.5" />
      <circle cx="8" cy="8" r="1.6" fill="currentColor" />
    </>
  ),
  folded: () => <path d="M3 4.5h10M3 8h10M3 11.5h6" />,
  silent: () => <path d={`${bell}M2 2l12 12`} />,
}
