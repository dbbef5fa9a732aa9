import { malformed } from '../../shared/core/failure.ts'

const utf8 = new TextDecoder()

/** Lenient UTF-8: a ping body is any bytes at all. A byte order mark is dropped. */
export function decodeText(body: Uint8Array): string {
  return utf8.decode(body)
}

export function short(text: string): string {
  return [...text.trim()].slice(0, 300).join('')
}

/** What is parsed in one go, and a little more. */
const sliceBytes = 64 * 1024

/**
 * Levels of an answer. The deepest honest one has about eight; structured clone, by which a value
 * goes to a window, gives up at some 5,000.
 */
const depthLimit = 64
/** Values of an answer, counted by their commas: 50,000 checks have 1.5 million. */
const valueLimit = 4_000_000

/** White space in a row: nobody indents so far, and going through megabytes of it holds up everything else. */
export const spaceLimit = 64 * 1024

/** Bytes: parsing a string takes one go, however long it is. */
const longestString = 16 * 2 ** 20

/** An item of a list that an object holds: what is around it counts as well. */
const itemDepth = 2

const quote = 0x22
/** And what stands below it. */
const space = 0x20
const backslash = 0x5c
const comma = 0x2c

/** A list or object too long to be parsed in one go, without its brackets. */
interface LongValue {
  readonly start: number
  end: number
  readonly isList: boolean
  /** Commas of its own at which it is cut. */
  readonly cuts: number[]
  /** Of its items. */
  readonly long: LongValue[]
}

/**
 * Where JSON is cut to be parsed in pieces; throws before any of it is parsed where it is beyond the
 * limits. Looks at brackets and commas outside of strings only, and leaves the rest to the parser.
 * The whole is taken for the only item of a list.
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

/** Counts what each open list or object holds. Only the long ones are remembered. */
function createNesting(json: Uint8Array, maxItems: number) {
  const root: LongValue = { start: 0, end: json.length, isList: true, cuts: [], long: [] }
  /** By depth. */
  const opened: LongValue[] = [root]
  const items = [0]
  let depth = 0
  let values = 0
  let lastName = 0
  return {
    /** Where it ends. */
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
/** Stands for a long value while what is around it is parsed. */
const mark = '\u0000long '

/** Parses a long value piece by piece; throws a `SyntaxError` where one is no JSON. */
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
    // Between two commas.
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

/** What ends a piece: at its end, the bracket that is there. */
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

/** The last byte of a run of white space; far beyond the end of everything where it is too long. */
function endOfSpace(json: Uint8Array, start: number): number {
  let at = start
  while ((json[at + 1] ?? quote) <= space) {
    at += 1
    if (at - start > spaceLimit) return Number.MAX_SAFE_INTEGER
  }
  return at
}

/** Whether an answer with so many commas is beyond the limit. */
export function hasTooMany(commas: number): boolean {
  return commas > valueLimit
}

/**
 * Where the object that begins at `start` ends, an item of a list that the answer holds, and the
 * commas in it; null for one that does not end, or is too deep. Whether it is JSON is up to its parser.
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
