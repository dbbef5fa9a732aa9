import type { Commands } from '../../shared/contract.ts'
import type { Until } from '../../shared/core/attention/silence.ts'
import { runbookIn } from '../../shared/core/checks/check.ts'
import { type Failure, invalid, RequestFailed } from '../../shared/core/failure.ts'
import { failureWords } from '../../shared/core/failure-words.ts'
import type { AppState } from '../../shared/core/state.ts'
import type { Target } from '../../shared/core/target.ts'
import type { TrayAction, TrayUntil } from '../../shared/core/views/tray.ts'
import { worstPlace } from '../../shared/core/views/tray-view.ts'
import { isSpan, spanEnd } from '../../shared/core/views/until-choices.ts'

/** What tray menu choices and notification buttons act on. */
export interface DeedParts {
  readonly commands: Pick<
    Commands,
    | 'silence'
    | 'endSilence'
    | 'cancelPlanned'
    | 'markRead'
    | 'refresh'
    | 'updateSettings'
    | 'checkDetails'
    | 'openLink'
  >
  readonly state: AppState
  /** Epoch ms. */
  readonly now: number
  readonly open: (target: Target) => void
  readonly quit: () => void
}

interface TrayParts extends DeedParts {
  /** Tells the user that something could not be done. */
  readonly trouble: (id: string, text: string) => void
  readonly onBug: (where: string, error: unknown) => void
}

/** Carries out what was chosen in the tray; nobody waits for it, so failures are shown in the window. */
export function takeTrayAction(action: TrayAction, parts: TrayParts): void {
  perform(action, parts).catch((error: unknown) => {
    if (!(error instanceof RequestFailed)) return parts.onBug('tray', error)
    parts.trouble('tray', failedDeedWords('in the tray', error.failure))
  })
}

/** Why something chosen outside the window was not done. */
export function failedDeedWords(where: string, failure: Failure): string {
  const { what, action } = failureWords(failure)
  return `Belfry could not do what you chose ${where}: ${what} ${action}`.trim()
}

/** Throws `RequestFailed` where a command does. */
export async function perform(action: TrayAction, parts: DeedParts): Promise<void> {
  const { commands } = parts
  switch (action.do) {
    case 'open':
      return parts.open(action.target)
    case 'show':
      return parts.open(worstPlace(parts.state))
    case 'quickReply':
      return parts.open({ view: 'chat' })
    case 'refresh':
      return commands.refresh({ accountId: null })
    case 'silence': {
      const { how, scope } = action
      await commands.silence({ how, scope, until: untilFrom(action.until, parts.now) })
      return
    }
    case 'endSilence':
      return commands.endSilence({ ids: [action.id] })
    case 'cancelPlanned':
      return commands.cancelPlanned({ id: action.id })
    case 'disturb':
      return disturb(action.until, parts)
    case 'hideNames':
      return commands.updateSettings({ hideNames: action.on })
    case 'markRead': {
      const { accountId, conversation } = action
      return commands.markRead({ accountId, conversation })
    }
    case 'runbook': {
      const { accountId, checkId } = action
      const { description } = await commands.checkDetails({ accountId, checkId })
      const url = runbookIn(description)
      if (url === null) throw invalid('url', 'The description of this check has no https link now.')
      return commands.openLink({ url })
    }
    case 'quit':
      return parts.quit()
    default:
      return action satisfies never
  }
}

async function disturb(
  until: TrayUntil | null,
  { commands, state, now }: DeedParts,
): Promise<void> {
  if (until !== null) {
    // Replaces the one before: ending that first would show what it held back.
    const scope = { of: 'everything' } as const
    await commands.silence({ how: 'mute', scope, until: untilFrom(until, now) })
    return
  }
  const before = state.silences.filter(({ scope }) => scope.of === 'everything')
  if (before.length > 0) await commands.endSilence({ ids: before.map(({ id }) => id) })
}

function untilFrom(until: TrayUntil, now: number): Until {
  return isSpan(until) ? { kind: 'time', at: spanEnd(until, now) } : until
}
