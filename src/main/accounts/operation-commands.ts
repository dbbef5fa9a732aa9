import type { OperationId } from '../../shared/api/catalogue.ts'
import type { Operation } from '../../shared/api/operation.ts'
import type { CommandInput } from '../../shared/command-inputs.ts'
import type { Commands } from '../../shared/contract.ts'
import { type Account, type AccountId, known } from '../../shared/core/account.ts'
import { permalink } from '../../shared/core/chat/conversation.ts'
import { messageGoneWords } from '../../shared/core/chat/narrow-link.ts'
import type { Realm } from '../../shared/core/chat/realm.ts'
import { lackWords } from '../../shared/core/chat/server-level.ts'
import { type CheckId, checkPage } from '../../shared/core/checks/check.ts'
import { readAddress } from '../../shared/core/deep-link.ts'
import { invalid } from '../../shared/core/failure.ts'
import type { AppState } from '../../shared/core/state.ts'
import type { Target } from '../../shared/core/target.ts'
import { codePointLength, sentText } from '../../shared/core/text-length.ts'
import type { Desktop } from '../base/ports.ts'
import { isUniqueKey, uniqueKeyOf } from '../base/unique-key.ts'
import type { Uploads } from '../chat/upload-commands.ts'
import { previewOf, validParams } from '../http/request-encoding.ts'
import { beingRead, type PingOperations } from '../monitoring/check-commands.ts'
import type { PastReader } from '../monitoring/past-reader.ts'
import { readableBody } from '../monitoring/ping-mail.ts'
import type { HistoryRecord } from '../state/history-record.ts'
import type { LiveState } from '../state/store.ts'
import type { Connections } from './connections.ts'

type Params = CommandInput<'run'>['params']

/** What a window asks of either service: any operation, a read now, a page of its website. */
export function createOperationCommands(parts: {
  live: LiveState
  desktop: Pick<Desktop, 'openLink'>
  connections: Connections
  pings: PingOperations
  uploads: Pick<Uploads, 'run'>
  record: Pick<HistoryRecord, 'acted'>
  past: PastReader
}) {
  const { live, desktop, connections } = parts

  /** The service needs the uuid of a check; a window names it by id. */
  function withUuid(accountId: AccountId, params: Params): Params {
    const name = 'uuid' in params ? 'uuid' : 'id'
    const checkId = String(params[name])
    const details = connections.details(accountId, checkId)
    const isOnBoard = live.get().boards.get(accountId)?.checks.has(checkId) === true
    if (name === 'uuid' && details === null) {
      if (isOnBoard) throw invalid(name, beingRead)
      if (isUniqueKey(checkId)) throw invalid(name, 'This check no longer exists.')
    }
    return details?.uuid == null ? params : { ...params, [name]: details.uuid }
  }

  /**
   * A server below a path acts as API version 1, which makes a new slug from each new name; sending
   * the present slug keeps it.
   */
  function withSlug(account: Account, operation: string, params: Params): Params {
    const isBelowPath = new URL(account.baseUrl).pathname !== '/'
    const makesSlug = operation === 'updateCheck' && 'name' in params && !('slug' in params)
    if (!isBelowPath || !makesSlug) return params
    const id = String(params['uuid'])
    const checkId = isUniqueKey(id) ? id : uniqueKeyOf(id)
    const slug = connections.details(account.id, checkId)?.slug
    return slug === undefined ? params : { ...params, slug }
  }

  return {
    async refresh({ accountId }) {
      connections.refresh(accountId)
    },

    changeWait: async ({ accountId }) => connections.project(accountId).client.waitMs('act'),

    async run({ accountId, operation: name, params: input, glance }) {
      const { operation, account, ...asked } = await operationOf(live.get(), name, accountId, input)
      if (operation.sends !== undefined) return parts.uploads.run(accountId, operation, input)
      const params = withUuid(accountId, withSlug(account, name, asked.params))
      if (account.kind === 'chat') {
        // The schema of the operation checks the params; their type is not known here.
        return connections.realm(accountId).client.call(operation, params as never)
      }
      if (operation.to === 'pingAddress') return parts.pings.run({ accountId, operation, params })
      const link = connections.project(accountId)
      const options = glance === true ? { priority: 'glance' as const } : {}
      const given: unknown = await link.client.call(operation, params as never, options)
      const reply = name === 'getPingBody' ? await readableBody(String(given)) : given
      link.logs.onReply(operation, params, reply)
      parts.past.onReply(accountId, operation, params, reply)
      if (operation.effect !== 'read') {
        link.applyReply(reply, operation)
        parts.record.acted(accountId, checkIdIn(params), { act: name })
      }
      return reply
    },

    async previewRequest({ accountId, operation: name, params: given }) {
      const { operation, account, ...asked } = await operationOf(live.get(), name, accountId, given)
      const params = withUuid(accountId, withSlug(account, name, asked.params))
      return operation.to === 'pingAddress'
        ? parts.pings.preview({ accountId, operation, params })
        : previewOf(account, operation, params)
    },

    async whereLeads({ text }) {
      const found = readAddress(text, live.get(), uniqueKeyOf)
      if (!('message' in found)) return found
      const { accountId, messageId } = found.message
      const conversation = await connections.realm(accountId).history.show(null, messageId)
      return conversation === null
        ? { refused: messageGoneWords, wait: false }
        : { to: { view: 'conversation', accountId, conversation, messageId, fromLink: true } }
    },

    openWeb: ({ target }) => desktop.openLink(webAddress(live.get(), connections, target)),
  } satisfies Partial<Commands>
}

