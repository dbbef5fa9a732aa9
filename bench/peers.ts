import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { installApart } from '../scripts/apart.mjs'

/**
 * Installs what the app is compared with but does not use, apart from its own packages. Returns a
 * resolver: `peers('zulip-js')` is the path of its entry.
 */
export function installPeers(): (name: string) => string {
  const folder = installApart(fileURLToPath(new URL('peers', import.meta.url)), 'bench-peers')
  return createRequire(`${folder}/package.json`).resolve
}
