import type { Silence } from '#shared/core/attention/silence.ts'
import { quietWords } from '#shared/core/attention/silence-words.ts'
import { Icon } from '../parts/icon.tsx'
import { now } from '../window-state.ts'
import './quiet.css'

const icons = { snooze: 'snoozed', acknowledge: 'acknowledged', mute: 'muted' } as const

interface Props {
  readonly silence: Silence
  /** What it is about stands beside it. */
  readonly isNamed?: boolean
}

/** What keeps something quiet, by shape and words: "snoozed until 15:25". */
export function QuietMark({ silence, isNamed = false }: Props) {
  const words = quietWords(silence, now.value, isNamed)
  return (
    <span class="quiet-mark" title={words}>
      <Icon name={icons[silence.how]} />
      <bdi>{words}</bdi>
    </span>
  )
}