/**
 * Finds the operation and checks that it can run. Loads the whole catalogue on first use: polling
 * needs only a few operations.
 */
async function operationOf(
  state: AppState,
  name: string,
  accountId: AccountId,
  params: Params,
): Promise<{ operation: Operation; account: Account; params: Params }> {
  const { catalogue } = await import('../../shared/api/catalogue.ts')
  if (!Object.hasOwn(catalogue, name)) throw invalid('operation', 'There is no such operation.')
  // Checked above to be one of the catalogue's own keys.
  const operation: Operation = catalogue[name as OperationId]
  const account = known(state, accountId)
  if (operation.service !== account.kind)
    throw invalid('operation', `${operation.title} belongs to the other service.`)
  const realm = state.realms.get(accountId)
  if (realm !== undefined && 'content' in operation.params.entries) refuseCut(realm, params)
  const lack = lackWords(realm?.server, operation.since)
  if (lack === null) return { operation, account, params }
  validParams(operation, params)
  const older = operation.older?.(params, realm?.me?.id ?? null)
  if (older == null) throw invalid('operation', `This ${lack}.`)
  return { ...older, account }
}

/** Refuses a message or topic that is too long: servers cut it and answer as if all were well. */
function refuseCut({ limits }: Realm, params: Params): void {
  for (const [name, most] of [
    ['content', limits.messageLength],
    ['topic', limits.topicLength],
  ] as const) {
    const { [name]: text } = params
    if (typeof text === 'string' && codePointLength(sentText(text)) > most)
      throw invalid(name, `at most ${most} characters on this server`)
  }
}

/** The check that an operation acts on; null if it creates one or names none. */
function checkIdIn(params: Params): CheckId | null {
  const uuid = params['uuid']
  return typeof uuid === 'string' ? uniqueKeyOf(uuid) : null
}

/** The page of a check or conversation on the service's own website. */
function webAddress(
  state: AppState,
  connections: Pick<Connections, 'details'>,
  target: Target,
): string {
  if (target.view === 'check') {
    const { baseUrl } = known(state, target.accountId)
    const uuid = connections.details(target.accountId, target.checkId)?.uuid
    return uuid == null ? checkPage(baseUrl, target.checkId) : `${baseUrl}/checks/${uuid}/details/`
  }
  if (target.view === 'conversation') {
    const { baseUrl } = known(state, target.accountId)
    const realm = state.realms.get(target.accountId)
    return permalink(
      baseUrl,
      (id) => realm?.channels.get(id)?.name ?? null,
      target.conversation,
      target.messageId,
    )
  }
  throw invalid('target', 'This has no web page.')
}
