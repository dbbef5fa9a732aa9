import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { anyRule } from '../../src/shared/core/attention/rules.ts'
import { type RunningApp, startApp } from '../support/app.ts'
import { inTime, scopeOf, snoozed, watching } from '../support/watched-job.ts'

const second = 1_000
const minute = 60 * second

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25, 30) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

async function connect(it: RunningApp) {
  await it.app.commands.addAccount(it.world.newAccounts.ops)
  await it.app.commands.addAccount(it.world.newAccounts.chat)
  const { attention } = it.app.state.settings
  // A message without a sound can’t stand in for an alarm.
  const rules = [{ ...anyRule, id: 'bot', kinds: ['message' as const], way: 'sound' as const }]
  await it.app.commands.updateSettings({ attention: { ...attention, rules } })
  await pass(3 * second)
}

/** Posts what the monitoring service's own integration would: topic, link and bold. */
function botSays(
  { world }: RunningApp,
  name: string,
  state: 'DOWN' | 'UP',
  topic?: string,
): number {
  const last = state === 'DOWN' ? ' Last ping was 3 hours ago.' : ''
  const { controls } = world.ops
  const id = controls.names().includes(name) ? controls.check(name).uniqueKey : '0'.repeat(40)
  return world.realm.controls.say({
    from: 'Monitoring',
    to: `ops > ${topic ?? `${name} is ${state}`}`,
    text: `[${name}](https://ops.demo.invalid/cloaked/${id}/) is **${state}**.${last}`,
  })
}

/** A job that went down, and the bot’s message about it. */
async function outage(order: 'flip' | 'message' = 'flip') {
  const it = await startApp()
  const ops = it.world.ops.controls
  ops.addChecks(2)
  await connect(it)
  const [name, other] = ops.names().filter((one) => one.startsWith('job-'))
  const fall = async () => {
    ops.ping(name!, 'fail')
    await it.app.commands.refresh({ accountId: null })
    await pass(2 * second)
  }
  if (order === 'flip') await fall()
  const messageId = botSays(it, name!, 'DOWN')
  await pass(2 * second)
  if (order === 'message') await fall()
  const scope = scopeOf(it, name!)
  const react = async (from: string, present = true, reaction = 'eyes') => {
    it.world.realm.controls.react({ from, messageId, name: reaction, present })
    await pass(second)
  }
  return { it, ops, name: name!, other: other!, messageId, scope, react }
}

const acknowledged = ({ app }: RunningApp) =>
  app.state.silences.map(({ how, by, label, messageId }) => [how, by, label, messageId])

/** The pop-ups about one check. Nobody pings the demo’s own checks, so they go down in time. */
const popUpsOf = ({ desktop }: RunningApp, name: string) =>
  desktop.notices.filter(({ title, body }) => `${title} ${body}`.includes(name))

describe('a flip and the bot’s message about it', () => {
  test.each(['flip', 'message'] as const)(
    'pop up once if the %s comes first, and so does the recovery',
    async (order) => {
      const { it, ops, name } = await outage(order)
      await pass(minute)
      expect(popUpsOf(it, name).map(({ kind }) => kind)).toEqual([
        order === 'flip' ? 'down' : 'message',
      ])
      await pass(5 * minute)
      if (order === 'message') botSays(it, name, 'UP')
      await pass(second)
      ops.ping(name, 'success')
      await it.app.commands.refresh({ accountId: null })
      await pass(5 * second)
      if (order === 'flip') botSays(it, name, 'UP')
      await pass(minute)
      expect(popUpsOf(it, name)).toHaveLength(2)
      expect(it.bugs).toEqual([])
      await it.app.stop()
    },
  )

  test('are two events if the message is about another check with a longer name', async () => {
    const { it, name } = await outage()
    botSays(it, `${name}-copy`, 'DOWN')
    await pass(2 * second)
    expect(it.desktop.notices.at(-1)?.kind).toBe('message')
    expect(it.app.state.outageMessages).toHaveLength(1)
    await it.app.stop()
  })

  test('are both silent while the check is snoozed', async () => {
    const { it, name, scope, ops } = await watching()
    await it.app.commands.addAccount(it.world.newAccounts.chat)
    await pass(3 * second)
    await snoozed(it, scope, inTime(60 * minute))
    botSays(it, name, 'DOWN')
    await pass(second)
    ops.ping(name, 'fail')
    await pass(2 * minute)
    expect(popUpsOf(it, name)).toEqual([])
    await it.app.stop()
  })
})

