import type { AccountId } from '../account.ts'
import { chatKinds, type Notice, type NoticeKind } from '../attention/notice.ts'
import { oddKinds } from '../attention/runs/usual-runs.ts'
import type { Scope } from '../attention/silence.ts'
import { conversationKey } from '../chat/conversation.ts'
import type { Target } from '../target.ts'
import type { TrayAction } from './tray.ts'

/** A button on a notification. */
interface NoticeAction {
  /** Fixed text: a button never shows text by others. */
  readonly label: string
  readonly kinds: ReadonlySet<NoticeKind>
  /** Null if the target allows none. `project`: set if the notice is about several checks. */
  readonly deed: (
    target: Target,
    project: AccountId | null,
    hasRunbook: boolean,
  ) => TrayAction | null
}

const oddSet: ReadonlySet<NoticeKind> = new Set(oddKinds)
const troubleKinds: ReadonlySet<NoticeKind> = new Set(['down', 'late'])

/**
 * What can be done about a notice besides opening it, in button order. Every notifier and the tray
 * menu offer an action wherever its `kinds` and `deed` allow it.
 */
export const noticeActions = new Map<string, NoticeAction>([
  [
    // Opens the composer. If the system's notification has a text field, its text is sent instead.
    'reply',
    {
      label: 'Reply',
      kinds: chatKinds,
      deed: (target) => (target.view === 'conversation' ? { do: 'open', target } : null),
    },
  ],
  [
    'acknowledge',
    {
      label: 'Acknowledge',
      kinds: troubleKinds,
      deed: (target) => silencing('acknowledge', target, { kind: 'change' }),
    },
  ],
  [
    'snooze',
    {
      label: 'Snooze 1 h',
      // A check that is up again needs no snooze; one whose runs are odd may go on being so.
      kinds: new Set([...troubleKinds, ...chatKinds, ...oddKinds]),
      deed: (target, project) =>
        silencing('snooze', target, { kind: 'for', minutes: 60 }) ??
        (project === null || target.view !== 'checks'
          ? null
          : {
              do: 'silence',
              how: 'snooze',
              scope: { of: 'project', accountId: project },
              until: { kind: 'for', minutes: 60 },
            }),
    },
  ],
  [
    'runbook',
    {
      label: 'Runbook',
      kinds: new Set([...troubleKinds, 'missed']),
      deed: (target, _project, hasRunbook) =>
        hasRunbook && target.view === 'check'
          ? { do: 'runbook', accountId: target.accountId, checkId: target.checkId }
          : null,
    },
  ],
])

/** The actions that a notice offers. */
export function actionsFor({
  kind,
  target,
  accountId = null,
  hasRunbook = false,
}: Pick<Notice, 'kind' | 'target'> & {
  readonly accountId?: AccountId | null
  readonly hasRunbook?: boolean
}) {
  return [...noticeActions].flatMap(([key, { label, kinds, deed }]) => {
    // Odd runs of several checks are no reason to miss the alarms of the whole project.
    const project = oddSet.has(kind) ? null : accountId
    const done = kinds.has(kind) ? deed(target, project, hasRunbook) : null
    return done === null ? [] : [{ key, label, deed: done }]
  })
}

type Silencing = Extract<TrayAction, { do: 'silence' }>

function silencing(
  how: Silencing['how'],
  target: Target,
  until: Silencing['until'],
): TrayAction | null {
  const scope = scopeOf(target)
  return scope === null ? null : { do: 'silence', how, scope, until }
}

function scopeOf(target: Target): Scope | null {
  if (target.view === 'check')
    return { of: 'check', accountId: target.accountId, checkId: target.checkId }
  if (target.view !== 'conversation') return null
  const { accountId, conversation } = target
  return { of: 'conversation', accountId, key: conversationKey(conversation) }
}
