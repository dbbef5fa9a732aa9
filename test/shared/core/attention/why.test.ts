import { describe, expect, test } from 'vitest'
import type { AttentionContext } from '../../../../src/shared/core/attention/decision.ts'
import { step } from '../../../../src/shared/core/attention/engine.ts'
import type { CheckEvent } from '../../../../src/shared/core/attention/event.ts'
import { emptyMemory } from '../../../../src/shared/core/attention/memory.ts'
import {
  type AttentionSettings,
  defaultAttention,
} from '../../../../src/shared/core/attention/rules.ts'
import { endWords, type Silence } from '../../../../src/shared/core/attention/silence.ts'
import {
  calm,
  checkEvent,
  messageEvent,
  minute,
  newsOf,
  running,
  second,
  silence,
  start,
} from '../../../support/attention-eg.ts'

const { ways } = defaultAttention

function under(settings: Partial<AttentionSettings>): AttentionContext {
  return { ...calm, settings: { ...defaultAttention, ...settings } }
}

const at = (kind: CheckEvent['kind'], ms = 0, change: Partial<CheckEvent> = {}) =>
  checkEvent({ kind, at: start + ms, ...change })
const reminder = (ms: number) => at('down', ms, { isReminder: true, id: `reminder ${ms}` })

/** What became of each event, and the reasons after the first one, which is that of the rules. */
const whys = ({ listed }: ReturnType<typeof running>) =>
  listed.map(({ outcome, reasons }) => [outcome, ...reasons.slice(1).map(({ text }) => text)])
const titles = ({ popUps }: ReturnType<typeof running>) => popUps.map(({ title }) => title)

const acknowledged = { how: 'acknowledge', reason: 'disk ordered' } as const
const hour = { kind: 'time', at: start + 60 * minute } as const
const untilThen = endWords(hour, 'check', start)

describe('“Why?” of what is silent', () => {
  test.each<[Partial<Silence>, string]>([
    [{}, `Snoozed ${untilThen}.`],
    [{ by: 'Ana' }, `Snoozed by Ana ${untilThen}.`],
    [{ messageId: 3, by: 'Ana' }, `Snoozed by Ana in the chat (only db) ${untilThen}.`],
    [{ how: 'mute', until: { kind: 'ever' } }, 'Muted.'],
    [acknowledged, `Acknowledged ${untilThen} (disk ordered).`],
  ])('by a silence with %j says “%s”, also for a message about the check', (change, words) => {
    const engine = running({ ...calm, silences: [silence(change)] })
    engine.at(start, [at('down')])
    const chat = { notify: true, sound: true }
    engine.at(start, [messageEvent({ isBot: true, news: newsOf('db'), chat })])
    expect(whys(engine)).toEqual([
      ['silent', words],
      ['silent', words],
    ])
  })

  test('in a maintenance says until when, and that it goes into the digest unless it is for the icon only', () => {
    const one = silence({ how: 'maintenance', status: null })
    const engine = running({ ...calm, silences: [one] })
    engine.at(start, [at('down')])
    engine.at(start + minute, [at('late', minute)])
    expect(whys(engine)).toEqual([
      ['tray', `In maintenance ${untilThen}. It goes into the digest.`],
      ['silent', `In maintenance ${untilThen}.`],
    ])
  })

  test('while the computer was asleep says so', () => {
    const engine = running({ ...calm, away: { from: start - minute, to: start } })
    engine.at(start, [at('down')])
    expect(whys(engine)).toEqual([
      ['tray', 'It came while this computer was asleep: it goes into the digest.'],
    ])
  })

  test('as the outage was says that of its recovery, and forgets it then', () => {
    const engine = running(under({ ways: { ...ways, down: 'nothing' } }))
    engine.at(start, [at('down')])
    // What it was before, or how a run went, makes nobody know of the outage.
    engine.at(start + second, [at('missed', second), at('late', second)])
    engine.at(start + minute, [at('recovered', minute)])
    expect(whys(engine).at(-1)).toEqual(['silent', 'You were not notified that it was down.'])
    expect(engine.memory().unnotified.size).toBe(0)
  })
})

