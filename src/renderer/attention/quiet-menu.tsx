import { FoldSign } from '../parts/fold.tsx'
import './quiet.css'
import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import type { AccountId } from '#shared/core/account.ts'
import type {
  MaintenancePlan,
  MaintenanceScope,
} from '#shared/core/attention/maintenance/maintenance.ts'
import {
  eachOf,
  eachSilence,
  endAllWords,
  endVerbs,
  endWords,
  isOfMany,
  type KeptSilence,
  quietWords,
  type Scope,
  type Silence,
  silenceLimit,
  type Until,
} from '#shared/core/attention/silence.ts'
import { scopeKey } from '#shared/core/attention/silences-update.ts'
import { type Check, checkName } from '#shared/core/checks/check.ts'
import { statusWord } from '#shared/core/checks/check-words.ts'
import { isTrouble } from '#shared/core/checks/status-counts.ts'
import type { Failure, Result } from '#shared/core/failure.ts'
import { memoized } from '#shared/core/identity.ts'
import { defined } from '#shared/core/schemas.ts'
import type { Target } from '#shared/core/target.ts'
import { clockUntilWords } from '#shared/core/time.ts'
import { capitalised, counted, firstOf, numberWords } from '#shared/core/wording.ts'
import { call } from '../bridge.ts'
import { LinkButton, SmallButton } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import type { PageAction } from '../parts/page-actions.ts'
import { type ToastAction, toast, toastFailure, undo } from '../toast.ts'
import { appState, go, now } from '../window-state.ts'

/** What to silence, once the user has chosen how long. */
export interface QuietAsk {
  readonly scope: Scope
  readonly name: string
  /** Silences each of these checks instead of the scope. */
  readonly many?: readonly Named[]
}

/** What the open dialog asks about; null if it is closed. */
export const asking = signal<QuietAsk | null>(null)

export function checkScope(accountId: AccountId, check: Check): Scope {
  return { of: 'check', accountId, checkId: check.id }
}

/** The user's own silence of exactly this scope, which a new one of this kind would replace. */
export function ownSilence(scope: Scope, how: Silence['how'] = 'snooze'): Silence | null {
  const own = ownSilences(appState.value.silences, how === 'maintenance')
  return own.get(scopeKey({ scope })) ?? null
}

const ownSilences = memoized((silences: readonly KeptSilence[], isMaintenance: boolean) => {
  const own = eachSilence(silences).filter(
    ({ by, how }) => by === null && (how === 'maintenance') === isMaintenance,
  )
  return new Map(own.map((one) => [scopeKey(one), one]))
})

type SilenceInput = Parameters<typeof call.silence>[0]

function scopeOf(checks: readonly Named[]): SilenceInput['scope'] {
  const [first, ...more] = checks
  if (first !== undefined && more.length === 0) return checkScope(first.accountId, first.check)
  const ids = checks.map(({ accountId, check }) => ({ accountId, checkId: check.id }))
  return { of: 'checks', checks: ids }
}

/** Snoozes or mutes, with a toast that can undo it: "Snoozed db-backup until 15:25." */
export async function snooze({ scope, name, many }: QuietAsk, until: Until): Promise<void> {
  const isChat = scope.of === 'conversation' || scope.of === 'channel'
  const result = await call.silence({
    how: isChat ? 'mute' : 'snooze',
    scope: many === undefined ? scope : scopeOf(many),
    until,
  })
  if (!result.ok) return toastFailure(result.failure)
  const what = many === undefined ? name : counted(many.length, 'check')
  const words = endWords(until, many === undefined ? scope.of : 'check', now.value)
  toast(
    `${isChat ? `Muted ${what} in Belfry` : `Snoozed ${what}`} ${words}.`,
    'done',
    undoSilence(result.value.id),
  )
}

/** What the maintenance being asked about is probably for; null if nothing in particular. */
export type Planned = MaintenanceScope | null

/** What the maintenance dialog starts with; undefined if it is closed. */
export const planning = signal<Planned | undefined>(undefined)

/** Starts a maintenance. Returns why that failed, or null after a toast that reports it. */
export async function beginMaintenance(plan: MaintenancePlan): Promise<Failure | null> {
  const { scope, name, until: at, reason } = plan
  const until = { kind: 'time', at } as const
  const result = await call.silence({ how: 'maintenance', scope, until, reason })
  if (!result.ok) return result.failure
  const words = `Maintenance of ${name} ${clockUntilWords(at, now.value)}.`
  toast(words, 'done', undoSilence(result.value.id))
  return null
}

