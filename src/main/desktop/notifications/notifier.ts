import type { Notice } from '../../../shared/core/notice.ts'

/** What the user does with a notification. Each happens at most once per notification. */
export interface NotificationActions {
  onOpen(notice: Notice): void
  /** Wants to reply, and has not written yet: opens the conversation with the focus in the composer. */
  onReply(notice: Notice): void
  onReplyText(notice: Notice, text: string): void
}

/** One way to show notifications. None of its methods blocks or throws. */
export interface Notifier {
  notify(notice: Notice): void
  withdraw(subject: string): void
  /** Where the last one went: 'D-Bus', 'Electron', 'node-notifier', or 'nobody' when it got nowhere. */
  by(): string
  /** Resolves when nothing waits to be shown any more, so that `by` speaks of the last one. */
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
  }
}

export type Answers = ReturnType<typeof once>
