import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { uniqueKeyOf } from '../../../../src/main/base/unique-key.ts'
import { neverRead } from '../../../../src/shared/core/account.ts'
import { checkNews } from '../../../../src/shared/core/attention/check-news.ts'
import { step } from '../../../../src/shared/core/attention/engine.ts'
import { eventsBetween } from '../../../../src/shared/core/attention/events-between.ts'
import { emptyMemory } from '../../../../src/shared/core/attention/memory.ts'
import { withOutageMessages } from '../../../../src/shared/core/attention/outage-messages.ts'
import { saysState } from '../../../../src/shared/core/attention/same-event.ts'
import { withSharedAcknowledgements } from '../../../../src/shared/core/attention/silences-update.ts'
import type { Message } from '../../../../src/shared/core/chat/message.ts'
import type { Board } from '../../../../src/shared/core/checks/board.ts'
import type { CheckStatus } from '../../../../src/shared/core/checks/check.ts'
import type { DiscussRule } from '../../../../src/shared/core/outages/discuss.ts'
import { defaultSettings } from '../../../../src/shared/core/settings.ts'
import type { AppState } from '../../../../src/shared/core/state.ts'
import { calm } from '../../../support/attention-eg.ts'
import * as eg from '../../../support/eg.ts'

const bot = { id: 15, name: 'Monitoring', isBot: true }
const eyes = { name: 'eyes', code: '1f440', type: 'unicode_emoji', userId: eg.ana.id }
const names = ['db-backup', 'DB-Backup', 'db', 'web cache', '🔥'] as const

interface Case {
  /** A `copies` project was restored from the first one's backup: its checks have the same ids. */
  readonly projects: readonly {
    readonly names: readonly (typeof names)[number][]
    readonly copies: boolean
    readonly unsure: boolean
  }[]
  readonly rules: readonly {
    readonly project: number | null
    readonly tag: boolean
    readonly here: boolean
  }[]
  readonly said: readonly { readonly name: number; readonly state: 'down' | 'up' }[]
  readonly links: readonly {
    readonly project: number
    readonly check: number
    readonly way: 'key' | 'uuid' | 'otherAddress' | 'unknown' | 'noCheck'
  }[]
  readonly inTopic: boolean
  readonly isBot: boolean
}

const someCase: fc.Arbitrary<Case> = fc.record({
  projects: fc.array(
    fc.record({
      names: fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 4 }),
      copies: fc.boolean(),
      unsure: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  rules: fc.array(
    fc.record({
      project: fc.option(fc.integer({ min: 0, max: 2 }), { freq: 4 }),
      tag: fc.boolean(),
      here: fc.boolean(),
    }),
    { maxLength: 3 },
  ),
  said: fc.array(
    fc.record({
      name: fc.integer({ min: 0, max: names.length - 1 }),
      state: fc.constantFrom('down', 'down', 'down', 'up'),
    }),
    { minLength: 1, maxLength: 2 },
  ),
  links: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    fc.array(
      fc.record({
        project: fc.integer({ min: 0, max: 2 }),
        check: fc.integer({ min: 0, max: 3 }),
        way: fc.constantFrom('key', 'key', 'key', 'uuid', 'otherAddress', 'unknown', 'noCheck'),
      }),
      { minLength: 1, maxLength: 2 },
    ),
  ),
  inTopic: fc.boolean(),
  isBot: fc.integer({ min: 0, max: 9 }).map((n) => n > 0),
})

const projectId = (project: number) => `project-${project}`
const siteOf = (project: number) => `https://hc${project}.example.org`

/** A copy's check has the uuid of the first project's. */
function uuidOf(one: Case, project: number, check: number): string {
  const from = one.projects[project]?.copies === true ? 0 : project
  return `${from}${check}abcdef-0000-4000-8000-000000000000`
}

/** Every second check is tagged. */
const isTagged = (check: number) => check % 2 === 0

function stateOf(one: Case, status: CheckStatus, messages: readonly Message[]): AppState {
  const users = new Map([bot, eg.me, eg.ana].map((user) => [user.id, user]))
  const boards = one.projects.map((project, at) => {
    const checks = project.names.map((name, n) => {
      const id = uniqueKeyOf(uuidOf(one, at, n))
      return eg.check({ id, name, status, since: eg.now, tags: isTagged(n) ? ['prod'] : [] })
    })
    const change = { accountId: projectId(at), unreadable: project.unsure ? 1 : 0 }
    return [projectId(at), eg.board(checks, change)] as const
  })
  const discuss: DiscussRule[] = one.rules.map(({ project, tag, here }, n) => ({
    id: `${n}`,
    accountId: project === null ? null : projectId(project % one.projects.length),
    tag: tag ? 'prod' : null,
    checkId: null,
    chatId: eg.chatId,
    channelId: here ? 10 : 11,
    topic: '{check}',
  }))
  return eg.state({
    accounts: [
      eg.chatAccount(),
      ...one.projects.map((_, at) =>
        eg.account({ id: projectId(at), label: `Project ${at}`, baseUrl: siteOf(at) }),
      ),
    ],
    boards: new Map(boards),
    realms: new Map([[eg.chatId, eg.realm(messages, { users })]]),
    settings: { ...defaultSettings, discuss },
  })
}

