import type { Commands } from '../../shared/contract.ts'
import { type AccountId, accountById, known } from '../../shared/core/account.ts'
import {
  dependenciesFullWords,
  dependencyLimit,
  dependencyProblem,
} from '../../shared/core/attention/dependencies/dependency.ts'
import {
  nextTimes,
  plannedFullWords,
  plannedLimit,
} from '../../shared/core/attention/maintenance/planned.ts'
import { type Notice, ownNotice } from '../../shared/core/attention/notice.ts'
import {
  type OutageMessage,
  outageMessagesOf,
} from '../../shared/core/attention/outage-messages.ts'
import {
  eachSilence,
  fullWords,
  type Scope,
  type Silence,
  silenceLimit,
  silenceOfMany,
} from '../../shared/core/attention/silence.ts'
import {
  changed,
  filtered,
  hasRoomFor,
  isStillGiven,
  scopeKey,
  silenceById,
  silencesGone,
  withoutSilences,
  withSilence,
} from '../../shared/core/attention/silences-update.ts'
import { trialOf } from '../../shared/core/attention/trial.ts'
import { conversationTitle } from '../../shared/core/chat/chat-names.ts'
import { draftKey, joinTexts } from '../../shared/core/chat/drafts.ts'
import { eyes } from '../../shared/core/chat/message.ts'
import type { Place } from '../../shared/core/chat/places.ts'
import { notifiedStatus } from '../../shared/core/checks/board.ts'
import { type CheckStatus, checkName } from '../../shared/core/checks/check.ts'
import { stepsMs } from '../../shared/core/checks/history.ts'
import { isTrouble } from '../../shared/core/checks/status-counts.ts'
import { invalid, RequestFailed } from '../../shared/core/failure.ts'
import { mapped } from '../../shared/core/identity.ts'
import { defined } from '../../shared/core/schemas.ts'
import type { AppState } from '../../shared/core/state.ts'
import type { Target } from '../../shared/core/target.ts'
import { actionsFor } from '../../shared/core/views/notice-actions.ts'
import type { TrayAction } from '../../shared/core/views/tray.ts'
import type { Clock, Desktop } from '../base/ports.ts'
import type { RealmLink } from '../chat/realm-session.ts'
import { replaySteps } from '../state/attention-record.ts'
import type { HistoryRecord } from '../state/history-record.ts'
import { type LiveState, maxNotices } from '../state/store.ts'
import { TakenSilences } from './taken-silences.ts'
import { failedDeedWords } from './tray-actions.ts'

interface AttentionCommandsParts {
  live: LiveState
  link: (accountId: AccountId) => Pick<RealmLink, 'setReaction'>
  record: Pick<HistoryRecord, 'steps'>
  clock: Clock
}

/** Silences and rules. `link` throws with the reason if there is no running connection. */
export class AttentionCommands {
  readonly #parts: AttentionCommandsParts
  /** By the id that they were ended by. */
  readonly #ended: TakenSilences
  /** By the id of the silence that replaced them. */
  readonly #replaced: TakenSilences

  constructor(parts: AttentionCommandsParts) {
    this.#parts = parts
    this.#ended = new TakenSilences(parts.clock)
    this.#replaced = new TakenSilences(parts.clock)
  }

