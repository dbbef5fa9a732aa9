import type { Account, Authority } from '../../shared/core/account.ts'
import { invalid } from '../../shared/core/failure.ts'
import type { Desktop } from '../base/ports.ts'

/** Where a key is about to be sent, and how. */
interface Way {
  readonly kind: Account['kind']
  readonly baseUrl: string
  /** Plain http to another computer. */
  readonly insecure: boolean
  readonly authority: Authority | undefined
}

const kinds = { monitoring: 'monitoring project', chat: 'chat account' } as const

/**
 * Asks the user before a key is sent to an address, in a system dialog that no window can draw or
 * answer. The consent covers further attempts with the same address until an account is added.
 */
export function createAddressConsent(parts: {
  readonly desktop: Pick<Desktop, 'ask'>
  /** The proxy for an address, or null. */
  readonly proxyFor: (url: string) => Promise<string | null>
}) {
  const agreed = new Set<string>()
  /** Resolves to a function that revokes the consent; rejects with `RequestFailed` if declined. */
  return async (way: Way): Promise<() => void> => {
    const { kind, baseUrl, insecure, authority } = way
    const proxy = await parts.proxyFor(baseUrl)
    const name = JSON.stringify([kind, baseUrl, insecure, authority?.pem, proxy])
    if (!agreed.has(name)) {
      const detail = [
        `Belfry sends the key of this ${kinds[kind]} there.`,
        ...(insecure ? ['Plain http: everyone on the way can read the key.'] : []),
        ...(/(^|\.|\/)xn--/.test(baseUrl)
          ? ['The name contains letters that look like other letters.']
          : []),
        ...(authority === undefined ? [] : [authorityWords(authority)]),
        ...(proxy === null ? [] : [`The connection goes through the proxy ${proxy}.`]),
      ].join('\n')
      const yes = await parts.desktop.ask({
        message: `Connect to ${baseUrl}?`,
        detail,
        yes: 'Connect',
      })
      if (!yes)
        throw invalid('baseUrl', 'You did not confirm this address, so nothing was sent to it.')
      agreed.add(name)
    }
    return () => agreed.delete(name)
  }
}

/** The name is the authority's own claim. */
export function authorityWords({ name }: Authority): string {
  return `Certificates signed by “${name}” (the file you chose) are trusted there.`
}
