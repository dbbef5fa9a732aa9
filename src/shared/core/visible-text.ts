/** Stands for a name in which there is nothing to see. */
const invisibleName = '(unnamed: invisible characters)'

const plainName = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/
/** Turn the text behind them around, or hold it, up to the end of the line. */
const directions = /[\u202a-\u202e\u2066-\u2069]/g
const seen = /[^\s\p{C}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u

/**
 * A name by others, as one line that leaves the words beside it alone; one that is made of invisible
 * characters says so. Empty for an empty one.
 */
export function visibleName(name: string): string {
  if (name === '' || plainName.test(name)) return name
  const line = withoutDirections(name.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')).trim()
  return seen.test(line) ? line : invisibleName
}

/** What is copied or stands in one text with other words: read in the order that it is written in. */
export function withoutDirections(text: string): string {
  return text.replace(directions, '')
}

/** Written from right to left, or with signs that say so. */
const rightToLeft =
  /[\u0590-\u08ff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** In one text with others: what `bdi` does for elements. */
export function isolated(text: string): string {
  return rightToLeft.test(text) ? `\u2068${withoutDirections(text)}\u2069` : text
}
