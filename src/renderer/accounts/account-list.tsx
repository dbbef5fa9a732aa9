import { useId, useLayoutEffect, useState } from 'preact/hooks'
import { type Account, type ChatAccount, freshnessOf, neverRead } from '#shared/core/account.ts'
import { serverWords } from '#shared/core/chat/server-level.ts'
import { noChecks, statusOrder } from '#shared/core/checks/check.ts'
import { countWords, isTrouble } from '#shared/core/checks/status-counts.ts'
import { failureWords } from '#shared/core/failure-words.ts'
import { clockWords, durationWords } from '#shared/core/time.ts'
import { isAccountFresh, shownIconWords } from '#shared/core/views/tray-view.ts'
import { call } from '../bridge.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field, FormFoot, SwitchInput } from '../parts/field.tsx'
import { draftField, useForm } from '../parts/form.ts'
import { EmptyState, PageBar, ScrollRegion, usePageFocus } from '../parts/page-bar.tsx'
import { type Shape, StatusShape } from '../parts/status-shape.tsx'
import { TimeAgo, Timestamp } from '../parts/time-ago.tsx'
import { useBusy } from '../run.ts'
import { toastIfFailed, toastResult } from '../toast.ts'
import { appState, go, now } from '../window-state.ts'
import { AccountAuthority } from './account-authority.tsx'
import { kindViews } from './account-kinds.tsx'
import { accountBadges, accountProblem, addressOf } from './account-words.ts'
import { LongList } from './long-list.tsx'

const kinds = Object.keys(kindViews) as Account['kind'][]

export function AccountList() {
  const { accounts } = appState.value
  // A removed account takes its focused button with it.
  const page = usePageFocus(accounts.length)
  return (
    <section class="page" aria-label="Accounts">
      <PageBar title="Accounts" />
      <ScrollRegion class="page-scroll" label="All accounts" box={page}>
        {accounts.length > 0 && (
          <p class="account-icon">{shownIconWords(appState.value, now.value)}</p>
        )}
        {accounts.length === 0 && (
          <EmptyState title="No accounts yet">
            <p>
              Connect a project to watch its checks, or a chat account to follow conversations and
              reply.
            </p>
          </EmptyState>
        )}
        {kinds.map((kind) => {
          const own = accounts.filter((account) => account.kind === kind)
          if (own.length === 0) return null
          return (
            <section key={kind} class="account-group" aria-label={kindViews[kind].group}>
              <h2 class="group-label">{kindViews[kind].group}</h2>
              <ul>
                {own.map((account) => (
                  <AccountItem key={account.id} account={account} />
                ))}
              </ul>
            </section>
          )
        })}
        <WeakStorage />
        <div class="button-row account-add">
          {kinds.map((kind) => (
            <Button key={kind} onClick={() => go({ view: 'addAccount', kind })}>
              {kindViews[kind].connect}
            </Button>
          ))}
        </div>
      </ScrollRegion>
    </section>
  )
}

function AccountItem({ account }: { readonly account: Account }) {
  const [isRenaming, setRenaming] = useState(false)
  const [busy, during] = useBusy()
  const problem = accountProblem(appState.value, account, now.value)
  const server = serverWords(appState.value.realms.get(account.id)?.server)
  return (
    <li class="stack account" aria-label={account.label}>
      <div class="account-title">
        <StatusShape shape={problem === null ? shapeOf(account) : 'stale'} size={12} />
        <strong dir="auto">{account.label}</strong>
        <AccountNow account={account} />
      </div>
      <p class="account-address">{addressOf(account)}</p>
      <p class="raw account-badges">
        {account.insecure && <span class="insecure">not encrypted (http)</span>}
        {server !== '' && <span>{server}</span>}
        {accountBadges(account).map((badge) => (
          <span key={badge}>{badge}</span>
        ))}
      </p>
      {problem !== null && <p class="note-failed">{problem}</p>}
      <AccountReads account={account} />
      <AccountAuthority account={account} />
      {account.kind === 'chat' && <ImagesSwitch account={account} />}
      {account.kind === 'monitoring' && <LongList account={account} />}
      {!account.demo && (
        <div class="button-row account-buttons">
          {account.key === 'locked' && (
            <Button
              kind="primary"
              onClick={() => toastIfFailed(call.refresh({ accountId: account.id }))}
            >
              Try now
            </Button>
          )}
          <Button
            kind={account.key === 'present' || account.key === 'locked' ? 'quiet' : 'primary'}
            onClick={() => go({ view: 'replaceKey', accountId: account.id })}
          >
            {account.key === 'missing' ? 'Enter key' : 'Replace key'}
          </Button>
          <Button kind="quiet" onClick={() => setRenaming(true)}>
            Rename
          </Button>
          <Button
            kind="danger"
            busy={busy}
            onClick={() =>
              toastResult(
                during(call.removeAccount({ accountId: account.id })),
                `Removed ${account.label}.`,
              )
            }
          >
            Remove
          </Button>
        </div>
      )}
      {isRenaming && <RenameAccount account={account} onClose={() => setRenaming(false)} />}
    </li>
  )
}