describe('an acknowledgement in the chat', () => {
  test.each(['flip', 'message'] as const)(
    'by 👀 silences the check here, and names who is looking at it (%s first)',
    async (order) => {
      const { it, ops, name, react, messageId } = await outage(order)
      await react('Ana')
      expect(acknowledged(it)).toEqual([
        ['acknowledge', 'Ana Kovač', `${name} of ops-project`, messageId],
      ])
      expect(it.desktop.withdrawn.some((subject) => subject.includes('/check/'))).toBe(true)
      expect(popUpsOf(it, name)).toHaveLength(1)
      // Its recovery is news for Ana; here the check was silenced, and stays so.
      ops.ping(name, 'success')
      await pass(2 * minute)
      expect(popUpsOf(it, name)).toHaveLength(1)
      const recovered = it.app.state.notices.find(({ kind }) => kind === 'recovered')
      expect(recovered?.reasons.at(-1)?.text).toBe(
        `Acknowledged by Ana Kovač in the chat (only ${name} of ops-project) until it changes.`,
      )
      expect(it.app.state.silences).toEqual([])
      expect(it.app.state.outageMessages).toEqual([])
      await it.app.stop()
    },
  )

  test('doesn’t silence the recovery for a user who acknowledged the outage as well', async () => {
    const { it, ops, name, scope, react } = await outage()
    await it.app.commands.silence({ how: 'acknowledge', scope, until: { kind: 'change' } })
    await react('Ana')
    expect(acknowledged(it).map(([, by]) => by)).toEqual([null, 'Ana Kovač'])
    ops.ping(name, 'success')
    await pass(2 * minute)
    expect(popUpsOf(it, name).map(({ kind }) => kind)).toEqual(['down', 'recovered'])
    expect(it.app.state.silences).toEqual([])
    await it.app.stop()
  })

  test('is of one outage, even if the next one comes within two minutes', async () => {
    const { it, ops, name, react } = await outage()
    const refreshed = async (kind: 'success' | 'fail') => {
      ops.ping(name, kind)
      await it.app.commands.refresh({ accountId: null })
      await pass(20 * second)
    }
    await react('Ana')
    await refreshed('success')
    await refreshed('fail')
    expect([it.app.state.silences, it.app.state.outageMessages]).toEqual([[], []])
    expect(popUpsOf(it, name).map(({ kind }) => kind)).toEqual(['down', 'down'])
    await it.app.stop()
  })

  test('ends when the reaction is removed', async () => {
    const { it, react } = await outage()
    await react('Ana')
    await react('Boris')
    expect(acknowledged(it).map(([, by]) => by)).toEqual(['Ana Kovač', 'Boris Novak'])
    await react('Ana', false)
    expect(acknowledged(it).map(([, by]) => by)).toEqual(['Boris Novak'])
    await react('Boris', false)
    expect(it.app.state.silences).toEqual([])
    await it.app.stop()
  })

  test('that was ended here by hand doesn’t come back, not even after a restart', async () => {
    const { it, react } = await outage()
    await react('Ana')
    await it.app.commands.endSilence({ ids: [it.app.state.silences[0]!.id] })
    await react('Boris', true, 'check')
    expect(it.app.state.silences).toEqual([])
    const later = await it.restart()
    await pass(minute)
    expect(later.app.state.silences).toEqual([])
    expect(later.app.state.outageMessages).toHaveLength(1)
    await later.app.stop()
  })

  test('that was ended here doesn’t come back by Undo once its reaction is removed', async () => {
    const { it, react } = await outage()
    const { commands } = it.app
    await react('Ana')
    const ids = it.app.state.silences.map(({ id }) => id)
    await commands.endSilence({ ids })
    await commands.restoreSilence({ ids })
    expect(acknowledged(it).map(([, by]) => by)).toEqual(['Ana Kovač'])
    await commands.endSilence({ ids })
    await react('Ana', false)
    await expect(commands.restoreSilence({ ids })).rejects.toMatchObject({
      failure: { message: 'It is over: the check changed, or its 👀 was removed.' },
    })
    expect(it.app.state.silences).toEqual([])
    await it.app.stop()
  })

  test('withdrawn while the check is still down is reported, since nobody is looking at it now', async () => {
    const { it, name, react } = await outage()
    await react('Ana')
    await pass(10 * minute)
    await react('Ana', false)
    await pass(minute)
    const titles = popUpsOf(it, name).map(({ title }) => title)
    expect(titles).toEqual([`${name} is down`, `${name} is still down`])
    await it.app.stop()
  })

  test('before our poll sees the flip keeps the flip silent', async () => {
    const it = await startApp()
    const ops = it.world.ops.controls
    ops.addChecks(1)
    await connect(it)
    const name = ops.names().find((one) => one.startsWith('job-'))!
    const messageId = botSays(it, name, 'DOWN')
    await pass(second)
    it.world.realm.controls.react({ from: 'Ana', messageId, name: 'eyes' })
    await pass(second)
    expect(it.app.state.silences).toEqual([])
    ops.ping(name, 'fail')
    await pass(2 * minute)
    expect(acknowledged(it).map(([, by]) => by)).toEqual(['Ana Kovač'])
    expect(popUpsOf(it, name).map(({ kind }) => kind)).toEqual(['message'])
    it.world.realm.controls.react({ from: 'Ana', messageId, name: 'eyes', present: false })
    await pass(minute)
    expect(popUpsOf(it, name).map(({ kind }) => kind)).toEqual(['message', 'down'])
    await it.app.stop()
  })

  test('silences only a check that is down and that the message is about', async () => {
    const { it, ops, name, other, react } = await outage()
    const { controls } = it.world.realm
    const chatter = controls.say({ from: 'Boris', to: 'ops > db', text: `${name} is DOWN again` })
    const wrong = botSays(it, other, 'DOWN')
    await pass(second)
    for (const messageId of [chatter, wrong])
      controls.react({ from: 'Ana', messageId, name: 'eyes' })
    await react('Ana', true, 'check')
    await react('Monitoring')
    expect(it.app.state.silences).toEqual([])
    // Up again: a reaction to the old message silences nothing.
    ops.ping(name, 'success')
    await pass(2 * minute)
    await react('Ana')
    expect(it.app.state.silences).toEqual([])
    await it.app.stop()
  })

  test('by people the user has muted doesn’t count', async () => {
    const { it, react } = await outage()
    it.world.realm.controls.muteUsers('Ana')
    await pass(second)
    await react('Ana')
    expect(it.app.state.silences).toEqual([])
    await it.app.stop()
  })
})

