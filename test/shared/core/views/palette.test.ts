import { describe, expect, test } from 'vitest'
import { type AppState, emptyState } from '../../../../src/shared/core/state.ts'
import {
  createOperationSource,
  createPaletteSource,
  type PaletteOperation,
} from '../../../../src/shared/core/views/palette-items.ts'
import {
  type PaletteItem,
  paletteIndex,
  paletteResults,
  paletteShown,
  withRecent,
} from '../../../../src/shared/core/views/palette-search.ts'
import * as eg from '../../../support/eg.ts'

const item = (title: string, change: Partial<PaletteItem> = {}): PaletteItem => ({
  id: title,
  kind: 'check',
  title,
  hint: '',
  key: '',
  keywords: '',
  action: { does: 'go', target: { view: 'checks' } },
  ...change,
})

function found(items: readonly PaletteItem[], query: string, recents: readonly string[] = []) {
  return paletteResults(paletteIndex(items), query, recents).map(({ title }) => title)
}

const operations: readonly PaletteOperation[] = [
  {
    id: 'listIntegrations',
    service: 'monitoring',
    title: 'List existing integrations',
    method: 'GET',
    path: '/api/v3/channels/',
    needsReadWriteKey: true,
  },
  {
    id: 'sendMessage',
    service: 'chat',
    title: 'Send a message',
    method: 'POST',
    path: '/api/v1/messages',
    needsReadWriteKey: false,
  },
]

describe('the palette', () => {
  test('puts the best match first', () => {
    const items = [
      item('obadiah'),
      item('the bad day'),
      item('b-a-d'),
      item('quiet', { keywords: '#bad' }),
      item('bad luck'),
      item('bad'),
    ]
    expect(found(items, 'bad')).toEqual([
      'bad',
      'bad luck',
      'the bad day',
      'b-a-d',
      'obadiah',
      'quiet',
    ])
  })

  test('finds scattered letters only where nothing has the words, and never by two of them', () => {
    const density = item('Density: comfortable', { kind: 'command' })
    expect(found([density, item('db-backup')], 'db')).toEqual(['db-backup'])
    expect(found([density], 'db')).toEqual([])
    expect(found([density], 'dcf')).toEqual(['Density: comfortable'])
  })

  test('puts a command that is called so before names that merely begin so', () => {
    const history = item('Outages', { kind: 'command', keywords: 'history incidents' })
    expect(found([item('history-export'), history], 'history')[0]).toBe('Outages')
    expect(found([item('history-export'), history], 'histor')[0]).toBe('history-export')
    expect(found([item('history'), history], 'history')[0]).toBe('history')
    // A tag is no such word.
    expect(found([item('db', { keywords: '#prod' }), item('prod-db')], 'prod')[0]).toBe('prod-db')
  })

  test('takes keywords from their beginnings', () => {
    expect(found([item('web', { keywords: '#feedback' })], 'feed')).toEqual(['web'])
    expect(found([item('web', { keywords: '#feedback' })], 'ack')).toEqual([])
  })

  test('requires every word, in any order', () => {
    const items = [item('db-backup', { keywords: '#prod' }), item('web-backup')]
    expect(found(items, 'backup db')).toEqual(['db-backup'])
    expect(found(items, '#prod back')).toEqual(['db-backup'])
    expect(found(items, 'backup nowhere')).toEqual([])
  })

  test('finds letters in order that begin at the start of a word', () => {
    expect(found([item('List existing integrations')], 'lei')).toEqual([
      'List existing integrations',
    ])
    expect(found([item('List existing integrations')], 'sei')).toEqual([])
  })

  test('ignores case and accents', () => {
    expect(found([item('Ana Kovač')], 'KOVAC')).toEqual(['Ana Kovač'])
    expect(found([item('ana kovac')], 'Kovač')).toEqual(['ana kovac'])
  })

  test('favours a recent item once two letters are typed', () => {
    const items = [item('de'), item('deploy'), item('debug'), item('nightly dump')]
    expect(found(items, 'du', ['nightly dump'])[0]).toBe('nightly dump')
    expect(found(items, 'de', ['debug'])[0]).toBe('debug')
    // Not if the letters are merely scattered in its name.
    expect(found(items, 'dmp', ['nightly dump'])[0]).toBe('nightly dump')
    expect(found([...items, item('dmp')], 'dmp', ['nightly dump'])[0]).toBe('dmp')
  })

  test('begins with the most recently used items, then keeps the order', () => {
    const items = [item('a'), item('b'), item('c')]
    expect(found(items, '', ['c', 'b', 'gone'])).toEqual(['c', 'b', 'a'])
  })

  test('shows a limited number of matches, the best ones', () => {
    const many = Array.from({ length: 10_000 }, (_none, at) => item(`job ${at}`))
    const shown = found([...many, item('zz job')], 'job')
    expect(shown).toHaveLength(paletteShown)
    expect(found([...many, item('zz job')], 'zz job')).toEqual(['zz job'])
  })

  test('remembers each use once, newest first, up to a limit', () => {
    expect(withRecent(['a', 'b', 'c'], 'c', 3)).toEqual(['c', 'a', 'b'])
    expect(withRecent(['a', 'b', 'c'], 'd', 3)).toEqual(['d', 'a', 'b'])
  })
})

