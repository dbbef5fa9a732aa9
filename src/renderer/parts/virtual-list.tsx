import type { ComponentChildren, HTMLAttributes } from 'preact'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { RowList } from '#shared/core/row-list.ts'
import { indexAt, type Laid, layOut, topOf } from './row-layout.ts'

interface Keyed {
  readonly key: string
}

interface Props<Row extends Keyed> {
  readonly rows: RowList<Row>
  /** Px. The same for all rows of a run. */
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
 * Draws the rows in sight of a list of any length: 10,000 rows cost about as much as 30. A row that
 * comes into sight takes the elements of one that left it, since making elements costs more than
 * filling them. When rows change order, what is in sight stays where it is, unless the list stands
 * at its top, where the worst must show.
 */
export function VirtualList<Row extends Keyed>(props: Props<Row>) {
  return <Scrolled {...props} />
}

/**
 * Draws itself anew while one scrolls. What is written inside an element keeps its first drawing
 * until the writer draws again, and by it all those since; what a component returns does not. So it
 * stands alone in one.
 */
function Scrolled<Row extends Keyed>(props: Props<Row>) {
  const { rows, heightOf, draw, scroll, attributes } = props
  const box = useRef<HTMLDivElement>(null)
  const laid = useMemo(() => layOut(rows, heightOf), [rows, heightOf])
  const { view, look } = useView(box, scroll)
  useKeptPlace(box, laid, props)
  useActiveInSight(box, laid, props)
  const first = Math.max(0, indexAt(laid, view.top) - overscan)
  // As many whatever their heights, so that each place in the ring of elements is taken once.
  const drawn = Math.ceil(view.height / laid.lowest) + 1 + 2 * overscan
  return (
    <div class="virtual-list" {...attributes} ref={box} onScroll={look}>
      <div class="virtual-rows" role="presentation" style={{ height: `${laid.height}px` }}>
        {rows.slice(first, first + drawn).map((row, offset) => (
          <div
            key={(first + offset) % drawn}
            class="virtual-row"
            role="presentation"
            style={{ top: `${topOf(laid, first + offset)}px`, height: `${heightOf(row)}px` }}
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
function useActiveInSight<Row extends Keyed>(
  box: { readonly current: HTMLDivElement | null },
  laid: Laid,
  { rows, activeKey }: Props<Row>,
): void {
  const shown = useRef<string | null>(null)
  useLayoutEffect(() => {
    const element = box.current
    const isNew = shown.current !== activeKey
    shown.current = activeKey
    if (element === null || activeKey === null || !isNew) return
    bringIntoSight(element, laid, rows.indexOf(activeKey))
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
function useKeptPlace<Row extends Keyed>(
  box: { readonly current: HTMLDivElement | null },
  laid: Laid,
  { rows, listKey, foldKey, activeKey, movedKey }: Props<Row>,
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
