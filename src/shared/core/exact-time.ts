let format: Intl.DateTimeFormat | null = null

/** A moment with nothing left out, by this computer's zone: "Tue, 17 March 2026 at 14:25:00". */
export function exactTime(at: number): string {
  format ??= english()
  return format.format(at)
}

/** When it is first asked for: making one takes a fresh window 10 ms, and its board needs none. */
function english(): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  })
}
