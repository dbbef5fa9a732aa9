import { signal } from '@preact/signals'
import type { Result } from '#shared/core/failure.ts'
import { failureSentence } from '#shared/core/failure-words.ts'

/** The result of something the user just did, shown above the status line for a while. */
export interface Saying {
  readonly text: string
  readonly tone: 'done' | 'failed'
  readonly action?: SayAction
}

/** What can still be done about it: "Undo". */
export interface SayAction {
  readonly label: string
  readonly act: () => void
}

export const saying = signal<Saying | null>(null)

/** Long enough to read twice, and to take back; failures stay until dismissed, replaced or left behind. */
const doneMs = 6_000
const undoMs = 10_000
let timer: ReturnType<typeof setTimeout> | undefined

export function say(
  text: string,
  tone: Saying['tone'] = 'done',
  action: SayAction | null = null,
): void {
  clearTimeout(timer)
  saying.value = { text, tone, ...(action === null ? {} : { action }) }
  if (tone === 'done')
    timer = setTimeout(
      () => {
        saying.value = null
      },
      action === null ? doneMs : undoMs,
    )
}

/** Does what was offered, if something is; false where nothing is. */
export function takeOffer(): boolean {
  const action = saying.value?.action
  if (action === undefined) return false
  saidEnough()
  action.act()
  return true
}

/** The place is left; what can still be taken back stays. */
export function placeLeft(): void {
  if (saying.value?.action === undefined) saidEnough()
}

export function saidEnough(): void {
  clearTimeout(timer)
  saying.value = null
}

/** For commands whose success shows by itself: says only what went wrong. */
export function sayIfFailed(answer: Promise<Result<unknown>>): void {
  saidEnough()
  void answer.then((result) => {
    if (!result.ok) say(failureSentence(result.failure), 'failed')
  })
}
