/** Shown for a name without any visible character. */
const invisibleName = '(unnamed: invisible characters)'

const plainName = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/
/** Bidirectional control characters, which affect the rest of the line. */
const directions = /[\u202a-\u202e\u2066-\u2069]/g
const seen = /[^\s\p{C}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u

/**
 * A name chosen by others, on one line and without control characters that reorder the text around
 * it. If all of it is invisible, returns words that say so; an empty name stays empty.
 */
export function visibleName(name: string): string {
  if (name === '' || plainName.test(name)) return name
  const line = withoutDirections(name.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')).trim()
  return seen.test(line) ? withoutPiles(line) : invisibleName
}

/** Leaves out combining marks that no language has: more on one letter would cover the lines around it. */
export function withoutPiles(text: string): string {
  return text.replace(/((?:\p{M}\p{Cf}*){8})(?:\p{M}\p{Cf}*)+/gu, '$1')
}

/** Removes bidirectional controls, for text that is copied or put into other text. */
export function withoutDirections(text: string): string {
  return text.replace(directions, '')
}

/** Right-to-left scripts and directional control characters. */
const rightToLeft =
  /[\u0590-\u08ff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** Isolates a text put into other text from its direction, as `bdi` does for elements. */
export function isolated(text: string): string {
  return rightToLeft.test(text) ? `\u2068${withoutDirections(text)}\u2069` : text
}

/** Letters of the scripts that run from right to left (Unicode, "Bidi_Class" R and AL). */
export const rightToLeftLetter =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** Characters that are looked at: a line shows fewer. */
const longestLine = 500

/**
 * The text direction of a line of plain text: that of its first letter, as the browser finds it by
 * `auto`; but if it begins with a mention, a channel, code or a link, maybe behind a bullet or an
 * emoji, that of most of its other words. A name may be several words: of as many in either direction, the others are the sentence.
 */
export function lineDirection(text: string): 'auto' | 'ltr' | 'rtl' {
  const line = text.slice(0, longestLine).trim()
  if (!/^[^\p{L}@#`]*(?:[@#`]|https?:|www\.)/iu.test(line)) return 'auto'
  const letters = line
    .split(/\s+/)
    .flatMap((word) =>
      /^[^\p{L}]*[@#`]|:\/\/|^www\./iu.test(word) ? [] : (/\p{L}/u.exec(word)?.[0] ?? []),
    )
  if (letters.length === 0) return 'auto'
  const rtl = letters.filter((letter) => rightToLeftLetter.test(letter)).length
  const ltr = letters.length - rtl
  if (rtl !== ltr) return rtl > ltr ? 'rtl' : 'ltr'
  return rightToLeftLetter.test(/\p{L}/u.exec(line)?.[0] ?? '') ? 'ltr' : 'rtl'
}
