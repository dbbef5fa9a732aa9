const dayMs = 24 * 60 * 60 * 1000
const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
// As en-GB has them, so that the board and `zonedClockWords` say the same.
const months = 'Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec'.split(' ')

/**
 * A moment by this computer's clock, in the words of `zonedClockWords`: "05:12" today, "Tue 05:12"
 * within six days, "3 Mar, 05:12", or with its year. Without `Intl`, since rows that are scrolled
 * past ask for it hundreds of times a second.
 */
export function clockWords(at: number, now: number): string {
  const date = new Date(at)
  const today = new Date(now)
  const time = `${two(date.getHours())}:${two(date.getMinutes())}`
  if (date.toDateString() === today.toDateString()) return time
  if (Math.abs(now - at) < 6 * dayMs) return `${weekdays[date.getDay()] ?? ''} ${time}`
  const year = date.getFullYear() === today.getFullYear() ? '' : ` ${date.getFullYear()}`
  return `${date.getDate()} ${months[date.getMonth()] ?? ''}${year}, ${time}`
}

function two(count: number): string {
  return String(count).padStart(2, '0')
}
