import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { installApart } from '../scripts/apart.mjs'

/**
 * What the app is compared with but does not use, installed apart from its own packages. Returns
 * how to resolve one: `peers('zulip-js')` is the path of its entry.
 */
export function installPeers(): (name: string) => string {
  const folder = installApart(fileURLToPath(new URL('peers', import.meta.url)), 'bench-peers')
  return createRequire(`${folder}/package.json`).resolve
}
