import { signal } from '@preact/signals'
import type { Failure, Result } from '#shared/core/failure.ts'
import { failureSentence } from '#shared/core/failure-words.ts'

/** The result of what the user just did, shown above the status line for a while. */
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

/**
 * How long a toast stays, with and without an action. Failures stay until they are dismissed or
 * replaced, or the user goes elsewhere.
 */
export const toastMs = { done: 6_000, undo: 10_000 }
let timer: ReturnType<typeof setTimeout> | undefined

/** How long the last thing that can be undone is offered where toasts are not: in the palette. */
const undoableMs = 5 * 60_000
let undoable: { readonly text: string; readonly act: () => unknown; readonly at: number } | null =
  null

/** What was done last and can be undone, with the words of its toast; null if nothing was lately. */
export function lastUndo(): { readonly text: string; readonly act: () => unknown } | null {
  return undoable !== null && performance.now() - undoable.at < undoableMs ? undoable : null
}

/** An offer that is taken is gone, wherever it was taken. */
function once({ label, act }: ToastAction, text: string): ToastAction {
  if (label !== undo(act).label) return { label, act }
  const taken = () => {
    if (undoable?.act === taken) undoable = null
    return act()
  }
  undoable = { text, act: taken, at: performance.now() }
  return { label, act: taken }
}

export function toast(
  text: string,
  tone: Toast['tone'] = 'done',
  action: ToastAction | null = null,
): void {
  clearTimeout(timer)
  shownToast.value = { text, tone, ...(action === null ? {} : { action: once(action, text) }) }
  if (tone === 'done')
    timer = setTimeout(
      () => {
        shownToast.value = null
      },
      action === null ? toastMs.done : toastMs.undo,
    )
}

/** Performs the action of the toast, such as "Undo"; returns false if there is none. */
export function takeOffer(): boolean {
  const action = shownToast.value?.action
  if (action === undefined) return false
  dismissToast()
  action.act()
  return true
}

/** Called when the user goes elsewhere: only a toast that offers "Undo" stays. */
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

/** For commands whose success is visible nowhere else. */
export function toastResult(
  answer: Promise<Result<unknown>>,
  done: string,
  words = failureSentence,
  action: ToastAction | null = null,
): void {
  void answer.then((result) => {
    if (result.ok) toast(done, 'done', action)
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
