import { integer, maxValue, minValue, number, object, optional, pipe, safeParse } from 'valibot'

/** Device-independent pixels. Without x and y the desktop chooses (Wayland always does). */
export interface WindowPlace {
  readonly width: number
  readonly height: number
  readonly x?: number | undefined
  readonly y?: number | undefined
}

interface Area {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export const windowLimits = { minWidth: 360, maxWidth: 720, minHeight: 420 } as const
export const usualPlace: WindowPlace = { width: 420, height: 620 }

const coordinate = pipe(number(), integer(), minValue(-100_000), maxValue(100_000))
const saved = object({
  width: pipe(number(), integer(), minValue(1), maxValue(10_000)),
  height: pipe(number(), integer(), minValue(1), maxValue(10_000)),
  x: optional(coordinate),
  y: optional(coordinate),
})

/** Where the window was last, or the usual place when nothing sensible was kept. */
export function readPlace(document: unknown): WindowPlace {
  const read = safeParse(saved, document)
  return read.success ? read.output : usualPlace
}

/** The place within limits and inside the part of the screen that is free: screens come and go. */
export function fitted(place: WindowPlace, workArea: Area): WindowPlace {
  const width = within(place.width, windowLimits.minWidth, windowLimits.maxWidth)
  const height = within(place.height, windowLimits.minHeight, Math.max(workArea.height, 1))
  if (place.x === undefined || place.y === undefined) return { width, height }
  return {
    width,
    height,
    x: within(place.x, workArea.x, workArea.x + workArea.width - width),
    y: within(place.y, workArea.y, workArea.y + workArea.height - height),
  }
}

/** The lower limit wins when there is no room for both. */
function within(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value))
}

/**
 * How long a hidden window is kept. Showing it again takes a frame, while a new one takes a good part of
 * a second; but its page holds memory for as long as it is there, and most are not looked at for hours.
 */
const keptMs = 5 * 60_000

interface KeptWindow {
  hidden(): void
  shown(): void
}

/** Lets the window go after it was hidden for some minutes. What may not go yet is asked again later. */
export function keepForMinutes(parts: {
  /** False while something would be lost with it. */
  mayGo: () => boolean
  letGo: () => void
}): KeptWindow {
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = (): void => {
    if (parts.mayGo()) parts.letGo()
    else timer = setTimeout(look, keptMs)
  }
  return {
    hidden: () => {
      clearTimeout(timer)
      timer = setTimeout(look, keptMs)
      // Nothing that the app would have to live for.
      timer.unref()
    },
    shown: () => clearTimeout(timer),
  }
}
