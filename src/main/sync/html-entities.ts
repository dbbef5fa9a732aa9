const entities: ReadonlyMap<string, string> = new Map([
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#39;', "'"],
])

/** Null for an entity that a chat server has no need to write. */
export function decoded(text: string): string | null {
  let words = ''
  let from = 0
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', from)) {
    const end = text.indexOf(';', at) + 1
    const character = entities.get(text.slice(at, end))
    if (character === undefined) return null
    words += text.slice(from, at) + character
    from = end
  }
  return from === 0 ? text : words + text.slice(from)
}
