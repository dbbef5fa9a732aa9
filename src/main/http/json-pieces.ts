import { malformed } from '../../shared/core/failure.ts'

const utf8 = new TextDecoder()

/** Decodes leniently, as a ping body can be any bytes. Drops a byte order mark. */
export function decodeText(body: Uint8Array): string {
  return utf8.decode(body)
}

export function short(text: string): string {
  return [...text.trim()].slice(0, 300).join('')
}

/** Roughly how much is parsed in one go. */
const sliceBytes = 64 * 1024

/**
 * Maximum nesting of a reply. The deepest legitimate one has about eight levels; structured clone,
 * which passes values to windows, gives up at some 5,000.
 */
const depthLimit = 64
/** Maximum number of values in a reply, counted by commas: 50,000 checks have 1.5 million. */
const valueLimit = 4_000_000

/** Longest run of white space: nobody indents further, and skipping megabytes would block. */
export const spaceLimit = 64 * 1024

/** In bytes: a string is parsed in one go, however long it is. */
const longestString = 16 * 2 ** 20

/** The nesting around an item: the top-level object and the list in it. */
const itemDepth = 2

const quote = 0x22
/** Every byte up to this one counts as white space. */
const space = 0x20
const backslash = 0x5c
const comma = 0x2c

/** A list or object too long to be parsed in one go; the offsets exclude its brackets. */
interface LongValue {
  readonly start: number
  end: number
  readonly isList: boolean
  /** Offsets of those of its own commas at which it is cut. */
  readonly cuts: number[]
  /** Long values among its items. */
  readonly long: LongValue[]
}

/**
 * Finds where to cut JSON for parsing in pieces. Throws, before any of it is parsed, if it exceeds
 * the limits. Looks only at brackets and commas outside of strings, and leaves the rest to the
 * parser. The whole document is treated as the only item of a list.
 */
export function* outlineOf(json: Uint8Array, maxItems: number): Generator<undefined, LongValue> {
  const nesting = createNesting(json, maxItems)
  for (let at = 0, lookAt = sliceBytes; at < json.length; at += 1) {
    const byte = json[at] ?? 0
    if (byte === quote) at = nesting.string(at)
    else if (byte <= space) at = endOfSpace(json, at)
    else if (byte === comma) nesting.comma(at)
    else if (byte === 0x5b || byte === 0x7b) nesting.open(at)
    else if (byte === 0x5d || byte === 0x7d) nesting.close(at)
    if (at < lookAt) continue
    if (at > json.length) throw malformed('many')
    lookAt = at + sliceBytes
    yield
  }
  return nesting.end()
}

/** Counts the items of each open list or object, and records the long ones. */
function createNesting(json: Uint8Array, maxItems: number) {
  const root: LongValue = { start: 0, end: json.length, isList: true, cuts: [], long: [] }
  /** Indexed by depth, as is `items`. */
  const opened: LongValue[] = [root]
  const items = [0]
  let depth = 0
  let values = 0
  let lastName = 0
  return {
    /** Returns the offset of the closing quote. */
    string(at: number): number {
      if (depth === 1) lastName = at
      const end = endOfString(json, at)
      if (end - at > longestString) throw malformed('many')
      return end
    },
    comma(at: number): void {
      const value = opened[depth] ?? root
      items[depth] = (items[depth] ?? 0) + 1
      values += 1
      if (items[depth] === maxItems)
        throw malformed('many', depth === 2 ? nameAt(json, lastName) : '')
      if (hasTooMany(values)) throw malformed('many')
      if (at - (value.cuts.at(-1) ?? value.start) >= sliceBytes) value.cuts.push(at)
    },
    open(at: number): void {
      depth += 1
      if (depth > depthLimit) throw malformed('deep')
      items[depth] = 0
      opened[depth] = { start: at + 1, end: at, isList: json[at] === 0x5b, cuts: [], long: [] }
    },
    close(at: number): void {
      const value = opened[depth] ?? root
      depth -= 1
      if (depth < 0) throw malformed('json')
      value.end = at
      if (at - value.start >= sliceBytes) opened[depth]?.long.push(value)
    },
    end(): LongValue {
      if (depth !== 0) throw malformed('json')
      return root
    },
  }
}
/** Begins the string that replaces a long value while its surroundings are parsed. */
const mark = '\u0000long '

/** Parses a long value piece by piece; throws a `SyntaxError` if one is not valid JSON. */
export function* joined(
  json: Uint8Array,
  { start, end, isList, cuts, long }: LongValue,
): Generator<undefined, unknown> {
  const list: unknown[] = []
  const members: [string, unknown][] = []
  let from = start
  let next = 0
  for (const to of [...cuts, end]) {
    const inside: unknown[] = []
    let text = isList ? '[' : '{'
    for (let one = long[next]; one !== undefined && one.start < to; one = long[next]) {
      text += decodeText(json.subarray(from, one.start - 1)) + JSON.stringify(mark + inside.length)
      inside.push(yield* joined(json, one))
      from = one.end + 1
      next += 1
    }
    text += decodeText(json.subarray(from, to)) + closingAt(json, to, isList)
    const piece: unknown = JSON.parse(text)
    const items: [string, unknown][] = Object.entries(piece ?? {})
    // Two commas in a row, or a trailing one.
    if (items.length === 0 && cuts.length > 0) throw new SyntaxError('an item is missing')
    for (const [name, item] of items) {
      const value = restored(item, inside)
      if (isList) list.push(value)
      else members.push([name, value])
    }
    from = to + 1
    yield
  }
  return isList ? list : Object.fromEntries(members)
}

/** The bracket to close a piece with: at the end of the value, the one that is really there. */
function closingAt(json: Uint8Array, at: number, isList: boolean): string {
  const byte = json[at]
  if (byte === undefined || byte === comma) return isList ? ']' : '}'
  return String.fromCharCode(byte)
}

function restored(item: unknown, inside: readonly unknown[]): unknown {
  if (inside.length === 0 || typeof item !== 'string' || !item.startsWith(mark)) return item
  return inside[Number(item.slice(mark.length))]
}

function nameAt(json: Uint8Array, start: number): string {
  return short(decodeText(json.subarray(start + 1, endOfString(json, start))))
}

/** Offset of the last byte of a run of white space; beyond any body if the run is too long. */
function endOfSpace(json: Uint8Array, start: number): number {
  let at = start
  while ((json[at + 1] ?? quote) <= space) {
    at += 1
    if (at - start > spaceLimit) return Number.MAX_SAFE_INTEGER
  }
  return at
}

/** Whether a reply with this many commas exceeds the limit. */
export function hasTooMany(commas: number): boolean {
  return commas > valueLimit
}

/**
 * The offset after the object that begins at `start`, an item of a list in the top-level object,
 * and the number of commas in it; null if it does not end or is nested too deeply. Doesn't check
 * whether it is valid JSON.
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

/** Offset of the quote that ends the string that begins at `start`, or the length of `json`. */
function endOfString(json: Uint8Array, start: number): number {
  for (let at = start + 1; at < json.length; at += 1) {
    if (json[at] === backslash) at += 1
    else if (json[at] === quote) return at
  }
  return json.length
}
