import { actionsOf, type Notice, type NoticeAction } from '../../../shared/core/attention/notice.ts'

export interface NotificationButton {
  readonly key: 'open' | NoticeAction
  readonly label: string
}

const labels: Readonly<Record<NoticeAction, string>> = {
  reply: 'Reply',
  acknowledge: 'Acknowledge',
  snooze: 'Snooze 1 h',
}

/** Fixed words only: nothing that a stranger wrote is ever a button. */
export function notificationButtons(notice: Notice): readonly NotificationButton[] {
  return [
    { key: 'open', label: 'Open' },
    ...actionsOf(notice).map((key) => ({ key, label: labels[key] })),
  ]
}

/**
 * The buttons as Electron shows them, by their place in its list, and whether there is a field to
 * reply in. A click opens, so that Open is a button only where there is no other; macOS shows the
 * field or buttons, never both.
 */
export function electronButtons(
  notice: Notice,
  platform: NodeJS.Platform,
): { readonly hasReply: boolean; readonly buttons: readonly NotificationButton[] } {
  const [open, ...others] = notificationButtons(notice)
  const hasReply = others.some(({ key }) => key === 'reply')
  const quiet = others.filter(({ key }) => key !== 'reply')
  if (hasReply && platform === 'darwin') return { hasReply, buttons: [] }
  if (quiet.length > 0 || hasReply) return { hasReply, buttons: quiet }
  return { hasReply, buttons: open === undefined ? [] : [open] }
}
