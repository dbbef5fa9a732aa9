import { describe, expect, test } from 'vitest'
import { type AppState, emptyState } from '../../../../src/shared/core/state.ts'
import {
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
    expect(found(items, 'dp', ['nightly dump'])[0]).toBe('nightly dump')
    expect(found([...items, item('dp')], 'dp', ['nightly dump'])[0]).toBe('dp')
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
  const source = createPaletteSource(operations)
  const titles = (state = eg.state()) => source(state).items.map(({ title }) => title)

  test('includes every check, conversation, command and operation', () => {
    const state = eg.state({ realms: new Map([[eg.chatId, eg.realm([eg.message()])]]) })
    expect(titles(state)).toEqual(
      expect.arrayContaining([
        'db-backup',
        '# ops › db-backup is DOWN',
        'Settings',
        'Mark all as read…',
        'List existing integrations',
        'Send a message',
      ]),
    )
    expect(new Set(source(state).items.map(({ id }) => id)).size).toBe(source(state).items.length)
  })

  test('includes only operations of services that have an account', () => {
    expect(titles(emptyState)).not.toContain('Send a message')
    expect(titles(emptyState)).toContain('Connect a chat account')
    const onlyChat = eg.state({
      accounts: eg.state().accounts.filter(({ kind }) => kind === 'chat'),
    })
    expect(titles(onlyChat)).toContain('Send a message')
    expect(titles(onlyChat)).not.toContain('List existing integrations')
  })

  test('leaves out operations that no key allows', () => {
    const readOnly = eg.account({ id: 'web', keyKind: 'readOnly' })
    const hintOf = (state: AppState) =>
      source(state).items.find(({ title }) => title === 'List existing integrations')?.hint
    expect(hintOf(eg.state({ accounts: [readOnly] }))).toBeUndefined()
    expect(hintOf(eg.state())).toBe('GET /api/v3/channels/')
    expect(hintOf(eg.state({ accounts: [readOnly, eg.account()] }))).toBe('GET /api/v3/channels/')
  })

  test('is rebuilt only for what changed', () => {
    const state = eg.state()
    const before = source(state)
    expect(source({ ...state, troubles: [] })).toBe(before)
    const changed = new Map(state.boards)
    changed.set(eg.opsId, eg.board([eg.check({ name: 'new-one' })]))
    const after = source({ ...state, boards: changed })
    expect(after.items.map(({ title }) => title)).toContain('new-one')
    const operationIn = (index: typeof before) =>
      index.items.find(({ id }) => id === 'operation/sendMessage')
    expect(operationIn(after)).toBe(operationIn(before))
  })
})

test('the palette finds commands by the words that people use', () => {
  const state = eg.state({ realms: new Map([[eg.chatId, eg.realm()]]) })
  const index = createPaletteSource(operations)(state)
  const first = (query: string) => paletteResults(index, query, [])[0]?.title
  expect(
    ['meeting', 'log out', 'calendar', 'attach', 'dnd', 'do not disturb', 'quit'].map(first),
  ).toEqual([
    'Status: In a meeting',
    'Accounts',
    'Status: In a meeting',
    'New message…',
    'Do not disturb…',
    'Do not disturb…',
    'Quit Belfry',
  ])
})
