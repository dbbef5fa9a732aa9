import type { Commands } from '../../shared/contract.ts'
import type { Account, AccountId, ChatAccount } from '../../shared/core/account.ts'
import { picturePath } from '../../shared/core/chat/picture-path.ts'
import { invalid } from '../../shared/core/failure.ts'
import { accountById } from '../../shared/core/state.ts'
import type { Client } from '../http/client.ts'
import { type Budget, createBudget } from '../http/rate-limit.ts'
import type { HttpReply, Transport } from '../http/transport.ts'
import type { LiveState } from '../store.ts'
import { dataImage } from './pictures.ts'

/** Thumbnails have 50 kB; an original that is larger than this is opened in the browser. */
const maxBytes = 8 * 1024 * 1024
const deadlineMs = 20_000
/** Of an account's requests, so that a topic full of pictures leaves room for sending. */
const picturesAMinute = 60

/**
 * Pictures of messages: off for each account until the user asks for them. Only main fetches, only
 * from the account's own realm, and the key goes along only where the realm wants it.
 */
export function createImageCommands(parts: {
  live: LiveState
  client: (accountId: AccountId) => Client
  transport: (account: Account) => Transport
  version: string
}): Pick<Commands, 'setImages' | 'loadImage'> {
  const { live } = parts
  const budgets = new Map<AccountId, Budget>()
  const never = new AbortController().signal

  function budgetOf(id: AccountId): Budget {
    const budget = budgets.get(id) ?? createBudget({ limit: picturesAMinute })
    budgets.set(id, budget)
    return budget
  }

  function chatAccount(id: AccountId): ChatAccount {
    const account = accountById(live.get(), id)
    if (account?.kind !== 'chat') throw invalid('account', 'This account is gone.')
    return account
  }

  function fetchPicture(account: ChatAccount, path: string, needsKey: boolean): Promise<HttpReply> {
    const headers = { accept: 'image/*', 'user-agent': `Belfry/${parts.version}` }
    const request = { method: 'GET', headers, body: null, deadlineMs } as const
    if (needsKey) return parts.client(account.id).send({ ...request, url: path }, never)
    const url = `${account.baseUrl}${path}`
    return parts.transport(account)({ ...request, url, maxBytes }, never)
  }

  return {
    async setImages({ accountId, images }) {
      chatAccount(accountId)
      live.update((state) => ({
        ...state,
        accounts: state.accounts.map((one) =>
          one.id === accountId && one.kind === 'chat' ? { ...one, images } : one,
        ),
      }))
      // What a disk refused holds in this run, and a warning of its own says so.
      await live.persist('accounts').catch(() => undefined)
    },

    async loadImage({ accountId, path: wanted }) {
      const account = chatAccount(accountId)
      if (!account.images) throw invalid('account', 'Pictures of this account are off.')
      const found = picturePath(wanted, account.baseUrl)
      if (found === null) throw invalid('path', 'This is no picture of the realm.')
      await budgetOf(accountId).take('interactive')
      const reply = await fetchPicture(account, found.path, found.needsKey)
      return reply.status === 200 ? dataImage(reply.body) : null
    },
  }
}
