import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import {
  type Account,
  type ChatAccount,
  isFresh,
  type MonitoringAccount,
} from '#shared/core/account.ts'
import { countWords } from '#shared/core/checks/status-counts.ts'
import { freshnessOf } from '#shared/core/state.ts'
import { call } from '../bridge.ts'
import { Button } from '../parts/button.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { PageBar } from '../parts/page-bar.tsx'
import { StatusShape } from '../parts/status-shape.tsx'
import { TimeAgo } from '../parts/time-ago.tsx'
import { sayIfFailed } from '../toast.ts'
import { appState, go, now } from '../window-state.ts'
import { AccountAuthority } from './account-authority.tsx'
import { accountMarks, accountProblem } from './account-words.ts'
import { ImagesSwitch } from './images-switch.tsx'
import { RemoveAccount } from './remove-account.tsx'
import { RenameAccount } from './rename-account.tsx'
import { WeakStorage } from './weak-storage.tsx'

/** All accounts, what each is and how it fares, and what can be done about it. */
export function AccountList() {
  const { accounts } = appState.value
  const projects = accounts.filter((account) => account.kind === 'monitoring')
  const chats = accounts.filter((account) => account.kind === 'chat')
  const page = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    // At first, and when an account went away with the button that had the focus.
    if (!page.current?.contains(document.activeElement)) page.current?.focus()
  }, [accounts.length])
  return (
    <section class="page" aria-label="Accounts">
      <PageBar title="Accounts" />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable. */}
      <section class="page-scroll" ref={page} tabIndex={0} aria-label="All accounts">
        {accounts.length === 0 && (
          <EmptyState title="No accounts yet">
            <p>Connect a project to watch its checks, or a chat account to follow and answer.</p>
          </EmptyState>
        )}
        <Group title="Monitoring projects" accounts={projects} />
        <Group title="Chat accounts" accounts={chats} />
        <WeakStorage />
        <div class="button-row account-add">
          <Button onClick={() => go({ view: 'addAccount', kind: 'monitoring' })}>
            Connect a monitoring project
          </Button>
          <Button onClick={() => go({ view: 'addAccount', kind: 'chat' })}>
            Connect a chat account
          </Button>
        </div>
      </section>
    </section>
  )
}

function Group({
  title,
  accounts,
}: {
  readonly title: string
  readonly accounts: readonly (MonitoringAccount | ChatAccount)[]
}) {
  if (accounts.length === 0) return null
  return (
    <section class="account-group" aria-label={title}>
      <h2 class="group-label">{title}</h2>
      <ul>
        {accounts.map((account) => (
          <AccountItem key={account.id} account={account} />
        ))}
      </ul>
    </section>
  )
}

function AccountItem({ account }: { readonly account: Account }) {
  const [asking, setAsking] = useState<'rename' | 'remove' | null>(null)
  const problem = accountProblem(appState.value, account, now.value)
  return (
    <li class="account" aria-label={account.label}>
      <div class="account-title">
        <StatusShape shape={problem === null ? 'up' : 'stale'} size={12} />
        <strong dir="auto">{account.label}</strong>
        <AccountNow account={account} />
      </div>
      <p class="account-address">
        {account.kind === 'chat' ? `${account.email} at ` : ''}
        {account.baseUrl}
      </p>
      <p class="account-marks">
        {account.insecure && <span class="insecure">not encrypted (http)</span>}
        {accountMarks(account).map((mark) => (
          <span key={mark}>{mark}</span>
        ))}
      </p>
      {problem !== null && <p class="account-problem">{problem}</p>}
      <AccountAuthority account={account} />
      {account.kind === 'chat' && <ImagesSwitch account={account} />}
      {!account.demo && (
        <div class="button-row">
          {account.key === 'locked' && (
            <Button
              kind="primary"
              onClick={() => sayIfFailed(call.refresh({ accountId: account.id }))}
            >
              Try now
            </Button>
          )}
          <Button
            kind={account.key === 'present' || account.key === 'locked' ? 'plain' : 'primary'}
            onClick={() => go({ view: 'replaceKey', accountId: account.id })}
          >
            {account.key === 'missing' ? 'Enter key' : 'Replace key'}
          </Button>
          <Button onClick={() => setAsking('rename')}>Rename</Button>
          <Button kind="danger" onClick={() => setAsking('remove')}>
            Remove
          </Button>
        </div>
      )}
      {asking === 'rename' && <RenameAccount account={account} onClose={() => setAsking(null)} />}
      {asking === 'remove' && <RemoveAccount account={account} onClose={() => setAsking(null)} />}
    </li>
  )
}

/** "all 38 up · read 12 s ago", and nothing that sounds good when it is old. */
function AccountNow({ account }: { readonly account: Account }) {
  const freshness = freshnessOf(appState.value, account.id)
  const board = appState.value.boards.get(account.id)
  if (freshness === null || freshness.readAt === null)
    return <span class="account-now">not read yet</span>
  const fresh = account.key === 'present' && isFresh(freshness, now.value)
  return (
    <span class="account-now">
      {fresh && board !== undefined && `${countWords(board.counts, board.unreadable)} · `}
      read <TimeAgo at={freshness.readAt} />
    </span>
  )
}
