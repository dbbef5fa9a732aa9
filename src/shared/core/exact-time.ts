const format = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})

/** A moment with nothing left out, by this computer's zone: "Tue, 17 March 2026 at 14:25:00". */
export function exactTime(at: number): string {
  return format.format(at)
}
