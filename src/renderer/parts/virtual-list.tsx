import { Component, type ComponentChildren, type HTMLAttributes } from 'preact'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { RowList } from '#shared/core/views/row-list.ts'
import { onceShown } from './once-shown.ts'

interface Props<Row extends Keyed> extends Placed<Row> {
  /** Px. The same for all rows of a run. */
  readonly heightOf: (row: Row) => number
  readonly draw: (row: Row, index: number) => ComponentChildren
  /** Where the list stood when it was last on the screen, and where to note it. */
  readonly scroll: { top: number }
  /** For the scrolling element itself, which is what holds the focus: role, name, keys. */
  readonly attributes: HTMLAttributes<HTMLDivElement>
}

/** Rows drawn beyond either edge: with fewer than one scrolls in a frame, blanks show through. */
const overscan = 14
/** Rows beyond the edges wait no longer than this many ms: one may scroll to them. */
const beyondMs = 100
/** The list rests when this many ms brought no scroll. */
const restMs = 150

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

interface DrawnProps<Row extends Keyed> {
  readonly row: Row
  readonly index: number
  readonly draw: Props<Row>['draw']
  /** It is out of sight and may stay as it is for now. */
  readonly waits: boolean
}

/**
 * A row, drawn anew only where it is another one or draws itself differently. Signals that `draw` itself
 * reads are not noticed here: the list's owner reads them, or a component below.
 */
class Drawn<Row extends Keyed> extends Component<DrawnProps<Row>> {
  /** Not `this.props`, which are also those that were not drawn. */
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
  /** `first`: nothing stands there yet. */
  readonly stage: 'first' | 'inSight' | 'all'
}

/**
 * Rows that just came are drawn where they are in sight, and beyond its edges when nothing else is
 * to do, or when one scrolls.
 */
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

/** How many elements the rows take turns in. Never fewer than before: all rows would change theirs. */
function useRing(wanted: number): number {
  const ring = useRef(0)
  ring.current = Math.max(ring.current, Number.isFinite(wanted) ? wanted : 0)
  return ring.current
}

/**
 * The row from which on the elements stand in the page's order: while one scrolls they stay where
 * they are, since moving them costs layout; at rest they are in the order of the rows, as they are read.
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
  const [view, setView] = useState<View>({ top: scroll.top, height: 0 })
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
    // The page is laid out for it once more, without rows: less than drawing them by a guess and then anew.
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

/** A list, and what of it has to be in sight. */
interface Placed<Row extends Keyed> {
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
function useActiveInSight<Row extends Keyed>(
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
function useKeptPlace<Row extends Keyed>(
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

/** Where the rows of a list stand, all heights in px. Runs of rows are all it takes. */
interface Laid {
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

/** Where a row begins; that of the one after the last is the height of all. */
function topOf(laid: Laid, index: number): number {
  const span = lastSpan(laid, (one) => one.first <= index)
  return span === undefined ? 0 : span.top + (index - span.first) * span.rowHeight
}

/** The row at this height; the last one below all of them. */
function indexAt(laid: Laid, y: number): number {
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
