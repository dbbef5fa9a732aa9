import type { Commands, Place } from '../../shared/contract.ts'
import type { Notice, QuietAction } from '../../shared/core/attention/notice.ts'
import type { Scope, Until } from '../../shared/core/attention/silence.ts'
import { conversationKey } from '../../shared/core/chat/conversation.ts'
import { draftKey } from '../../shared/core/chat/conversation-title.ts'
import { RequestFailed } from '../../shared/core/failure.ts'
import type { AppState } from '../../shared/core/state.ts'
import type { Target } from '../../shared/core/target.ts'
import type { Clock } from '../ports.ts'

/** As the button says. */
const snoozeMs = 60 * 60_000

/** What the user does with a notification. Each act counts once, however often the system delivers it. */
export interface NoticeActs {
  reply(notice: Notice, text: string): Promise<void>
  act(notice: Notice, action: QuietAction): Promise<void>
}

export function createNoticeActs(parts: {
  reply: (place: Place, text: string) => Promise<unknown>
  commands: Pick<Commands, 'saveDraft' | 'silence'>
  get: () => AppState
  /** Shows the window there. */
  open: (target: Target) => void
  withdraw: (subject: string) => void
  clock: Clock
}): NoticeActs {
  /** Systems deliver one twice now and then. */
  const taken = new Set<string>()
  const isFirst = (act: string): boolean => {
    if (taken.has(act)) return false
    taken.add(act)
    return true
  }

  return {
    async reply({ target, id }, text) {
      if (target.view !== 'conversation' || !isFirst(`${id} reply`)) return
      const place = { accountId: target.accountId, conversation: target.conversation }
      try {
        await parts.reply(place, text)
      } catch (error) {
        if (!(error instanceof RequestFailed)) throw error
        // What could not be taken for sending is put before the user again, after what is there.
        const typed = parts.get().drafts.get(draftKey(place.accountId, place.conversation)) ?? ''
        parts.open(target)
        const both = typed === '' ? text : `${typed}\n\n${text}`
        await parts.commands.saveDraft({ ...place, text: both })
      }
    },

    async act({ target, id, subject }, action) {
      const scope = scopeOf(target)
      if (scope === null || !isFirst(`${id} ${action}`)) return
      const until: Until =
        action === 'acknowledge'
          ? { kind: 'change' }
          : { kind: 'time', at: parts.clock.now() + snoozeMs }
      try {
        await parts.commands.silence({ how: action, scope, until })
        parts.withdraw(subject)
      } catch (error) {
        if (!(error instanceof RequestFailed)) throw error
        // Its account is gone; the window says so.
        parts.open(target)
      }
    },
  }
}

function scopeOf(target: Target): Scope | null {
  if (target.view === 'check')
    return { of: 'check', accountId: target.accountId, checkId: target.checkId }
  if (target.view !== 'conversation') return null
  const { accountId, conversation } = target
  return { of: 'conversation', accountId, key: conversationKey(conversation) }
}
