import { userOperations } from '../../shared/api/chat/people-operations.ts'
import { serverOperations } from '../../shared/api/chat/server-operations.ts'
import { monitoringOperations } from '../../shared/api/monitoring/monitoring-operations.ts'
import type { AccountReport } from '../../shared/contract.ts'
import type { Check } from '../../shared/core/checks/check.ts'
import { malformed, type NetworkReason, RequestFailed } from '../../shared/core/failure.ts'
import type { Clock, Transport } from '../base/ports.ts'
import { dataImage } from '../chat/pictures.ts'
import { type Client, createClient } from '../http/client.ts'
import { createCheckListReader } from '../monitoring/check-list.ts'
import { type ListedProject, listedProject } from './listed-project.ts'

export interface Probe {
  /** As returned by `readBaseUrl`. */
  readonly baseUrl: string
  readonly key: string
  readonly transport: Transport
  readonly clock: Clock
  readonly userAgent: string
  readonly signal: AbortSignal
}

type ReportOf<Kind extends AccountReport['kind']> = Extract<AccountReport, { kind: Kind }>

/** What trying a key found: for the form, and the project that the key gives access to. */
export interface Tried<Kind extends AccountReport['kind']> {
  readonly report: ReportOf<Kind>
  readonly project: ListedProject | null
}

/** Tries a monitoring key: what it can read, and whether it may write. Changes nothing. */
export async function probeMonitoring(probe: Probe): Promise<Tried<'monitoring'>> {
  return withDeadline(probe, async () => {
    const { baseUrl, signal } = probe
    const account = { kind: 'monitoring', baseUrl, keyKind: 'unknown' } as const
    const client = createClient({ ...probe, account })
    const { listChecks } = monitoringOperations
    const list = createCheckListReader((reply) => client.read(listChecks, reply).checks)
    const reply = await client.answer(listChecks, {}, { signal })
    const { checks, unreadable } = await list.read(reply, null, signal)
    const keyKind =
      kindByPrefix(probe.key) ?? kindByRecord(checks) ?? (await kindByAsking(client, signal))
    return {
      report: { kind: 'monitoring', baseUrl, keyKind, checks: checks.length, unreadable },
      project: listedProject(
        baseUrl,
        checks.map(({ id }) => id),
        (id) => list.details(id),
      ),
    }
  })
}

type KeyKind = ReportOf<'monitoring'>['keyKind']

/** Monitoring API, "Authentication": since version 3.11 a key shows which kind it is. */
function kindByPrefix(key: string): KeyKind | null {
  if (key.startsWith('hcw_')) return 'readWrite'
  return key.startsWith('hcr_') ? 'readOnly' : null
}

function kindByRecord(checks: readonly Check[]): KeyKind | null {
  const first = checks[0]
  if (first === undefined) return null
  return first.writable ? 'readWrite' : 'readOnly'
}

/** For an empty project: an operation that only reads, but requires a read-write key. */
async function kindByAsking(client: Client, signal: AbortSignal): Promise<KeyKind> {
  try {
    await client.call(monitoringOperations.listIntegrations, {}, { signal })
    return 'readWrite'
  } catch (error) {
    if (!(error instanceof RequestFailed)) throw error
    // The key could read the list of checks, so no other error here makes it a wrong key.
    return error.failure.kind === 'readOnlyKey' ? 'readOnly' : 'unknown'
  }
}

/**
 * Tries a chat key. First asks, without the key, what the server says about itself: only a chat
 * server's canonical address gets to see the key.
 */
