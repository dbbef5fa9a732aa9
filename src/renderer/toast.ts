import { signal } from '@preact/signals'
import type { Failure, Result } from '#shared/core/failure.ts'
import { failureSentence } from '#shared/core/failure-words.ts'

/** The result of what the user just did, shown above the status line for a while; `action`: "Undo". */
interface Toast {
  readonly text: string
  readonly tone: 'done' | 'failed'
  readonly action?: ToastAction
}

export interface ToastAction {
  readonly label: string
  readonly act: () => unknown
}

export const undo = (act: () => unknown): ToastAction => ({ label: 'Undo', act })

export const shownToast = signal<Toast | null>(null)

/** Failures stay until they are dismissed or replaced, or the user goes elsewhere. */
const doneMs = 6_000
const undoMs = 10_000
let timer: ReturnType<typeof setTimeout> | undefined

export function toast(
  text: string,
  tone: Toast['tone'] = 'done',
  action: ToastAction | null = null,
): void {
  clearTimeout(timer)
  shownToast.value = { text, tone, ...(action === null ? {} : { action }) }
  if (tone === 'done')
    timer = setTimeout(
      () => {
        shownToast.value = null
      },
      action === null ? doneMs : undoMs,
    )
}

/** Does what the message offers; false where it offers nothing. */
export function takeOffer(): boolean {
  const action = shownToast.value?.action
  if (action === undefined) return false
  dismissToast()
  action.act()
  return true
}

/** The user goes elsewhere: a message stays only while it offers "Undo". */
export function placeLeft(): void {
  if (shownToast.value?.action === undefined) dismissToast()
}

export function dismissToast(): void {
  clearTimeout(timer)
  shownToast.value = null
}

export function toastFailure(failure: Failure, words = failureSentence): void {
  toast(words(failure), 'failed')
}

/** For commands whose success shows nowhere else. */
export function toastResult(
  answer: Promise<Result<unknown>>,
  done: string,
  words = failureSentence,
): void {
  void answer.then((result) => {
    if (result.ok) toast(done)
    else toastFailure(result.failure, words)
  })
}

/** For commands whose success is visible anyway: reports only failures. */
export function toastIfFailed(answer: Promise<Result<unknown>>, words = failureSentence): void {
  dismissToast()
  void answer.then((result) => {
    if (!result.ok) toastFailure(result.failure, words)
  })
}
