import { useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

/** Nearer to the end than this counts as being there. */
const slackPx = 24

interface Parts {
  /** Ids of the messages shown, ascending. */
  readonly ids: readonly number[]
  readonly echoes: number
  readonly firstNewId: number | null
  /** The message to bring into view, once it is there; `request` tells two wishes for it apart. */
  readonly wanted: { readonly messageId: number; readonly request: number } | null
  /** The newest messages are all there: the first place to stand can be chosen. */
  readonly ready: boolean
}

interface ColumnScroll {
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly onScroll: () => void
  /** Messages that came below while one was reading further up. */
  readonly below: number
  readonly toBottom: () => void
  /** The message that was asked for, for one flash. */
  readonly flashId: number | null
}

interface Anchor {
  readonly element: Element
  readonly top: number
}

/**
 * Where the column stands. At the bottom it stays at the bottom, whatever comes; further up, the
 * line that is read stays where it is, whatever is put above or below it.
 */
export function useColumnScroll({ ids, echoes, firstNewId, wanted, ready }: Parts): ColumnScroll {
  const scroller = useRef<HTMLDivElement>(null)
  const atBottom = useRef(true)
  const anchor = useRef<Anchor | null>(null)
  const placed = useRef(false)
  const done = useRef(-1)
  const lastEchoes = useRef(echoes)
  const seenId = useSignal(ids.at(-1) ?? 0)
  const flashId = useSignal<number | null>(null)

  const note = (): void => {
    const column = scroller.current
    if (column === null) return
    atBottom.current = column.scrollHeight - column.scrollTop - column.clientHeight < slackPx
    anchor.current = topmost(column)
    if (atBottom.current) seenId.value = ids.at(-1) ?? 0
  }
  const toBottom = (): void => {
    const column = scroller.current
    if (column !== null) column.scrollTop = column.scrollHeight
    note()
  }
  useLayoutEffect(() => {
    const column = scroller.current
    if (column === null) return
    // One's own message is always followed to the end.
    if (echoes > lastEchoes.current) atBottom.current = true
    lastEchoes.current = echoes
    const target =
      wanted !== null && wanted.request !== done.current
        ? column.querySelector(`[data-message="${wanted.messageId}"]`)
        : null
    if (target !== null && wanted !== null) {
      done.current = wanted.request
      placed.current = true
      target.scrollIntoView({ block: 'center' })
      flashId.value = wanted.messageId
      note()
    } else if (!placed.current && ready) {
      placed.current = true
      placeFirst(column)
      seenId.value = firstNewId === null ? (ids.at(-1) ?? 0) : firstNewId - 1
      note()
    } else if (atBottom.current) toBottom()
    else keep(column, anchor.current)
  })
  useEffect(() => {
    const column = scroller.current
    if (column === null) return
    // The composer grows, the window shrinks: the end stays in sight.
    const watch = new ResizeObserver(() => {
      if (atBottom.current) column.scrollTop = column.scrollHeight
    })
    watch.observe(column)
    return () => watch.disconnect()
  }, [])

  // At the bottom all are seen, even before the column stands there again.
  const seen = seenId.value
  const below = atBottom.current ? 0 : ids.filter((id) => id > seen).length
  return { scroller, onScroll: note, below, toBottom, flashId: flashId.value }
}

/** The end, or the mark before the first new message if that would be out of sight above. */
function placeFirst(column: HTMLElement): void {
  column.scrollTop = column.scrollHeight
  const mark = column.querySelector('.new-divider')
  if (mark === null) return
  const above = column.getBoundingClientRect().top - mark.getBoundingClientRect().top
  if (above > 0) column.scrollTop -= above
}

function topmost(column: HTMLElement): Anchor | null {
  const edge = column.getBoundingClientRect().top
  for (const element of column.querySelectorAll('[data-message]')) {
    const box = element.getBoundingClientRect()
    if (box.bottom > edge) return { element, top: box.top - edge }
  }
  return null
}

function keep(column: HTMLElement, anchor: Anchor | null): void {
  if (anchor === null || !anchor.element.isConnected) return
  const top = anchor.element.getBoundingClientRect().top - column.getBoundingClientRect().top
  column.scrollTop += top - anchor.top
}
