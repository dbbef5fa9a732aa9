import type { AccountId } from '#shared/core/account.ts'
import { call } from './bridge.ts'

/** Characters of `data:` URLs that a window caches: some 500 thumbnails. */
const mostCharacters = 32 * 1024 * 1024

/** The cached images, the least recently used first. */
const loaded = new Map<string, string>()
const underWay = new Map<string, Promise<string | null>>()
let characters = 0

/** Loads an image through main, or null if there is none. Caches it while there is room. */
export function loadPicture(accountId: AccountId, path: string): Promise<string | null> {
  const name = `${accountId} ${path}`
  const known = loaded.get(name)
  if (known !== undefined) {
    loaded.delete(name)
    loaded.set(name, known)
    return Promise.resolve(known)
  }
  const asked = underWay.get(name)
  if (asked !== undefined) return asked
  const answer = call.loadImage({ accountId, path }).then((result) => {
    underWay.delete(name)
    const picture = result.ok ? result.value : null
    if (picture !== null) hold(name, picture)
    return picture
  })
  underWay.set(name, answer)
  return answer
}

function hold(name: string, picture: string): void {
  loaded.set(name, picture)
  characters += picture.length
  for (const [oldest, old] of loaded) {
    if (characters <= mostCharacters || oldest === name) return
    loaded.delete(oldest)
    characters -= old.length
  }
}

/** The size of the cache, in characters. */
export function cachedCharacters(): number {
  return characters
}
