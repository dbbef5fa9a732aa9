import type { Seeded } from '../support/seeded.ts'

/** When a job is expected, in a form that makes the next time easy to compute. */
export type Plan =
  | { readonly kind: 'period'; readonly seconds: number }
  | {
      readonly kind: 'cron' | 'onCalendar'
      /** In the service's own notation. */
      readonly text: string
      readonly zone: string
      readonly minutes: readonly number[]
      readonly hours: readonly number[]
      /** 0 is Sunday. */
      readonly weekdays: readonly number[]
      /** How far the zone is ahead of UTC, ms; it doesn't change during a life. */
      readonly offset: number
    }

const minuteMs = 60_000
const everyHour = Array.from({ length: 24 }, (_, hour) => hour)
const everyDay = Array.from({ length: 7 }, (_, day) => day)
const dayNames = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const zones = [
  ...['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata'],
  ...['Asia/Kathmandu', 'Pacific/Chatham', 'Australia/Sydney'],
]

/** A random schedule in a zone whose offset is the same at `from` and `to`. */
export function makePlan(chance: Seeded, from: number, to: number): Plan {
  if (chance.chance(0.45))
    return {
      kind: 'period',
      seconds: chance.pick([60, 120, 300, 900, 1_800, 3_600, 7_200, 21_600, 86_400]),
    }
  const chosen = zones[chance.whole(0, zones.length - 1)] ?? 'UTC'
  const zone = offsetOf(chosen, from) === offsetOf(chosen, to) ? chosen : 'UTC'
  const minutes = chance.pick<readonly number[]>([
    [chance.whole(0, 59)],
    [0, 30],
    [0, 15, 30, 45],
    [7],
  ])
  const hours = chance.chance(0.4)
    ? everyHour
    : chance.pick([[chance.whole(0, 23)], [3, 15], [0, 6, 12, 18]])
  const weekdays = chance.chance(0.8) ? everyDay : [1, 2, 3, 4, 5]
  const kind = chance.pick<'cron' | 'onCalendar'>(['cron', 'onCalendar'])
  const hourText = hours === everyHour ? '*' : hours.join(',')
  const text =
    kind === 'cron'
      ? `${minutes.join(',')} ${hourText} * * ${weekdays === everyDay ? '*' : '1-5'}`
      : `${weekdays === everyDay ? '' : `${weekdays.map((day) => dayNames[day]).join(',')} `}*-*-* ${hourText}:${minutes.join(',')}:00`
  return { kind, text, zone, minutes, hours, weekdays, offset: offsetOf(zone, from) }
}

function offsetOf(zone: string, at: number): number {
  const words = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'longOffset' })
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')?.value
  const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(words ?? '') ?? []
  const size = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * minuteMs
  return sign === '-' ? -size : size
}

/** The first time after `at` at which a signal is expected, if the last one came at `at`. */
export function nextAfter(plan: Plan, at: number): number {
  if (plan.kind === 'period') return at + plan.seconds * 1_000
  const last = computed.get(plan)
  if (last?.at === at) return last.next
  const next = computeNext(plan, at)
  computed.set(plan, { at, next })
  return next
}

const computed = new WeakMap<Plan, { readonly at: number; readonly next: number }>()

function computeNext(plan: Exclude<Plan, { kind: 'period' }>, at: number): number {
  let minute = Math.floor(at / minuteMs)
  for (;;) {
    minute += 1
    const local = new Date(minute * minuteMs + plan.offset)
    if (
      plan.minutes.includes(local.getUTCMinutes()) &&
      plan.hours.includes(local.getUTCHours()) &&
      plan.weekdays.includes(local.getUTCDay())
    )
      return minute * minuteMs
    // Skips whole hours that can't match.
    if (!plan.hours.includes(local.getUTCHours())) minute += 59 - local.getUTCMinutes()
  }
}