function urlOf(one: Case, { project, check, way }: Case['links'][number]): string {
  const at = project % one.projects.length
  const uuid = uuidOf(one, at, check % (one.projects[at]?.names.length ?? 1))
  switch (way) {
    case 'key':
      return `${siteOf(at)}/cloaked/${uniqueKeyOf(uuid)}/`
    case 'uuid':
      return `${siteOf(at)}/checks/${uuid.toUpperCase()}/details/`
    case 'otherAddress':
      return `https://www.example.org/cloaked/${uniqueKeyOf(uuid)}/`
    case 'unknown':
      return `${siteOf(at)}/cloaked/${'e'.repeat(40)}/`
    case 'noCheck':
      return 'https://runbooks.example.org/checks/how-to'
  }
}

function messageOf(one: Case): Message {
  const said = one.said.map(({ name, state }) => `${names[name]} is ${state.toUpperCase()}.`)
  const links = one.links.map((link) => `<a href="${urlOf(one, link)}">more</a>`)
  const [first = ''] = said
  const inTopic = one.inTopic && said.length === 1
  const text = [inTopic ? 'Have a look.' : said.join('\n'), ...links.map(() => 'more')].join('\n')
  return eg.message({
    senderId: one.isBot ? bot.id : eg.ana.id,
    conversation: { kind: 'topic', channelId: 10, topic: inTopic ? first : 'alerts' },
    text,
    html: `<p>${said.join('<br>\n')} ${links.join(' ')}</p>`,
    sentAt: eg.now,
    reactions: [eyes],
  })
}

/** The check meant, as "project/number down", derived from the case itself; null: uncertain. */
function meant(one: Case): string | null {
  if (!one.isBot) return null
  const all = one.projects.flatMap((project, p) =>
    project.names.map((name, n) => ({ p, n, name: name.toLowerCase() })),
  )
  const statesOf = (name: string) =>
    new Set(one.said.filter((s) => names[s.name]?.toLowerCase() === name).map((s) => s.state))
  const named = all.filter(({ name }) => statesOf(name).size > 0)
  const links = one.links.filter(({ way }) => way !== 'noCheck')
  let candidates: typeof named
  if (links.length > 0) {
    if (links.some(({ way }) => way === 'unknown')) return null
    const copies = (p: number) => p === 0 || one.projects[p]?.copies === true
    const places = links.map(({ project, check, way }) => {
      const p = project % one.projects.length
      const n = check % (one.projects[p]?.names.length ?? 1)
      const others = all.filter((c) => c.n === n && copies(c.p) && copies(p) && c.p !== p)
      return { p, n, sure: way !== 'otherAddress' || others.length === 0 }
    })
    if (places.some(({ sure }) => !sure)) return null
    candidates = named.filter((c) => places.some(({ p, n }) => p === c.p && n === c.n))
  } else {
    const here = one.rules.filter((rule) => rule.here)
    const leads = (p: number, n: number) =>
      here.some(
        ({ project, tag }) =>
          (project === null || project % one.projects.length === p) && (!tag || isTagged(n)),
      )
    const isLinked = (p: number) =>
      here.some(({ project }) => project === null || project % one.projects.length === p)
    if (one.projects.some(({ unsure }, p) => unsure && isLinked(p))) return null
    candidates = named.filter(({ p }) => isLinked(p))
    if (!candidates.some(({ p, n }) => leads(p, n))) return null
  }
  const [only] = candidates
  if (only === undefined || candidates.length > 1) return null
  const states = [...statesOf(only.name)]
  return states.length === 1 ? `${only.p}/${only.n} ${states[0]}` : null
}

/** "project/number" of a check of the case. */
function placeOf(one: Case, accountId: string, checkId: string): string {
  const p = one.projects.findIndex((_, at) => projectId(at) === accountId)
  const n = one.projects[p]?.names.findIndex((_, at) => uniqueKeyOf(uuidOf(one, p, at)) === checkId)
  return `${p}/${n}`
}

