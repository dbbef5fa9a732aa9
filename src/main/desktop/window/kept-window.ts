/**
 * How long a hidden window is kept. Showing it again takes a frame, while a new one takes a good part of
 * a second; but its page holds memory for as long as it is there, and most are not looked at for hours.
 */
const keptMs = 5 * 60_000

export interface KeptWindow {
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
