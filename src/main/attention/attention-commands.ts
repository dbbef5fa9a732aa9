import type { Commands, Place } from '../../shared/contract.ts'
import type { AccountId } from '../../shared/core/account.ts'
import type { Notice } from '../../shared/core/attention/notice.ts'
import {
  type OutageMessage,
  outageMessagesOf,
} from '../../shared/core/attention/outage-messages.ts'
import {
  fullWords,
  type Scope,
  type Silence,
  silenceLimit,
} from '../../shared/core/attention/silence.ts'
import {
  hasRoomFor,
  withoutSilence,
  withSilence,
} from '../../shared/core/attention/silences-update.ts'
import { trialOf } from '../../shared/core/attention/trial.ts'
import { conversationTitle, draftKey, joinTexts } from '../../shared/core/chat/conversation.ts'
import { eyes } from '../../shared/core/chat/message.ts'
import { notifiedStatus } from '../../shared/core/checks/board.ts'
import { type CheckStatus, checkName } from '../../shared/core/checks/check.ts'
import { stepsMs } from '../../shared/core/checks/history.ts'
import { invalid, RequestFailed } from '../../shared/core/failure.ts'
import { type AppState, accountById, known } from '../../shared/core/state.ts'
import type { Target } from '../../shared/core/target.ts'
import { actionsFor } from '../../shared/core/views/notice-actions.ts'
import type { TrayAction } from '../../shared/core/views/tray.ts'
import type { RealmLink } from '../chat/realm-session.ts'
import type { HistoryRecord } from '../history-record.ts'
import type { Clock } from '../ports.ts'
import type { LiveState } from '../store.ts'
import { replaySteps } from './attention-record.ts'
import { failedDeedWords } from './tray-updates.ts'

/** Silences ended by hand that are remembered so that ending them can be undone. */
const endedLimit = silenceLimit

/** Silences and rules. `link` throws with the reason if there is no running connection. */
export function createAttentionCommands(parts: {
  live: LiveState
  link: (accountId: AccountId) => Pick<RealmLink, 'setReaction'>
  record: Pick<HistoryRecord, 'steps'>
  clock: Clock
}) {
  const { live, clock } = parts
  const ended = new Map<string, Silence>()

  function remember(silences: readonly Silence[]): void {
    for (const silence of silences) ended.set(silence.id, silence)
    for (const id of [...ended.keys()].slice(0, -endedLimit)) ended.delete(id)
  }

  /** Adds 👀 to the message, or removes it. False where the chat can't be reached or refuses. */
  async function react(message: OutageMessage, present: boolean): Promise<boolean> {
    const { accountId, messageId } = message
    try {
      await parts.link(accountId).setReaction({ messageId, ...eyes }, present)
      return true
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error
      return false
    }
  }

  /** The message that carries one of the user's own acknowledgements. */
  function messageOf({ by, scope, messageId }: Silence): OutageMessage | null {
    if (by !== null || scope.of !== 'check') return null
    const ours = outageMessagesOf(live.get().outageMessages, scope.accountId, scope.checkId)
    return ours.find((one) => one.messageId === messageId) ?? null
  }

  return {
    async silence({ how, scope, until, tellOthers = false, reason = '' }) {
      const state = live.get()
      if ('accountId' in scope) known(state, scope.accountId)
      const [message] =
        tellOthers && scope.of === 'check'
          ? outageMessagesOf(state.outageMessages, scope.accountId, scope.checkId)
          : []
      const silence: Silence = {
        id: crypto.randomUUID(),
        how,
        scope,
        until,
        since: clock.now(),
        by: null,
        label: labelOf(state, scope),
        status: statusOf(state, scope),
        messageId: message?.messageId ?? null,
        ...(reason === '' ? {} : { reason }),
      }
      if (!hasRoomFor(state, silence)) throw invalid('scope', fullWords)
      live.update((before) => withSilence(before, silence))
      const left = new Set(live.get().silences)
      remember(state.silences.filter((one) => !left.has(one)))
      if (message === undefined) return { id: silence.id, reacted: false }
      const reacted = await react(message, true)
      // Its 👀 was not sent, so there is none to remove later.
      if (!reacted)
        live.update((before) => ({
          ...before,
          silences: before.silences.map((one) =>
            one.id === silence.id ? { ...one, messageId: null } : one,
          ),
        }))
      return { id: silence.id, reacted }
    },

    async endSilence({ id }) {
      const silence = live.get().silences.find((one) => one.id === id)
      if (silence === undefined) return
      remember([silence])
      const message = messageOf(silence)
      live.update((state) => withoutSilence(state, id))
      if (message !== null) await react(message, false)
    },

    async restoreSilence({ id }) {
      const silence = ended.get(id)
      if (silence === undefined) return
      if ('accountId' in silence.scope) known(live.get(), silence.scope.accountId)
      if (!hasRoomFor(live.get(), silence)) throw invalid('id', fullWords)
      ended.delete(id)
      live.update((state) => withSilence(state, silence))
      const message = messageOf(silence)
      if (message !== null) await react(message, true)
    },

    async tryAttention({ attention }) {
      const { steps, memory } = replaySteps(parts.record.steps(clock.now() - stepsMs))
      return trialOf(steps, attention, memory)
    },
  } satisfies Partial<Commands>
}