describe('A bot’s message', () => {
  test('is matched to a check only where its link or its channel makes the match certain', () => {
    fc.assert(
      fc.property(someCase, (one) => {
        const message = messageOf(one)
        const state = stateOf(one, 'up', [message])
        const realm = state.realms.get(eg.chatId)!
        const news = checkNews(state, realm, message, uniqueKeyOf)
        const found = news?.accountIds.map(
          (id) => `${placeOf(one, id, news.checkId)} ${news.state}`,
        )
        expect(found ?? null).toEqual(meant(one) === null ? null : [meant(one)])
      }),
      { numRuns: 2_000 },
    )
  })

  test('suppresses no other check’s alarm, and 👀 on it acknowledges no other check', () => {
    fc.assert(
      fc.property(someCase, (one) => {
        const message = messageOf(one)
        const up = stateOf(one, 'up', [])
        const said = stateOf(one, 'up', [message])
        const untold = {
          ...said.realms.get(eg.chatId)!,
          notified: up.realms.get(eg.chatId)!.notified,
        }
        const before: AppState = { ...up, realms: new Map([[eg.chatId, untold]]) }
        const down = stateOf(one, 'down', [message])
        const first = eventsBetween(before, said, eg.now, uniqueKeyOf).map((event) =>
          event.of === 'message' ? { ...event, chat: { notify: true, sound: true } } : event,
        )
        const then = eventsBetween(said, down, eg.now, uniqueKeyOf)
        const { memory } = step(emptyMemory, { events: first, over: [] }, calm, eg.now)
        const { decisions } = step(memory, { events: then, over: [] }, calm, eg.now)
        const sure = meant(one)?.endsWith(' down') === true ? [meant(one)] : []
        const hidden = decisions.flatMap(({ event, reasons }) =>
          event.of === 'check' && reasons.some(({ by }) => by === 'same')
            ? [`${placeOf(one, event.accountId, event.checkId)} down`]
            : [],
        )
        expect(hidden).toEqual(sure)
        const acknowledged = withSharedAcknowledgements(
          withOutageMessages(said, down, eg.now, uniqueKeyOf),
          eg.now,
        ).silences
        const covered = acknowledged.flatMap(({ scope }) =>
          scope.of === 'check' ? [`${placeOf(one, scope.accountId, scope.checkId)} down`] : [],
        )
        expect(covered).toEqual(sure)
        for (const { label, scope } of acknowledged)
          expect(label).toContain(`of Project ${'accountId' in scope && scope.accountId.at(-1)}`)
      }),
      { numRuns: 500 },
    )
  })

  // Guards the tests above against cases that are all alike.
  test('is generated in every kind: certain by link, certain by channel, and with an ambiguous name', () => {
    const cases = fc.sample(someCase, { numRuns: 2_000, seed: 1 })
    const isLinked = ({ links }: Case) => links.some(({ way }) => way !== 'noCheck')
    const sure = cases.filter((one) => meant(one) !== null)
    expect(sure.filter(isLinked).length).toBeGreaterThan(100)
    expect(sure.filter((one) => !isLinked(one)).length).toBeGreaterThan(100)
    // By its name alone each of these could mean at least two checks.
    const unsure = cases.filter((one) => {
      const said = new Set(one.said.map(({ name }) => names[name]))
      const named = one.projects
        .flatMap((project) => project.names)
        .filter((name) => said.has(name))
      return meant(one) === null && one.isBot && named.length > 1
    })
    expect(unsure.length).toBeGreaterThan(200)
  })

  test('matches no check if its name is one check’s and, with the preceding word, another’s', () => {
    const rule = { project: 0, tag: false, here: true }
    const one: Case = {
      projects: [{ names: ['db'], copies: false, unsure: false }],
      rules: [rule],
      said: [{ name: 2, state: 'down' }],
      ...{ links: [], inTopic: false, isBot: true },
    }
    const state = stateOf(one, 'up', [])
    const { checks } = state.boards.get(projectId(0))!
    const host = eg.check({ name: 'host db' })
    const both = eg.board([...checks.values(), host], { accountId: projectId(0) })
    const message = { ...messageOf(one), text: 'host db is DOWN.' }
    const realm = state.realms.get(eg.chatId)!
    const among = (board: typeof both): AppState => ({
      ...state,
      boards: new Map([[projectId(0), board]]),
    })
    const alone = eg.board([...checks.values()], { accountId: projectId(0) })
    expect(checkNews(among(alone), realm, message, uniqueKeyOf)).not.toBeNull()
    expect(checkNews(among(both), realm, message, uniqueKeyOf)).toBeNull()
  })

  test('about a project reached through two keys means one check', () => {
    const check = eg.check({ name: 'db', status: 'down' })
    const html = `<a href="https://hc.example.org/cloaked/${check.id}/">db</a> is DOWN`
    const message = eg.message({ senderId: bot.id, text: 'db is DOWN', html })
    const state = eg.state({
      accounts: [eg.account(), eg.account({ id: 'again', keyKind: 'readOnly' })],
      boards: new Map([eg.opsId, 'again'].map((id) => [id, eg.board([check], { accountId: id })])),
    })
    const realm = eg.realm([message], { users: new Map([[bot.id, bot]]) })
    expect(checkNews(state, realm, message, uniqueKeyOf)).toEqual({
      accountIds: [eg.opsId, 'again'],
      checkId: check.id,
      tags: [],
      state: 'down',
    })
  })

  describe('about a check of the only linked project', () => {
    const check = eg.check({ name: 'db' })
    const link = {
      ...{ id: 'r', accountId: eg.opsId, tag: null, checkId: null },
      ...{ chatId: eg.chatId, channelId: 10, topic: '{check}' },
    }
    const everything = { ...link, accountId: null }
    const users = new Map([[bot.id, bot]])
    const says = eg.message({ senderId: bot.id, text: 'db is DOWN' })
    const on = (board: Board, { accountId = board.accountId, ...change }: Partial<Board> = {}) =>
      [accountId, { ...board, accountId, ...change }] as const
    const ops = eg.board([check])
    const copy = eg.account({ id: 'copy', baseUrl: 'https://copy.example.org' })
    const again = eg.account({ id: 'again', keyKind: 'readOnly' })
    const linkTo = (site: string) => `<a href="${site}/cloaked/${check.id}/">db</a>`
    const of = (account: { readonly id: string }) => on(ops, { accountId: account.id })
    test.each<
      [
        string,
        readonly string[] | null,
        Partial<Message>,
        DiscussRule,
        readonly (readonly [string, Board])[],
      ]
    >([
      ['is certain', [eg.opsId], {}, link, [on(ops)]],
      ['is not, with a link of another chat', null, {}, { ...link, chatId: 'other' }, [on(ops)]],
      ['is not, before that is read', null, {}, link, [on(ops, { freshness: neverRead })]],
      ['is not, if that is removed', null, {}, { ...link, accountId: 'gone' }, [on(ops)]],
      [
        'is certain, reached by two keys',
        [eg.opsId, 'again'],
        {},
        everything,
        [on(ops), of(again)],
      ],
      [
        'is not, if a copy of the service is linked as well',
        null,
        {},
        everything,
        [on(ops), of(copy)],
      ],
      [
        'is not, with links to the check and to its copy',
        null,
        { html: `${linkTo('https://hc.example.org')} ${linkTo(copy.baseUrl)}` },
        link,
        [on(ops), of(copy)],
      ],
      [
        'is not, in a direct message',
        null,
        {
          conversation: { kind: 'direct', userIds: [bot.id] },
          html: linkTo('https://hc.example.org'),
        },
        link,
        [on(ops)],
      ],
    ])('%s', (_what, expected, change, rule, boards) => {
      const state = eg.state({
        accounts: [eg.account(), copy, again].filter(({ id }) =>
          boards.some(([one]) => one === id),
        ),
        boards: new Map(boards),
        settings: { ...defaultSettings, discuss: [rule] },
      })
      const news = checkNews(state, eg.realm([], { users }), { ...says, ...change }, uniqueKeyOf)
      expect(news?.accountIds ?? null).toEqual(expected)
    })
  })

  test.each([
    ['hostdb is DOWN', false],
    ['dbdown', false],
    ['my “db is DOWN', false],
    ['my “db” is DOWN', true],
    ['db changed from UP to DOWN', true],
    ['db changed from DOWN to UP', false],
    ['db went down to reboot', true],
  ])('%j says that db is down: %s', (text, tells) => {
    expect(saysState(text, 'db', 'down')).toBe(tells)
  })

  test('is matched quickly, for a thousand messages in a storm of ten thousand checks', () => {
    const checks = Array.from({ length: 10_000 }, (_, n) =>
      eg.check({ name: `backup of host ${n}` }),
    )
    const state = eg.state({
      boards: new Map([[eg.opsId, eg.board(checks)]]),
      settings: {
        ...defaultSettings,
        discuss: [
          {
            ...{ id: 'r', accountId: eg.opsId, tag: null, checkId: null },
            ...{ chatId: eg.chatId, channelId: 10, topic: '{check}' },
          },
        ],
      },
    })
    const realm = eg.realm([], { users: new Map([[bot.id, bot]]) })
    // Comparing each message with every check would exceed the test's timeout.
    for (let n = 0; n < 1_000; n += 1) {
      const message = eg.message({ senderId: bot.id, text: `backup of host ${n} is DOWN` })
      expect(checkNews(state, realm, message, uniqueKeyOf)?.checkId).toBe(checks[n]?.id)
    }
  })
})
