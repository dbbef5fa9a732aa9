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
  return seen.test(line) ? line : invisibleName
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
