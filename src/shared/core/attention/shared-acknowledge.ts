import type { Reaction } from '../chat/message.ts'
import { messageOf, noMessages } from '../chat/message-list.ts'
import type { Realm } from '../chat/realm.ts'
import type { AppState } from '../state.ts'
import { checkOfProject } from './check-news.ts'
import type { OutageMessage } from './outage-messages.ts'
import type { Silence } from './silence.ts'
import { withSilence } from './silences-update.ts'

/** 👀 by the names of the chat service: "I am looking at it". */
export const eyes = { name: 'eyes', code: '1f440', type: 'unicode_emoji' } as const

/**
 * Whoever put 👀 on the message of an outage has acknowledged its check; whoever took them back has
 * not any more. Nothing but a check that is down, and that the message surely means, is made quiet so.
 */
export function withSharedAcknowledgements(state: AppState, now: number): AppState {
  let next = state
  const outages = state.outageMessages.map((outage) => {
    const realm = state.realms.get(outage.accountId)
    const reactions = messageOf(realm?.messages ?? noMessages, outage.messageId)?.reactions
    if (realm === undefined || reactions === undefined) return outage
    const looking = [...new Set(reactions.filter(isEyes).map(({ userId }) => userId))]
    const came = looking.filter((id) => !outage.seen.includes(id))
    const went = outage.seen.filter((id) => !looking.includes(id))
    if (came.length + went.length === 0) return outage
    for (const userId of came) next = withTheirs(next, outage, realm, userId, now)
    for (const userId of went) next = withoutTheirs(next, outage, realm, userId)
    return { ...outage, seen: looking }
  })
  if (outages.every((one, at) => one === state.outageMessages[at])) return next
  return { ...next, outageMessages: outages }
}

function isEyes({ code, type }: Reaction): boolean {
  return code === eyes.code && type === eyes.type
}

function withTheirs(
  state: AppState,
  outage: OutageMessage,
  realm: Realm,
  userId: number,
  now: number,
): AppState {
  const board = state.boards.get(outage.projectId)
  const check = board?.checks.get(outage.checkId)
  const user = realm.users.get(userId)
  if (check === undefined || board?.told?.get(outage.checkId) !== 'down') return state
  if (user?.isBot === true || realm.mutedUsers.includes(userId)) return state
  const isMe = userId === realm.me?.id
  const isKnown = state.silences.some(
    (silence) =>
      silence.by === null && silence.how === 'acknowledge' && isAbout(silence, outage) && isMe,
  )
  if (isKnown) return state
  return withSilence(state, {
    id: `${outage.messageId}-${userId}-${outage.checkId}`,
    how: 'acknowledge',
    scope: { of: 'check', accountId: outage.projectId, checkId: outage.checkId },
    until: { kind: 'change' },
    since: now,
    by: isMe ? null : (user?.name ?? 'someone in the chat'),
    label: checkOfProject(state, outage.projectId, check),
    status: 'down',
    messageId: outage.messageId,
  })
}

function withoutTheirs(
  state: AppState,
  outage: OutageMessage,
  realm: Realm,
  userId: number,
): AppState {
  const id = `${outage.messageId}-${userId}-${outage.checkId}`
  const isMe = userId === realm.me?.id
  const silences = state.silences.filter(
    (silence) =>
      silence.id !== id &&
      !(
        isMe &&
        silence.by === null &&
        silence.messageId === outage.messageId &&
        isAbout(silence, outage)
      ),
  )
  return silences.length === state.silences.length ? state : { ...state, silences }
}

function isAbout({ scope }: Silence, { projectId, checkId }: OutageMessage): boolean {
  return scope.of === 'check' && scope.accountId === projectId && scope.checkId === checkId
}
