/** Consecutive rows of the same kind, which all have the same height. */
export interface RowRun<Row> {
  /** At least 1. */
  readonly count: number
  readonly at: (place: number) => Row
  /** The index of the row with this key, or -1. */
  readonly placeOf: (key: string) => number
}

/**
 * A list whose rows are created on demand: of 10,000 checks about 50 are visible. The same index always
 * returns the same row object.
 */
export class RowList<Row> {
  readonly runs: readonly RowRun<Row>[]
  readonly length: number
  /** The index of each run's first row. */
  readonly #firsts: readonly number[]
  readonly #made = new Map<number, Row>()

  constructor(runs: readonly RowRun<Row>[]) {
    this.runs = runs
    let length = 0
    this.#firsts = runs.map(({ count }) => {
      length += count
      return length - count
    })
    this.length = length
  }

  at(index: number): Row | undefined {
    const known = this.#made.get(index)
    if (known !== undefined || index < 0 || index >= this.length) return known
    let [run, end] = [0, this.runs.length]
    while (end - run > 1) {
      const middle = (run + end) >> 1
      if ((this.#firsts[middle] ?? 0) <= index) run = middle
      else end = middle
    }
    const row = this.runs[run]?.at(index - (this.#firsts[run] ?? 0))
    if (row !== undefined) this.#made.set(index, row)
    return row
  }

  slice(from: number, to: number): readonly Row[] {
    const rows: Row[] = []
    for (let index = from; index < Math.min(to, this.length); index += 1) {
      const row = this.at(index)
      if (row !== undefined) rows.push(row)
    }
    return rows
  }

  /** -1 if no row has this key. */
  indexOf(key: string | null): number {
    if (key === null) return -1
    let first = 0
    for (const run of this.runs) {
      const place = run.placeOf(key)
      if (place >= 0) return first + place
      first += run.count
    }
    return -1
  }

  *[Symbol.iterator](): Generator<Row> {
    for (let index = 0; index < this.length; index += 1) yield* this.slice(index, index + 1)
  }
}

/** A run of rows that already exist. */
export function madeRun<Row extends { readonly key: string }>(rows: readonly Row[]): RowRun<Row> {
  return {
    count: rows.length,
    at: (place) => {
      const row = rows[place]
      if (row === undefined) throw new RangeError(`no row at ${place} of ${rows.length}`)
      return row
    },
    placeOf: (key) => rows.findIndex((row) => row.key === key),
  }
}