/** The worst trouble; a tick only if there is none and everything could be read. */
function shapeOf({ id }: Account): Shape {
  if (freshnessOf(appState.value, id)?.readAt == null) return 'stale'
  const { counts = noChecks, unreadable = 0 } = appState.value.boards.get(id) ?? {}
  const worst = statusOrder.find((status) => counts[status] > 0 && isTrouble({ status }))
  return worst ?? (unreadable > 0 ? 'unknown' : 'up')
}

/** "all 38 up"; nothing once that is stale, so that old news doesn't sound good. */
function AccountNow({ account }: { readonly account: Account }) {
  const board = appState.value.boards.get(account.id)
  if (board === undefined || !isAccountFresh(appState.value, account, now.value)) return null
  return <span class="raw account-now">{countWords(board.counts, board.unreadable)}</span>
}

/** "Updated 12 s ago, next in 40 s", or since when only the counts are known, and the last error. */
function AccountReads({ account }: { readonly account: Account }) {
  const freshness = freshnessOf(appState.value, account.id) ?? neverRead
  const { readAt, seenAt, nextAt, failure, failedAt, lastFailure } = freshness
  const time = (at: number) => <Timestamp at={at}>{clockWords(at, now.value)}</Timestamp>
  return (
    <div class="raw account-reads">
      <p>
        {readAt === null ? (
          'Not updated yet'
        ) : seenAt === undefined ? (
          <>
            Updated <TimeAgo at={readAt} />
          </>
        ) : (
          <>
            Counts the same <TimeAgo at={seenAt} />, list read {time(readAt)}
          </>
        )}
        {nextAt !== null && `, next in ${durationWords(Math.max(0, nextAt - now.value))}`}
        {isSparing(account) && ` (every ${durationWords(freshness.intervalMs)} on battery)`}
        {failure !== null && failedAt !== null && <>. Failing since {time(failedAt)}</>}
      </p>
      {lastFailure !== null && (
        <p>
          Last error {time(lastFailure.at)}: {failureWords(lastFailure.failure).what}
        </p>
      )}
    </div>
  )
}

/** Whether its next read was put off because the computer runs on battery. */
function isSparing({ id }: Account): boolean {
  const { boards, settings } = appState.value
  const { nextAt = null, intervalMs = 0, failure = null } = boards.get(id)?.freshness ?? {}
  return nextAt !== null && failure === null && intervalMs > 1_000 * settings.pollSeconds
}

function ImagesSwitch({ account }: { readonly account: ChatAccount }) {
  const id = useId()
  return (
    <div class="row account-option">
      <SwitchInput
        id={id}
        on={account.images}
        onChange={(images) => toastIfFailed(call.setImages({ accountId: account.id, images }))}
      />
      <div>
        <label for={id}>Show images in messages</label>
        <p class="field-help" id={`${id}-help`}>
          Only from this server, which can then tell when you read them.
        </p>
      </div>
    </div>
  )
}

interface Props {
  readonly account: Account
  readonly onClose: () => void
}

function RenameAccount({ account, onClose }: Props) {
  const form = useForm({
    title: `Rename ${account.label}`,
    start: { label: account.label },
    check: ({ label }) => (label.trim() === '' ? { label: 'Give it a name.' } : {}),
    send: ({ label }) => call.renameAccount({ accountId: account.id, label: label.trim() }),
    done(_done, isHere) {
      if (isHere()) onClose()
    },
  })
  useLayoutEffect(() => form.element.current?.querySelector('input')?.select(), [])
  return (
    <Dialog title={`Rename ${account.label}`} onClose={onClose}>
      <form {...form.attributes}>
        <Field label="Name" {...draftField(form, 'label')} />
        <FormFoot error={form.errors.form} onCancel={onClose}>
          <Button kind="primary" type="submit" busy={form.busy}>
            Rename
          </Button>
        </FormFoot>
      </form>
    </Dialog>
  )
}

/** Shown while no keyring protects keys, and while consent to storing them without one stands. */
function WeakStorage() {
  const id = useId()
  const [busy, during] = useBusy()
  const { environment, settings } = appState.value
  if (environment.demo || (environment.protection === 'os' && !settings.weakStorage)) return null
  const allow = (allowed: boolean) => toastIfFailed(during(call.allowWeakStorage({ allowed })))
  return (
    <section class="stack weak-storage" aria-label="How keys are kept">
      <p>
        {environment.protection === 'os'
          ? 'This computer has a keyring now, and Belfry keeps keys in it.'
          : settings.weakStorage
            ? 'This computer has no keyring. Keys are on disk, without protection.'
            : 'This computer has no keyring. Keys are kept until Belfry quits.'}
      </p>
      <div class="check-field">
        <input
          id={id}
          type="checkbox"
          checked={settings.weakStorage}
          disabled={busy}
          aria-describedby={`${id}-help`}
          onChange={(change) => allow(change.currentTarget.checked)}
        />
        <label for={id}>
          Store keys on disk anyway, readable by every program that runs as you
        </label>
      </div>
      <p class="field-help" id={`${id}-help`}>
        {settings.weakStorage
          ? 'Turning this off deletes them from disk; they keep working until Belfry quits.'
          : 'Once there is a keyring, Belfry moves the keys into it.'}
      </p>
    </section>
  )
}
