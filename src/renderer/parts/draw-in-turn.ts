import { signal } from '@preact/signals'
import type { ComponentChildren, RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Room } from './room.ts'

/** Room that a text gets before anything was measured: the most expensive script takes some 25 ms. */
const firstRoom = 500
/** Parsing so many characters takes as long as drawing one. */
const lengthOfUnit = 64
/** Room that several texts together get between two measurements: far more than a view of usual ones. */
const mostAtOnce = 3_000
/** Room that a text gets without being asked for more: far above what people write. */
const mostUnasked = 12_000
/** A turn ends once it took so long; the window can respond before the next one. */
const turnMs = 30
/** Texts out of view are left until they come into view after a turn that took so long. */
const longTurnMs = 60
/** What the next part of a text may take, by what the last one took: unasked, and if asked for. */
const longestPartMs = { unasked: 25, asked: 100 } as const
/** How long the next turn waits for the window to be idle. */
const longestWaitMs = 200

/** How many times something was drawn after having to wait, each of which may move what is around it. */
export const drawnLate = signal(0)

/** Room that was used in this turn by what was not measured, and since when. */
let used = 0
let usedSince = 0
let isScheduled = false
/** Whether what is out of view is drawn as well. */
let isQuick = true
const waiting = new Set<Part>()

/** Starts a turn: everything drawn before is on the page. */
export function beginTurn(): void {
  used = 0
  isQuick = true
}

function afterFrame(run: () => void): void {
  requestAnimationFrame(() => setTimeout(run))
}

/** Adds to what was drawn in this turn without being measured. */
function charge(room: number): void {
  if (used === 0) {
    usedSince = performance.now()
    afterFrame(beginTurn)
  }
  used += room
}

/** A text that is drawn part by part. */
interface Part {
  readonly place: RefObject<Element | null>
  /** Whether a part of it is on the page. */
  readonly isDrawn: () => boolean
  /** Of the next step. */
  readonly cost: () => number
  /** Draws the next step at the next render, which it asks for. */
  readonly step: () => void
  /** What it took of the last measurement, in ms for each unit of room. */
  readonly took: (msPerUnit: number) => void
}

/** Before the next frame if it comes from a render, else as soon as the window is idle. */
function schedule(when: 'now' | 'idle'): void {
  if (isScheduled || waiting.size === 0) return
  isScheduled = true
  const run = (): void => {
    const before = drawnLate.value
    void turn().finally(() => {
      isScheduled = false
      if (waiting.size === 0) return
      if (inOrder().length > 0) schedule('idle')
      // The browser may scroll along with what was drawn: then what was moved out of view is back
      // with the next frame, and never enters it.
      else if (drawnLate.value > before) afterFrame(() => schedule('idle'))
    })
  }
  if (when === 'now') queueMicrotask(run)
  else {
    const runIdle = (): void => {
      // What was drawn before is on the page, or the page is hidden and draws no frame.
      used = 0
      run()
    }
    requestIdleCallback(runIdle, { timeout: longestWaitMs })
  }
}

/** What is in view first, and of that the last: a long column is read at its end. */
function inOrder(): readonly Part[] {
  const placed = [...waiting].flatMap((part) => {
    const box = part.place.current?.getBoundingClientRect()
    if (box === undefined) return []
    const isInView = box.bottom >= 0 && box.top <= window.innerHeight && box.width > 0
    return isInView || isQuick ? [{ part, isInView, top: box.top }] : []
  })
  return placed
    .sort((one, other) => Number(other.isInView) - Number(one.isInView) || other.top - one.top)
    .map(({ part }) => part)
}

/**
 * Draws step after step and measures each, layout included, until nothing waits or the turn took
 * its time. No estimate is needed of what a text costs: whatever the reason, what takes long stops.
 */
