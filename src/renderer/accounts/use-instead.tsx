import { useLayoutEffect, useRef } from 'preact/hooks'
import type { AddedAccount } from '#shared/contract.ts'
import { accountById } from '#shared/core/account.ts'
import { Button } from '../parts/button.tsx'
import { appState } from '../window-state.ts'
import { accountBadges, addressOf } from './account-words.ts'

interface Props {
  readonly found: AddedAccount
  readonly busy: boolean
  /** The account that is to go on with the key; null: none, so a new one is added. */
  readonly onUse: (instead: AddedAccount['accountId'] | null) => void
  readonly onCancel: () => void
}

/** Offers what people want who enter a second key of what is connected already. */
export function UseInstead({ found: { accountId, alike, report }, busy, onUse, onCancel }: Props) {
  const box = useRef<HTMLElement>(null)
  useLayoutEffect(() => box.current?.querySelector('button')?.focus(), [])
  const account = accountById(appState.value, accountId)
  if (account === null) return null
  const isElsewhere = account.baseUrl !== report.baseUrl
  const isUnsure = alike?.isSure === false
  const badges = accountBadges(account).join(', ')
  return (
    <section ref={box} class="report" aria-label="Already connected">
      <p>
        {isUnsure
          ? 'This seems to be what is already connected as '
          : 'This is already connected as '}
        <strong dir="auto">{account.label}</strong>
        {badges === '' ? '' : ` (${badges})`}
        {isElsewhere && `, at ${addressOf(account)}`}.
      </p>
      <p>With this key instead, it keeps its name, rules, silences and history.</p>
      {isUnsure && (
        <p>If the other address is another server, such as a copy, connect it as well.</p>
      )}
      <div class="button-row button-row-end">
        <Button kind="primary" busy={busy} onClick={() => onUse(accountId)}>
          Use this key instead
        </Button>
        {isUnsure && (
          <Button busy={busy} onClick={() => onUse(null)}>
            Connect as well
          </Button>
        )}
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </section>
  )
}
