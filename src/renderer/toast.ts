import { signal } from '@preact/signals'
import type { Result } from '#shared/core/failure.ts'
import { failureSentence } from '#shared/core/failure-words.ts'

/** The result of what the user just did, shown above the status line for a while; `action`: "Undo". */
interface Saying {
  readonly text: string
  readonly tone: 'done' | 'failed'
  readonly action?: SayAction
}

export interface SayAction {
  readonly label: string
  readonly act: () => void
}

export const saying = signal<Saying | null>(null)

/** Failures stay until they are dismissed or replaced, or the user goes elsewhere. */
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

/** Does what the message offers; false where it offers nothing. */
export function takeOffer(): boolean {
  const action = saying.value?.action
  if (action === undefined) return false
  saidEnough()
  action.act()
  return true
}

/** The user goes elsewhere: a message stays only while it offers "Undo". */
export function placeLeft(): void {
  if (saying.value?.action === undefined) saidEnough()
}

export function saidEnough(): void {
  clearTimeout(timer)
  saying.value = null
}

/** For commands whose success is visible anyway: reports only failures. */
export function sayIfFailed(answer: Promise<Result<unknown>>): void {
  saidEnough()
  void answer.then((result) => {
    if (!result.ok) say(failureSentence(result.failure), 'failed')
  })
}