async function turn(): Promise<void> {
  const began = performance.now()
  let last = began
  while (last - began < turnMs) {
    // What was drawn without being measured belongs to this turn, and its layout may have taken long.
    const isLong = used > 0 && last - usedSince > turnMs
    let cost = 0
    const batch = inOrder().filter((part) => {
      if (isLong && part.isDrawn()) return false
      const isFirst = cost === 0
      cost += part.cost()
      return isFirst || cost <= mostAtOnce
    })
    const [first] = batch
    if (first === undefined) return
    const costs = batch.map((part) => part.cost())
    for (const part of batch) {
      waiting.delete(part)
      part.step()
    }
    // Preact renders in a microtask that was asked for before this one.
    await Promise.resolve()
    drawnLate.value += 1
    await Promise.resolve()
    first.place.current?.getBoundingClientRect()
    const now = performance.now()
    const msPerUnit = (now - last) / costs.reduce((sum, one) => sum + one, 1)
    last = now
    for (const part of batch) part.took(msPerUnit)
  }
  isQuick &&= last - began < longTurnMs
}

export interface Drawn {
  readonly content: ComponentChildren
  /** `part` if the next one comes only by `more`, `grows` if it comes by itself. */
  readonly state: 'waits' | 'grows' | 'part' | 'whole'
  readonly more: () => void
}

interface Made {
  readonly inputs: readonly unknown[]
  readonly room: number
  readonly content: ComponentChildren
  readonly isCut: boolean
}

/**
 * Draws what a stranger wrote, part by part: `draw` fills the room it is given, and is called again
 * with three times as much, as long as that takes little time. What doesn't fit then comes by `more`.
 * `inputs` are what it depends on, always as many: when one changes, what was drawn stays until it
 * is its turn again. `unread` is the length of what has to be parsed first.
 */
export function useInTurn(
  place: RefObject<Element | null>,
  inputs: readonly unknown[],
  draw: (room: Room) => ComponentChildren,
  unread = 0,
): Drawn {
  const made = useRef<Made | null>(null)
  const [steps] = useState(() => ({ granted: 0, msPerUnit: 0 }))
  const [, render] = useState(0)
  const isMade = (): boolean => made.current?.inputs.every((one, at) => one === inputs[at]) === true
  const reading = made.current === null ? unread / lengthOfUnit : 0
  const before = made.current?.room ?? firstRoom
  const isAtOnce = steps.granted === 0 && !isMade()
  // Most elements take at least ten characters of HTML, so twice its length is enough room.
  const needed = reading + (unread === 0 ? before : Math.min(before, 2 * unread))
  if (isAtOnce && (used === 0 || used + needed <= mostAtOnce)) steps.granted = before
  if (steps.granted > 0) {
    const given = new Room(steps.granted)
    const content = draw(given)
    if (isAtOnce) charge(given.used + reading)
    made.current = { inputs, room: steps.granted, content, isCut: given.isCut }
    steps.granted = 0
  }
  const room = made.current?.room ?? firstRoom
  // The first part may not have been measured: the second shows what such a text takes.
  const next = Math.min(steps.msPerUnit === 0 ? 2 * room : 3 * room, mostUnasked)
  const isCut = made.current?.isCut === true
  const isQuickEnough = steps.msPerUnit * (next - room) <= longestPartMs.unasked
  const grows = isCut && next > room && isQuickEnough
  const waits = !isMade() || grows
  useLayoutEffect(() => {
    if (!waits || place.current === null) return
    const part: Part = {
      place,
      isDrawn: () => made.current !== null,
      cost: () => (isMade() ? next - room : room + reading),
      step: () => {
        steps.granted = isMade() ? next : room
        render((times) => times + 1)
      },
      took: (msPerUnit) => {
        steps.msPerUnit = msPerUnit
        // It may turn out not to grow by itself.
        render((times) => times + 1)
      },
    }
    waiting.add(part)
    schedule('now')
    const watch = new IntersectionObserver(() => schedule('idle'))
    watch.observe(place.current)
    return () => {
      watch.disconnect()
      waiting.delete(part)
    }
  }, [waits, made.current, ...inputs])
  const more = (): void => {
    const affordable = longestPartMs.asked / Math.max(steps.msPerUnit, Number.EPSILON)
    steps.granted = room + Math.min(mostUnasked, Math.max(firstRoom, Math.round(affordable)))
    render((times) => times + 1)
  }
  const state = made.current === null ? 'waits' : grows ? 'grows' : isCut ? 'part' : 'whole'
  return { content: made.current?.content, state, more }
}
