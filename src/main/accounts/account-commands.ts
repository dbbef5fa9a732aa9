import type { AccountReport, Commands, NewAccount } from '../../shared/contract.ts'
import {
  type Account,
  type AccountId,
  type Authority,
  accountById,
  type KeyProtection,
  known,
  withAccount,
} from '../../shared/core/account.ts'
import { readBaseUrl } from '../../shared/core/base-url.ts'
import { invalid, RequestFailed } from '../../shared/core/failure.ts'
import { mapped } from '../../shared/core/identity.ts'
import type { AppState } from '../../shared/core/state.ts'
import { rateLimit } from '../../shared/core/time.ts'
import { counted, folded, listWords } from '../../shared/core/wording.ts'
import type { Clock, Desktop, LocalFile, Transport, Vault } from '../base/ports.ts'
import { readAuthorityFile, trusting } from '../http/authority.ts'
import { documentRows } from '../state/documents.ts'
import type { LiveState } from '../state/store.ts'
import type { Tried } from './account-probe.ts'
import { authorityWords, createAddressConsent } from './address-consent.ts'
import { type Connections, keyName } from './connections.ts'
import { connectedProject, sameness } from './listed-project.ts'
import { serviceOf } from './services.ts'

/** How long trying a key may take. */
const probeDeadlineMs = 30_000
/** How many keys may be tried: far more than anyone enters, far too few to guess one. */
const tries = { times: 20, spanMs: 60_000 }

interface AccountCommandsParts {
  live: LiveState
  vault: Vault
  desktop: Pick<Desktop, 'ask'>
  transport: Transport
  proxyFor: (url: string) => Promise<string | null>
  connections: Connections
  /** The file that a window knows by this id. */
  chosenFile: (fileId: string) => LocalFile
  clock: Clock
  version: string
}

/** Adding, replacing and removing accounts. A key is tried before anything is saved. */
export class AccountCommands {
  readonly #parts: AccountCommandsParts
  readonly #consent: ReturnType<typeof createAddressConsent>
  readonly #mayTry: ReturnType<typeof rateLimit>

  constructor(parts: AccountCommandsParts) {
    this.#parts = parts
    this.#consent = createAddressConsent(parts)
    this.#mayTry = rateLimit(tries.times, tries.spanMs, () => parts.clock.monotonic())
  }

  readonly tryAccount: Commands['tryAccount'] = async (input) => {
    const authority = await this.#authorityOf(input.authorityFileId)
    await this.#consent({ kind: input.kind, ...addressOf(input), authority })
    return (await this.#probe(input, authority)).report
  }

  readonly addAccount: Commands['addAccount'] = async (input) => {
    const authority = await this.#authorityOf(input.authorityFileId)
    const askAgain = await this.#consent({ kind: input.kind, ...addressOf(input), authority })
    const tried = await this.#probe(input, authority)
    const { report } = tried
    const same = await this.#alreadyConnected(input, tried)
    if (same !== null && input.instead === same.account.id) {
      const kept = report.baseUrl === same.account.baseUrl ? same.account.authority : undefined
      await this.#continueWith(
        this.#realAccount(same.account.id),
        input.key,
        report,
        authority ?? kept,
      )
      askAgain()
      return { accountId: same.account.id, report }
    }
    if (same !== null && (same.isSure || input.instead !== null))
      return { accountId: same.account.id, report, alike: { isSure: same.isSure } }
    const id = crypto.randomUUID()
    const name = keyName({ id, baseUrl: report.baseUrl })
    const account = newAccount(id, input, report, await putKey(this.#parts.vault, name, input.key))
    const trustful = authority === undefined ? account : { ...account, authority }
    this.#parts.live.update((state) => {
      const named = { ...trustful, label: ownLabel(trustful, state.accounts) }
      return { ...state, accounts: [...state.accounts, named] }
    })
    this.#parts.connections.connect(id)
    askAgain()
    await this.#kept()
    return { accountId: id, report }
  }

  readonly replaceKey: Commands['replaceKey'] = async ({ accountId, key }) => {
    const account = this.#realAccount(accountId)
    const common = { baseUrl: account.baseUrl, key, allowHttp: account.insecure }
    const input = serviceOf(account.kind).inputOf(account, common)
    const tried = await this.#probe(input, account.authority)
    const same = await this.#alreadyConnected(input, tried)
    if (same?.isSure === true && same.account.id !== accountId)
      throw invalid(
        'key',
        `This key belongs to what is already connected as “${same.account.label}”.`,
      )
    await this.#continueWith(account, key, tried.report, account.authority)
    return tried.report
  }

