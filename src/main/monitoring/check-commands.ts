import {
  monitoringOperations,
  monitoringPingOperations,
} from '../../shared/api/monitoring/monitoring-operations.ts'
import { readCheckDetails } from '../../shared/api/monitoring/read-check.ts'
import { readPings } from '../../shared/api/monitoring/read-history.ts'
import type { Operation } from '../../shared/api/operation.ts'
import type { Commands, RequestPreview } from '../../shared/contract.ts'
import { type Account, type AccountId, known } from '../../shared/core/account.ts'
import type { CheckDetails, CheckId } from '../../shared/core/checks/check.ts'
import {
  type Ping,
  type PingByHand,
  type PingOutcome,
  type PingSignal,
  pingAddressText,
} from '../../shared/core/checks/ping.ts'
import { invalid, malformed, mayHaveHappened, RequestFailed } from '../../shared/core/failure.ts'
import { withoutSecrets } from '../../shared/core/secrets.ts'
import type { HttpReply } from '../../shared/http.ts'
import type { Desktop, Transport } from '../base/ports.ts'
import { uniqueKeyOf } from '../base/unique-key.ts'
import { quoted, validParams } from '../http/request-encoding.ts'
import type { HistoryRecord } from '../state/history-record.ts'
import type { LiveState } from '../state/store.ts'
import { createPingConsent } from './ping-consent.ts'
import type { ProjectLink } from './project.ts'

/** For a check that is on the board, but that no reply has had since its account was connected. */
export const beingRead = 'This check is being read: try again in a moment.'

/** A ping operation of the catalogue, with the values of the palette's form. */
interface PingRun {
  readonly accountId: AccountId
  readonly operation: Operation
  readonly params: Readonly<Record<string, unknown>>
}

export type PingOperations = CheckCommands['pings']

interface CheckCommandsParts {
  live: LiveState
  desktop: Desktop
  project: (accountId: AccountId) => ProjectLink
  /** Everything that the last reply said about a check; null if none did. */
  details: (accountId: AccountId, checkId: CheckId) => CheckDetails | null
  transport: (account: Account) => Transport
  record: Pick<HistoryRecord, 'acted'>
  version: string
}

/** Commands for one check: details, badge, creation, pings by hand, copying its ping address. */
export class CheckCommands {
  readonly #parts: CheckCommandsParts
  readonly #userAgent: string
  readonly #consent: ReturnType<typeof createPingConsent>
  /** Created in this run: a board has them only after its next list. */
  readonly #created = new Set<CheckId>()

  constructor(parts: CheckCommandsParts) {
    this.#parts = parts
    this.#userAgent = `Belfry/${parts.version}`
    this.#consent = createPingConsent(parts)
  }