/** A job with the same name in both projects; the bot posts as given, then both go down. */
async function twoOfOneName() {
  const it = await startApp()
  const { ops, web, realm } = it.world
  ops.controls.addChecks(40)
  web.controls.addChecks(40)
  await connect(it)
  await it.app.commands.addAccount(it.world.newAccounts.web)
  await pass(3 * second)
  const inWeb = new Set(web.controls.names())
  const name = ops.controls.names().find((one) => one.startsWith('job-') && inWeb.has(one))!
  const ids = Object.fromEntries(it.app.state.accounts.map(({ label, id }) => [label, id]))
  const said = async (text: string) => {
    const messageId = realm.controls.say({ from: 'Monitoring', to: 'ops > alerts', text })
    await pass(second)
    for (const { controls } of [ops, web]) controls.ping(name, 'fail')
    await it.app.commands.refresh({ accountId: null })
    await pass(2 * second)
    const told = popUpsOf(it, name)
      .map(({ kind, accountId }) =>
        kind === 'down' ? it.app.state.accounts.find(({ id }) => id === accountId)?.label : kind,
      )
      // Both projects are read at the same time.
      .sort()
    realm.controls.react({ from: 'Ana', messageId, name: 'eyes' })
    await pass(second)
    return told
  }
  return {
    it,
    name,
    ids,
    said,
    webKey: web.controls.check(name).uniqueKey,
    webUuid: web.controls.check(name).uuid,
  }
}

