import type { ComponentChildren, HTMLAttributes } from 'preact'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'

interface Props<Row> {
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** Px. Fixed for each kind of row, whatever is in it. */
  readonly heightOf: (row: Row) => number
  readonly draw: (row: Row, index: number) => ComponentChildren
  /** Brought into sight when it becomes another row, and left alone when the row itself moves. */
  readonly activeKey: string | null
  /** The row the user just acted on: if it is the active one and in sight, it stays in sight. */
  readonly movedKey: string | null
  /** Another value is another list: it starts at its top. The same value keeps the place. */
  readonly listKey: string
  /** Another value is the user's own folding, after which nothing but the list's foot moves. */
  readonly foldKey: unknown
  /** Where the list stood when it was last on the screen, and where to note it. */
  readonly scroll: { top: number }
  /** For the scrolling element itself, which is what holds the focus: role, name, keys. */
  readonly attributes: HTMLAttributes<HTMLDivElement>
}

/** Rows drawn beyond either edge: with fewer than one scrolls in a frame, blanks show through. */
const overscan = 14

/**
 * Draws the rows in sight of a list of any length. A plain array and the sums of its heights are all
 * it takes (10,000 rows cost about as much as 30). A row that comes into sight takes the elements of
 * one that left it, since making elements costs more than filling them. When rows change order, what
 * is in sight stays where it is, unless the list stands at its top, where the worst must show.
 */
export function VirtualList<Row>(props: Props<Row>) {
  const { rows, heightOf, draw, scroll, attributes } = props
  const box = useRef<HTMLDivElement>(null)
  const { tops, lowest } = useMemo(() => topsOf(rows, heightOf), [rows, heightOf])
  const { view, look } = useView(box, scroll)
  useKeptPlace(box, tops, props)
  useActiveInSight(box, tops, props)
  const first = Math.max(0, indexAt(tops, view.top) - overscan)
  // As many whatever their heights, so that each place in the ring of elements is taken once.
  const drawn = Math.ceil(view.height / lowest) + 1 + 2 * overscan
  return (
    <div class="virtual-list" {...attributes} ref={box} onScroll={look}>
      <div
        class="virtual-rows"
        role="presentation"
        style={{ height: `${tops[rows.length] ?? 0}px` }}
      >
        {rows.slice(first, first + drawn).map((row, offset) => (
          <div
            key={(first + offset) % drawn}
            class="virtual-row"
            role="presentation"
            style={{ top: `${tops[first + offset] ?? 0}px`, height: `${heightOf(row)}px` }}
          >
            {draw(row, first + offset)}
          </div>
        ))}
      </div>
    </div>
  )
}

interface View {
  /** Px. */
  readonly top: number
  readonly height: number
}

/**
 * What of the list is in sight. Nothing of the rows may be in scope here: the observer stays, and
 * would hold on to those of the first drawing.
 */
function useView(
  box: { readonly current: HTMLDivElement | null },
  scroll: { top: number },
): { readonly view: View; readonly look: () => void } {
  const [view, setView] = useState<View>({ top: scroll.top, height: 640 })
  const look = () => {
    const element = box.current
    if (element === null) return
    scroll.top = element.scrollTop
    setView({ top: element.scrollTop, height: element.clientHeight })
  }
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    element.scrollTop = scroll.top
    look()
    const sizes = new ResizeObserver(look)
    sizes.observe(element)
    return () => sizes.disconnect()
  }, [])
  return { view, look }
}

/** After every drawing, since an effect that waited for its key would keep the rows it was made with. */
function useActiveInSight<Row>(
  box: { readonly current: HTMLDivElement | null },
  tops: Float64Array,
  { rows, keyOf, activeKey }: Props<Row>,
): void {
  const shown = useRef<string | null>(null)
  useLayoutEffect(() => {
    const element = box.current
    const isNew = shown.current !== activeKey
    shown.current = activeKey
    if (element === null || activeKey === null || !isNew) return
    bringIntoSight(
      element,
      tops,
      rows.findIndex((row) => keyOf(row) === activeKey),
    )
  })
}

