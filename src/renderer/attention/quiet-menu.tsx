import './quiet.css'
import { signal } from '@preact/signals'
import type { AccountId } from '#shared/core/account.ts'
import {
  endWords,
  quietWords,
  type Scope,
  type Silence,
  type Until,
} from '#shared/core/attention/silence.ts'
import { type Check, checkName } from '#shared/core/checks/check.ts'
import { statusWord } from '#shared/core/checks/check-words.ts'
import { isTrouble } from '#shared/core/checks/status-counts.ts'
import type { Failure, Result } from '#shared/core/failure.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import { call } from '../bridge.ts'
import { Icon } from '../parts/icon.tsx'
import { type SayAction, say } from '../toast.ts'
import { appState, now } from '../window-state.ts'

/** What the user is asked for how long it is to be quiet. */
export interface QuietAsk {
  readonly scope: Scope
  readonly name: string
}

/** The open question; the dialog stands as long as there is one. */
export const asking = signal<QuietAsk | null>(null)

export function checkScope(accountId: AccountId, check: Check): Scope {
  return { of: 'check', accountId, checkId: check.id }
}

/** The user's own silence of just this scope. */
export function ownSilence(scope: Scope): Silence | null {
  const wanted = JSON.stringify(scope)
  return (
    appState.value.silences.find(
      ({ by, scope: other }) => by === null && JSON.stringify(other) === wanted,
    ) ?? null
  )
}

/** "Snoozed db-backup until 15:25", with a way back. */
export async function snooze({ scope, name }: QuietAsk, until: Until): Promise<void> {
  const isChat = scope.of === 'conversation' || scope.of === 'channel'
  const before = ownSilence(scope)
  const result = await call.silence({ how: isChat ? 'mute' : 'snooze', scope, until })
  if (!result.ok) return say(failureSentence(result.failure), 'failed')
  const what = isChat ? `Muted ${name} in Belfry` : `Snoozed ${name}`
  const { id } = result.value
  say(`${what} ${endWords(until, scope.of, now.value)}.`, 'done', undo([id], before))
}

/** Of several checks the ones that are in trouble, each until it changes. */
export async function acknowledge(
  accountId: AccountId,
  check: Check,
  tellOthers: boolean,
): Promise<void> {
  const name = checkName(check)
  if (!isTrouble(check))
    return say(`${name} is ${statusWord(check.status)}: there is nothing to acknowledge.`)
  const scope = checkScope(accountId, check)
  const before = ownSilence(scope)
  const until = { kind: 'change' } as const
  const result = await call.silence({ how: 'acknowledge', scope, until, tellOthers })
  if (!result.ok) return say(failureSentence(result.failure), 'failed')
  const { id, told } = result.value
  const others = tellOthers ? othersWords(told ? 1 : 0, 1) : ''
  say(`Acknowledged ${name}.${others}`, 'done', undo([id], before))
}

function othersWords(told: number, all: number): string {
  if (told === 0) return ' Others could not be told: no chat message of the outage took the 👀.'
  return ` Others see your 👀 in the chat${told < all ? ` for ${told} of them` : ''}.`
}

export interface Named {
  readonly accountId: AccountId
  readonly check: Check
}

/** Everything of a group that is in trouble and not quiet yet. */
export async function acknowledgeAll(
  title: string,
  checks: readonly Named[],
  tellOthers: boolean,
): Promise<void> {
  const open = checks.filter(
    ({ accountId, check }) => isTrouble(check) && ownSilence(checkScope(accountId, check)) === null,
  )
  if (open.length === 0) return say(`Nothing of ${title} is left to acknowledge.`)
  const ids: string[] = []
  let told = 0
  for (const { accountId, check } of open) {
    const scope = checkScope(accountId, check)
    const until = { kind: 'change' } as const
    const result = await call.silence({ how: 'acknowledge', scope, until, tellOthers })
    if (!result.ok) return say(failureSentence(result.failure), 'failed')
    ids.push(result.value.id)
    if (result.value.told) told += 1
  }
  const count = ids.length === 1 ? '1 check' : `${ids.length} checks`
  const others = tellOthers ? othersWords(told, ids.length) : ''
  say(`Acknowledged ${count} of ${title}.${others}`, 'done', undo(ids, null))
}

/** Ends them, with a way back. */
export async function endQuiet(silences: readonly Silence[]): Promise<void> {
  const failed = await firstFailure(silences.map(({ id }) => call.endSilence({ id })))
  if (failed !== null) return say(failureSentence(failed), 'failed')
  const what = silences.length === 1 ? silences[0]?.label : `${silences.length} things`
  say(`${what ?? 'It'} may be heard again.`, 'done', {
    label: 'Undo',
    act: () => void restore(silences.map(({ id }) => id)),
  })
}

/** Nobody waits for it: what fails shows, since the thing stays as it is. */
function undo(ids: readonly string[], before: Silence | null): SayAction {
  return {
    label: 'Undo',
    act: () => {
      void (async () => {
        const failed = await firstFailure(ids.map((id) => call.endSilence({ id })))
        if (failed !== null) return say(failureSentence(failed), 'failed')
        if (before !== null) await restore([before.id])
        else say('Undone.')
      })()
    },
  }
}

async function restore(ids: readonly string[]): Promise<void> {
  const failed = await firstFailure(ids.map((id) => call.restoreSilence({ id })))
  if (failed !== null) return say(failureSentence(failed), 'failed')
  say('Undone.')
}

/** Of calls that run at once: hundreds one after the other would take seconds. */
async function firstFailure(calls: readonly Promise<Result<unknown>>[]): Promise<Failure | null> {
  const failed = (await Promise.all(calls)).find((result) => !result.ok)
  return failed?.failure ?? null
}

const icons = { snooze: 'snoozed', acknowledge: 'acknowledged', mute: 'muted' } as const

interface Props {
  readonly silence: Silence
  /** What it is about stands beside it. */
  readonly isNamed?: boolean
}

/** What keeps something quiet, by shape and words: "snoozed until 15:25". */
export function QuietMark({ silence, isNamed = false }: Props) {
  const words = quietWords(silence, now.value, isNamed)
  return (
    <span class="quiet-mark" title={words}>
      <Icon name={icons[silence.how]} />
      <bdi>{words}</bdi>
    </span>
  )
}
