import { useLayoutEffect, useRef } from 'preact/hooks'
import type { RowList } from '#shared/core/views/row-list.ts'
import { indexAt, type Laid, topOf } from './row-layout.ts'

export interface Keyed {
  readonly key: string
}

/** A list, and what of it has to be in sight. */
export interface Placed<Row extends Keyed> {
  readonly rows: RowList<Row>
  /** Brought into sight when it becomes another row, and left alone when the row itself moves. */
  readonly activeKey: string | null
  /** Another number brings it into sight again: one may have scrolled away from it. */
  readonly activeTimes: number
  /** The row the user just acted on: if it is the active one and in sight, it stays in sight. */
  readonly movedKey: string | null
  /** Another value is another list: it starts at its top. The same value keeps the place. */
  readonly listKey: string
  /** Another value is the user's own folding, after which nothing but the list's foot moves. */
  readonly foldKey: unknown
}

/** After every drawing, since an effect that waited for its key would keep the rows it was made with. */
export function useActiveInSight<Row extends Keyed>(
  box: { readonly current: HTMLDivElement | null },
  laid: Laid,
  { rows, activeKey, activeTimes }: Placed<Row>,
  look: () => void,
): void {
  const shown = useRef<{ key: string | null; times: number }>({ key: null, times: activeTimes })
  useLayoutEffect(() => {
    const element = box.current
    const isNew = shown.current.key !== activeKey || shown.current.times !== activeTimes
    shown.current = { key: activeKey, times: activeTimes }
    if (element === null || activeKey === null || !isNew) return
    bringIntoSight(element, laid, rows.indexOf(activeKey))
    look()
  })
}

function bringIntoSight(element: HTMLElement, laid: Laid, index: number): void {
  if (index < 0) return
  const top = topOf(laid, index)
  const bottom = topOf(laid, index + 1)
  if (top < element.scrollTop) element.scrollTop = top
  else if (bottom > element.scrollTop + element.clientHeight)
    element.scrollTop = bottom - element.clientHeight
}

function inSight(element: HTMLElement, laid: Laid, index: number): boolean {
  if (index < 0) return false
  const { scrollTop, clientHeight } = element
  return topOf(laid, index + 1) > scrollTop && topOf(laid, index) < scrollTop + clientHeight
}

/**
 * Moves the scroll position along with the rows in sight. One row is no good anchor, since it may be
 * the very one that moved to the top; the middle of all their shifts is what the eye sees as rest.
 */
export function useKeptPlace<Row extends Keyed>(
  box: { readonly current: HTMLDivElement | null },
  laid: Laid,
  { rows, listKey, foldKey, activeKey, movedKey }: Placed<Row>,
  look: () => void,
): void {
  const before = useRef({ rows, laid, listKey, foldKey })
  useLayoutEffect(() => {
    const element = box.current
    const old = before.current
    before.current = { rows, laid, listKey, foldKey }
    if (element === null || old.rows === rows) return
    const follows =
      movedKey !== null &&
      movedKey === activeKey &&
      inSight(element, old.laid, old.rows.indexOf(movedKey))
    if (old.listKey !== listKey) element.scrollTop = 0
    else if (old.foldKey === foldKey && element.scrollTop > 0) {
      const shift = middleShift(element, old, { rows, laid })
      if (shift !== 0) element.scrollTop += shift
    }
    if (follows) bringIntoSight(element, laid, rows.indexOf(movedKey))
    // What is in sight now is drawn before it is seen.
    look()
  }, [rows, listKey, foldKey])
}

interface Shown<Row> {
  readonly rows: RowList<Row>
  readonly laid: Laid
}

function middleShift<Row extends Keyed>(
  element: HTMLElement,
  old: Shown<Row>,
  next: Shown<Row>,
): number {
  const first = indexAt(old.laid, element.scrollTop)
  const last = indexAt(old.laid, element.scrollTop + element.clientHeight)
  const shifts: number[] = []
  for (const [offset, { key }] of old.rows.slice(first, last + 1).entries()) {
    const index = next.rows.indexOf(key)
    if (index >= 0) shifts.push(topOf(next.laid, index) - topOf(old.laid, first + offset))
  }
  shifts.sort((a, b) => a - b)
  return shifts[shifts.length >> 1] ?? 0
}
