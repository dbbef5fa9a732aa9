import type { JSX } from 'preact'
import type { CheckStatus } from '#shared/core/checks/check.ts'
import { Drawing } from './icon.tsx'

export type Shape = CheckStatus | 'stale'

/** Thinner strokes at larger sizes, so that all three look equally heavy. */
const strokes = { 12: 2.2, 16: 1.8, 20: 1.6 } as const

/**
 * The status as a shape: ✓ up, ◔ late, ▲ down, ‖ paused, ○ new, ? unknown, ⌁ stale. Words stand
 * beside it everywhere, so it is hidden from screen readers.
 */
export function StatusShape({ shape, size = 16 }: { shape: Shape; size?: 12 | 16 | 20 }) {
  return (
    <Drawing class={`shape shape-${shape}`} size={size} stroke={strokes[size]}>
      {drawings[shape]()}
    </Drawing>
  )
}

/** Functions, since a shared element would retain the whole page that it was last part of. */
const drawings: Readonly<Record<Shape, () => JSX.Element>> = {
  up: () => <path d="M2.8 8.6 6.3 12 13.2 4.4" />,
  grace: () => (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M8 8V2.6A5.4 5.4 0 0 1 13.4 8Z" fill="currentColor" stroke="none" />
      <path d="M8 4.4V8h3.4" />
    </>
  ),
  down: () => <path d="M8 2.6 14.2 13.4H1.8Z" fill="currentColor" />,
  paused: () => <path d="M5.3 3.4v9.2M10.7 3.4v9.2" stroke-width="2.6" />,
  new: () => <circle cx="8" cy="8" r="5.6" />,
  unknown: () => (
    <>
      <path d="M4.9 5.4c0-1.8 1.4-3 3.1-3s3.1 1.1 3.1 2.8c0 2.1-3.1 2.4-3.1 4.6" />
      <circle cx="8" cy="13.3" r="1.1" fill="currentColor" stroke="none" />
    </>
  ),
  stale: () => <path d="M1.6 9.6 5.4 5l3.4 5.4 3.2-4.6 2.4 3.2" />,
}