  readonly silence: Commands['silence'] = async ({
    how,
    scope,
    until,
    tellOthers = false,
    reason = '',
  }) => {
    const { live } = this.#parts
    const state = live.get()
    const asked: readonly Scope[] =
      scope.of === 'checks' ? scope.checks.map((one) => ({ of: 'check', ...one })) : [scope]
    const accountIds = asked.flatMap((one) => ('accountId' in one ? [one.accountId] : []))
    for (const id of new Set(accountIds)) known(state, id)
    // An old notification offers it for a check that is up by now.
    const scopes = how === 'acknowledge' ? asked.filter((one) => !isWell(state, one)) : asked
    if (scopes.length === 0) throw invalid('scope', 'The check is no longer down or late.')
    const id = crypto.randomUUID()
    const common = {
      id,
      how,
      until,
      since: this.#parts.clock.now(),
      by: null,
      ...(reason === '' ? {} : { reason }),
    }
    // Acknowledged once more, as for the 👀: what was noted on it is still so.
    const notes =
      how === 'acknowledge' && reason === '' ? ownNotes(state) : new Map<string, string>()
    const messages: OutageMessage[] = []
    const each = scopes.map((one): Silence => {
      const [message] =
        tellOthers && one.of === 'check'
          ? outageMessagesOf(state.outageMessages, one.accountId, one.checkId)
          : []
      if (message !== undefined) messages.push(message)
      const messageId = message?.messageId ?? null
      const [label, status] = [labelOf(state, one), statusOf(state, one, how)]
      const note = notes.get(scopeKey({ scope: one }))
      return { ...common, scope: one, label, status, messageId, ...defined({ reason: note }) }
    })
    const [first, ...more] = each
    const silence = more.length === 0 ? first : silenceOfMany(common, each)
    if (silence === undefined) throw invalid('scope', 'There is nothing to silence.')
    if (!hasRoomFor(state, silence)) throw invalid('scope', fullWords)
    live.update((before) => {
      const after = withSilence(before, silence)
      // What ends by itself in the same step was not replaced.
      this.#replaced.remember(id, silencesGone(before.silences, after.silences))
      return after
    })
    const reacted = await Promise.all(messages.map((message) => this.#react(message, true)))
    // Their 👀 was not sent, so there is none to remove later.
    const failed = new Set(messages.filter((_, at) => !reacted[at]).map((one) => one.messageId))
    if (failed.size > 0)
      live.update((before) => ({
        ...before,
        silences: mapped(before.silences, (one) =>
          one.id === id ? (changed(one, (part) => withoutMessage(part, failed)) ?? one) : one,
        ),
      }))
    return { id, reacted: messages.length - failed.size }
  }

  readonly noteSilence: Commands['noteSilence'] = async ({ id, note }) => {
    const { live } = this.#parts
    if (!eachSilence(live.get().silences).some((one) => one.id === id))
      throw invalid('note', 'It is over: there is nothing to note it on.')
    const noted = (one: Silence): Silence => (one.id === id ? { ...one, reason: note } : one)
    live.update((state) => ({
      ...state,
      silences: mapped(state.silences, (kept) => changed(kept, noted) ?? kept),
    }))
  }

  readonly endSilence: Commands['endSilence'] = ({ ids }) => this.#exchange(ids, this.#ended, [])

  readonly restoreSilence: Commands['restoreSilence'] = ({ ids }) =>
    this.#exchange([], this.#ended, ids)

  readonly planMaintenance: Commands['planMaintenance'] = async (asked) => {
    const { scope, when, reason, lastUntil } = asked
    const { live, clock } = this.#parts
    const state = live.get()
    if ('accountId' in scope) known(state, scope.accountId)
    if (state.planned.length >= plannedLimit) throw invalid('scope', plannedFullWords)
    const id = crypto.randomUUID()
    const label = labelOf(state, scope)
    const plan = { id, scope, label, when, ...defined({ reason, lastUntil }) }
    if (nextTimes(plan, clock.now()) === null)
      throw invalid('when', 'This time is over: plan a later one.')
    live.update((before) => ({ ...before, planned: [...before.planned, plan] }))
    return { id }
  }

  readonly cancelPlanned: Commands['cancelPlanned'] = async ({ id }) => {
    this.#parts.live.update((state) => ({
      ...state,
      planned: state.planned.filter((plan) => plan.id !== id),
    }))
  }

  readonly addDependency: Commands['addDependency'] = async ({ scope, on }) => {
    const { live } = this.#parts
    const state = live.get()
    known(state, on.accountId)
    if ('accountId' in scope) known(state, scope.accountId)
    const problem = dependencyProblem(state, { scope, on })
    if (problem !== null) throw invalid('on', problem)
    const twin = state.dependencies.find(
      (one) =>
        scopeKey(one) === scopeKey({ scope }) &&
        one.on.checkId === on.checkId &&
        one.on.accountId === on.accountId,
    )
    if (twin !== undefined) return { id: twin.id }
    if (state.dependencies.length >= dependencyLimit) throw invalid('scope', dependenciesFullWords)
    const id = crypto.randomUUID()
    const onLabel = labelOf(state, { of: 'check', ...on })
    const label = labelOf(state, scope)
    const dependency = { id, scope, label, on, onLabel, out: false, overAt: 0 }
    live.update((before) => ({ ...before, dependencies: [...before.dependencies, dependency] }))
    return { id }
  }

  readonly removeDependency: Commands['removeDependency'] = async ({ id }) => {
    this.#parts.live.update((state) => ({
      ...state,
      dependencies: state.dependencies.filter((one) => one.id !== id),
    }))
  }

  readonly undoSilence: Commands['undoSilence'] = ({ id }) =>
    this.#exchange([id], this.#replaced, [id])

  readonly tryAttention: Commands['tryAttention'] = async ({ attention }) => {
    const { steps, memory } = replaySteps(
      this.#parts.record.steps(this.#parts.clock.now() - stepsMs),
    )
    return trialOf(steps, attention, memory)
  }

  /** The message that carries one of the user's own acknowledgements. */
  readonly #messageOf = ({ by, scope, messageId }: Silence): readonly OutageMessage[] => {
    if (by !== null || messageId === null || scope.of !== 'check') return []
    const ours = outageMessagesOf(
      this.#parts.live.get().outageMessages,
      scope.accountId,
      scope.checkId,
    )
    return ours.filter((one) => one.messageId === messageId).slice(0, 1)
  }

  /** Adds 👀 to the message, or removes it. False where the chat can't be reached or refuses. */
  async #react(message: OutageMessage, present: boolean): Promise<boolean> {
    const { accountId, messageId } = message
    try {
      await this.#parts.link(accountId).setReaction({ messageId, ...eyes }, present)
      return true
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error
      return false
    }
  }

  /** Ends silences and restores others in one step: what both cover must not be told in between. */
  async #exchange(
    ids: readonly string[],
    taken: TakenSilences,
    backIds: readonly string[],
  ): Promise<void> {
    const { live } = this.#parts
    const state = live.get()
    const { silences } = state
    const back = backIds.flatMap((id) => taken.recalled(id))
    const accountIds = new Set(state.accounts.map(({ id }) => id))
    const isThere = ({ scope }: Silence): boolean =>
      !('accountId' in scope) || accountIds.has(scope.accountId)
    const there = back.flatMap((one) => filtered(one, isThere) ?? [])
    const left = there.flatMap((one) => filtered(one, (each) => isStillGiven(state, each)) ?? [])
    const gone = ids.flatMap((id) => silenceById(silences, id) ?? [])
    if (back.length > 0 && left.length + gone.length === 0)
      throw there.length === 0
        ? invalid('account', 'This account is gone.')
        : invalid('ids', 'It is over: the check changed, or its 👀 was removed.')
    const exchanged = (before: AppState): AppState =>
      left.reduce((all, one) => withSilence(all, one), withoutSilences(before, ids))
    // All or nothing, so that there is still something to undo once there is room.
    const { length } = exchanged(state).silences
    if (length > Math.max(silenceLimit, silences.length)) throw invalid('ids', fullWords)
    live.update((before) => {
      for (const id of backIds) taken.forget(id)
      for (const id of ids) {
        const silence = silenceById(before.silences, id)
        if (silence !== null) this.#ended.remember(id, [silence])
      }
      return exchanged(before)
    })
    const off = eachSilence(gone).flatMap(this.#messageOf)
    const on = eachSilence(left).flatMap(this.#messageOf)
    await Promise.all([
      ...off.filter((one) => !on.includes(one)).map((message) => this.#react(message, false)),
      ...on.filter((one) => !off.includes(one)).map((message) => this.#react(message, true)),
    ])
  }
}

/** The notes on the user's acknowledgements, by `scopeKey`. */
function ownNotes({ silences }: AppState): ReadonlyMap<string, string> {
  return new Map(
    eachSilence(silences).flatMap((one) =>
      one.how === 'acknowledge' && one.by === null && one.reason !== undefined
        ? [[scopeKey(one), one.reason] as const]
        : [],
    ),
  )
}

function withoutMessage(silence: Silence, failed: ReadonlySet<number>): Silence {
  const { messageId } = silence
  return messageId !== null && failed.has(messageId) ? { ...silence, messageId: null } : silence
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

function isWell(state: AppState, scope: Scope): boolean {
  if (scope.of !== 'check') return false
  const check = state.boards.get(scope.accountId)?.checks.get(scope.checkId)
  return check !== undefined && !isTrouble(check)
}

function statusOf(state: AppState, scope: Scope, how: Silence['how']): CheckStatus | null {
  if (scope.of !== 'check') return null
  const board = state.boards.get(scope.accountId)
  if (board === undefined) return null
  const read = board.checks.get(scope.checkId)?.status ?? null
  const notified = notifiedStatus(board, scope.checkId)
  // Who acknowledges it before the first read knows of an outage that was never told.
  if (how === 'acknowledge' && read === null && notified === 'up') return 'down'
  return notified ?? read
}

/** The list of notices, and a notification to try. */
export function createNoticeCommands(parts: {
  live: LiveState
  desktop: Pick<Desktop, 'notify' | 'notifiedBy' | 'systemQuiet'>
  clock: Clock
}) {
  const { live, desktop, clock } = parts
  let cleared: readonly Notice[] = []

  return {
    async clearNotices() {
      cleared = live.get().notices
      live.update((state) => ({ ...state, notices: [] }))
    },

    async restoreNotices() {
      const { accounts } = live.get()
      // An account may have been removed since; those of Belfry itself have none.
      const back = cleared.filter(
        ({ accountId }) => accountId === '' || accounts.some(({ id }) => id === accountId),
      )
      cleared = []
      live.update((state) => ({
        ...state,
        notices: [...state.notices, ...back].slice(0, maxNotices),
      }))
    },

    async testNotification({ kind = 'recovered' }) {
      const words = {
        subject: 'test',
        title: 'Belfry can reach you',
        body: 'This is what a notification looks like here. Click it to open the board.',
        target: { view: 'checks' },
      } as const
      desktop.notify({ ...ownNotice(words, clock.now(), live.get().settings.sounds), kind })
      return { ...(await desktop.notifiedBy()), systemQuiet: desktop.systemQuiet() }
    },
  } satisfies Partial<Commands>
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
      if (target.view !== 'conversation' || !isFirst(`${id} reply ${text}`)) return
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
        // Reading what to do isn't doing it: nobody has taken care of it yet.
        if (deed.do !== 'runbook') parts.withdraw(notice.subject)
      } catch (error) {
        if (!(error instanceof RequestFailed)) throw error
        parts.trouble('notice', failedDeedWords('in the notification', error.failure))
        parts.open(notice.target)
      }
    },
  }
}