/** Acknowledges a check until its status changes; with `tellOthers`, others see it in the chat. */
export async function acknowledge(
  accountId: AccountId,
  check: Check,
  tellOthers: boolean,
  note?: string,
): Promise<void> {
  const name = checkName(check)
  if (!isTrouble(check))
    return toast(`${name} is ${statusWord(check.status)}: there is nothing to acknowledge.`)
  await acknowledgeEach(name, [{ accountId, check }], tellOthers, note)
}

/** `what`: the checks, for the toast: "Acknowledged 4 checks in #prod." */
async function acknowledgeEach(
  what: string,
  checks: readonly Named[],
  tellOthers: boolean,
  reason?: string,
) {
  const scope = scopeOf(checks)
  const until = { kind: 'change' } as const
  const result = await call.silence({
    how: 'acknowledge',
    scope,
    until,
    tellOthers,
    ...defined({ reason }),
  })
  if (!result.ok) return toastFailure(result.failure)
  const others = tellOthers ? othersWords(result.value.reacted, checks.length) : ''
  toast(`Acknowledged ${what}.${others}`, 'done', undoSilence(result.value.id))
}

function othersWords(reacted: number, all: number): string {
  if (reacted === 0)
    return ' Nobody else was notified: no chat message about this outage could be marked with 👀.'
  return ` Others see your 👀 in the chat${reacted < all ? ` for ${numberWords(reacted)} of them` : ''}.`
}

export interface Named {
  readonly accountId: AccountId
  readonly check: Check
}

/** Two actions: to acknowledge only in Belfry, and so that others see it. */
export function acknowledgeActions(
  title: string,
  act: (tellOthers: boolean) => unknown,
): readonly PageAction[] {
  return [
    { key: 'a', title, act: () => act(false) },
    { key: 'A', title: `${title} and tell others (👀)`, act: () => act(true) },
  ]
}

/** Acknowledges those of the checks that are in trouble and not silenced yet. */
export async function acknowledgeAll(
  title: string,
  checks: readonly Named[],
  tellOthers: boolean,
): Promise<void> {
  const open = checks.filter(
    ({ accountId, check }) => isTrouble(check) && ownSilence(checkScope(accountId, check)) === null,
  )
  if (open.length === 0) return toast(`There is nothing left to acknowledge in ${title}.`)
  await acknowledgeEach(`${counted(open.length, 'check')} in ${title}`, open, tellOthers)
}

/** Ends silences, with a toast that can undo it. */
export async function endQuiet(silences: readonly KeptSilence[], done?: string): Promise<void> {
  const ids = silences.map(({ id }) => id)
  const result = await call.endSilence({ ids })
  if (!result.ok) return toastFailure(result.failure)
  const what = silences.length === 1 ? silences[0]?.label : counted(silences.length, 'item')
  toast(
    done ?? `${what ?? 'It'} can notify you again.`,
    'done',
    undo(() => undone(call.restoreSilence({ ids }))),
  )
}

/** The “Undo” of a new silence: ends it, and restores those that it replaced. */
export function undoSilence(id: string): ToastAction {
  return undo(() => undone(call.undoSilence({ id })))
}

async function undone(undoing: Promise<Result<unknown>>): Promise<void> {
  const result = await undoing
  if (result.ok) toast('Undone.')
  else toastFailure(result.failure)
}

/** In the place of a verb: what undoes it where the user has done it already; else null. */
export function opposite(
  scope: Scope,
  how: Silence['how'],
  action: Pick<PageAction, 'key'> & { readonly name: string },
): PageAction | null {
  const own = ownSilence(scope, how)
  if (own?.how !== how) return null
  return {
    key: action.key,
    title: `${endVerbs[how]} ${action.name}`,
    act: () => endQuiet([own]),
  }
}

