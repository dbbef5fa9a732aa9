import { signal } from '@preact/signals'
import type { Result } from '#shared/core/failure.ts'
import { failureSentence } from '#shared/core/failure-words.ts'

/** The result of something the user just did, shown above the status line for a while. */
export interface Saying {
  readonly text: string
  readonly tone: 'done' | 'failed'
}

export const saying = signal<Saying | null>(null)

/** Long enough to read twice; failures stay until dismissed, replaced or left behind. */
const doneMs = 6_000
let timer: ReturnType<typeof setTimeout> | undefined

export function say(text: string, tone: Saying['tone'] = 'done'): void {
  clearTimeout(timer)
  saying.value = { text, tone }
  if (tone === 'done')
    timer = setTimeout(() => {
      saying.value = null
    }, doneMs)
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
