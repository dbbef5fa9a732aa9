import { describe, expect, test } from 'vitest'
import type { Asked } from '../../../../src/shared/core/attention/asked.ts'
import { deepLink } from '../../../../src/shared/core/deep-link.ts'
import { readAsked } from '../../../../src/shared/core/views/asked-reading.ts'
import * as eg from '../../../support/eg.ts'

const webId = 'web'
const db = eg.check({ name: 'db-backup', status: 'down' })
const overdue = eg.check({ name: 'Report', status: 'grace' })
const cert = eg.check({ name: 'cert' })
const twin = eg.check({ name: 'cert' })
const settings = eg.check({ name: 'settings' })
const state = eg.state({
  accounts: [eg.account({ label: 'ops' }), eg.account({ id: webId, label: 'web' })],
  boards: new Map([
    [eg.opsId, eg.board([db, overdue, cert, settings])],
    [webId, eg.board([twin], { accountId: webId })],
  ]),
})

const asked = (what: Asked['what'], to: string, until = '') =>
  readAsked({ what, to, until, id: '1' }, state, eg.now)
const scope = (accountId: string, checkId: string) => ({ of: 'check', accountId, checkId })
const refused = (what: Asked['what'], to: string, until?: string): string => {
  const found = asked(what, to, until)
  return 'refused' in found ? found.refused : 'done'
}

describe('a script', () => {
  test('acknowledges what is down or late, until that changes', () => {
    for (const [name, check] of [
      ['db-backup', db],
      ['DB-Backup', db],
      ['ops/db-backup', db],
      [db.id, db],
      ['report', overdue],
    ] as const)
      expect(asked('ack', name)).toMatchObject({
        action: { do: 'silence', how: 'acknowledge', scope: scope(eg.opsId, check.id) },
        said: `Acknowledged ${check.name}.`,
      })
  })

  test('snoozes for an hour, or until a time that people type', () => {
    expect(asked('snooze', 'db-backup')).toMatchObject({
      action: { how: 'snooze', until: { kind: 'time', at: eg.now + eg.hour } },
    })
    for (const typed of ['2 h', 'in 2 h', '120 min'])
      expect(asked('snooze', 'web/cert', typed)).toMatchObject({
        action: { scope: scope(webId, twin.id), until: { at: eg.now + 2 * eg.hour } },
      })
  })

  test('opens a check, a page, a link or the worst news, and does nothing else', () => {
    const view = (to: string) => {
      const found = asked('open', to)
      return 'action' in found && found.action.do === 'open' ? found.action.target.view : found
    }
    expect(asked('open', '')).toMatchObject({ action: { do: 'show' } })
    expect(view('settings')).toBe('settings')
    expect(view('ops/settings')).toBe('check')
    expect(view('db-backup')).toBe('check')
    const target = { view: 'check', accountId: eg.opsId, checkId: db.id } as const
    expect(view(deepLink(state, target) ?? '')).toBe('check')
    expect(view('belfry://view/chat')).toBe('chat')
  })

  test.each<[Asked['what'], string, string, RegExp]>([
    ['ack', 'ops/cert', '', /^cert is up: there is nothing to acknowledge\.$/],
    ['ack', 'cert', '', /^2 checks have the name cert: say which, as in “ops\/cert”\.$/],
    ['ack', 'gone', '', /^There is no check gone\.$/],
    ['ack', '#db', '', /^There is no check #db\.$/],
    ['ack', 'belfry://view/chat', '', /^There is no check/],
    ['ack', '\u202e\u001b[31m\nx', '', /^There is no check \[31m x\.$/],
    ['snooze', 'db-backup', 'soon', /./],
    ['snooze', 'db-backup', '-1 h', /./],
    ['snooze', 'db-backup', 'in 9999999 days', /./],
    ['open', 'belfry://nowhere/x', '', /./],
    ['open', 'https://example.org', '', /^There is no check/],
  ])('is refused with a sentence: %s %j %j', (what, to, until, sentence) => {
    const said = refused(what, to, until)
    expect(said).toMatch(sentence)
    expect(said).toMatch(/^[^\p{Cc}]+\.$/u)
  })
})
