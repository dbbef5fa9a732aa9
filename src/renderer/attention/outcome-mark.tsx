import type { JSX } from 'preact'
import type { Outcome } from '#shared/core/attention/notice.ts'

export const outcomeWords: Readonly<Record<Outcome, string>> = {
  shown: 'Shown',
  tray: 'Icon only',
  folded: 'Folded',
  silent: 'Silent',
}

/** What became of an event, by shape and word. */
export function OutcomeMark({ outcome }: { readonly outcome: Outcome }) {
  return (
    <span class={`outcome outcome-${outcome}`}>
      <svg
        width="12"
        height="12"
        viewBox="0 0 16 16"
        fill="none"
        stroke="currentColor"
        stroke-width="1.8"
        stroke-linecap="round"
        stroke-linejoin="round"
        aria-hidden="true"
      >
        {drawings[outcome]()}
      </svg>
      {outcomeWords[outcome]}
    </span>
  )
}

const bell = 'M3 12h10c-1.4-1.2-1.4-2.6-1.4-4.6a3.6 3.6 0 0 0-7.2 0c0 2 0 3.4-1.4 4.6Z'

/** Made anew each time: a shared one would hold on to the whole page that it was last part of. */
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
