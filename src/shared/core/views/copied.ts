import { withoutSecrets } from '../secrets.ts'

/** What goes to the clipboard. */
export interface Copied {
  readonly text: string
  /** How many items it contains. */
  readonly count: number
}

/** Characters, fewer than main takes for the clipboard. */
const longest = 90_000

/** The lines of as many items as fit into the clipboard. */
export function fitting<T>(items: readonly T[], lineOf: (item: T) => string): readonly string[] {
  const lines: string[] = []
  let length = 0
  for (const item of items) {
    const line = lineOf(item)
    length += line.length + 20
    if (length > longest) break
    lines.push(line)
  }
  return lines
}

/** Comma-separated values (RFC 4180). */
export function csvText(columns: readonly string[], records: readonly string[]): string {
  return `${[columns.join(','), ...records].join('\r\n')}\r\n`
}

/** A spreadsheet takes what begins with one of these signs, as typed or full-width, for a formula. */
const formula = /^\s*[=+\-@＝＋－＠|%]/

/** One line. No cell is a formula to a spreadsheet, and none has a secret. */
export function csvRecord(cells: readonly string[]): string {
  return cells.map(cell).join(',')
}

function cell(text: string): string {
  // One line: other programs end a record at any line break.
  const plain = withoutSecrets(text).replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
  return `"${formula.test(plain) ? "'" : ''}${plain.replaceAll('"', '""')}"`
}