/** The same for several checks: where all of them are silenced in this way. */
export function oppositeOfMany(
  checks: readonly Named[],
  how: 'snooze' | 'acknowledge',
  action: Pick<PageAction, 'key'> & { readonly name: string },
): PageAction | null {
  const own = new Set<Silence>()
  for (const { accountId, check } of checks) {
    const one = ownSilence(checkScope(accountId, check))
    if (one?.how !== how) return null
    own.add(one)
  }
  // What was set in one go ends in one go; of a part of it, each check by itself.
  const ended = appState.value.silences.flatMap((kept): readonly KeptSilence[] => {
    const parts = eachOf(kept).filter((part) => own.has(part))
    return parts.length === eachOf(kept).length ? [kept] : parts
  })
  if (ended.length === 0 || ended.length > silenceLimit) return null
  return {
    key: action.key,
    title: `${endVerbs[how]} ${action.name}`,
    act: () => endQuiet(ended, `${capitalised(action.name)} can notify you again.`),
  }
}

const icons = {
  snooze: 'snoozed',
  acknowledge: 'acknowledged',
  mute: 'muted',
  maintenance: 'maintenance',
} as const

interface MarkProps {
  readonly silence: KeptSilence
  /** The name of what is silenced stands beside it. */
  readonly isNamed?: boolean
  /** The class of its place. */
  readonly class?: string
}

/** A silence as an icon and words: "snoozed until 15:25". */
export function QuietMark({ silence, isNamed = false, class: place = '' }: MarkProps) {
  const words = quietWords(silence, now.value, isNamed)
  return (
    <span class={`raw quiet-mark ${place}`} title={words}>
      <Icon name={icons[silence.how]} />
      <bdi>{words}</bdi>
    </span>
  )
}

/** `name`: what is silenced, if other such buttons are beside it. */
export function EndButton(props: { silence: KeptSilence; name?: string; onEnd?: () => void }) {
  const { silence, name, onEnd } = props
  const verb = endVerbs[silence.how]
  return (
    <SmallButton
      aria-label={name === undefined ? undefined : `${verb}: ${name}`}
      onClick={() => {
        onEnd?.()
        void endQuiet([silence])
      }}
    >
      {verb}
    </SmallButton>
  )
}

/** More names don’t fit into the line, but would all be read out. */
const mostNamed = 8
const mostNamedOfMany = 3

/** Everything that is silenced, in one line that expands. */
export function SilenceList() {
  const [open, setOpen] = useState(false)
  // Do not disturb is shown at the foot of the window.
  const silences = appState.value.silences.filter(({ scope }) => scope.of !== 'everything')
  if (silences.length === 0) return null
  return (
    <section class="silences" aria-label="Silenced">
      <div class="silences-head">
        <button
          type="button"
          class="row silences-fold"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          <FoldSign />
          <span class="one-line">
            {numberWords(eachSilence(silences).length)} silenced:{' '}
            {firstOf(silences.map(longLabel), mostNamed)}
          </span>
        </button>
        {open && silences.length > 1 && (
          <SmallButton onClick={() => void endQuiet(silences)}>{endAllWords(silences)}</SmallButton>
        )}
      </div>
      {open && (
        <ul class="silences-list">
          {silences.map((silence) => (
            <SilenceRow key={silence.id} silence={silence} />
          ))}
        </ul>
      )}
    </section>
  )
}

/** "500 checks: db-backup, web and 498 more". */
function longLabel(silence: KeptSilence): string {
  if (!isOfMany(silence)) return silence.label
  const names = [...silence.checks.values()].map(({ label }) => label)
  return `${silence.label}: ${firstOf(names, mostNamedOfMany)}`
}

function SilenceRow({ silence }: { readonly silence: KeptSilence }) {
  const label = longLabel(silence)
  const target = targetOf(silence)
  return (
    <li>
      {target === null ? (
        <bdi class="one-line silence-label">{label}</bdi>
      ) : (
        <LinkButton class="one-line silence-label" onClick={() => go(target)}>
          <bdi>{label}</bdi>
        </LinkButton>
      )}
      <QuietMark silence={silence} isNamed />
      <EndButton silence={silence} name={label} />
    </li>
  )
}

function targetOf({ scope }: KeptSilence): Target | null {
  if (scope.of === 'check')
    return { view: 'check', accountId: scope.accountId, checkId: scope.checkId }
  if (scope.of !== 'conversation') return null
  const realm = appState.value.realms.get(scope.accountId)
  const conversation = realm?.conversations.get(scope.key)?.conversation
  if (conversation === undefined) return null
  return { view: 'conversation', accountId: scope.accountId, conversation, messageId: null }
}
