import { describe, expect, test } from 'vitest'
import {
  type CopiedCheck,
  checksCsv,
  checksJson,
} from '../../../../src/shared/core/views/copied-checks.ts'
import * as eg from '../../../support/eg.ts'

const at = Date.UTC(2026, 2, 17, 12)

function copied(change: Parameters<typeof eg.check>[0], more: Partial<CopiedCheck> = {}) {
  const check = eg.check({ status: 'down', since: at, lastPingAt: at - 60_000, ...change })
  return { check, account: eg.account({ label: 'ops' }), stale: false, silence: null, ...more }
}

const nasty = copied({
  name: '=HYPERLINK("http://x","y")\n--password=hunter22 @all',
  tags: ['-1', 'a"b'],
  schedule: { kind: 'cron', expression: '0 2 * * *', zone: 'Europe/Vienna' },
})

describe('copied checks', () => {
  test('are CSV in which no cell is a formula, a secret or a second line', () => {
    const { text, count } = checksCsv([nasty, copied({ name: 'b' }, { stale: true })])
    expect(count).toBe(2)
    const [head, first, second, ...others] = text.split('\r\n')
    expect(head).toBe('check,project,tags,status,since,last ping,next ping,schedule,pings,silenced')
    expect(others).toEqual([''])
    expect(first).toMatch(/^"'=HYPERLINK\(""http:\/\/x"",""y""\) --password=/)
    expect(first).toContain('"\'-1 a""b","down","2026-03-17T12:00:00.000Z"')
    expect(first).toContain('"0 2 * * * Europe/Vienna"')
    expect(text).not.toContain('hunter22')
    // Old news is said to be old.
    expect(second).toContain('"was down"')
  })

  test('are JSON with the same fields', () => {
    const { text } = checksJson([nasty, copied({ name: 'b', nextPingAt: null })])
    expect(text).not.toContain('hunter22')
    expect(JSON.parse(text)).toMatchObject([
      { project: 'ops', tags: ['-1', 'a"b'], status: 'down', schedule: '0 2 * * * Europe/Vienna' },
      { name: 'b', nextPing: null, since: '2026-03-17T12:00:00.000Z', silenced: null },
    ])
  })

  test('are cut to what the clipboard takes', () => {
    const many = Array.from({ length: 5_000 }, (_, n) => copied({ name: `check ${n}` }))
    for (const { text, count } of [checksCsv(many), checksJson(many)]) {
      expect(text.length).toBeLessThan(100_000)
      expect(count).toBeGreaterThan(200)
    }
    expect(JSON.parse(checksJson(many).text)).toHaveLength(checksJson(many).count)
  })
})
