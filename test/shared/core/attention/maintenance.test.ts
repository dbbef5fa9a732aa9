import { describe, expect, test } from 'vitest'
import type { CheckEvent } from '../../../../src/shared/core/attention/event.ts'
import type { Notice } from '../../../../src/shared/core/attention/notice.ts'
import type { Scope, Silence } from '../../../../src/shared/core/attention/silence.ts'
import {
  calm,
  checkEvent,
  messageEvent,
  minute,
  newsOf,
  running,
  silence,
  start,
} from '../../../support/attention-eg.ts'
import { type Seeded, seeded } from '../../../support/seeded.ts'

const db: Scope = { of: 'tag', tag: 'db' }

function maintenance(from: number, to: number, scope: Scope = db): Silence {
  return silence({
    id: `${JSON.stringify(scope)} ${from}`,
    how: 'maintenance',
    scope,
    until: { kind: 'time', at: to },
    since: from,
    label: scope.of === 'tag' ? `#${scope.tag}` : 'ops',
    status: null,
  })
}

const during = (...silences: Silence[]) => ({ ...calm, silences })

const flip = (kind: 'down' | 'recovered', at: number, checkId = 'db', tags = ['db']) =>
  checkEvent({ kind, at, checkId, tags })

const textOf = ({ title, body, lines }: Notice) => [title, body, ...lines.map((one) => one.text)]