test('A recovery is told if its outage was to be on the icon alone', () => {
  const engine = running(under({ ways: { ...ways, down: 'tray' } }))
  engine.at(start, [at('down')])
  engine.at(start + minute, [at('recovered', minute)])
  expect(titles(engine)).toEqual(['db recovered'])
})

describe('“Why?” of what pops up', () => {
  test('says that sounds are off, if it would have one', () => {
    const engine = running({ ...calm, sounds: false })
    engine.at(start, [at('down')])
    engine.at(start + minute, [at('recovered', minute)])
    expect(whys(engine)).toEqual([['shown', 'Sounds are turned off in the settings.'], ['shown']])
  })

  test('begins with what was odd about a run', () => {
    const engine = running()
    const why = 'It took 2 h; the median is 4 min.'
    engine.at(start, [at('tooLong', 0, { why })])
    expect(engine.popUps[0]?.reasons.map(({ text }) => text)).toEqual([
      why,
      expect.stringContaining('Your default'),
    ])
  })

  test('says that a check was silenced until now', () => {
    const engine = running()
    engine.at(start, [reminder(0)])
    expect(whys(engine)).toEqual([['shown', 'It was silenced until now, and it is still down.']])
  })

  test('says that a check flaps', () => {
    const engine = running()
    for (let i = 0; i < 3; i += 1)
      engine.at(start + i * second, [at(i % 2 === 0 ? 'down' : 'recovered', i * second)])
    engine.wakeUntil(start + 10 * minute)
    expect(engine.popUps.at(-1)?.reasons).toEqual([
      {
        by: 'flapping',
        text: 'It changed too often for a notification each time: this one counts five minutes of changes.',
      },
    ])
  })
})

describe('“Why?” of an outage that may be too short', () => {
  const slow = under({ afterMinutes: 10 })

  test.each([
    [10 * minute - 1, ['silent', 'It came back within 10 min.']],
    [10 * minute, ['shown']],
  ])('and was found later to have lasted %i ms', (lastedMs, why) => {
    const engine = running(slow)
    engine.at(start, [at('missed', 0, { lastedMs })])
    expect(whys(engine)).toEqual([why])
  })

  test('says that it was, of the outage and of its recovery', () => {
    const engine = running(slow)
    engine.at(start, [at('down')])
    engine.at(start + 9 * minute, [at('recovered', 9 * minute)])
    const words = 'It came back within 10 min.'
    expect(engine.listed.map(({ reasons }) => reasons)).toEqual([
      [{ by: 'brief', text: words }],
      [{ by: 'brief', text: words }],
    ])
  })

  test('is that it was over, if it lasted for just as long as the rules require', () => {
    const engine = running(slow)
    engine.at(start, [at('down')])
    engine.at(start + 10 * minute, [at('recovered', 10 * minute)])
    expect(titles(engine)).toEqual(['db went down and came back'])
    expect(engine.listed[0]?.reasons.map(({ text }) => text)).toEqual([
      'It was over when it was read again.',
    ])
    expect(whys(engine).at(-1)).toEqual(['shown', 'It has been down for 10 min.'])
  })

  test('says that an earlier one is still to be told', () => {
    const engine = running({ ...slow, systemQuiet: true })
    engine.at(start, [at('down')])
    engine.wakeUntil(start + 10 * minute)
    engine.at(start + 11 * minute, [at('recovered', 11 * minute)])
    engine.at(start + 12 * minute, [at('down', 12 * minute)])
    engine.at(start + 13 * minute, [at('recovered', 13 * minute)])
    expect(engine.listed.at(-1)?.reasons.map(({ text }) => text)).toEqual([
      'It came back within 10 min.',
      'An earlier outage is still to be told.',
    ])
    engine.at(start + 14 * minute, [], calm)
    expect(titles(engine)).toEqual(['db went down and came back'])
  })

  test('says that the check was snoozed meanwhile', () => {
    const engine = running(slow)
    engine.at(start, [at('down')])
    const silences = [silence({})]
    engine.at(start + 12 * minute, [at('recovered', 12 * minute)], { ...slow, silences })
    expect(whys(engine).at(-1)?.[0]).toBe('silent')
    expect(whys(engine).at(-1)?.[1]).toMatch(/^Snoozed /)
    expect(titles(engine)).toEqual([])
  })

  test('counts those between two reads that lasted for long enough', () => {
    const engine = running(slow)
    engine.at(start, [at('down')])
    const again = at('down', 20 * minute, { from: 'down', upForMs: minute })
    engine.at(start + 20 * minute, [again])
    engine.at(start + 40 * minute, [at('recovered', 40 * minute)])
    expect(titles(engine)).toEqual(['db went down and came back 2 times'])
  })

  test('says that it is no longer down if it was paused, and says nothing where a digest was to tell of it', () => {
    const engine = running(slow)
    engine.at(start, [at('down')])
    engine.at(start + minute, [], slow, ['ops/check/db'])
    expect(engine.listed.map(({ outcome, reasons }) => [outcome, reasons])).toEqual([
      ['silent', [{ by: 'brief', text: 'It is no longer down.' }]],
    ])
    const quiet = running({ ...calm, systemQuiet: true })
    quiet.at(start, [at('down')])
    quiet.at(start + minute, [], undefined, ['ops/check/db'])
    expect(quiet.listed).toHaveLength(1)
  })

  test('is the same for a reminder of it', () => {
    const engine = running(slow)
    engine.at(start, [at('down')])
    engine.at(start + minute, [reminder(minute)])
    expect(engine.listed.map(({ outcome, reasons }) => [outcome, reasons])).toEqual([
      ['silent', [{ by: 'wait', text: 'It was not down for long enough.' }]],
    ])
  })
})

