import type { AccountReport, Commands, NewAccount } from '../shared/contract.ts'
import type { Account, AccountId } from '../shared/core/account.ts'
import { readBaseUrl } from '../shared/core/base-url.ts'
import { type AppState, accountById } from '../shared/core/state.ts'
import { invalid } from './chat-commands.ts'
import { type Connections, keyName } from './connections.ts'
import type { LiveState } from './live-state.ts'
import { type Clock, type Vault, VaultLocked } from './ports.ts'
import { probeChat, probeMonitoring } from './sync/account-probe.ts'
import type { Transport } from './sync/transport.ts'

type AccountCommands = Pick<
  Commands,
  'tryAccount' | 'addAccount' | 'replaceKey' | 'renameAccount' | 'removeAccount'
>

/** A key that nothing can use any more is given up after this long. */
const probeDeadlineMs = 30_000

/** Adding, replacing and removing accounts. A key is tried before anything is saved. */
export function createAccountCommands(parts: {
  live: LiveState
  vault: Vault
  transport: Transport
  connections: Connections
  clock: Clock
  version: string
}): AccountCommands {
  const { live, vault, connections } = parts

  async function probe(input: NewAccount): Promise<AccountReport> {
    const { baseUrl } = readBaseUrl(input.baseUrl, { kind: input.kind, allowHttp: input.allowHttp })
    const common = {
      baseUrl,
      key: input.key,
      transport: parts.transport,
      clock: parts.clock,
      userAgent: `Belfry/${parts.version}`,
      signal: AbortSignal.timeout(probeDeadlineMs),
    }
    return input.kind === 'monitoring'
      ? probeMonitoring(common)
      : probeChat({ ...common, email: input.email })
  }

  async function refuseDuplicate(input: NewAccount, report: AccountReport): Promise<void> {
    for (const account of live.get().accounts) {
      if (account.kind !== report.kind || account.baseUrl !== report.baseUrl) continue
      const same =
        account.kind === 'chat' && report.kind === 'chat'
          ? account.email.toLowerCase() === report.email.toLowerCase()
          : // A locked keyring can't tell; then two boards of one project are the lesser evil.
            (await vault.get(keyName(account)).catch(() => null)) === input.key
      if (same) throw invalid('key', `This is connected already, as “${account.label}”.`)
    }
  }

  return {
    tryAccount: probe,

    async addAccount(input) {
      const report = await probe(input)
      await refuseDuplicate(input, report)
      const id = crypto.randomUUID()
      await putKey(vault, keyName({ id, baseUrl: report.baseUrl }), input.key)
      const account = newAccount(id, input, report, vault.protection)
      live.update((state) => ({ ...state, accounts: [...state.accounts, account] }))
      connections.connect(id)
      return { accountId: id, report }
    },

    async replaceKey({ accountId, key }) {
      const account = known(live.get(), accountId)
      const report = await probe(asInput(account, key))
      // Removed while its key was tried: nothing may be stored for it any more.
      known(live.get(), accountId)
      await putKey(vault, keyName(account), key)
      if (accountById(live.get(), accountId) === null) await vault.delete(keyName(account))
      live.update((state) => ({
        ...state,
        accounts: state.accounts.map((one) =>
          one.id === accountId ? withReport(one, report, vault) : one,
        ),
      }))
      connections.connect(accountId)
      return report
    },

    async renameAccount({ accountId, label }) {
      known(live.get(), accountId)
      live.update((state) => ({
        ...state,
        accounts: state.accounts.map((one) => (one.id === accountId ? { ...one, label } : one)),
      }))
    },

    async removeAccount({ accountId }) {
      const account = known(live.get(), accountId)
      connections.disconnect(accountId)
      live.update((state) => withoutAccount(state, accountId))
      await vault.delete(keyName(account))
    },
  }
}

/** A keyring that is locked or full is no fault of the address or the server, and says so. */
async function putKey(vault: Vault, name: string, key: string): Promise<void> {
  try {
    await vault.put(name, key)
  } catch (error) {
    throw error instanceof VaultLocked
      ? invalid('key', 'The keyring of this computer is locked: unlock it, then try again.')
      : invalid(
          'key',
          'The key could not be stored on this computer. Check its keyring and its disk.',
        )
  }
}

export function known(state: AppState, id: AccountId): Account {
  const account = accountById(state, id)
  if (account === null) throw invalid('account', 'This account is gone.')
  return account
}

function asInput(account: Account, key: string): NewAccount {
  const common = { baseUrl: account.baseUrl, key, allowHttp: account.insecure }
  return account.kind === 'chat'
    ? { ...common, kind: 'chat', email: account.email }
    : { ...common, kind: 'monitoring', label: account.label }
}

function newAccount(
  id: AccountId,
  input: NewAccount,
  report: AccountReport,
  protection: Vault['protection'],
): Account {
  const common = {
    id,
    baseUrl: report.baseUrl,
    key: 'present' as const,
    protection,
    insecure: readBaseUrl(report.baseUrl, { kind: report.kind, allowHttp: true }).insecure,
    demo: false,
  }
  if (report.kind === 'chat')
    return { ...common, kind: 'chat', label: report.realmName, email: report.email }
  const label = input.kind === 'monitoring' ? input.label : ''
  return {
    ...common,
    kind: 'monitoring',
    label: label === '' ? new URL(report.baseUrl).hostname : label,
    keyKind: report.keyKind,
  }
}

function withReport(account: Account, report: AccountReport, vault: Vault): Account {
  const renewed = { ...account, key: 'present' as const, protection: vault.protection }
  return renewed.kind === 'monitoring' && report.kind === 'monitoring'
    ? { ...renewed, keyKind: report.keyKind }
    : renewed
}

/** Everything that belongs to an account, gone in one update. */
export function withoutAccount(state: AppState, id: AccountId): AppState {
  const boards = new Map(state.boards)
  const realms = new Map(state.realms)
  boards.delete(id)
  realms.delete(id)
  return {
    ...state,
    accounts: state.accounts.filter((account) => account.id !== id),
    boards,
    realms,
    outbox: state.outbox.filter(({ accountId }) => accountId !== id),
    uploads: state.uploads.filter(({ accountId }) => accountId !== id),
    drafts: new Map([...state.drafts].filter(([key]) => !key.startsWith(`${id}/`))),
    notices: state.notices.filter(({ accountId }) => accountId !== id),
  }
}
