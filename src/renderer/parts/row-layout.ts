import type { RowList } from '#shared/core/views/row-list.ts'

/** Where the rows of a list stand, all heights in px. Runs of rows are all it takes. */
export interface Laid {
  readonly spans: readonly Span[]
  /** Of rows. */
  readonly count: number
  readonly height: number
  /** Of the lowest single row. */
  readonly lowest: number
}

interface Span {
  /** Index of its first row, and where that begins. */
  readonly first: number
  readonly top: number
  readonly rowHeight: number
}

/** A row stands for all of its run. */
export function layOut<Row>(rows: RowList<Row>, heightOf: (row: Row) => number): Laid {
  const spans: Span[] = []
  let first = 0
  let top = 0
  let lowest = Number.POSITIVE_INFINITY
  for (const { count } of rows.runs) {
    const row = rows.at(first)
    if (row === undefined) continue
    const rowHeight = heightOf(row)
    spans.push({ first, top, rowHeight })
    lowest = Math.min(lowest, rowHeight)
    first += count
    top += count * rowHeight
  }
  return { spans, count: first, height: top, lowest }
}

/** Where a row begins; that of the one after the last is the height of all. */
export function topOf(laid: Laid, index: number): number {
  const span = lastSpan(laid, (one) => one.first <= index)
  return span === undefined ? 0 : span.top + (index - span.first) * span.rowHeight
}

/** The row at this height; the last one below all of them. */
export function indexAt(laid: Laid, y: number): number {
  const span = lastSpan(laid, ({ top }) => top <= y)
  if (span === undefined) return 0
  return Math.min(laid.count - 1, span.first + Math.floor((y - span.top) / span.rowHeight))
}

/** By halving. */
function lastSpan({ spans }: Laid, begins: (span: Span) => boolean): Span | undefined {
  let low = 0
  let high = spans.length
  while (low < high) {
    const middle = (low + high) >> 1
    const span = spans[middle]
    if (span !== undefined && begins(span)) low = middle + 1
    else high = middle
  }
  return spans[low - 1]
}