/** `tops[i]` is where row i begins; the last entry is the height of all. `lowest`: of a single row. */
function topsOf<Row>(
  rows: readonly Row[],
  heightOf: (row: Row) => number,
): { readonly tops: Float64Array; readonly lowest: number } {
  const tops = new Float64Array(rows.length + 1)
  let lowest = Number.POSITIVE_INFINITY
  let top = 0
  let index = 0
  for (const row of rows) {
    const height = heightOf(row)
    if (height < lowest) lowest = height
    top += height
    index += 1
    tops[index] = top
  }
  return { tops, lowest }
}

/** The row at this height, by halving. */
function indexAt(tops: Float64Array, y: number): number {
  let low = 0
  let high = Math.max(0, tops.length - 2)
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((tops[middle] ?? 0) <= y) low = middle
    else high = middle - 1
  }
  return low
}

function bringIntoSight(element: HTMLElement, tops: Float64Array, index: number): void {
  const top = tops[index]
  const bottom = tops[index + 1]
  if (top === undefined || bottom === undefined) return
  if (top < element.scrollTop) element.scrollTop = top
  else if (bottom > element.scrollTop + element.clientHeight)
    element.scrollTop = bottom - element.clientHeight
}

function inSight(element: HTMLElement, tops: Float64Array, index: number): boolean {
  const top = tops[index]
  const bottom = tops[index + 1]
  if (top === undefined || bottom === undefined) return false
  return bottom > element.scrollTop && top < element.scrollTop + element.clientHeight
}

/**
 * Moves the scroll position along with the rows in sight. One row is no good anchor, since it may be
 * the very one that moved to the top; the middle of all their shifts is what the eye sees as rest.
 */
function useKeptPlace<Row>(
  box: { readonly current: HTMLDivElement | null },
  tops: Float64Array,
  { rows, keyOf, listKey, foldKey, activeKey, movedKey }: Props<Row>,
): void {
  const before = useRef({ rows, tops, listKey, foldKey })
  useLayoutEffect(() => {
    const element = box.current
    const old = before.current
    before.current = { rows, tops, listKey, foldKey }
    if (element === null || old.rows === rows) return
    const indexIn = (list: readonly Row[]) => list.findIndex((row) => keyOf(row) === movedKey)
    const follows =
      movedKey !== null && movedKey === activeKey && inSight(element, old.tops, indexIn(old.rows))
    if (old.listKey !== listKey) element.scrollTop = 0
    else if (old.foldKey === foldKey && element.scrollTop > 0) {
      const shift = middleShift(element, old, { rows, tops }, keyOf)
      if (shift !== 0) element.scrollTop += shift
    }
    if (follows) bringIntoSight(element, tops, indexIn(rows))
  }, [rows, listKey, foldKey])
}

interface Laid<Row> {
  readonly rows: readonly Row[]
  readonly tops: Float64Array
}

function middleShift<Row>(
  element: HTMLElement,
  old: Laid<Row>,
  next: Laid<Row>,
  keyOf: (row: Row) => string,
): number {
  const first = indexAt(old.tops, element.scrollTop)
  const last = indexAt(old.tops, element.scrollTop + element.clientHeight)
  const seen = new Map<string, number>()
  for (const [offset, row] of old.rows.slice(first, last + 1).entries())
    seen.set(keyOf(row), old.tops[first + offset] ?? 0)
  const shifts: number[] = []
  let index = 0
  for (const row of next.rows) {
    const was = seen.get(keyOf(row))
    if (was !== undefined) shifts.push((next.tops[index] ?? 0) - was)
    index += 1
  }
  shifts.sort((a, b) => a - b)
  return shifts[shifts.length >> 1] ?? 0
}