function labelOf(state: AppState, scope: Scope): string {
  switch (scope.of) {
    case 'check': {
      const check = state.boards.get(scope.accountId)?.checks.get(scope.checkId)
      return check === undefined ? 'a check' : checkName(check)
    }
    case 'tag':
      return `#${scope.tag}`
    case 'project':
      return accountById(state, scope.accountId)?.label ?? 'a project'
    case 'channel': {
      const channel = state.realms.get(scope.accountId)?.channels.get(scope.channelId)
      return channel === undefined ? 'a channel' : `# ${channel.name}`
    }
    case 'conversation': {
      const realm = state.realms.get(scope.accountId)
      const info = realm?.conversations.get(scope.key)
      return realm === undefined || info === undefined
        ? 'a conversation'
        : conversationTitle(realm, info.conversation)
    }
    case 'everything':
      return 'Do not disturb'
  }
}

function statusOf(state: AppState, scope: Scope): CheckStatus | null {
  if (scope.of !== 'check') return null
  const board = state.boards.get(scope.accountId)
  if (board === undefined) return null
  return notifiedStatus(board, scope.checkId) ?? board.checks.get(scope.checkId)?.status ?? null
}

/** What the user does with a notification. Each action counts once, even if delivered twice. */
export function createNoticeActions(parts: {
  reply: (place: Place, text: string) => Promise<unknown>
  saveDraft: Commands['saveDraft']
  perform: (deed: TrayAction) => Promise<void>
  get: () => AppState
  /** Shows the window at the target. */
  open: (target: Target) => void
  withdraw: (subject: string) => void
  /** Tells the user in the window that something could not be done. */
  trouble: (id: string, text: string) => void
}) {
  const taken = new Set<string>()
  const isFirst = (act: string): boolean => {
    if (taken.has(act)) return false
    taken.add(act)
    return true
  }

  return {
    async reply({ target, id }: Notice, text: string) {
      if (target.view !== 'conversation' || !isFirst(`${id} reply`)) return
      const place = { accountId: target.accountId, conversation: target.conversation }
      try {
        await parts.reply(place, text)
      } catch (error) {
        if (!(error instanceof RequestFailed)) throw error
        // Text that could not be queued goes into the draft, after what is already there.
        const typed = parts.get().drafts.get(draftKey(place.accountId, place.conversation)) ?? ''
        parts.open(target)
        await parts.saveDraft({ ...place, text: joinTexts(typed, text) })
      }
    },

    async act(notice: Notice, action: string) {
      const deed = actionsFor(notice).find(({ key }) => key === action)?.deed
      if (deed === undefined || !isFirst(`${notice.id} ${action}`)) return
      try {
        await parts.perform(deed)
        parts.withdraw(notice.subject)
      } catch (error) {
        if (!(error instanceof RequestFailed)) throw error
        parts.trouble('notice', failedDeedWords('in the notification', error.failure))
        parts.open(notice.target)
      }
    },
  }
}
