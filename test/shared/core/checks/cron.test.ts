import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import {
  type CronSchedule,
  isCronExpression,
  nextRun,
  nextRuns,
  parseCron,
} from '#shared/core/checks/cron.ts'
import { wallClock } from '#shared/core/wall-clock.ts'

const minuteMs = 60_000

interface Start {
  readonly zone: string
  readonly at: number
}

/** What cronsim-answers.py wrote: a line per zone, per refused expression and per valid one. */
interface Answers {
  /** The table's versions of cronsim and of the tz database. */
  readonly made: string
  /** Each zone's offsets from UTC in minutes, and the time from which each applies. */
  readonly zones: readonly { zone: string; offsets: readonly { from: number; minutes: number }[] }[]
  readonly refused: readonly string[]
  readonly runs: readonly { expression: string; start: Start; next: number | null }[]
}

function readAnswers(path: string): Answers {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  const of = (kind: string) =>
    lines.map((line) => line.split('\t')).filter(([first]) => first === kind)
  const words = (text = '') => text.split(' ').filter((word) => word !== '')
  const base36 = (text = '') => Number.parseInt(text, 36)
  const starts = of('zone').flatMap(([, zone = '', , own]) =>
    words(own).map((second): Start => ({ zone, at: base36(second) * 1000 })),
  )
  const [[, cronsim = '', tzdata = '', every = ''] = []] = of('made')
  return {
    made: `${cronsim}, ${tzdata}`,
    zones: of('zone').map(([, zone = '', told]) => ({
      zone,
      offsets: words(told).map((change) => {
        const [from, minutes] = change.split(':')
        return { from: base36(from) * minuteMs, minutes: Number(minutes) }
      }),
    })),
    refused: of('none').map(([, expression = '']) => expression),
    // A row answers every n-th start (n is `every`) from its `first` on, in minutes since the
    // start's
    // full minute.
    runs: of('runs').flatMap(([, expression = '', first, answers]) =>
      words(answers).map((answer, index) => {
        const start = starts[Number(first) + index * Number(every)]
        if (start === undefined) throw new Error(`more answers than starts: ${expression}`)
        const minute = Math.floor(start.at / minuteMs)
        return {
          expression,
          start,
          next: answer === '!' ? null : (minute + base36(answer)) * minuteMs,
        }
      }),
    ),
  }
}

const answers = readAnswers(
  process.env['CRONSIM_ANSWERS'] ?? fileURLToPath(new URL('cronsim-answers.txt', import.meta.url)),
)

function schedule(expression: string): CronSchedule {
  const read = parseCron(expression)
  if ('error' in read) throw new Error(`${expression}: ${read.error}`)
  return read.schedule
}

/** Where a schedule read from an expression runs at other times than cronsim's. */
function differences(
  read: (expression: string) => CronSchedule,
  runs: Answers['runs'] = answers.runs,
): string[] {
  const known = new Map(runs.map(({ expression }) => [expression, read(expression)]))
  const iso = (at: number | null) => (at === null ? 'never' : new Date(at).toISOString())
  return runs.flatMap(({ expression, start, next }) => {
    const one = known.get(expression)
    const found = one === undefined ? null : nextRun(one, start.at, start.zone)
    const after = `${expression} in ${start.zone} after ${iso(start.at)}`
    return found === next ? [] : [`${after}: ${iso(found)}, cronsim ${iso(next)}`]
  })
}

