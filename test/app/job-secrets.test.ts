import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { readPings } from '../../src/shared/api/monitoring/read-history.ts'
import { anyRule, defaultAttention } from '../../src/shared/core/attention/rules.ts'
import { causeOf, causeWords, evidenceIn, lastFailure } from '../../src/shared/core/checks/cause.ts'
import { lineThatMatters } from '../../src/shared/core/checks/line-that-matters.ts'
import { RequestFailed } from '../../src/shared/core/failure.ts'
import { reportText } from '../../src/shared/core/outages/outage-report.ts'
import { mask } from '../../src/shared/core/secret-values.ts'
import { outagesCsv, outagesMarkdown } from '../../src/shared/core/views/outage-view.ts'
import { createPaletteSource } from '../../src/shared/core/views/palette-items.ts'
import { timelineMarkdown, timelineOf } from '../../src/shared/core/views/timeline.ts'
import type { HttpReply } from '../../src/shared/http.ts'
import { type RunningApp, startApp } from '../support/app.ts'
import { inTime, scopeOf, toldOf, watching } from '../support/watched-job.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25, 30) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const minute = 60_000
const secret = 'Xq7pLm2VbT9'
const words = `can't reach 'https://joe:${secret}@host/x.git'`
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const asText = (value: unknown): string =>
  JSON.stringify(value, (_key, one: unknown) => (one instanceof Map ? [...one] : one))

const everything = { from: 0, limit: 10_000 }

/** What of `texts`, by their names, shows the secret, and what shows that something is masked. */
function seenIn(texts: Readonly<Record<string, string>>) {
  const having = (part: string) => Object.keys(texts).filter((name) => texts[name]?.includes(part))
  return { secret: having(secret), masked: having('://joe:•') }
}

async function saveReport(it: RunningApp): Promise<void> {
  const saved = it.app.commands.saveDiagnostics({})
  await pass(11_000)
  await saved
}

test('a password in a job’s output leaves the output by no way, and the rest of its line by each', async () => {
  const log: string[] = []
  const statusFiles: unknown[] = []
  const { it, name, ops, scope } = await watching({
    note: (where, what) => log.push(`${where}: ${what}`),
    statusFolder: { write: (files) => statusFiles.push(files), close: () => Promise.resolve() },
  })
  const { accountId, checkId } = scope
  for (const other of ops.names()) if (other !== name) ops.remove(other)
  await it.app.commands.createCheck({ accountId, fields: { name: 'nightly', tags: 'db' } })
  await it.app.commands.createCheck({ accountId, fields: { name: 'runner' } })
  for (const one of ['nightly', 'runner']) ops.ping(one, 'success')
  const rules = [
    { ...anyRule, id: 'again', kinds: ['down' as const], repeatMinutes: 5 },
    { ...anyRule, id: 'long', kinds: ['tooLong' as const], longerMinutes: 1 },
  ]
  await it.app.commands.updateSettings({ attention: { ...defaultAttention, rules } })
  await it.app.commands.addAccount(it.world.newAccounts.chat)
  await pass(2 * minute)
  const maintained = { of: 'tag', accountId, tag: 'db' } as const
  await it.app.commands.silence({
    how: 'maintenance',
    scope: maintained,
    until: inTime(10 * minute),
  })
  const body = bytes(`begin\nfatal: ${words}\nend`)
  ops.ping('runner', 'start', { body })
  for (const one of [name, 'nightly']) ops.ping(one, 'fail', { body })
  await pass(3 * minute)

  // As the window puts them together.
  const state = it.desktop.window()
  const board = state.boards.get(accountId)!
  const check = board.checks.get(checkId)!
  const { uuid } = ops.check(name)
  const run = (operation: 'listPings' | 'getPingBody', n?: number) =>
    it.app.commands.run({ accountId, operation, params: { uuid, ...(n && { n }) } })
  const pings = readPings((await run('listPings')) as { pings: unknown[] }).items
  const output = String(await run('getPingBody', lastFailure(pings)?.n ?? 0))
  const now = Date.now()
  const causes = [board.logs.get(checkId)!, evidenceIn(check, pings, lineThatMatters(output))].map(
    (evidence) => causeOf(check, evidence, now)!,
  )
  const report = { project: 'ops', webUrl: 'https://hc.example', serverNow: now, limit: 10_000 }
  const { outages, gaps } = await it.app.commands.outages({ from: now - 60 * minute, words: '' })
  const entries = it.history.entries({
    ...everything,
    subject: `${accountId}/check/${checkId}`,
  })
  const past = { flips: null, messages: [], offsetMs: 0, from: 0, to: now }
  const tray = it.desktop.trays.at(-1)!
  const then = {
    'its pane': output,
    notification: asText(toldOf(it, name)),
    'tooltip of the tray': tray.tooltip,
    'menu of the tray': asText(tray.menu),
    'row on the board': causeWords(causes[0]!, now, 0),
    'head of its page': causeWords(causes[1]!, now, 0),
    'list of outages': asText(outages),
    'outages as Markdown': outagesMarkdown(outages, gaps, 'Outages').text,
    'outages as CSV': outagesCsv(outages, gaps).text,
    'report for the chat': reportText({ ...report, check, cause: causes[1]!, pings, output }),
    window: asText(state),
    timeline: timelineMarkdown(check, 'ops', timelineOf({ ...past, check, pings, entries })),
  }
  await saveReport(it)
  await pass(10 * minute)
  const noticesWith = (field: 'kind' | 'title', value: string) =>
    it.desktop.notices.filter((one) => one[field] === value)
  const all = {
    ...then,
    'documents on disk': asText(it.disk.documents),
    history: asText(it.history.entries(everything)),
    digest: asText(noticesWith('kind', 'digest')),
    'reminder of a rule': asText(noticesWith('title', `${name} is still down`)),
    'notice of a long run': asText(noticesWith('title', 'runner is running longer than usual')),
    'what the bell lists, with each “Why?”': asText(it.app.state.notices),
    'status files': asText(statusFiles),
    palette: asText(createPaletteSource()(it.app.state)),
    diagnostics: asText(it.desktop.saves),
    log: log.join('\n'),
  }
  // These name the check, or only count it.
  const wordless = [
    ...['timeline', 'digest', 'diagnostics', 'log'],
    ...['notice of a long run', 'status files', 'palette'],
  ]
  expect(all['notice of a long run']).toContain('you set')
  expect(all['status files']).toContain(name)
  expect(all.palette).toContain(name)
  expect(all.timeline).toContain(`${name} is down`)
  expect(all.digest).toContain('nightly')
  expect(all.diagnostics).toContain('/api/v3/checks/{uuid}/pings/{n}/body')
  expect(all.log).toContain('/api/v3/checks/{uuid}/pings/{n}/body')
  const masked = Object.keys(all).filter((one) => one !== 'its pane' && !wordless.includes(one))
  expect(seenIn(all)).toEqual({ secret: ['its pane'], masked })
  expect(it.bugs).toEqual([])
  await it.app.stop()
})