  readonly setAuthority: Commands['setAuthority'] = async ({ accountId, fileId }) => {
    const { baseUrl } = this.#realAccount(accountId)
    const authority = await this.#authorityOf(fileId)
    if (authority !== undefined) await this.#confirmAuthority(baseUrl, authority)
    this.#parts.live.update((state) =>
      withAccount(state, accountId, (one) => ({ ...one, authority })),
    )
    if (accountById(this.#parts.live.get(), accountId) !== null)
      this.#parts.connections.connect(accountId)
    await this.#kept()
  }

  readonly renameAccount: Commands['renameAccount'] = async ({ accountId, label }) => {
    const { live } = this.#parts
    const account = known(live.get(), accountId)
    if (ownLabel({ ...account, label }, live.get().accounts) !== label)
      throw invalid('label', 'Another account has this name. Choose one that tells them apart.')
    live.update((state) => withAccount(state, accountId, (one) => ({ ...one, label })))
    await this.#kept()
  }

  readonly setWholeReads: Commands['setWholeReads'] = async ({ accountId, minutes }) => {
    const { live, connections } = this.#parts
    if (known(live.get(), accountId).kind !== 'monitoring')
      throw invalid('account', 'Only a project has a list of checks.')
    live.update((state) =>
      withAccount(state, accountId, (one) => ({ ...one, wholeReadMinutes: minutes ?? undefined })),
    )
    connections.refresh(accountId)
    await this.#kept()
  }

  readonly removeAccount: Commands['removeAccount'] = async ({ accountId }) => {
    const { live } = this.#parts
    await this.#confirmRemoval(known(live.get(), accountId))
    const account = known(live.get(), accountId)
    this.#parts.connections.disconnect(accountId)
    live.update((state) => withoutAccount(state, accountId))
    await this.#kept()
    await this.#parts.vault.delete(keyName(account)).catch(() => {
      throw invalid(
        'disk',
        'The account was removed, but its key could not be deleted from the disk yet (full or read-only). Belfry keeps trying.',
      )
    })
  }

  readonly allowWeakStorage: Commands['allowWeakStorage'] = async ({ allowed }) => {
    const { live, vault } = this.#parts
    if (allowed) await this.#confirmWeakStorage()
    const before = live.get().settings
    live.update((state) => ({ ...state, settings: { ...before, weakStorage: allowed } }))
    try {
      // Consent first: a crash in between must not leave a key on disk without it.
      await live.persist('settings')
      await vault.allowWeak(allowed)
    } catch (error) {
      if (allowed) await vault.allowWeak(false).catch(() => undefined)
      const weakStorage = before.weakStorage && !allowed
      live.update((state) => ({ ...state, settings: { ...state.settings, weakStorage } }))
      throw refusedByDisk(allowed, error)
    } finally {
      live.update((state) => withProtections(state, vault))
    }
  }

  /** Waits for the disk. If that fails, the change holds for this run, and a warning says so. */
  #kept(): Promise<void> {
    return this.#parts.live.persist('accounts').catch(() => undefined)
  }

  async #authorityOf(fileId: string | null | undefined): Promise<Authority | undefined> {
    return fileId == null
      ? undefined
      : readAuthorityFile(this.#parts.chosenFile(fileId), this.#parts.clock.now())
  }

  /** Throws for the demo's accounts: none of the user's keys or files belong there. */
  #realAccount(accountId: AccountId): Account {
    const account = known(this.#parts.live.get(), accountId)
    if (account.demo) throw invalid('account', 'This account belongs to the demo.')
    return account
  }

  async #probe(
    input: NewAccount,
    authority: Authority | undefined,
  ): Promise<Tried<Account['kind']>> {
    if (!this.#mayTry()) throw invalid('key', 'Too many keys were tried. Wait a minute.')
    const { baseUrl } = addressOf(input)
    const common = {
      baseUrl,
      key: input.key,
      transport: trusting(this.#parts.transport, { baseUrl, authority }),
      clock: this.#parts.clock,
      userAgent: `Belfry/${this.#parts.version}`,
      signal: AbortSignal.timeout(probeDeadlineMs),
    }
    return serviceOf(input.kind).probe(input, common)
  }

  /** The account that is already connected to what a key gives access to, or null. */
  async #alreadyConnected(
    { key }: Pick<NewAccount, 'key'>,
    { report, project }: Tried<Account['kind']>,
  ): Promise<{ readonly account: Account; readonly isSure: boolean } | null> {
    const { live, connections } = this.#parts
    let unsure: Account | null = null
    for (const account of live.get().accounts) {
      const found = sameness(
        project,
        connectedProject(live.get(), account.id, (id, checkId) => connections.details(id, checkId)),
      )
      if (found === 'same') return { account, isSure: true }
      if (found === 'unsure') unsure ??= account
      if (account.kind !== report.kind || account.baseUrl !== report.baseUrl) continue
      const same =
        serviceOf(account.kind).isSame(account, report) ??
        // Unknown if the keyring is locked: then two boards of one project are the lesser evil.
        (await this.#parts.vault.get(keyName(account)).catch(() => null)) === key
      if (same) return { account, isSure: true }
    }
    return unsure && { account: unsure, isSure: false }
  }

  /** The account goes on with another key, maybe at another address; all else about it stays. */
  async #continueWith(
    account: Account,
    key: string,
    report: AccountReport,
    authority: Authority | undefined,
  ): Promise<void> {
    const { vault, live } = this.#parts
    const { kind, baseUrl } = report
    const name = keyName({ id: account.id, baseUrl })
    const protection = await putKey(vault, name, key)
    // If it was removed meanwhile, nothing may be stored for it any more.
    if (accountById(live.get(), account.id) === null) await vault.delete(name)
    known(live.get(), account.id)
    const { insecure } = readBaseUrl(baseUrl, { kind, allowHttp: true })
    live.update((state) =>
      withAccount(state, account.id, (one) => ({
        ...withReport(one, report, protection),
        ...{ baseUrl, insecure, authority },
      })),
    )
    if (name !== keyName(account)) await vault.delete(keyName(account)).catch(() => undefined)
    this.#parts.connections.connect(account.id)
    await this.#kept()
  }

  async #confirmAuthority(baseUrl: string, authority: Authority): Promise<void> {
    const message = `Trust this certificate file for ${baseUrl}?`
    const question = { message, detail: authorityWords(authority), yes: 'Trust it' }
    if (!(await this.#parts.desktop.ask(question)))
      throw invalid('authority', 'You did not confirm the file, so nothing was changed.')
  }

  /** In main, since a window must not be able to delete a key and unsent texts by itself. */
  async #confirmRemoval(account: Account): Promise<void> {
    const agreed = await this.#parts.desktop.ask({
      message: `Remove ${account.label}?`,
      detail: lossWords(this.#parts.live.get(), account.id),
      yes: 'Remove',
    })
    if (!agreed) throw invalid('accountId', 'You did not confirm it, so the account stays.')
  }

  async #confirmWeakStorage(): Promise<void> {
    const agreed = await this.#parts.desktop.ask({
      message: 'Store keys on disk without protection?',
      detail:
        'This computer has no keyring. Every program that runs as you can then read the keys.',
      yes: 'Store them',
    })
    if (!agreed) throw invalid('weakStorage', 'You did not confirm this, so nothing was changed.')
  }
}

