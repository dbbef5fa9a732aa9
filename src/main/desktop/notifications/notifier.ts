import type { Notice, QuietAction } from '../../../shared/core/attention/notice.ts'
import type { NotifiedBy } from '../../ports.ts'

/** What the user does with a notification. Each happens at most once per notification. */
export interface NotificationActions {
  onOpen(notice: Notice): void
  /** Wants to reply, and has not written yet: opens the conversation with the focus in the composer. */
  onReply(notice: Notice): void
  onReplyText(notice: Notice, text: string): void
  onAct(notice: Notice, action: QuietAction): void
}

/** One way to show notifications. None of its methods blocks or throws. */
export interface Notifier {
  notify(notice: Notice): void
  withdraw(subject: string): void
  delivery(): NotifiedBy
  /** Resolves when nothing waits to be shown any more, so that `delivery` speaks of the last one. */
  settled(): Promise<void>
  stop(): void
}

/**
 * Lets the first answer through and no other: Windows can deliver one reply twice, by two paths, and
 * a daemon may send an action and then the default one.
 */
export function once(notice: Notice, actions: NotificationActions) {
  let answered = false
  const first = (act: () => void): void => {
    if (answered) return
    answered = true
    act()
  }
  return {
    open: () => first(() => actions.onOpen(notice)),
    reply: () => first(() => actions.onReply(notice)),
    replyText: (text: string) =>
      first(() => {
        if (text.trim() === '') actions.onReply(notice)
        else actions.onReplyText(notice, text)
      }),
    act: (action: QuietAction) => first(() => actions.onAct(notice, action)),
  }
}

export type Answers = ReturnType<typeof once>