describe('a maintenance', () => {
  test('whose digest has just said that a check is down leads to no reminder of that', () => {
    const engine = running()
    const on = during(maintenance(start, start + 20 * minute))
    engine.at(start + minute, [flip('down', start + minute)], on)
    engine.at(start + 20 * minute, [])
    const reminder = (at: number) => ({
      ...flip('down', at),
      isReminder: true as const,
      from: 'unknown' as const,
    })
    engine.at(start + 21 * minute, [reminder(start + 21 * minute)], on)
    engine.at(start + 22 * minute, [])
    expect(engine.popUps.map(({ body }) => body)).toEqual(['1 check down · down: db'])
    engine.at(start + 23 * minute, [reminder(start + 23 * minute)])
    expect(engine.popUps).toHaveLength(2)
  })

  test('leaves icon-only events out of its digest, unless they end an outage in it', () => {
    const settings = {
      ...calm.settings,
      ways: { ...calm.settings.ways, recovered: 'tray' as const },
    }
    const engine = running({ ...calm, settings })
    const on = { ...during(maintenance(start, start + 20 * minute)), settings }
    engine.at(start, [checkEvent({ kind: 'late', tags: ['db'] })], on)
    engine.at(start + 20 * minute, [])
    expect(engine.popUps).toEqual([])
    engine.at(start + minute, [flip('down', start + minute)], on)
    engine.at(start + 2 * minute, [flip('recovered', start + 2 * minute)], on)
    engine.at(start + 20 * minute, [])
    expect(engine.popUps.map(({ body }) => body)).toEqual(['1 went down and recovered'])
  })

  test('is quiet while it lasts and ends with one digest, with sound for what is still down', () => {
    const engine = running()
    const on = during(maintenance(start, start + 20 * minute))
    engine.at(start + minute, [flip('down', start + minute)], on)
    engine.at(start + 2 * minute, [flip('down', start + 2 * minute, 'db-2')], on)
    engine.at(start + 8 * minute, [flip('recovered', start + 8 * minute, 'db-2')], on)
    const news = { ...newsOf('db'), tags: ['db'] }
    const bot = messageEvent({ at: start + 9 * minute, isBot: true, news, text: 'db is down' })
    engine.at(start + 9 * minute, [bot], on)
    expect(engine.popUps).toEqual([])
    expect(engine.listed.map(({ outcome }) => outcome)).toEqual(['tray', 'tray', 'tray', 'tray'])
    engine.at(start + 20 * minute, [])
    expect(engine.popUps).toHaveLength(1)
    const [digest] = engine.popUps
    expect(digest).toMatchObject({
      title: 'Maintenance of #db is over',
      kind: 'digest',
      sound: true,
    })
    expect(digest?.body).toContain('down: db')
    expect(digest?.lines).toHaveLength(3)
  })

  test('ends without sound if all is well again, and without a digest if nothing happened', () => {
    const engine = running()
    const on = during(maintenance(start, start + 20 * minute))
    engine.at(start + minute, [flip('down', start + minute)], on)
    engine.at(start + 9 * minute, [flip('recovered', start + 9 * minute)], on)
    engine.at(start + 20 * minute, [])
    expect(engine.popUps.map(({ sound, body }) => [sound, body])).toEqual([
      [false, '1 went down and recovered'],
    ])
    engine.at(start + 30 * minute, [], during(maintenance(start, start + 60 * minute)))
    engine.at(start + 60 * minute, [])
    expect(engine.popUps).toHaveLength(1)
  })

  test('gets the reminder about what was already down, rather than a notification of its own', () => {
    const engine = running()
    const over = during(maintenance(start, start + 20 * minute))
    const still: CheckEvent = {
      ...flip('down', start + 20 * minute),
      title: 'db is still down',
      isReminder: true,
      from: 'unknown',
    }
    engine.at(start + 20 * minute, [still], over)
    expect(engine.popUps).toEqual([])
    engine.at(start + 20 * minute, [])
    expect(engine.popUps.map(textOf)).toEqual([
      ['Maintenance of #db is over', '1 check down · down: db', 'db is still down'],
    ])
  })

  test('that begins during a storm keeps for its digest what the storm held back', () => {
    const engine = running()
    for (let i = 0; i < 5; i += 1) engine.at(start + i, [flip('down', start + i, `db${i}`)])
    engine.at(start + 5, [flip('recovered', start + 5, 'db0')])
    expect(engine.popUps).toHaveLength(3)
    const on = during(maintenance(start + 6, start + 20 * minute))
    engine.at(start + 6, [], on)
    engine.wakeUntil(start + 19 * minute, on)
    expect(engine.popUps).toHaveLength(3)
    engine.at(start + 20 * minute, [])
    expect(engine.popUps.at(-1)?.body).toBe('2 checks down, 1 recovered · down: db3 and db4')
  })

  test('that ends during quiet hours leaves what it held back to their digest', () => {
    const engine = running()
    const dnd = silence({ id: 'dnd', how: 'mute', scope: { of: 'everything' } })
    engine.at(start, [flip('down', start)], during(maintenance(start, start + 20 * minute)))
    engine.at(start + 20 * minute, [], during(dnd))
    expect(engine.popUps).toEqual([])
    engine.at(start + 60 * minute, [])
    expect(engine.popUps.map(({ title }) => title)).toEqual(['db down'])
  })

  /** What happens, minute by minute, and what a person would expect to be notified about. */
  function generated(random: Seeded) {
    const checks = ['a', 'b', 'c'].map((id, at) => ({
      id,
      // A slot of ten minutes for each change, so that neither storms nor flapping fold anything.
      tags: [['db'], ['db', 'web'], ['web']][at] ?? [],
      isDown: false,
    }))
    const scopes: [Scope, ...Scope[]] = [
      db,
      { of: 'tag', tag: 'web' },
      { of: 'project', accountId: 'ops' },
    ]
    const spans = Array.from({ length: random.whole(1, 4) }, () => {
      const from = start + random.whole(0, 20) * 10 * minute + 5 * minute
      return { from, to: from + random.whole(1, 9) * 10 * minute, scope: random.pick(scopes) }
    })
    const changes = Array.from({ length: 30 }, (_, slot) => {
      const check = random.pick(checks as [(typeof checks)[0], ...typeof checks])
      check.isDown = !check.isDown
      const at = start + slot * 10 * minute
      return { at, check, kind: check.isDown ? ('down' as const) : ('recovered' as const) }
    })
    return { spans, changes, checks }
  }

  type Case = ReturnType<typeof generated>

  const covers = (scope: Scope, { tags }: Case['checks'][number]) =>
    scope.of === 'project' || (scope.of === 'tag' && tags.includes(scope.tag))

  function played({ spans, changes }: Case) {
    const engine = running()
    // A new maintenance replaces the one with the same scope, as in the app.
    const openAt = (now: number) =>
      [...Map.groupBy(spans, ({ scope }) => JSON.stringify(scope)).values()].flatMap((same) => {
        const [last] = same.filter(({ from }) => from <= now).sort((a, b) => b.from - a.from)
        return last !== undefined && now < last.to
          ? [maintenance(last.from, last.to, last.scope)]
          : []
      })
    const shown: { at: number; texts: string[] }[] = []
    for (let now = start; now <= start + 400 * 10 * minute; now += 5 * minute) {
      const events = changes
        .filter(({ at }) => at === now)
        .map(({ at, check, kind }) => flip(kind, at, check.id, check.tags))
      const before = engine.popUps.length
      engine.at(now, events, during(...openAt(now)))
      for (const one of engine.popUps.slice(before)) shown.push({ at: now, texts: textOf(one) })
    }
    return { shown, openAt }
  }

  test('hides nothing for good and shows nothing early, in 300 generated days', () => {
    let held = 0
    for (let seed = 0; seed < 300; seed += 1) {
      const it = generated(seeded(seed))
      const { shown, openAt } = played(it)
      const quietAt = (check: Case['checks'][number], at: number) =>
        openAt(at).some(({ scope }) => covers(scope, check))
      for (const { at, check, kind } of it.changes) {
        const words = `${check.id} ${kind}`
        const now = shown.filter((one) => one.at === at && one.texts[0] === words)
        if (!quietAt(check, at)) {
          expect(now, `${words} in ${seed}`).toHaveLength(1)
          continue
        }
        held += 1
        expect(now, `${words} in ${seed}`).toEqual([])
        // The first moment without a silence: that digest includes the check.
        let over = at
        while (quietAt(check, over)) over += 5 * minute
        const digests = shown.filter(
          ({ at: when, texts }) =>
            when === over &&
            texts[0]?.endsWith('is over') &&
            texts.some((one) => one.startsWith(`${check.id} `)),
        )
        expect(digests, `${words} in ${seed}`).toHaveLength(1)
      }
    }
    // Control: something was held back.
    expect(held).toBeGreaterThan(1_000)
  })
})