describe(`cron, compared with ${answers.made}`, () => {
  test('is tested in zones on which both tz databases agree', () => {
    const wrong = answers.zones.flatMap(({ zone, offsets }) => {
      const minutesAt = (at: number) => (wallClock(zone).at(at).shown - at) / minuteMs
      return offsets
        .filter(({ from, minutes }, index) => {
          const before = offsets[index - 1]?.minutes ?? minutes
          return minutesAt(from) !== minutes || (index > 0 && minutesAt(from - 1) !== before)
        })
        .map(({ from }) => `${zone} at ${new Date(from).toISOString()}`)
    })
    expect(wrong, `this runtime has tz ${process.versions['tz']}`).toEqual([])
  })

  test('has the same next runs, near changes of the clocks and far from them', () => {
    expect(differences(schedule)).toEqual([])
    expect(answers.runs.length).toBeGreaterThan(50_000)
    const near = answers.runs.filter(({ start: { zone, at } }) =>
      answers.zones.some(
        (one) =>
          one.zone === zone &&
          one.offsets.some(({ from }, index) => index > 0 && Math.abs(from - at) < 3 * 3_600_000),
      ),
    )
    expect(near.length).toBeGreaterThan(20_000)
  })

  test('would give other runs if it treated wall clocks or weekdays differently (control)', () => {
    const some = answers.runs.filter((_, index) => index % 20 === 0)
    const otherwise = (change: Partial<CronSchedule>) =>
      differences((expression) => ({ ...schedule(expression), ...change }), some).length
    expect(otherwise({ byWallClock: true })).toBeGreaterThan(20)
    expect(otherwise({ byWallClock: false })).toBeGreaterThan(20)
    expect(otherwise({ bothDays: false })).toBeGreaterThan(200)
  })

  test('refuses the same expressions, each with a sentence that says why', () => {
    const read = answers.refused.map((expression) => ({ expression, ...parseCron(expression) }))
    expect(read.filter((one) => !('error' in one && /^[“A-Z].+\.$/.test(one.error)))).toEqual([])
    expect(read.length).toBeGreaterThan(200)
  })
})

describe('a refusal', () => {
  test.each([
    ['0 25 * * *', '“25” is not a valid hour: use 0 to 23.'],
    [
      '0 9 15w * *',
      '“15W” is not a valid day of the month: use 1 to 31, L (the last) or LW (the last from Monday to Friday).',
    ],
    ['0 9 * * ?', '“?” is not a valid weekday: use 0 to 7 or SUN to SAT.'],
    [
      '0 9 * * FRIL',
      '“FRIL” is not a valid weekday: use its number, such as 5L for the last Friday.',
    ],
    ['0 9 * * MON#6', '“MON#6” is not a valid weekday: after # comes a number from 1 to 5.'],
    ['0 9 * * sat-sun', 'The weekday SAT-SUN runs backwards: write it as two, with a comma.'],
    ['*/0 * * * *', 'The step in “*/0” must be a whole number, at least 1.'],
    ['1,,2 * * * *', 'The minute has an empty part: look at its commas and dashes.'],
    ['0 0 30 2 1', 'It never runs: these months have no day 30.'],
    ['0 0 */40 * MON#2', 'It never runs: no date fits both its day and its weekday.'],
    ['@daily', 'A cron expression has five fields: minute, hour, day, month, weekday.'],
  ])('of %s: %s', (expression, error) => {
    expect(parseCron(expression)).toEqual({ error })
  })
})

describe('the next runs', () => {
  const told = (expression: string, from: string, zone: string, count = 2) =>
    nextRuns(schedule(expression), Date.parse(from), zone, count).map((at) =>
      new Date(at).toISOString().slice(5, 16),
    )

  test('come once in an hour that clocks repeat, and still come in one that they skip', () => {
    expect(told('0 1,2,3 * * *', '2026-10-25T00:30Z', 'Europe/Berlin')).toEqual([
      '10-25T02:00',
      '10-26T00:00',
    ])
    expect(told('30-45 2 * * *', '2026-03-08T06:00Z', 'America/New_York', 1)).toEqual([
      '03-08T07:00',
    ])
  })

  test('follow elapsed time if the minute or hour field begins with a star', () => {
    expect(told('*/30 2 * * *', '2026-10-24T23:45Z', 'Europe/Berlin', 4)).toEqual([
      '10-25T00:00',
      '10-25T00:30',
      '10-25T01:00',
      '10-25T01:30',
    ])
  })

  test('are empty where the server’s own search never ends', () => {
    expect(told('47 */3 * * *', '2028-04-01T12:50Z', 'Pacific/Chatham', 1)).toEqual([])
    expect(told('47 */3 * * *', '2028-04-02T12:50Z', 'Pacific/Chatham', 1)).toEqual(['04-02T15:02'])
  })

  test('are empty if there are none, and throw for an unknown zone', () => {
    expect(told('*/5 2 8-14 3 */7', '2026-01-01T00:00Z', 'America/New_York')).toEqual([])
    expect(() => told('0 9 * * *', '2026-01-01T00:00Z', 'Mars/Base')).toThrow(RangeError)
  })
})

test('five fields on one line are cron, everything else is OnCalendar', () => {
  const texts = ['0 3 * * *', ' 0 3\t* *  * \n', '0 3 * *', '0 3 * * * *', '0 3\n* * *', '']
  expect(texts.map(isCronExpression)).toEqual([true, true, false, false, false, false])
})
