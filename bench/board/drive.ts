import type { Check } from '#shared/core/checks/check.ts'
import { checksOf, nextOf } from './rows.ts'
import { frame, task, timed, typeInto } from './timed.ts'

/**
 * A list of checks under test. `Message` is what main would send; it is cloned as it would be on
 * its way to the window, so that no objects are shared.
 */
export interface Contender<Message> {
  /** `before` is null at first. Not part of the measured time, and neither is the cloning. */
  message(checks: readonly Check[], before: readonly Check[] | null): Message
  mount(root: HTMLElement, first: Message): void
  apply(next: Message): void
}

/** What the bench can ask of a page. */
export interface Driven {
  /** Ms from the task that receives the data to the layout that shows it. */
  mount(count: number): Promise<number>
  /** The same for an update in which every check has changed; one number for each update. */
  apply(turns: number): Promise<readonly number[]>
  /** The visible rows from top to bottom: "name: status". */
  rows(): readonly string[]
  scroll(frames: number): Promise<Scrolled>
  /** Releases what only the bench holds. */
  forget(): void
  /** Ms from each keystroke in the field to the layout that shows what it found. */
  type(field: string, text: string): Promise<readonly number[]>
}

interface Scrolled {
  /** Ms of work in each frame: events, drawing, layout, paint. */
  readonly busy: readonly number[]
  /** Ms between frames. */
  readonly gaps: readonly number[]
  /** Places in the list that showed no row. */
  readonly blanks: number
  readonly px: number
}

declare global {
  interface Window {
    bench: Driven
  }
}

/** Px: ten rows of a check that is up. */
const pxPerFrame = 320

export function drive<Message>(contender: Contender<Message>): void {
  let checks: readonly Check[] = []
  let turns = 0
  window.bench = {
    mount(count) {
      checks = checksOf(count)
      const first = structuredClone(contender.message(checks, null))
      return timed(() => contender.mount(rootElement(), first))
    },
    async apply(times) {
      const taken: number[] = []
      for (let n = 0; n < times; n += 1) {
        turns += 1
        const next = nextOf(checks, turns)
        const message = structuredClone(contender.message(next, checks))
        checks = next
        taken.push(await timed(() => contender.apply(message)))
      }
      return taken
    },
    rows: rowsInSight,
    forget() {
      checks = []
    },
    scroll,
    type: typeInto,
  }
}

async function scroll(frames: number): Promise<Scrolled> {
  const list = listElement()
  const busy: number[] = []
  const gaps: number[] = []
  let blanks = 0
  let last = 0
  let heardAt = 0
  // Registered before the list's own listener: a frame's work begins with its events.
  const heard = () => {
    heardAt = performance.now()
  }
  document.addEventListener('scroll', heard, { capture: true })
  list.scrollTop = 0
  await frame()
  const from = list.scrollTop
  for (let n = 0; n < frames; n += 1)
    await new Promise<void>((resolve) =>
      requestAnimationFrame((at) => {
        if (last > 0) gaps.push(at - last)
        last = at
        const began = heardAt > 0 ? heardAt : performance.now()
        heardAt = 0
        list.scrollTop += pxPerFrame
        void task().then(() => {
          busy.push(performance.now() - began)
          if (n % 4 === 0) blanks += blanksIn(list)
          resolve()
        })
      }),
    )
  document.removeEventListener('scroll', heard, { capture: true })
  return { busy, gaps, blanks, px: list.scrollTop - from }
}

function blanksIn(list: HTMLElement): number {
  const { left, top, height } = list.getBoundingClientRect()
  return [5, height / 2, height - 5].filter((y) => {
    const row = document.elementFromPoint(left + 60, top + y)?.closest('.board-row')
    return (row?.querySelector('.check-name')?.textContent ?? '') === ''
  }).length
}

function rowsInSight(): readonly string[] {
  const { top, bottom } = listElement().getBoundingClientRect()
  return [...document.querySelectorAll<HTMLElement>('.check-line')]
    .map((line) => ({ line, box: line.getBoundingClientRect() }))
    .filter(({ box }) => box.height > 0 && box.bottom > top && box.top < bottom)
    .sort((one, other) => one.box.top - other.box.top)
    .map(({ line }) => {
      const words = line.querySelector('.check-status')?.textContent ?? ''
      const [status = ''] = words.split(/[ :,]/)
      return `${line.querySelector('.check-name')?.textContent}: ${status}`
    })
}

function listElement(): HTMLElement {
  const list = document.querySelector<HTMLElement>('.virtual-list')
  if (list === null) throw new Error('no list')
  return list
}

function rootElement(): HTMLElement {
  const root = document.getElementById('app')
  if (root === null) throw new Error('no root')
  return root
}
