/** A key in a form in which it could leak. */
export interface Needle {
  readonly encoding: string
  readonly bytes: Buffer
}

export const encodings = [
  ...(['raw', 'base64', 'base64 pair', 'base64url', 'url', 'hex', 'numbers', 'utf16le'] as const),
]

const utf8 = (text: string): Buffer => Buffer.from(text, 'utf8')

/**
 * The forms of a key that count as the key itself. Base64 is searched at each of the three
 * alignments that a text can have in it; the pair is what basic authentication makes of user and
 * key.
 */
export function needlesOf(key: string, emails: readonly string[] = []): readonly Needle[] {
  const base64 = [0, 1, 2].map((before) => insideOfBase64(key, before))
  const pairs = [`${key}:`, ...emails.map((email) => `${email}:${key}`)].map((pair) =>
    utf8(pair).toString('base64').replace(/=+$/, ''),
  )
  const hex = utf8(key).toString('hex')
  const forms: readonly (readonly [string, readonly (string | Buffer)[]])[] = [
    ['raw', [key, JSON.stringify(key).slice(1, -1)]],
    ['base64', base64],
    ['base64 pair', pairs],
    ['base64url', base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))],
    ['url', [encodeURIComponent(key), percent(key)]],
    ['hex', [hex, hex.toUpperCase()]],
    // As JSON writes bytes, or an inspector shows them.
    ['numbers', [',', ', '].map((between) => [...utf8(key)].join(between))],
    ['utf16le', [Buffer.from(key, 'utf16le')]],
  ]
  return forms.flatMap(([encoding, texts]) =>
    texts.map((text) => ({ encoding, bytes: typeof text === 'string' ? utf8(text) : text })),
  )
}

/** The part of the base64 text that does not depend on what surrounds the key. */
function insideOfBase64(key: string, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), utf8(key)]).toString('base64')
  const end = text.length - (text.endsWith('=') ? 4 : 0)
  return text.slice(before === 0 ? 0 : 4, end)
}

function percent(text: string): string {
  return [...utf8(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
}

/** The encodings in which a text or bytes contain the key. Text is searched as UTF-8. */
export function found(needles: readonly Needle[], hay: string | Buffer): readonly string[] {
  const bytes = typeof hay === 'string' ? utf8(hay) : hay
  const hits = needles.filter((needle) => bytes.includes(needle.bytes))
  return [...new Set(hits.map(({ encoding }) => encoding))]
}
