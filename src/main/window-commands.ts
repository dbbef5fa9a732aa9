import type { OperationId } from '../shared/api/catalogue.ts'
import type { Operation } from '../shared/api/operation.ts'
import type { CommandInput } from '../shared/command-inputs.ts'
import type { Commands } from '../shared/contract.ts'
import { type Account, type AccountId, type KeyState, neverRead } from '../shared/core/account.ts'
import { checkSubject } from '../shared/core/attention/event.ts'
import { type Notice, ownNotice } from '../shared/core/attention/notice.ts'
import { permalink } from '../shared/core/chat/conversation.ts'
import type { Realm } from '../shared/core/chat/realm.ts'
import { lackWords } from '../shared/core/chat/server-level.ts'
import { type CheckId, checkPage } from '../shared/core/checks/check.ts'
import {
  type Finding,
  findingsOf,
  lookMs,
  quietWeek,
  weekOf,
} from '../shared/core/checks/weekly-look.ts'
import { type Diagnostics, type Exchange, exchangeLine } from '../shared/core/diagnosis.ts'
import { invalid, RequestFailed } from '../shared/core/failure.ts'
import { type AppState, freshnessOf, known } from '../shared/core/state.ts'
import type { Target } from '../shared/core/target.ts'
import { codePointLength, sentText } from '../shared/core/text-length.ts'
import type { Connections } from './accounts/connections.ts'
import type { Clock, Desktop } from './base/ports.ts'
import { isUniqueKey, uniqueKeyOf } from './base/unique-key.ts'
import type { Uploads } from './chat/upload-commands.ts'
import { previewOf, validParams } from './http/request-encoding.ts'
import { createYielding, wait } from './http/wait.ts'
import { beingRead, type PingOperations } from './monitoring/check-commands.ts'
import { readableBody } from './monitoring/ping-mail.ts'
import type { HistoryRecord } from './state/history-record.ts'
import { type LiveState, maxNotices } from './state/store.ts'

type Params = CommandInput<'run'>['params']

/** History entries in one answer (the newest): a longer timeline would not be readable. */
const mostEntries = 500
/** History entries of an account in a week: more than a storm a day makes. */
const mostOfAWeek = 20_000

