import { Component, type ComponentChildren, type HTMLAttributes } from 'preact'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { RowList } from '#shared/core/views/row-list.ts'
import { onceShown } from './once-shown.ts'

interface Props<Row extends Keyed> extends Placed<Row> {
  /** Px, the same for all rows of a run. */
  readonly heightOf: (row: Row) => number
  readonly draw: (row: Row, index: number) => ComponentChildren
  /** The scroll position, which outlives the list. */
  readonly scroll: { top: number }
  /** For the scrolling element, which takes the focus: role, name, keys. */
  readonly attributes: HTMLAttributes<HTMLDivElement>
}

/** Rows drawn beyond either edge: with fewer, scrolling shows blanks. */
const overscan = 14
/** Rows beyond the edges are drawn after this many ms at the latest. */
const beyondMs = 100
/** Scrolling has ended after this many ms without a scroll. */
const restMs = 150

/**
 * Draws only the visible rows of a list: 10,000 rows cost about as much as 30. A row that scrolls
 * into view reuses the elements of one that left, since creating elements costs more than filling
 * them. When rows change order, the visible ones stay in place, unless the list is scrolled to its
 * top, where the worst must show.
 */
export function VirtualList<Row extends Keyed>(props: Props<Row>) {
  return <Scrolled {...props} />
}

/**
 * Renders again on every scroll. It is a component of its own to save memory: JSX written inside an
 * element would retain its first rendering, and through it all later ones, until the component that
 * wrote it renders again. What a component returns is not retained.
 */
function Scrolled<Row extends Keyed>(props: Props<Row>) {
  const { rows, heightOf, draw, scroll, attributes } = props
  const box = useRef<HTMLDivElement>(null)
  const laid = useMemo(() => layOut(rows, heightOf), [rows, heightOf])
  const { view, look } = useView(box, scroll)
  const stage = useInSightFirst(rows, view.top)
  const first = Math.max(0, indexAt(laid, view.top) - overscan)
  const ring = useRing(Math.ceil(view.height / laid.lowest) + 1 + 2 * overscan)
  const base = useRest(first)
  useKeptPlace(box, laid, props, look)
  useActiveInSight(box, laid, props, look)
  const inSight = { from: indexAt(laid, view.top), to: indexAt(laid, view.top + view.height) }
  const drawn: ComponentChildren[] = []
  for (let n = 0; n < ring; n += 1) {
    const place = (base + n) % ring
    const index = first + ((((place - first) % ring) + ring) % ring)
    const row = rows.at(index)
    const isInSight = index >= inSight.from && index <= inSight.to
    if (row === undefined || (stage === 'first' && !isInSight)) continue
    drawn.push(
      <div
        key={place}
        class="virtual-row"
        role="presentation"
        style={`top:${topOf(laid, index)}px;height:${heightOf(row)}px`}
      >
        <Drawn row={row} index={index} draw={draw} waits={stage !== 'all' && !isInSight} />
      </div>,
    )
  }
  return (
    <div class="virtual-list" {...attributes} ref={box} onScroll={look}>
      <div class="virtual-rows" role="presentation" style={`height:${laid.height}px`}>
        {drawn}
      </div>
    </div>
  )
}

interface DrawnProps<Row extends Keyed> extends Pick<Props<Row>, 'draw'> {
  readonly row: Row
  readonly index: number
  /** It is out of view and doesn't have to be rendered yet. */
  readonly waits: boolean
}

/**
 * A row, rendered again only for another row or another `draw`. It does not subscribe to signals
 * that `draw` reads: the list's owner does, or a component below.
 */
class Drawn<Row extends Keyed> extends Component<DrawnProps<Row>> {
  /** The props last rendered; `this.props` may be newer. */
  #last: DrawnProps<Row> | null = null

  override shouldComponentUpdate({ row, index, draw, waits }: DrawnProps<Row>): boolean {
    const last = this.#last
    if (last?.index !== index) return true
    return !waits && (last.row !== row || last.draw !== draw)
  }

  override render(props: DrawnProps<Row>) {
    this.#last = props
    return props.draw(props.row, props.index)
  }
}

interface Drawing {
  readonly rows: unknown
  /** `first`: nothing was drawn yet. */
  readonly stage: 'first' | 'inSight' | 'all'
}

/** Draws new rows in view at once, and those out of view once the page is idle or scrolled. */
function useInSightFirst(rows: unknown, top: number): Drawing['stage'] {
  const [, drawAgain] = useState(0)
  const known = useRef<Drawing & { readonly top: number }>({ rows, stage: 'first', top })
  const { current } = known
  if (current.top !== top) known.current = { rows, stage: 'all', top }
  else if (current.rows !== rows)
    known.current = { rows, stage: current.stage === 'first' ? 'first' : 'inSight', top }
  const isAll = known.current.stage === 'all'
  useLayoutEffect(() => {
    if (isAll) return
    return onceShown(() => {
      known.current = { ...known.current, stage: 'all' }
      drawAgain((times) => times + 1)
    }, beyondMs)
  }, [isAll])
  return known.current.stage
}

