import { signal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

/** The most work, as in `message-cost.ts`, that is drawn before the window can respond again. */
const mostAtOnce = 1_500
/** How long a message waits for the window to be idle. */
const longestWaitMs = 200

let done = 0
const waiting = new Set<() => void>()

/** How many messages were drawn after having to wait, each of which may move what is around it. */
export const drawnLate = signal(0)

/** Starts a turn: everything drawn before is on the page. */
export function beginTurn(): void {
  done = 0
}

/** Adds to the work of the current turn, which ends after the next frame. */
export function charge(work: number): void {
  if (done === 0) requestAnimationFrame(() => setTimeout(beginTurn))
  done += work
}

function mayDraw(work: number): boolean {
  if (done > 0 && done + work > mostAtOnce) return false
  charge(work)
  return true
}

function drawNext(): void {
  // The last one first: a long column is read at its end.
  const next = [...waiting].at(-1)
  if (next === undefined) return
  waiting.delete(next)
  next()
  drawLater()
}

function drawLater(): void {
  if (waiting.size > 0) requestIdleCallback(drawNext, { timeout: longestWaitMs })
}

interface Work<T> {
  /** What the result depends on; always the same number of values. */
  readonly inputs: readonly unknown[]
  readonly estimated: number
  readonly make: () => T
}

/**
 * Returns `make()` for these inputs. If too much was drawn in this turn, it waits until `place` is
 * in view and the window is idle, one message at a time; until then it returns the result for the
 * previous inputs, or null.
 */
export function useInTurn<T>(place: RefObject<Element | null>, work: Work<T>): T | null {
  const { inputs, estimated, make } = work
  const made = useRef<{ readonly inputs: readonly unknown[]; readonly value: T } | null>(null)
  const isTurn = useRef(false)
  const [, draw] = useState(0)
  const isMade = (): boolean => made.current?.inputs.every((one, at) => one === inputs[at]) === true
  if (!isMade() && (isTurn.current || mayDraw(estimated))) made.current = { inputs, value: make() }
  const isLate = isTurn.current
  isTurn.current = false
  const waits = !isMade()
  // Once it is on the page: only then can the column correct what has moved.
  useLayoutEffect(() => {
    if (isLate) drawnLate.value += 1
  })
  useEffect(() => {
    if (!waits || place.current === null) return
    const turn = (): void => {
      isTurn.current = true
      draw((times) => times + 1)
    }
    const watch = new IntersectionObserver((seen) => {
      if (seen.at(-1)?.isIntersecting !== true) waiting.delete(turn)
      else {
        waiting.add(turn)
        if (waiting.size === 1) drawLater()
      }
    })
    watch.observe(place.current)
    return () => {
      watch.disconnect()
      waiting.delete(turn)
    }
  }, [waits, ...inputs])
  return made.current?.value ?? null
}
