import { BlockList, isIP, type LookupFunction } from 'node:net'

/** Not public: loopback, private, link-local, carrier-grade NAT, test, multicast and reserved. */
const networks4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
]
const networks6: readonly (readonly [string, number])[] = [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 9],
  ['ff00::', 8],
]

let blocked: BlockList | null = null

function privateNetworks(): BlockList {
  const made = new BlockList()
  for (const [net, bits] of networks6) made.addSubnet(net, bits, 'ipv6')
  for (const [net, bits] of networks4) {
    made.addSubnet(net, bits, 'ipv4')
    // The same behind NAT64. Node itself compares mapped addresses (::ffff:) as IPv4.
    made.addSubnet(`64:ff9b::${net}`, 96 + bits, 'ipv6')
  }
  return made
}

/** Whether a `URL`'s hostname is an address in a private network; null for a name. */
export function isPrivateHost(hostname: string): boolean | null {
  const address = hostname.replace(/^\[|\]$/g, '')
  const family = isIP(address)
  if (family === 0) return null
  blocked ??= privateNetworks()
  return blocked.check(address, family === 4 ? 'ipv4' : 'ipv6')
}

/** Error code for a name that resolves to a private address. */
export const privateCode = 'EPRIVATE'

/** Fails with `privateCode` if any of a name's addresses is private: connecting might pick it. */
export function publicLookup(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) =>
    lookup(hostname, options, (error, found, family) => {
      // Node leaves `found` undefined here, whatever its type says.
      if (error !== null) return callback(error, found, family)
      const addresses = typeof found === 'string' ? [found] : found.map(({ address }) => address)
      if (addresses.some((address) => isPrivateHost(address) !== false))
        callback(Object.assign(new Error('a private address'), { code: privateCode }), [])
      else callback(error, found, family)
    })
}
