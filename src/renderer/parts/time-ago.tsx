import type { ComponentChildren } from 'preact'
import { exactTime, relativeWords } from '#shared/core/time.ts'
import { now } from '../window-state.ts'

interface TimestampProps {
  readonly class?: string
  /** Epoch ms. */
  readonly at: number
  readonly children: ComponentChildren
}

/** A time in any wording, with the exact time as its tooltip. */
export function Timestamp({ class: look, at, children }: TimestampProps) {
  return (
    <time class={look} dateTime={new Date(at).toISOString()} title={exactTime(at)}>
      {children}
    </time>
  )
}

/** "12 min ago", kept up to date, with the exact time as its tooltip. `at`: epoch ms. */
export function TimeAgo({ at }: { readonly at: number }) {
  return (
    <Timestamp at={at}>
      {/* `now` ticks once a second: what just happened must not appear to be in the future. */}
      {relativeWords(Math.min(at, now.value), now.value)}
    </Timestamp>
  )
}