describe('“Why?” of what is part of something else', () => {
  test('says that a reminder came with its outage', () => {
    const engine = running()
    engine.at(start, [at('down'), reminder(0)])
    expect(titles(engine)).toEqual(['db down'])
    expect(engine.listed.map(({ outcome, reasons }) => [outcome, reasons.at(-1)?.text])).toEqual([
      ['folded', 'You were notified just now.'],
      ['shown', expect.stringContaining('Your default')],
    ])
  })

  test('says so of a reminder within two minutes of its outage, and no later', () => {
    for (const [ms, outcome] of [
      [2 * minute, 'folded'],
      [2 * minute + 1, 'shown'],
    ] as const) {
      const engine = running()
      engine.at(start, [at('down')])
      engine.at(start + ms, [reminder(ms)])
      expect(engine.listed.at(-1)?.outcome).toBe(outcome)
    }
  })

  test('of a reminder of what is held back says what holds it back', () => {
    const engine = running({ ...calm, systemQuiet: true })
    engine.at(start, [at('down')])
    engine.at(start + 10 * minute, [reminder(10 * minute)])
    expect(whys(engine).at(-1)).toEqual([
      'tray',
      'It was silenced until now, and it is still down.',
      'Do not disturb is on in the system: it goes into the digest.',
    ])
  })

  test('says that a check changed again before it was shown, which then isn’t', () => {
    const engine = running(under({ ways: { ...ways, recovered: 'tray' } }))
    engine.at(start, [at('down'), at('recovered')])
    expect(titles(engine)).toEqual([])
    expect(whys(engine)).toEqual([['folded', 'It changed again before it was shown.'], ['tray']])
  })

  test('says that an outage found by the flips was told, and corrects that without a sound', () => {
    const first = step(emptyMemory, { events: [at('down')], over: [] }, calm, start)
    const again = at('down', minute, { from: 'down', upForMs: second, readAt: start })
    const found = step(first.memory, { events: [again], over: [] }, calm, start + minute)
    expect(found.popUps).toEqual([])
    expect(found.corrected).toMatchObject([{ sound: false }])
    expect(found.decisions.map(({ reasons }) => reasons)).toEqual([
      [{ by: 'same', text: 'You were notified that it is down, after it was up.' }],
    ])
  })
})
