import { execFileSync } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import type { Picture } from '../../src/main/desktop/tray/drawing.ts'

/** A user's view of and input to an X screen. Needs xwd, xprop and xdotool. */
export interface Screen {
  /** The window with this title, once it is shown, but not `butNot`. */
  window(title: string, butNot?: Window): Promise<Window>
}

export interface Window {
  readonly id: string
  /** WM_CLASS, by which desktops find the menu entry. */
  classes(): readonly string[]
  picture(): Picture
  type(text: string): void
  /** Presses keys by X's names, such as `Tab` or `ctrl+k`. */
  press(...keys: readonly string[]): void
}

/** Only something that never appears takes this long. */
const patienceMs = 60_000
const lookMs = 100

/** Polls until `look` returns something; otherwise throws, naming `what`. */
export async function seen<T>(what: string, look: () => T | null | Promise<T | null>): Promise<T> {
  const until = performance.now() + patienceMs
  for (;;) {
    const found = await look()
    if (found !== null) return found
    if (performance.now() > until) throw new Error(`never seen within ${patienceMs} ms: ${what}`)
    await pause(lookMs)
  }
}

export function screenAt(display: string): Screen {
  const env = { ...process.env, DISPLAY: display }
  const run = (program: string, ...args: readonly string[]): Buffer =>
    execFileSync(program, args, { env, stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 2 ** 26 })
  const found = (title: string, butNot = ''): string | null => {
    try {
      const ids = run('xdotool', 'search', '--onlyvisible', '--name', `^${title}$`)
      const others = ids
        .toString()
        .trim()
        .split('\n')
        .filter((id) => id !== butNot)
      return others.at(-1) ?? null
    } catch {
      // It exits with 1 if there is none.
      return null
    }
  }
  return {
    window: async (title, butNot) => {
      const id = await seen(`a window “${title}”`, () => found(title, butNot?.id))
      run('xdotool', 'windowactivate', '--sync', id)
      return {
        id,
        classes: () =>
          Array.from(
            run('xprop', '-id', id, 'WM_CLASS')
              .toString()
              .matchAll(/"([^"]+)"/g),
            (name) => String(name[1]),
          ),
        picture: () => readDump(run('xwd', '-silent', '-id', id)),
        type: (text) => void run('xdotool', 'type', '--delay', '15', text),
        press: (...keys) => void run('xdotool', 'key', '--delay', '60', ...keys),
      }
    },
  }
}

/** How many pixels have exactly this colour, `#rrggbb`. */
export function pixelsOf({ data }: Picture, colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
  let count = 0
  for (let at = 0; at < data.length; at += 4)
    if (data[at] === red && data[at + 1] === green && data[at + 2] === blue) count += 1
  return count
}

/** Parses xwd: a header of 32-bit numbers, a colour table, and rows of blue, green, red, unused. */
function readDump(dump: Buffer): Picture {
  const field = (at: number): number => dump.readUInt32BE(at * 4)
  const [head, width, height, bitsPerPixel, rowBytes, colours] = [
    field(0),
    field(4),
    field(5),
    field(11),
    field(12),
    field(19),
  ]
  if (bitsPerPixel !== 32) throw new Error(`a screen of ${bitsPerPixel} bits per pixel`)
  const start = head + colours * 12
  const data = new Uint8ClampedArray(width * height * 4)
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const [from, to] = [start + y * rowBytes + x * 4, (y * width + x) * 4]
      data.set([dump[from + 2] ?? 0, dump[from + 1] ?? 0, dump[from] ?? 0, 255], to)
    }
  return { width, height, data }
}
