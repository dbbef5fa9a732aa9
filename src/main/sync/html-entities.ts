const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}

/** Null for an entity that a chat server has no need to write. */
export function decoded(text: string): string | null {
  if (!text.includes('&')) return text
  if (/&(?!(?:amp|lt|gt|quot|#39);)/.test(text)) return null
  return text.replace(/&[a-z#39]+;/g, (entity) => entities[entity] ?? entity)
}
