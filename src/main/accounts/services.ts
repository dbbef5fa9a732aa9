import type { AccountReport, NewAccount } from '../../shared/contract.ts'
import type { Account } from '../../shared/core/account.ts'
import { afterRestart } from '../../shared/core/chat/outbox.ts'
import type { RealmLink } from '../chat/realm-session.ts'
import { ProjectLink } from '../monitoring/project.ts'
import type { Probe, Tried } from './account-probe.ts'

type Kind = Account['kind']
type Of<Union extends { kind: Kind }, K extends Kind> = Extract<Union, { kind: K }>

/** What all kinds of account have in common. */
type Common = Omit<Account, 'kind' | 'label'>

/** The running connection of an account; the one of the other kind is null. */
interface Links {
  readonly project: ProjectLink | null
  readonly realm: RealmLink | null
}

type FollowParts = ConstructorParameters<typeof ProjectLink>[0] &
  ConstructorParameters<typeof RealmLink>[0]

/** All that main does differently for each kind of account. */
interface Service<K extends Kind> {
  /** Requests a minute for each key: fewer than the service allows. */
  readonly requestsAMinute: number
  /** Tries a key. Throws `RequestFailed` if it does not work. */
  probe(input: Of<NewAccount, K>, probe: Probe): Promise<Tried<K>>
  /** What the form would send for an existing account. */
  inputOf(
    account: Of<Account, K>,
    common: Pick<NewAccount, 'baseUrl' | 'key' | 'allowHttp'>,
  ): Of<NewAccount, K>
  newAccount(common: Common, input: Of<NewAccount, K>, report: Of<AccountReport, K>): Of<Account, K>
  /** The account after another key of the same account was tried. */
  withReport(account: Of<Account, K>, report: Of<AccountReport, K>): Of<Account, K>
  /** Whether two accounts at one address are the same. Null: only their keys show it. */
  isSame(account: Of<Account, K>, report: Of<AccountReport, K>): boolean | null
  /** Loads the code of its loops; resolves to the function that starts them. */
  load(): Promise<(parts: FollowParts) => Links>
}

const services: { readonly [K in Kind]: Service<K> } = {
  monitoring: {
    // Of the 100 that the service allows.
    requestsAMinute: 60,
    probe: async (_input, probe) => (await import('./account-probe.ts')).probeMonitoring(probe),
    inputOf: ({ label }, common) => ({ ...common, kind: 'monitoring', label }),
    newAccount: (common, { label }, { keyKind }) => ({
      ...common,
      kind: 'monitoring',
      label: label === '' ? new URL(common.baseUrl).hostname : label,
      keyKind,
    }),
    withReport: (account, { keyKind }) => ({ ...account, keyKind }),
    isSame: () => null,
    load: async () => (parts) => ({ project: new ProjectLink(parts), realm: null }),
  },
  chat: {
    // Of the 200 that a server allows by default: each poll for events is a request, and a busy
    // chat answers one after the other.
    requestsAMinute: 150,
    probe: async ({ email }, probe) => {
      const { probeChat } = await import('./account-probe.ts')
      return { report: await probeChat({ ...probe, email }), project: null }
    },
    inputOf: ({ email }, common) => ({ ...common, kind: 'chat', email }),
    newAccount: (common, _input, { realmName, email }) => ({
      ...common,
      kind: 'chat',
      label: realmName,
      email,
      images: false,
    }),
    withReport: (account) => account,
    isSame: (account, { email }) => account.email.toLowerCase() === email.toLowerCase(),
    // Imported late: what only chat accounts need is a third of main.
    load: async () => {
      const session = await import('../chat/realm-session.ts')
      return (parts) => {
        const { accountId, update, get } = parts
        const realm = new session.RealmLink(parts)
        update((state) => ({ ...state, outbox: afterRestart(state.outbox, accountId) }))
        for (const message of get().outbox)
          if (message.accountId === accountId && message.state === 'queued')
            realm.outbox.queue(message)
        return { project: null, realm }
      }
    },
  },
}

export function serviceOf<K extends Kind>(kind: K): Service<K> {
  return services[kind]
}