test('a password in the words of a server is masked, whatever they answer', async () => {
  const first = await watching()
  const { world, disk, vault, history } = first.it
  await first.it.app.commands.addAccount(world.newAccounts.chat)
  await pass(3_000)
  await first.it.app.stop()
  let refusing: RegExp | null = null
  const refusal = (isChat: boolean, status: number): HttpReply => {
    const said = isChat ? { result: 'error', msg: words } : { error: words }
    return { status, headers: {}, body: bytes(JSON.stringify(said)) }
  }
  const around = { world, disk, vault, history }
  const it = await startApp({
    ...around,
    transport: (request, signal) => {
      if (refusing?.test(request.url) !== true) return world.transport(request, signal)
      if (/\/ping\//.test(request.url))
        return Promise.resolve({ status: 400, headers: {}, body: bytes(words) })
      const isChat = request.url.includes('/api/v1/')
      return Promise.resolve(refusal(isChat, isChat && refusing.source === '.' ? 401 : 400))
    },
  })
  await pass(3_000)
  const { accountId, checkId } = scopeOf(it, first.name)
  const chatId = it.app.state.accounts.find(({ kind }) => kind === 'chat')!.id
  const failureOf = (call: Promise<unknown>) =>
    call.then(
      () => null,
      (error: unknown) => (error instanceof RequestFailed ? error.failure : null),
    )

  refusing = /\/checks\/.|\/messages|\/ping\//
  const { uuid } = first.ops.check(first.name)
  const ofPause = failureOf(
    it.app.commands.run({ accountId, operation: 'pauseCheck', params: { uuid } }),
  )
  const ping = { signal: 'success', exitStatus: null, runId: null, body: '' } as const
  const answers = {
    'a refused action': asText(await ofPause),
    'a refused ping': asText(await it.app.commands.pingCheck({ accountId, checkId, ...ping })),
  }
  await it.app.commands.sendMessage({
    accountId: chatId,
    conversation: { kind: 'topic', channelId: 1, topic: 'db-backup' },
    text: 'hello',
  })
  await pass(5_000)
  const outbox = asText(it.app.state.outbox)
  refusing = /./
  await it.app.commands.refresh({ accountId: null })
  await pass(20 * minute)
  await saveReport(it)
  const all = {
    ...answers,
    'a message that was refused': outbox,
    notifications: asText(it.desktop.notices),
    window: asText(it.desktop.window()),
    'documents on disk': asText(it.disk.documents),
    history: asText(it.history.entries(everything)),
    tray: asText(it.desktop.trays),
    diagnostics: asText(it.desktop.saves),
  }
  expect(it.desktop.notices.map(({ title }) => title)).toContain(
    `Belfry Demo: can't reach 'https://joe:${mask}@host/x.git'`,
  )
  expect(seenIn(all)).toEqual({
    secret: [],
    masked: Object.keys(all).filter((one) => one !== 'tray' && one !== 'diagnostics'),
  })
  await it.app.stop()
})