describe('what the palette offers', () => {
  const source = createPaletteSource()
  const offered = createOperationSource(operations)
  const titles = (state = eg.state()) => source(state).items.map(({ title }) => title)

  test('includes every check, conversation and command, but operations only apart', () => {
    const state = eg.state({ realms: new Map([[eg.chatId, eg.realm([eg.message()])]]) })
    expect(titles(state)).toEqual(
      expect.arrayContaining([
        'db-backup',
        '# ops › db-backup is DOWN',
        'Settings',
        'Mark all as read',
      ]),
    )
    const own = offered(state).items.map(({ title }) => title)
    expect(own).toEqual(['List existing integrations', 'Send a message'])
    expect(titles(state).filter((title) => own.includes(title))).toEqual([])
    expect(new Set(source(state).items.map(({ id }) => id)).size).toBe(source(state).items.length)
  })

  test('includes only operations of services that have an account', () => {
    const offers = (state: AppState) => offered(state).items.map(({ title }) => title)
    expect(offers(emptyState)).toEqual([])
    expect(titles(emptyState)).toContain('Connect a chat account')
    const onlyChat = eg.state({
      accounts: eg.state().accounts.filter(({ kind }) => kind === 'chat'),
    })
    expect(offers(onlyChat)).toEqual(['Send a message'])
  })

  test('leaves out operations that no key allows', () => {
    const readOnly = eg.account({ id: 'web', keyKind: 'readOnly' })
    const hintOf = (state: AppState) =>
      offered(state).items.find(({ title }) => title === 'List existing integrations')?.hint
    expect(hintOf(eg.state({ accounts: [readOnly] }))).toBeUndefined()
    expect(hintOf(eg.state())).toBe('GET /api/v3/channels/')
    expect(hintOf(eg.state({ accounts: [readOnly, eg.account()] }))).toBe('GET /api/v3/channels/')
  })

  test('leaves out what can be done to checks only with another key', () => {
    const only = titles(eg.state({ accounts: [eg.account({ keyKind: 'readOnly' })] }))
    const all = titles(eg.state())
    for (const title of ['Pause or resume a check…', 'Edit a check…', 'Delete a check…'])
      expect([all.includes(title), only.includes(title)], title).toEqual([true, false])
    expect(only).toContain('Snooze a check…')
  })

  test('is rebuilt only for what changed', () => {
    const state = eg.state()
    const before = source(state)
    expect(source({ ...state, troubles: [] })).toBe(before)
    const changed = new Map(state.boards)
    changed.set(eg.opsId, eg.board([eg.check({ name: 'new-one' })]))
    const after = source({ ...state, boards: changed })
    expect(after.items.map(({ title }) => title)).toContain('new-one')
    const commandIn = (index: typeof before) => index.items.find(({ id }) => id === 'command/quit')
    expect(commandIn(after)).toBe(commandIn(before))
    expect(offered({ ...state, boards: changed })).toBe(offered(state))
  })
})

