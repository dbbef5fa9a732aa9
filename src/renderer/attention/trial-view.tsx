import type { Outcome } from '#shared/core/attention/notice.ts'
import type { AttentionTrial, OutcomeCounts } from '#shared/core/attention/trial.ts'
import { relativeWords } from '#shared/core/time.ts'
import { TimeAgo } from '../parts/time-ago.tsx'
import { now } from '../window-state.ts'
import { OutcomeMark, outcomeWords } from './outcome-mark.tsx'

const rows: readonly (readonly [name: keyof OutcomeCounts, label: string])[] = [
  ['popUps', 'Notifications'],
  ['shown', 'Events shown'],
  ['tray', 'Icon only'],
  ['folded', 'Folded into another'],
  ['silent', 'Silent'],
]

/** What the last days would have been like. */
export function TrialView({ trial }: { readonly trial: AttentionTrial }) {
  const { events, changes, changed, from } = trial
  if (events === 0)
    return (
      <p class="note" role="status">
        Nothing has happened yet that rules could be tried on.
      </p>
    )
  return (
    <section class="trial" aria-label="What would have been">
      <p role="status">
        <b>{changes === 0 ? 'Nothing would have been different.' : differentWords(changes)}</b>{' '}
        {events === 1 ? '1 event' : `${events} events`}
        {from !== null && ` since ${relativeWords(from, now.value)}`}.
      </p>
      <table class="trial-counts">
        <thead>
          <tr>
            <th scope="col">
              <span class="visually-hidden">What became of them</span>
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
            <span class="trial-title" dir="auto">
              {title}
            </span>
            <span class="notice-at">
              <TimeAgo at={at} />
            </span>
            <Change before={before} after={after} />
          </li>
        ))}
      </ul>
      {changes > changed.length && (
        <p class="field-help">The newest {changed.length} of them are listed.</p>
      )}
    </section>
  )
}

function Change({ before, after }: { readonly before: Outcome; readonly after: Outcome }) {
  return (
    <span class="trial-change">
      <span class="outcome">{outcomeWords[before]}</span>
      <span class="visually-hidden">becomes</span>
      <span aria-hidden="true">→</span>
      <OutcomeMark outcome={after} />
    </span>
  )
}

function differentWords(changes: number): string {
  return changes === 1
    ? 'One event would have been different.'
    : `${changes} events would have been different.`
}