describe('two checks of one name', () => {
  test('are both notified, and neither is acknowledged by 👀, if a bot gives only the name', async () => {
    const { it, name, said } = await twoOfOneName()
    expect(await said(`${name} is DOWN`)).toEqual(['message', 'ops-project', 'web-project'])
    expect(it.app.state.silences).toEqual([])
    expect(it.bugs).toEqual([])
    await it.app.stop()
  })

  test.each(['cloaked', 'checks'] as const)(
    'are distinguished by the message’s link (%s), and the acknowledgement says which it covers',
    async (page) => {
      const { it, name, said, webKey, webUuid } = await twoOfOneName()
      const path = page === 'cloaked' ? `cloaked/${webKey}` : `checks/${webUuid}/details`
      const told = await said(`[${name}](https://web.demo.invalid/${path}/) is **DOWN**.`)
      expect(told).toEqual(['message', 'ops-project'])
      expect(acknowledged(it).map(([, by, label]) => [by, label])).toEqual([
        ['Ana Kovač', `${name} of web-project`],
      ])
      await it.app.stop()
    },
  )

  test('are distinguished by a channel that the user’s rules link to one project', async () => {
    const { it, name, ids, said } = await twoOfOneName()
    const [realm] = [...it.app.state.realms.values()]
    const channel = [...realm!.channels.values()].find((one) => one.name === 'ops')
    const place = { chatId: realm!.accountId, channelId: channel!.id, topic: '{check}' }
    await it.app.commands.updateSettings({
      discuss: [{ ...place, id: 'r', accountId: ids['web-project']!, tag: null, checkId: null }],
    })
    expect(await said(`${name} is DOWN`)).toEqual(['message', 'ops-project'])
    expect(acknowledged(it).map(([, , label]) => label)).toEqual([`${name} of web-project`])
    await it.app.stop()
  })
})

describe('two apps on one chat', () => {
  test('share an acknowledgement within 2 s, and its end, too', async () => {
    const one = await outage()
    const { it: a, name, scope, messageId } = one
    const b = await startApp({ world: a.world })
    await connect(b)
    // B started later: its realm has only a reminder from the bot, not the first message.
    const reminder = botSays(b, name, 'DOWN')
    await pass(second)
    const answer = await a.app.commands.silence({
      how: 'acknowledge',
      scope,
      until: { kind: 'change' },
      tellOthers: true,
    })
    expect(answer.reacted).toBe(1)
    await pass(2 * second)
    expect(acknowledged(a)).toEqual([['acknowledge', null, name, reminder]])
    // Both are the same user, so what is done in one is the user’s own in the other.
    expect(acknowledged(b)).toEqual([['acknowledge', null, `${name} of ops-project`, reminder]])
    await a.app.commands.endSilence({ ids: [answer.id] })
    await pass(2 * second)
    expect(acknowledged(a)).toEqual([])
    expect(acknowledged(b)).toEqual([])
    await a.app.commands.restoreSilence({ ids: [answer.id] })
    await pass(2 * second)
    expect(acknowledged(b)).toHaveLength(1)
    expect(messageId).not.toBe(reminder)
    expect([...a.bugs, ...b.bugs]).toEqual([])
    await Promise.all([a.app.stop(), b.app.stop()])
  })

  test('of two people: what one acknowledges is silent for the other, with the first one’s name', async () => {
    const { it: mine, name, scope } = await outage()
    const theirs = await outage()
    await mine.app.commands.silence({
      how: 'acknowledge',
      scope,
      until: { kind: 'change' },
      tellOthers: true,
    })
    await pass(second)
    relay(mine, theirs)
    await pass(second)
    expect(acknowledged(theirs.it).map(([how, by, label]) => [how, by, label])).toEqual([
      ['acknowledge', 'Ana Kovač', `${name} of ops-project`],
    ])
    await mine.app.stop()
    await theirs.it.app.stop()
  })
})