  /** Sends a success without asking anyone or reading what came of it. Null: it was accepted. */
  readonly pingAlone = async (accountId: AccountId, checkId: CheckId) => {
    const pingUrl = addressOf(this.#detailsOf(accountId, checkId))
    const success = { signal: 'success', exitStatus: null, runId: null, body: '' } as const
    return this.#send(accountId, { ...success, pingUrl }, true)
  }

  readonly commands = {
    checkDetails: async ({ accountId, checkId, fresh }) => {
      const known = this.#detailsOf(accountId, checkId)
      return fresh === true ? ((await this.#readAnew(accountId, known)) ?? known) : known
    },

    createCheck: async ({ accountId, fields }) => {
      known(this.#parts.live.get(), accountId)
      const link = this.#parts.project(accountId)
      const before = this.#parts.live.get().boards.get(accountId)?.checks
      const params = validParams(monitoringOperations.createCheck, fields)
      const wire = await link.client
        .call(monitoringOperations.createCheck, params as never)
        .catch(async (error: unknown) => {
          const isLost = error instanceof RequestFailed && mayHaveHappened(error.failure)
          const found = isLost
            ? await this.#findCreated(link, params, (id) => before?.has(id) ?? false)
            : null
          if (found === null) throw error
          return found
        })
      const check = readCheckDetails(wire, uniqueKeyOf)
      if (check === null) throw malformed('shape', 'check')
      this.#created.add(check.id)
      link.applyReply(wire, monitoringOperations.createCheck)
      this.#parts.record.acted(accountId, check.id, { act: 'createCheck' })
      return check
    },

    loadBadge: async ({ accountId, url }) => {
      const account = known(this.#parts.live.get(), accountId)
      const isOwn = URL.parse(url)?.origin === new URL(account.baseUrl).origin
      if (!isOwn || url.length > longestBadge || !badgePath.test(new URL(url).pathname)) return null
      const headers = { accept: 'image/svg+xml', 'user-agent': this.#userAgent }
      const reply = await this.#parts.transport(account)(
        { method: 'GET', url, headers, body: null, deadlineMs, maxBytes },
        new AbortController().signal,
      )
      const picture = Buffer.from(reply.body)
      const isPicture = reply.status === 200 && /^\s*<svg\s/.test(picture.toString('utf8', 0, 100))
      // Shown as an image, where scripts don't run and nothing else is loaded.
      return isPicture ? `data:image/svg+xml;base64,${picture.toString('base64')}` : null
    },

    pingCheck: async ({ accountId, checkId, ...rest }) => {
      const check = this.#detailsOf(accountId, checkId)
      if ((rest.signal === 'exitStatus') !== (rest.exitStatus !== null))
        throw invalid('exitStatus', 'only goes with the signal “exit status”, which requires it.')
      return this.#ping(accountId, check, { ...rest, pingUrl: addressOf(check) })
    },

    copyPingAddress: async ({ accountId, checkId, form }) => {
      const check = this.#detailsOf(accountId, checkId)
      addressOf(check)
      const text = pingAddressText(check, form)
      if (text === null) throw invalid('form', 'This schedule can’t be written as a cron line.')
      this.#parts.desktop.copyText(text)
    },
  } satisfies Partial<Commands>

  /** Pings as operations of the catalogue, for `run` and `previewRequest`. */
  readonly pings = {
    /** Asks for consent to automatic pings to the check's address, unless it was already given. */
    confirm: async (accountId: AccountId, checkId: CheckId) => {
      const pingUrl = this.#parts.details(accountId, checkId)?.pingUrl
      if (pingUrl != null) await this.#consent.confirm(accountId, pingUrl)
    },

    run: (input: PingRun) => {
      const { check, input: request } = this.#pingInputOf(input)
      return this.#ping(input.accountId, check, request)
    },

    preview: (input: PingRun): RequestPreview => {
      const { url, body } = pingRequest(this.#pingInputOf(input).input)
      const data = body === null ? '' : ` \\\n  --data-raw ${quoted(body)}`
      return {
        method: 'POST',
        url,
        headers: {},
        body,
        curl: `curl -X POST ${quoted(url)}${data}`,
      }
    },
  }

  #detailsOf(accountId: AccountId, checkId: CheckId): CheckDetails {
    known(this.#parts.live.get(), accountId)
    if (this.#parts.live.get().boards.get(accountId)?.checks.has(checkId) !== true)
      throw invalid('checkId', 'This check no longer exists.')
    const details = this.#parts.details(accountId, checkId)
    if (details === null) throw invalid('checkId', beingRead)
    return details
  }

  #send(accountId: AccountId, input: PingInput, unattended = false): Promise<PingOutcome | null> {
    return this.#consent.send(accountId, input.pingUrl, unattended, (publicOnly) => {
      const transport = this.#parts.transport(known(this.#parts.live.get(), accountId))
      return sendPing(
        transport,
        this.#userAgent,
        { ...input, publicOnly },
        new AbortController().signal,
      )
    })
  }

  async #ping(accountId: AccountId, check: CheckDetails, input: PingInput): Promise<PingOutcome> {
    const refusal = await this.#send(accountId, input)
    if (refusal !== null) return refusal
    this.#parts.record.acted(accountId, check.id, { act: 'ping', signal: input.signal })
    try {
      const { after, log } = await this.#readAfterwards(accountId, check)
      return outcomeInLog(check, after, log, { userAgent: this.#userAgent, runId: input.runId })
    } catch (error) {
      // The ping was sent: that it can't be confirmed is an outcome, not an error.
      if (error instanceof RequestFailed) return { kind: 'unconfirmed' }
      throw error
    }
  }

  /** Finds the check that a create without a reply made; null if there is none, or no list. */
  async #findCreated(
    { client }: Pick<ProjectLink, 'client'>,
    params: Readonly<Record<string, unknown>>,
    wasThere: (id: CheckId) => boolean,
  ): Promise<unknown> {
    try {
      const { checks } = await client.call(monitoringOperations.listChecks, {})
      const isSame = (wire: unknown) => {
        const check = readCheckDetails(wire, uniqueKeyOf)
        if (check === null || wasThere(check.id) || this.#created.has(check.id)) return false
        const { name, schedule } = check
        const when = schedule.kind === 'period' ? schedule.periodSeconds : schedule.expression
        return name === params['name'] && when === (params['schedule'] ?? params['timeout'])
      }
      return checks.findLast(isSame) ?? null
    } catch (error) {
      if (error instanceof RequestFailed) return null
      throw error
    }
  }

  async #readAnew(accountId: AccountId, { id, uuid }: CheckDetails) {
    const link = this.#parts.project(accountId)
    const wire = await link.client.call(monitoringOperations.getCheck, { id: uuid ?? id })
    return link.applyReply(wire)
  }

  async #readAfterwards(accountId: AccountId, check: CheckDetails) {
    const after = await this.#readAnew(accountId, check)
    const { client } = this.#parts.project(accountId)
    const log = await client.call(monitoringOperations.listPings, { uuid: check.uuid ?? '' })
    return { after, log: readPings(log).items }
  }

  #pingInputOf(run: PingRun): { check: CheckDetails; input: PingInput } {
    const { accountId, operation, params } = run
    const { uuid, rid, body, exit_status: exitStatus } = validParams(operation, params)
    const check = this.#detailsOf(accountId, uniqueKeyOf(String(uuid)))
    const input = {
      pingUrl: addressOf(check),
      signal: signalOf(operation),
      exitStatus: typeof exitStatus === 'number' ? exitStatus : null,
      runId: typeof rid === 'string' ? rid : null,
      body: typeof body === 'string' ? body : '',
    }
    return { check, input }
  }
}

function addressOf({ pingUrl, uuid }: CheckDetails): string {
  if (uuid === null) throw new RequestFailed({ kind: 'readOnlyKey' })
  if (pingUrl === null) throw invalid('checkId', 'The server returned no usable ping address.')
  return pingUrl
}

const signals: readonly (readonly [Operation, PingSignal])[] = [
  [monitoringPingOperations.pingSuccess, 'success'],
  [monitoringPingOperations.pingStart, 'start'],
  [monitoringPingOperations.pingFail, 'fail'],
  [monitoringPingOperations.pingLog, 'log'],
  [monitoringPingOperations.pingExitStatus, 'exitStatus'],
]

function signalOf(operation: Operation): PingSignal {
  const found = signals.find(([one]) => one === operation)
  if (found === undefined) throw new Error(`${operation.title} is not a ping`)
  return found[1]
}

/** Our ping is the newest one in the log since `before` that has our user agent and run id. */
function outcomeInLog(
  before: CheckDetails,
  after: CheckDetails | null,
  log: readonly Ping[],
  sent: { readonly userAgent: string; readonly runId: string | null },
): PingOutcome {
  if (after === null) return { kind: 'unconfirmed' }
  const logged = log.find(
    ({ n, userAgent, runId }) =>
      n !== null &&
      n > before.pingCount &&
      userAgent === sent.userAgent &&
      runId === (sent.runId?.toLowerCase() ?? null),
  )
  if (logged === undefined) return { kind: 'notLogged' }
  const { kind } = logged
  if (kind === 'ignored')
    return { kind: 'ignored', because: whyIgnored(after), status: after.status }
  if (kind === 'unknown') return { kind: 'unconfirmed' }
  return { kind: 'recorded', as: kind, status: after.status }
}

function whyIgnored({ status, manualResume, filters }: CheckDetails) {
  if (status === 'paused' && manualResume) return 'pausedManually'
  return filters.includes('httpBody') ? 'keywords' : 'unknown'
}

interface PingInput extends PingByHand {
  /** The check's own ping address, in a form that `isPingAddress` accepts. */
  readonly pingUrl: string
}

/** Matches only badges: requesting another path, such as a ping address, could change something. */
const badgePath = /\/(?:b|badge)\/[\w/%.~@-]+\.svg$/
const longestBadge = 500

const deadlineMs = 20_000
/** The reply to a ping is a word or two; anything longer is another program's page. */
const maxBytes = 64 * 1024

function pingRequest(input: PingInput): { url: string; body: string | null } {
  const run = input.runId === null ? '' : `?rid=${encodeURIComponent(input.runId)}`
  const url = `${input.pingUrl}${suffixOf(input)}${run}`
  return { url, body: input.body === '' ? null : input.body }
}

function suffixOf({ signal, exitStatus }: PingInput): string {
  if (signal === 'success') return ''
  return signal === 'exitStatus' ? `/${exitStatus ?? 0}` : `/${signal}`
}

/**
 * Sends a ping as a job would, without the key: the address may be on another host. Null if the
 * reply was exactly OK, which means that it was received, not that it had any effect. Rejects with
 * `RequestFailed` if there was no reply, or one that no ping address gives.
 */
async function sendPing(
  transport: Transport,
  userAgent: string,
  input: PingInput & { readonly publicOnly: boolean },
  signal: AbortSignal,
): Promise<PingOutcome | null> {
  const { url, body } = pingRequest(input)
  const headers = { accept: '*/*', 'user-agent': userAgent }
  const reply = await transport(
    {
      // A check may be set to ignore all other methods.
      method: 'POST',
      url,
      headers:
        body === null ? headers : { ...headers, 'content-type': 'text/plain; charset=utf-8' },
      body,
      deadlineMs,
      maxBytes,
      publicOnly: input.publicOnly,
    },
    signal,
  )
  return outcomeOf(reply)
}

/** A longer refusal is a page, not a message. */
const longestMessage = 200

function outcomeOf(reply: HttpReply): PingOutcome | null {
  const { status } = reply
  const text = new TextDecoder().decode(reply.body).trim()
  const isPage = text.startsWith('<')
  if (status === 200 && text === 'OK') return null
  // Monitoring API, "Limits": the hosted service answers a dropped ping with 200 and other words.
  if (status === 429 || (status === 200 && /rate.?limit/i.test(text) && !isPage))
    return { kind: 'rateLimited' }
  if (status === 404) return { kind: 'notFound' }
  if (status >= 500) throw new RequestFailed({ kind: 'serverFault', httpStatus: status })
  if (status < 200 || (status >= 300 && status < 400)) throw malformed('redirect')
  if (status < 300) throw malformed(isPage ? 'html' : 'shape')
  const message = isPage || text.length > longestMessage ? '' : withoutSecrets(text)
  return { kind: 'refused', httpStatus: status, message }
}
