import type { ComponentChildren } from 'preact'
import { exactTime, relativeWords } from '#shared/core/time.ts'
import { now } from '../window-state.ts'

interface TimestampProps {
  readonly class?: string
  /** Epoch ms. */
  readonly at: number
  readonly children: ComponentChildren
}

/** A time in words of any kind, with the exact time in the title. */
export function Timestamp({ class: look, at, children }: TimestampProps) {
  return (
    <time class={look} dateTime={new Date(at).toISOString()} title={exactTime(at)}>
      {children}
    </time>
  )
}

/** "12 min ago", ticking, with the exact time in the title. `at`: epoch ms. */
export function TimeAgo({ at }: { readonly at: number }) {
  return (
    <Timestamp at={at}>
      {/* `now` ticks once a second: what just happened must not seem to lie ahead. */}
      {relativeWords(Math.min(at, now.value), now.value)}
    </Timestamp>
  )
}