/** How many elements the rows share. Never shrinks: every row would move to another element. */
function useRing(wanted: number): number {
  const ring = useRef(0)
  ring.current = Math.max(ring.current, Number.isFinite(wanted) ? wanted : 0)
  return ring.current
}

/**
 * Index of the row whose element comes first in the DOM. While the list scrolls, the elements stay
 * where they are, since moving them costs layout; afterwards they are put into reading order.
 */
function useRest(first: number): number {
  const [base, setBase] = useState(first)
  const now = useRef(first)
  now.current = first
  const isAway = base !== first
  useLayoutEffect(() => {
    if (!isAway) return
    let last = now.current
    const timer = setInterval(() => {
      if (now.current === last) setBase(last)
      last = now.current
    }, restMs)
    return () => clearInterval(timer)
  }, [isAway])
  return base
}

/**
 * Which part of the list is in view, in px. No rows may be in scope here: the observer would retain
 * those of the first render.
 */
function useView(box: Box, scroll: { top: number }) {
  const [view, setView] = useState({ top: scroll.top, height: 0 })
  const look = () => {
    const element = box.current
    if (element === null) return
    const { scrollTop: top, clientHeight: height } = element
    scroll.top = top
    setView((last) => (last.top === top && last.height === height ? last : { top, height }))
  }
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    if (scroll.top > 0) element.scrollTop = scroll.top
    // A layout without rows costs less than drawing them twice, first for a guessed height.
    look()
    const sizes = new ResizeObserver(look)
    sizes.observe(element)
    return () => sizes.disconnect()
  }, [])
  return { view, look }
}

interface Keyed {
  readonly key: string
}

type Box = { readonly current: HTMLDivElement | null }

/** A list, and which of its rows must be in view. */
interface Placed<Row extends Keyed> {
  readonly rows: RowList<Row>
  /** Scrolled into view when another row becomes active, but not when the active row moves. */
  readonly activeKey: string | null
  /** A new number scrolls the active row into view again. */
  readonly activeTimes: number
  /** The row the user just acted on: if it is the active one and in view, it stays in view. */
  readonly movedKey: string | null
  /** A new value means a new list, which starts at its top. */
  readonly listKey: string
  /** A new value means that the user folded rows: only the rows below them move. */
  readonly foldKey: unknown
}

/** Runs after every render: an effect with dependencies would retain the rows it started with. */
function useActiveInSight<Row extends Keyed>(
  box: Box,
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
 * Moves the scroll position along with the visible rows. A single row is a bad anchor, since it may
 * be the one that moved; the median of all their shifts looks steady.
 */
function useKeptPlace<Row extends Keyed>(
  box: Box,
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
      const shift = medianShift(element, old, { rows, laid })
      if (shift !== 0) element.scrollTop += shift
    }
    if (follows) bringIntoSight(element, laid, rows.indexOf(movedKey))
    // Draws what is in view now before it is painted.
    look()
  }, [rows, listKey, foldKey])
}

interface Shown {
  readonly rows: RowList<Keyed>
  readonly laid: Laid
}

function medianShift(element: HTMLElement, old: Shown, next: Shown): number {
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

/** Where the rows of a list are, in px: one span for each run of rows of equal height. */
interface Laid {
  readonly spans: readonly Span[]
  /** How many rows there are. */
  readonly count: number
  readonly height: number
  /** The smallest height of a row. */
  readonly lowest: number
}

interface Span {
  /** Index of its first row, and the offset at which that row begins. */
  readonly first: number
  readonly top: number
  readonly rowHeight: number
}

function layOut<Row>(rows: RowList<Row>, heightOf: (row: Row) => number): Laid {
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

/** The offset at which a row begins; for the index after the last, the height of the list. */
function topOf(laid: Laid, index: number): number {
  const span = lastSpan(laid, (one) => one.first <= index)
  return span === undefined ? 0 : span.top + (index - span.first) * span.rowHeight
}

/** Index of the row at this offset, or of the last row if the offset is below all rows. */
function indexAt(laid: Laid, y: number): number {
  const span = lastSpan(laid, ({ top }) => top <= y)
  if (span === undefined) return 0
  return Math.min(laid.count - 1, span.first + Math.floor((y - span.top) / span.rowHeight))
}

/** The last span that `begins` accepts, found by binary search. */
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
