import type { Commands } from '../shared/contract.ts'
import type { Scope } from '../shared/core/attention/silence.ts'
import { withoutSilence, withSilence } from '../shared/core/attention/silences-update.ts'
import { trialOf } from '../shared/core/attention/trial.ts'
import { type CheckStatus, checkName } from '../shared/core/check.ts'
import { conversationTitle } from '../shared/core/conversation-title.ts'
import { type AppState, accountById } from '../shared/core/state.ts'
import { known } from './account-commands.ts'
import { replaySteps } from './attention-record.ts'
import type { HistoryRecord } from './history-record.ts'
import type { LiveState } from './live-state.ts'
import type { Clock } from './ports.ts'

/** How far back a change of rules is tried. */
const trialMs = 7 * 24 * 60 * 60_000

/** What is to be quiet, and what may interrupt. */
export function createAttentionCommands(parts: {
  live: LiveState
  record: Pick<HistoryRecord, 'steps'>
  clock: Clock
}): Pick<Commands, 'silence' | 'endSilence' | 'tryAttention'> {
  const { live, clock } = parts
  return {
    async silence({ how, scope, until }) {
      const state = live.get()
      if ('accountId' in scope) known(state, scope.accountId)
      const silence = {
        id: crypto.randomUUID(),
        how,
        scope,
        until,
        since: clock.now(),
        by: null,
        label: labelOf(state, scope),
        status: statusOf(state, scope),
        messageId: null,
      }
      live.update((before) => withSilence(before, silence))
      return { id: silence.id }
    },

    async endSilence({ id }) {
      live.update((state) => withoutSilence(state, id))
    },

    async tryAttention({ attention }) {
      const { steps, memory } = replaySteps(parts.record.steps(clock.now() - trialMs))
      return trialOf(steps, attention, memory)
    },
  }
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
  return board?.told?.get(scope.checkId) ?? board?.checks.get(scope.checkId)?.status ?? null
}
