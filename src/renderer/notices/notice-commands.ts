import type { NotificationTest } from '#shared/contract.ts'
import type { EventKind } from '#shared/core/attention/event.ts'
import { counted, listWords } from '#shared/core/wording.ts'
import { call } from '../bridge.ts'
import { dismissToast, toast, toastFailure, toastIfFailed, undo } from '../toast.ts'
import { appState } from '../window-state.ts'

/** With the sound of a kind, if one is given. */
export function sendTestNotification(kind?: EventKind): void {
  dismissToast()
  void call.testNotification(kind === undefined ? {} : { kind }).then((result) => {
    if (!result.ok) return toastFailure(result.failure)
    const { by } = result.value
    if (by === 'nobody')
      toast(
        'Nothing on this computer can show notifications. Find them under Notifications.',
        'failed',
      )
    else toast(testWordsOf(result.value))
  })
}

/** Says how the notification was delivered, what that way supports, and what may hide it. */
function testWordsOf(sent: NotificationTest): string {
  const offers = [
    sent.capabilities.includes('actions') ? 'buttons' : null,
    sent.capabilities.includes('inline-reply') ? 'inline reply' : null,
    sent.capabilities.includes('body-markup') ? 'markup' : null,
  ].filter((one) => one !== null)
  const supports = offers.length > 0 ? ` It supports ${listWords(offers)}.` : ''
  const quiet = sent.systemQuiet ? ' The system’s do-not-disturb mode may hide it.' : ''
  return `A test notification was sent through ${sent.by}.${supports}${quiet}`
}

/** Clears the list of notices, which can be undone for a while. */
export function clearNotices(): void {
  const { length } = appState.peek().notices
  const restore = undo(() => toastIfFailed(call.restoreNotices({})))
  void call.clearNotices({}).then((result) => {
    if (!result.ok) return toastFailure(result.failure)
    toast(`Cleared ${counted(length, 'notification')}.`, 'done', length === 0 ? null : restore)
  })
}
