import { signal } from '@preact/signals'
import type { AccountId } from '#shared/core/account.ts'
import { hasStatus, type OwnStatus } from '#shared/core/chat/own-status.ts'
import type { Realm } from '#shared/core/chat/realm.ts'
import { clockUntilWords } from '#shared/core/time.ts'
import { appState, now } from '../window-state.ts'
import { emojiCharacter } from './emoji-character.ts'

interface AskedStatus {
  readonly accountId: AccountId
  /** What to begin with. */
  readonly status: OwnStatus
}

/** What the open status dialog asks about; null if it is closed. */
export const askedStatus = signal<AskedStatus | null>(null)

/** Asks for a status and until when. By default, the one shown now can be changed. */
export function askForStatus({ accountId, ownStatus }: Realm, status = ownStatus): void {
  askedStatus.value = { accountId, status }
}

/** "📟 On call"; the name of an emoji that is no character. Empty without a status. */
export function statusWords({ text, emoji }: OwnStatus): string {
  const face = emoji === null ? '' : (emojiCharacter(emoji.code) ?? `:${emoji.name}:`)
  return `${face} ${text}`.trim()
}

/** "📟 On call until 15:25"; empty without a status. */
export function ownStatusWords({ accountId, ownStatus }: Realm): string {
  if (!hasStatus(ownStatus)) return ''
  const end = statusEnd(accountId, ownStatus)
  const words = statusWords(ownStatus)
  return end === null ? words : `${words} ${clockUntilWords(end, now.value)}`
}

/** When Belfry clears it (epoch ms); null: never, as far as is known here. */
export function statusEnd(accountId: AccountId, { text }: OwnStatus): number | null {
  const end = appState.value.statusEnds.get(accountId)
  return end?.text === text ? end.until : null
}
