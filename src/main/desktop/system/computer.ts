import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'

/** The page would be told of a change at once, main is not: addresses are looked at instead. */
const lookMs = 5_000

type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>

/**
 * Calls when this computer got an address or lost one: another Wi-Fi, a VPN, a cable. Every open
 * connection may be dead then, without a word.
 */
export function watchNetwork(
  onChange: () => void,
  read: () => Interfaces = networkInterfaces,
): () => void {
  let known = addresses(read)
  const timer = setInterval(() => {
    const found = addresses(read)
    if (found === null || found === known) return
    known = found
    onChange()
  }, lookMs)
  timer.unref()
  return () => clearInterval(timer)
}

/** Without loopback, and without the addresses that every interface gives itself. Null: not to be had now. */
function addresses(read: () => Interfaces): string | null {
  try {
    return Object.values(read())
      .flatMap((list) => list ?? [])
      .filter(({ internal, address }) => !internal && !/^(fe80:|169\.254\.)/i.test(address))
      .map(({ address }) => address)
      .sort()
      .join(' ')
  } catch {
    // Out of file handles, say: that is no change of the network.
    return null
  }
}
