/**
 * Levels of an answer. The deepest honest one has about eight; structured clone, by which a value
 * goes to a window, gives up at some 5,000.
 */
const depthLimit = 64
/** Values of an answer, counted by their commas: 50,000 checks have 1.5 million. */
const valueLimit = 4_000_000

/** White space in a row: nobody indents so far, and going through megabytes of it holds up everything else. */
export const spaceLimit = 64 * 1024

/** An item of a list that an object holds: what is around it counts as well. */
const itemDepth = 2

const quote = 0x22
/** And what stands below it. */
const space = 0x20
const backslash = 0x5c

/**
 * What of JSON is beyond the limits, before any of it is parsed: parsing is what would cost memory.
 * Looks at brackets and commas outside of strings only, and leaves the rest to the parser.
 */
export function beyondLimits(json: Uint8Array): 'deep' | 'many' | null {
  let depth = 0
  let values = 0
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] ?? 0
    if (byte === quote) at = endOfString(json, at)
    else if (byte <= space) {
      at = endOfSpace(json, at)
      if (at - spaceLimit > json.length) return 'many'
    } else {
      depth += stepOf(byte)
      if (depth > depthLimit) return 'deep'
      if (byte === 0x2c) values += 1
    }
  }
  return hasTooMany(values) ? 'many' : null
}

/** The last byte of a run of white space; far beyond the end of everything where it is too long. */
function endOfSpace(json: Uint8Array, start: number): number {
  let at = start
  while ((json[at + 1] ?? quote) <= space) {
    at += 1
    if (at - start > spaceLimit) return Number.MAX_SAFE_INTEGER
  }
  return at
}

function stepOf(byte: number): number {
  if (byte === 0x5b || byte === 0x7b) return 1
  return byte === 0x5d || byte === 0x7d ? -1 : 0
}

/** Whether an answer with so many commas is beyond the limit. */
export function hasTooMany(commas: number): boolean {
  return commas > valueLimit
}

/**
 * Where the object that begins at `start` ends, an item of a list that the answer holds, and the
 * commas in it; null for one that does not end, or is too deep. Whether it is JSON, its parser tells.
 */
export function itemAt(json: Uint8Array, start: number): { end: number; commas: number } | null {
  let depth = itemDepth
  let commas = 0
  for (let at = start; at < json.length; at += 1) {
    const byte = json[at]
    if (byte === quote) at = endOfString(json, at)
    else if (byte === 0x5b || byte === 0x7b) {
      depth += 1
      if (depth > depthLimit) return null
    } else if (byte === 0x5d || byte === 0x7d) {
      depth -= 1
      if (depth === itemDepth) return { end: at + 1, commas }
    } else if (byte === 0x2c) commas += 1
  }
  return null
}

/** Index of the quote that ends the string which begins at `start`, or of the last byte. */
function endOfString(json: Uint8Array, start: number): number {
  for (let at = start + 1; at < json.length; at += 1) {
    if (json[at] === backslash) at += 1
    else if (json[at] === quote) return at
  }
  return json.length
}

/** The first of an answer's own lists that has more items than `most`; '' for the answer itself. */
export function tooLongList(value: unknown, most: number): string | null {
  if (Array.isArray(value)) return value.length > most ? '' : null
  if (typeof value !== 'object' || value === null) return null
  const parts: [string, unknown][] = Object.entries(value)
  for (const [name, part] of parts) {
    if (typeof part !== 'object' || part === null) continue
    const length = Array.isArray(part) ? part.length : Object.keys(part).length
    if (length > most) return name
  }
  return null
}
