import {
  type AccountId,
  known,
  type MonitoringAccount,
  type PingOrigin,
  withAccount,
} from '../../shared/core/account.ts'
import { invalid, RequestFailed } from '../../shared/core/failure.ts'
import type { Desktop } from '../base/ports.ts'
import { isPrivateHost } from '../http/private-address.ts'
import type { LiveState } from '../state/store.ts'

/** The hosted service receives pings on a separate host. */
const hosted = { service: 'https://healthchecks.io', pings: 'https://hc-ping.com' }

/** More than any service has; the oldest is dropped. */
const mostOrigins = 10

/**
 * Decides where pings may be sent. The address comes from the server, so its origin must be the
 * account's own, that of the hosted service, or one that the user has confirmed. If a name that was
 * public resolves to a private address, the user is asked again.
 */
export function createPingConsent(parts: { live: LiveState; desktop: Pick<Desktop, 'ask'> }) {
  const { live, desktop } = parts

  function projectOf(id: AccountId): MonitoringAccount {
    const account = known(live.get(), id)
    if (account.kind !== 'monitoring') throw invalid('accountId', 'This account has no checks.')
    return account
  }

  function confirmed(account: MonitoringAccount, origin: string): PingOrigin | null {
    const service = new URL(account.baseUrl).origin
    if (service === origin) return { origin, network: 'private' }
    const own = account.pingOrigins?.find((one) => one.origin === origin)
    if (own !== undefined) return own
    const isHosted = service === hosted.service && origin === hosted.pings
    return isHosted ? { origin, network: 'public' } : null
  }

  async function keep(id: AccountId, { origin, network }: PingOrigin): Promise<void> {
    live.update((state) =>
      withAccount(state, id, (one) => {
        if (one.kind !== 'monitoring') return one
        const others = (one.pingOrigins ?? []).filter((other) => other.origin !== origin)
        return { ...one, pingOrigins: [...others.slice(1 - mostOrigins), { origin, network }] }
      }),
    )
    // The failed write is reported elsewhere; the answer then holds until Belfry quits.
    await live.persist('accounts').catch(() => undefined)
  }

  async function ask(id: AccountId, origin: string, isPrivate: boolean): Promise<void> {
    const { baseUrl } = projectOf(id)
    const agreed = await desktop.ask({
      message: `Send pings to ${origin}?`,
      detail: [
        isPrivate
          ? 'This name used to resolve to a public address, and now resolves to a private one.'
          : `The server at ${baseUrl} says that its checks are pinged there.`,
        ...(origin.startsWith('http:') ? ['The connection is not encrypted.'] : []),
        'Belfry asks this once.',
      ].join('\n'),
      yes: 'Send pings',
    })
    if (!agreed) throw invalid('checkId', `You did not confirm ${origin}, so no ping was sent.`)
  }

  /** Asks the user about an unknown ping origin. Throws `RequestFailed` if they decline. */
  async function confirm(id: AccountId, pingUrl: string): Promise<PingOrigin> {
    const { origin, hostname } = new URL(pingUrl)
    const before = confirmed(projectOf(id), origin)
    if (before !== null) return before
    await ask(id, origin, false)
    // An IP address can't resolve to anything else later.
    const one: PingOrigin =
      isPrivateHost(hostname) === null ? { origin } : { origin, network: 'private' }
    await keep(id, one)
    return one
  }

  /**
   * Sends with `sendTo`. With `publicOnly`, that must refuse a private network by failing with the
   * reason `privateNetwork`, without sending anything. If the user would have to be asked, an
   * `unattended` ping fails instead.
   */
  async function send<T>(
    id: AccountId,
    pingUrl: string,
    unattended: boolean,
    sendTo: (publicOnly: boolean) => Promise<T>,
  ): Promise<T> {
    const { origin } = new URL(pingUrl)
    if (unattended && confirmed(projectOf(id), origin) === null) throw unconfirmed(origin)
    const { network } = await confirm(id, pingUrl)
    if (network === 'private') return sendTo(false)
    try {
      const outcome = await sendTo(true)
      if (network === undefined) await keep(id, { origin, network: 'public' })
      return outcome
    } catch (error) {
      if (!isPrivate(error)) throw error
      if (network === 'public' && unattended) throw unconfirmed(origin)
      if (network === 'public') await ask(id, origin, true)
      await keep(id, { origin, network: 'private' })
      return sendTo(false)
    }
  }

  return { confirm, send }
}

function isPrivate(error: unknown): boolean {
  if (!(error instanceof RequestFailed)) return false
  const { failure } = error
  return failure.kind === 'network' && failure.reason === 'privateNetwork'
}

function unconfirmed(origin: string): RequestFailed {
  return invalid('checkId', `Pings to ${origin} need your consent: ping the check by hand once.`)
}