/** Its label, with a number appended if another account of its kind has the same one. */
function ownLabel({ id, kind, label }: Account, accounts: readonly Account[]): string {
  const others = accounts.filter((one) => one.kind === kind && one.id !== id)
  const taken = new Set(others.map((one) => folded(one.label)))
  let own = label
  for (let number = 2; taken.has(folded(own)); number += 1) own = `${label} ${number}`
  return own
}

/** What this computer loses with the account. */
function lossWords({ drafts, outbox }: AppState, accountId: AccountId): string {
  const unsent = [...drafts].filter(
    ([key, text]) => key.startsWith(`${accountId}/`) && text.trim() !== '',
  ).length
  const waiting = outbox.filter((entry) => entry.accountId === accountId).length
  const lost = ['its key', 'its notification history']
  if (unsent > 0) lost.push(counted(unsent, 'unsent text'))
  if (waiting > 0) lost.push(`${counted(waiting, 'message')} not yet sent`)
  return `Belfry forgets ${listWords(lost)}. Nothing changes on the server.`
}

function addressOf({ kind, baseUrl, allowHttp }: NewAccount) {
  return readBaseUrl(baseUrl, { kind, allowHttp })
}

function refusedByDisk(allowed: boolean, error: unknown): Error {
  return error instanceof RequestFailed
    ? error
    : invalid(
        'disk',
        allowed
          ? 'The keys could not be written (disk full or read-only), so they are kept only until Belfry quits.'
          : 'The keys could not be deleted from the disk yet (full or read-only). Belfry keeps trying until it quits.',
      )
}

/** How each key is kept, according to the vault. */
export function withProtections(state: AppState, vault: Vault): AppState {
  const { protection } = vault
  const accounts = mapped(state.accounts, (account) => {
    const now = account.demo ? account.protection : vault.protectionOf(keyName(account))
    return now === account.protection ? account : { ...account, protection: now }
  })
  return {
    ...state,
    accounts,
    environment:
      state.environment.protection === protection
        ? state.environment
        : { ...state.environment, protection },
  }
}

/** If storing fails, the message says so: the address and the server are not at fault. */
async function putKey(vault: Vault, name: string, key: string): Promise<KeyProtection> {
  try {
    return await vault.put(name, key)
  } catch {
    throw invalid(
      'key',
      'The key could not be stored on this computer. Check the free space and permissions of your home folder.',
    )
  }
}

function newAccount(
  id: AccountId,
  input: NewAccount,
  report: AccountReport,
  protection: KeyProtection,
): Account {
  const { kind, baseUrl } = report
  const { insecure } = readBaseUrl(baseUrl, { kind, allowHttp: true })
  const common = { id, baseUrl, key: 'present', protection, insecure, demo: false } as const
  return serviceOf(kind).newAccount(common, input, report)
}

function withReport(account: Account, report: AccountReport, protection: KeyProtection): Account {
  const renewed = { ...account, key: 'present', protection, keyLoss: undefined } as const
  return serviceOf(account.kind).withReport(renewed, report)
}

/** Removes all that belongs to an account. */
export function withoutAccount(state: AppState, id: AccountId): AppState {
  let left = state
  for (const [, row] of documentRows()) left = row.without(left, id)
  return left
}