/** Each realm has one key: repeats this user’s reactions in its twin as Ana’s. */
function relay(from: RunningApp, { it, messageId }: Awaited<ReturnType<typeof outage>>): void {
  const me = from.world.realm.user.id
  const done = from.world.realm.controls.messages().find(({ id }) => id === messageId)!.reactions
  for (const { emoji_name, user_id } of done)
    if (user_id === me) it.world.realm.controls.react({ from: 'Ana', messageId, name: emoji_name })
}

describe('a check that is snoozed until someone answers', () => {
  test('is heard again once someone posts where its outage was announced', async () => {
    const { it, name, scope } = await outage()
    await snoozed(it, scope, { kind: 'answer' })
    const { controls } = it.world.realm
    controls.say({ from: 'Ana', to: 'ops > elsewhere', text: 'restarting something else' })
    controls.say({ from: 'Monitoring', to: `ops > ${name} is DOWN`, text: 'Still failing.' })
    await pass(second)
    expect(it.app.state.silences).toHaveLength(1)
    controls.say({ from: 'Ana', to: `ops > ${name} is DOWN`, text: 'restarting it' })
    await pass(second)
    expect(it.app.state.silences).toEqual([])
    await it.app.stop()
  })

  test('is heard when it changes before anyone answers', async () => {
    const { it, ops, name, scope } = await outage()
    await snoozed(it, scope, { kind: 'answer' })
    ops.ping(name, 'success')
    await pass(2 * minute)
    expect(popUpsOf(it, name).map(({ kind }) => kind)).toEqual(['down', 'recovered'])
    expect(it.app.state.silences).toEqual([])
    await it.app.stop()
  })
})

describe('an acknowledgement that should tell others', () => {
  test('says so if no message about the outage is known, and counts only here', async () => {
    const it = await startApp()
    it.world.ops.controls.addChecks(1)
    await connect(it)
    const board = [...it.app.state.boards.values()][0]!
    const check = [...board.checks.values()].find((one) => one.name.startsWith('job-'))!
    it.world.ops.controls.ping(check.name, 'fail')
    await pass(2 * minute)
    const { reacted } = await it.app.commands.silence({
      how: 'acknowledge',
      scope: { of: 'check', accountId: board.accountId, checkId: check.id },
      until: { kind: 'change' },
      tellOthers: true,
    })
    expect(reacted).toBe(0)
    expect(acknowledged(it)).toEqual([['acknowledge', null, check.name, null]])
    await it.app.stop()
  })

  test('says so if the chat refuses', async () => {
    const { it, name, scope } = await outage()
    it.world.realm.controls.refuse(403, 'addReaction')
    const { reacted } = await it.app.commands.silence({
      how: 'acknowledge',
      scope,
      until: { kind: 'change' },
      tellOthers: true,
    })
    expect(reacted).toBe(0)
    expect(acknowledged(it)).toEqual([['acknowledge', null, name, null]])
    await it.app.stop()
  })
})