/** What people type, and what must be in the first row. Settings are in the test of the window. */
const expected: readonly (readonly [word: string, title: string])[] = [
  ['delete', 'Delete a check…'],
  ['mute', 'Mute a conversation…'],
  ['outage', 'Outages'],
  ['incident', 'Outages'],
  ['history', 'Outages'],
  ['snooze', 'Snooze a check…'],
  ['silence', 'Snooze a check…'],
  ['pause', 'Pause or resume a check…'],
  ['resume', 'Pause or resume a check…'],
  ['disable', 'Pause or resume a check…'],
  ['acknowledge', 'Acknowledge a check…'],
  ['ack', 'Acknowledge a check…'],
  ['edit', 'Edit a check…'],
  ['rename', 'Edit a check…'],
  ['discuss', 'Share a check to chat…'],
  ['timeline', 'Timeline of a check…'],
  ['curl', 'Copy a ping address as curl…'],
  ['quit', 'Quit Belfry'],
  ['exit', 'Quit Belfry'],
  ['close', 'Hide the window'],
  ['help', 'Keyboard shortcuts'],
  ['keys', 'Keyboard shortcuts'],
  ['shortcuts', 'Keyboard shortcuts'],
  ['hotkeys', 'Keyboard shortcuts'],
  ['dark', 'Theme: dark'],
  ['light', 'Theme: light'],
  ['dark mode', 'Theme: dark'],
  ['compact', 'Density: compact'],
  ['bigger', 'Zoom in'],
  ['dnd', 'Do not disturb…'],
  ['quiet', 'Do not disturb…'],
  ['focus', 'Do not disturb…'],
  ['do not disturb', 'Do not disturb…'],
  ['quiet hours', 'Notification rules'],
  ['rules', 'Notification rules'],
  ['alerts', 'Notifications'],
  ['notices', 'Notifications'],
  ['log', 'Diagnostics'],
  ['logs', 'Diagnostics'],
  ['debug', 'Diagnostics'],
  ['about', 'About Belfry'],
  ['version', 'About Belfry'],
  ['accounts', 'Accounts'],
  ['remove account', 'Accounts'],
  ['token', 'Accounts'],
  ['password', 'Accounts'],
  ['api key', 'Accounts'],
  ['log out', 'Accounts'],
  ['sign out', 'Accounts'],
  ['add account', 'Connect a chat account'],
  ['zulip', 'Connect a chat account'],
  ['healthchecks', 'Connect a monitoring project'],
  ['new check', 'New check in ops-project'],
  ['add check', 'New check in ops-project'],
  ['cron', 'New check in ops-project'],
  ['import crontab', 'Import a crontab into ops-project'],
  ['crontab', 'Import a crontab into ops-project'],
  ['deploy', 'Maintenance…'],
  ['maintenance', 'Maintenance…'],
  ['refresh', 'Refresh now'],
  ['reload', 'Refresh now'],
  ['preferences', 'Settings'],
  ['compose', 'New message…'],
  ['attach', 'New message…'],
  ['dm', 'New message…'],
  ['starred', 'Starred messages'],
  ['mentions', 'Messages that mention you'],
  ['drafts', 'Drafts & scheduled'],
  ['send later', 'Drafts & scheduled'],
  ['find', 'Search messages…'],
  ['mark read', 'Mark all as read'],
  ['busy', 'Status: Busy'],
  ['meeting', 'Status: In a meeting'],
  ['weekly', 'Weekly review'],
  ['outage', 'Outages'],
  ['outages', 'Outages'],
  ['incident', 'Outages'],
  ['downtime', 'Outages'],
  ['history', 'Outages'],
]

describe('the palette’s first row', () => {
  const state = eg.state({ realms: new Map([[eg.chatId, eg.realm()]]) })
  const index = createPaletteSource()(state)

  test.each(expected)('for “%s” is “%s”', (word, title) => {
    expect(paletteResults(index, word, [])[0]?.title).toBe(title)
  })
})