/** The remaining window commands: the board, the settings, and access to the computer. */
export function createWindowCommands(parts: {
  live: LiveState
  desktop: Desktop
  connections: Connections
  pings: PingOperations
  uploads: Pick<Uploads, 'run'>
  record: Pick<HistoryRecord, 'acted' | 'entries' | 'recentRuns'>
  clock: Clock
  /** Called with the place that the window shows. */
  onPlace: (place: Target) => void
  /** Called with whether the window holds typed text that exists nowhere else. */
  onHeldInput: (held: boolean) => void
}) {
  const { live, desktop, connections, clock } = parts
  let cleared: readonly Notice[] = []

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

    changeWait: async ({ accountId }) => connections.project(accountId).client.actWaitMs(),

    async run({ accountId, operation: name, params: input }) {
      const { operation, account, ...asked } = await operationOf(live.get(), name, accountId, input)
      if (operation.sends !== undefined) return parts.uploads.run(accountId, operation, input)
      const params = withUuid(accountId, withSlug(account, name, asked.params))
      if (account.kind === 'chat') {
        // The schema of the operation checks the params; their type is not known here.
        return connections.realm(accountId).client.call(operation, params as never)
      }
      if (operation.to === 'pingAddress') return parts.pings.run({ accountId, operation, params })
      const link = connections.project(accountId)
      const given: unknown = await link.client.call(operation, params as never)
      const reply = name === 'getPingBody' ? await readableBody(String(given)) : given
      link.saw(operation, params, reply)
      if (operation.effect !== 'read') {
        link.took(reply, operation)
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

    async updateSettings(change) {
      const { selfWatch } = change
      if (selfWatch != null) await parts.pings.confirm(selfWatch.accountId, selfWatch.checkId)
      if (change.globalKeys !== undefined) {
        const problem = await desktop.takeKeys(change.globalKeys)
        if (problem !== null) {
          await desktop.takeKeys(live.get().settings.globalKeys)
          throw invalid('globalKeys', problem)
        }
        live.trouble('globalKeys', null)
      }
      live.update((state) => ({ ...state, settings: { ...state.settings, ...change } }))
      if (change.zoom !== undefined) desktop.setZoom(change.zoom)
      // A shorter interval must not begin only after a wait of the old one.
      if (change.pollSeconds !== undefined) connections.refresh(null)
      await live.persist('settings').catch(() => {
        throw invalid(
          'disk',
          'The change works until Belfry quits, but could not be saved (disk full or read-only). Belfry keeps trying.',
        )
      })
    },

    async clearNotices() {
      cleared = live.get().notices
      live.update((state) => ({ ...state, notices: [] }))
    },

    async restoreNotices() {
      const { accounts } = live.get()
      // An account may have been removed since; those of Belfry itself have none.
      const back = cleared.filter(
        ({ accountId }) => accountId === '' || accounts.some(({ id }) => id === accountId),
      )
      cleared = []
      live.update((state) => ({
        ...state,
        notices: [...state.notices, ...back].slice(0, maxNotices),
      }))
    },

    async testNotification() {
      const words = {
        subject: 'test',
        title: 'Belfry can reach you',
        body: 'This is what a notification looks like here. Click it to open the board.',
        target: { view: 'checks' },
      } as const
      desktop.notify(ownNotice(words, clock.now(), live.get().settings.sounds))
      return { ...(await desktop.notifiedBy()), systemQuiet: desktop.systemQuiet() }
    },

    async dismissTrouble({ id }) {
      live.trouble(id, null)
    },

    openLink: ({ url }) => desktop.openLink(url),

    openWeb: ({ target }) => desktop.openLink(webAddress(live.get(), connections, target)),

    async copyText({ text }) {
      desktop.copyText(text)
    },

    async hideWindow() {
      desktop.hideWindow()
    },

    async quit() {
      desktop.quit()
    },

    startsAtLogin: () => desktop.startsAtLogin(),

    setStartsAtLogin: ({ on }) => desktop.setStartsAtLogin(on),

    async history({ accountId, subject, from }) {
      known(live.get(), accountId)
      const about = subject === undefined ? {} : { subject }
      return parts.record.entries({ accountId, ...about, from, limit: mostEntries })
    },

    async weeklyLook() {
      const yielding = createYielding(new AbortController().signal)
      const found: Finding[] = []
      const from = clock.now() - lookMs
      for (const [accountId, board] of live.get().boards) {
        const kinds = ['status', 'notice', 'runs']
        const weeks = weekOf(parts.record.entries({ accountId, from, kinds, limit: mostOfAWeek }))
        for (const check of board.checks.values()) {
          if (yielding.isOver()) await yielding.next()
          const subject = checkSubject(accountId, check.id)
          const week = weeks.get(subject) ?? quietWeek
          const runs = [...week.runs, ...parts.record.recentRuns(subject)]
          const integrationIds = connections.details(accountId, check.id)?.integrationIds ?? null
          found.push(...findingsOf(accountId, check, integrationIds, { ...week, runs }))
        }
      }
      return found
    },

    async showing({ view, place, holdsInput }) {
      if (place !== undefined) parts.onPlace(place)
      parts.onHeldInput(holdsInput === true)
      connections.watched(view === 'checks' || view === 'check')
    },
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
  const { catalogue } = await import('../shared/api/catalogue.ts')
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

function isRefusedByDisk(error: unknown): boolean {
  return (
    error instanceof RequestFailed &&
    error.failure.kind === 'invalid' &&
    error.failure.field === 'disk'
  )
}

/** Exchanges kept for each account: about a quarter of an hour of polls. */
const mostExchanges = 30

/** How long a report waits for the accounts to be read, and how often that is checked. */
const readPatienceMs = 10_000
const readLookMs = 100
/** Accounts in these states are not read. */
const keyless: readonly KeyState[] = ['missing', 'locked']

/** Diagnostics for when something does not work, and the settings as a file. */
export function createDiagnosticCommands(parts: {
  live: LiveState
  desktop: Desktop
  clock: Clock
  refresh: () => void
  updateSettings: Commands['updateSettings']
  note: (where: string, what: string) => void
}) {
  const { live, desktop, clock } = parts
  const exchanges = new Map<AccountId, readonly Exchange[]>()

  /** `thorough` also tests the disk by writing to it. */
  async function diagnose(thorough: boolean): Promise<Diagnostics> {
    const [facts, disk] = await Promise.all([
      desktop.facts(),
      thorough
        ? // This document is written even if it has not changed.
          live.persist('notifiedState').then(
            () => true,
            () => false,
          )
        : null,
    ])
    const known = new Set(live.get().accounts.map(({ id }) => id))
    for (const id of exchanges.keys()) if (!known.has(id)) exchanges.delete(id)
    return { facts, disk, exchanges: new Map(exchanges) }
  }

  /** Reads all accounts now; resolves once each was read or failed, or after `readPatienceMs`. */
  async function readAll(): Promise<void> {
    const [since, until] = [clock.now(), clock.monotonic() + readPatienceMs]
    parts.refresh()
    const isOld = ({ id }: Account): boolean => {
      const { readAt, lastFailure } = freshnessOf(live.get(), id) ?? neverRead
      return Math.max(readAt ?? 0, lastFailure?.at ?? 0) < since
    }
    const asked = () => live.get().accounts.filter(({ key }) => !keyless.includes(key))
    while (clock.monotonic() < until && asked().some(isOld))
      await wait(readLookMs, new AbortController().signal)
  }

  return {
    heard(id: AccountId, exchange: Exchange) {
      exchanges.set(id, [exchange, ...(exchanges.get(id) ?? [])].slice(0, mostExchanges))
      parts.note(`account ${id.slice(0, 8)}`, exchangeLine(exchange))
    },
    commands: {
      diagnose({ thorough }) {
        if (thorough) parts.refresh()
        return diagnose(thorough)
      },

      async saveDiagnostics() {
        const { reportText } = await import('../shared/core/views/findings.ts')
        await readAll()
        const [diagnostics, logs] = await Promise.all([diagnose(true), desktop.logs()])
        const text = reportText(live.get(), diagnostics, clock.now(), logs)
        return desktop.saveFile('belfry-report.txt', text)
      },

      async exportSettings() {
        const { settingsFile } = await import('../shared/core/settings.ts')
        return desktop.saveFile('belfry-settings.json', settingsFile(live.get()))
      },

      async importSettings() {
        const text = await desktop.readChosenFile()
        if (text === null) return null
        const { readSettingsFile } = await import('../shared/core/settings.ts')
        const { accounts, settings } = live.get()
        const { change, strangers } = readSettingsFile(text, accounts)
        await parts.updateSettings(change).catch((error: unknown) => {
          // The settings are in effect and can be undone; the failed write is reported separately.
          if (!isRefusedByDisk(error)) throw error
        })
        const before = Object.keys(change).map((name) => [
          name,
          settings[name as keyof typeof settings],
        ])
        return { before: Object.fromEntries(before) as typeof change, strangers }
      },
    } satisfies Partial<Commands>,
  }
}