export async function probeChat(
  probe: Probe & { readonly email: string },
): Promise<ReportOf<'chat'>> {
  return withDeadline(probe, async () => {
    const { email, signal } = probe
    const clientAt = (baseUrl: string) =>
      createClient({ ...probe, account: { kind: 'chat', baseUrl, email } })
    const typed = await readServer(clientAt(probe.baseUrl), signal)
    const canonical = canonicalBaseUrl(probe.baseUrl, typed.realmUrl)
    const isMoved = canonical !== probe.baseUrl
    // An upgrade to https is trusted only once it has worked.
    const upgraded = isMoved ? await readServer(clientAt(canonical), signal).catch(noServer) : null
    const baseUrl = upgraded === null ? probe.baseUrl : canonical
    const user = await clientAt(baseUrl).call(userOperations.getOwnUser, {}, { signal })
    return {
      kind: 'chat',
      baseUrl,
      realmName: typed.realmName ?? new URL(baseUrl).host,
      realmIcon: await fetchRealmIcon({ ...probe, baseUrl, icon: typed.realmIcon }),
      userName: user.full_name || email,
      email,
    }
  })
}

interface Server {
  readonly realmUrl: string | null
  readonly realmName: string | null
  readonly realmIcon: string | null
}

async function readServer(client: Client, signal: AbortSignal): Promise<Server> {
  const settings = await client.call(serverOperations.serverSettings, {}, { signal })
  const isChat =
    settings.zulip_version !== undefined ||
    settings.zulip_feature_level !== undefined ||
    settings.service_feature_level !== undefined
  // JSON from some other service, which must not get to see the key.
  if (!isChat) {
    throw malformed('shape', 'zulip_version')
  }
  return {
    realmUrl: settings.realm_url ?? settings.realm_uri ?? null,
    realmName: settings.realm_name ?? null,
    realmIcon: settings.realm_icon ?? null,
  }
}

function noServer(error: unknown): null {
  if (error instanceof RequestFailed) return null
  throw error
}

/** Turns the abort at the deadline into a failure, as the form is waiting for a result. */
async function withDeadline<T>(probe: Probe, task: () => Promise<T>): Promise<T> {
  try {
    return await task()
  } catch (error) {
    if (error instanceof RequestFailed || !probe.signal.aborted) throw error
    const reason: NetworkReason = 'timeout'
    const { host } = new URL(probe.baseUrl)
    throw new RequestFailed({ kind: 'network', reason, host, reached: 'maybe' })
  }
}

/**
 * The address to keep for a realm, given the typed one and the one its server claims. A key belongs
 * to the address that the user gave: an answer that any captive portal could forge must not send it
 * to another host, nor down to plain http. The server may only say that the same host should be
 * used over https.
 */
export function canonicalBaseUrl(typed: string, realmUrl: string | null): string {
  if (realmUrl === null || !URL.canParse(realmUrl)) return typed
  const ours = new URL(typed)
  const theirs = new URL(realmUrl)
  const isUpgrade =
    ours.protocol === 'http:' &&
    theirs.protocol === 'https:' &&
    theirs.hostname === ours.hostname &&
    theirs.username === '' &&
    theirs.password === ''
  if (!isUpgrade) return typed
  // The path stays as typed: a realm behind a proxy's path does not know it.
  return `https://${theirs.host}${ours.pathname.replace(/(?<!\/)\/+$/, '')}`
}

const maxBytes = 100_000
const deadlineMs = 10_000

/**
 * A realm's icon as a `data:` image, or null if none may be shown. Fetched only from the realm's
 * own origin and without credentials: the address comes from the server, which could otherwise
 * direct a key, or requests from inside this network, anywhere.
 */
async function fetchRealmIcon(options: {
  readonly baseUrl: string
  readonly icon: string | null
  readonly transport: Transport
  readonly userAgent: string
  readonly signal: AbortSignal
}): Promise<string | null> {
  const { baseUrl, icon, transport, userAgent, signal } = options
  const { origin } = new URL(baseUrl)
  if (icon === null || icon === '' || !URL.canParse(icon, origin)) return null
  const url = new URL(icon, origin)
  if (url.origin !== origin || url.username !== '' || url.password !== '') return null
  const headers = { accept: 'image/*', 'user-agent': userAgent }
  try {
    const reply = await transport(
      { method: 'GET', url: url.href, headers, body: null, deadlineMs, maxBytes },
      signal,
    )
    return reply.status === 200 ? dataImage(reply.body) : null
  } catch (error) {
    // An account works just as well without a picture.
    if (error instanceof RequestFailed) return null
    throw error
  }
}
