import type { ChildProcess } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import nodeNotifier from 'node-notifier'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { DbusNotifier } from '../../../../src/main/desktop/notifications/dbus-notifier.ts'
import {
  type Notifier,
  notificationText,
} from '../../../../src/main/desktop/notifications/notifier.ts'
import {
  createFallbackNotifier,
  createNotifySend,
} from '../../../../src/main/desktop/notifications/program-notifier.ts'
import { openSessionBus } from '../../../../src/main/desktop/system/session-bus.ts'
import { reportSecurity } from '../../../security/report.ts'
import { messageButtons } from '../../../support/eg.ts'
import {
  type HostileText,
  hostileNotifications,
  strangersNotice,
} from '../../../support/hostile-notifications.ts'
import { type FakeDesktop, startDesktop } from '../../../support/session-bus.ts'

/** CPU time, since wall-clock time would include other programs. */
const longestCallMs = 500
const batchSize = 40

let folder = ''
/** Every process that this one started. */
const children: ChildProcess[] = []
const hear = (message: unknown) => children.push((message as { process: ChildProcess }).process)
const counts = { vectors: 0, ways: 0, through: 0, control: 0 }
const closing: (() => void | Promise<void>)[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'belfry-notify-'))
  subscribe('child_process', hear)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const close of closing.splice(0).reverse()) await close()
})
afterAll(async () => {
  unsubscribe('child_process', hear)
  await rm(folder, { recursive: true, force: true })
  reportSecurity('notifications', counts)
})

const mark = () => join(folder, 'ran')
const corpus = () => hostileNotifications(mark())

/** What must arrive for one text; nothing else may be in any part of the notification. */
interface Expected {
  readonly appName: string
  readonly icon: string
  readonly title: string
  readonly body: string
  readonly actions: readonly string[]
  readonly hints: readonly string[]
}

async function desktopWith(options: Parameters<typeof startDesktop>[0]): Promise<FakeDesktop> {
  const desktop = await startDesktop({ watcher: false, ...options })
  closing.push(() => desktop.stop())
  vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', desktop.address)
  return desktop
}

const nobodysFallback: Notifier = {
  notify: () => expect.unreachable('this way has to be enough'),
  replace: () => undefined,
  withdraw: () => undefined,
  delivery: () => ({ by: 'nobody', capabilities: [] }),
  settled: () => Promise.resolve(),
  stop: () => undefined,
}

/** Sends the corpus through one notifier; returns the longest that a call blocked us, in ms. */
async function sendAll(notifier: Notifier, texts: readonly HostileText[]): Promise<number> {
  closing.push(() => notifier.stop())
  let longest = 0
  for (let from = 0; from < texts.length; from += batchSize) {
    for (const [at, text] of texts.slice(from, from + batchSize).entries()) {
      const before = process.cpuUsage()
      notifier.notify(strangersNotice(text, from + at))
      const { user, system } = process.cpuUsage(before)
      longest = Math.max(longest, (user + system) / 1_000)
    }
    await notifier.settled()
  }
  return longest
}

function arrivedAt(desktop: FakeDesktop): Expected[] {
  return desktop.notifications.all.map(({ appName, icon, title, body, actions, hints }) => ({
    appName,
    icon,
    title,
    body,
    actions,
    hints: Object.keys(hints).toSorted(),
  }))
}

/** Three programs run at a time, so the order differs from that of the corpus. */
const inOrder = (list: readonly Expected[]) => list.map((one) => JSON.stringify(one)).toSorted()

async function expectAll(desktop: FakeDesktop, expected: readonly Expected[]): Promise<void> {
  await desktop.notifications.waitFor(() => desktop.notifications.all.length >= expected.length)
  const arrived = inOrder(arrivedAt(desktop))
  const wanted = inOrder(expected)
  counts.vectors = expected.length
  counts.ways += 1
  counts.through += wanted.filter((one, at) => one !== arrived[at]).length
  expect(arrived).toEqual(wanted)
}

/** Processes, whoever started them, that would talk to this desktop. */
function programsOf(desktop: FakeDesktop): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        const isProgram = /notify-send/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
        return isProgram && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(desktop.address)
      } catch {
        // Has ended meanwhile, or belongs to somebody else.
        return false
      }
    })
}

const programsRun = (desktop: FakeDesktop) => expect.poll(() => programsOf(desktop)).not.toEqual([])
const noProgramsLeft = (desktop: FakeDesktop) => expect.poll(() => programsOf(desktop)).toEqual([])

/** Repeats until none is left: a shell may start its program while being ended itself. */
const endPrograms = (desktop: FakeDesktop) =>
  expect
    .poll(() => {
      const left = programsOf(desktop)
      for (const pid of left) endProgram(pid)
      return left
    })
    .toEqual([])

function endProgram(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Has ended by itself.
  }
}

const plain = (text: HostileText) => notificationText(text, 'plain')
const marked = (text: HostileText) => notificationText(text, 'markup')

describe('hostile notifications', () => {
  test('are at least 300, each different', () => {
    const all = corpus().map((one) => JSON.stringify(one))
    expect(all.length).toBeGreaterThanOrEqual(300)
    expect(new Set(all).size).toBe(all.length)
  })

  test.each([
    { capabilities: ['body', 'body-markup', 'actions'] },
    { capabilities: ['body'] },
    { capabilities: ['body', 'actions', 'inline-reply'] },
    { capabilities: ['body', 'body-markup', 'actions', 'inline-reply', 'sound'] },
  ])('arrive as they should over D-Bus with $capabilities', async ({ capabilities }) => {
    const desktop = await desktopWith({ notifications: { capabilities } })
    const texts = corpus()
    const started = children.length
    const opened: unknown[] = []
    const answer = (notice: unknown) => opened.push(notice)
    const notifier = new DbusNotifier({
      actions: { onOpen: answer, onReplyText: answer, onAct: answer },
      openBus: () => openSessionBus(desktop.address),
      fallback: nobodysFallback,
    })
    const longest = await sendAll(notifier, texts)
    const inline = capabilities.includes('inline-reply')
    const buttons = messageButtons.map((one) => (inline && one === 'reply' ? 'inline-reply' : one))
    const hints = ['category', 'desktop-entry', 'image-data', 'suppress-sound', 'urgency']
    await expectAll(
      desktop,
      texts.map((text) => ({
        appName: 'Belfry',
        icon: '',
        title: plain(text).title,
        body: capabilities.includes('body-markup') ? marked(text).body : plain(text).body,
        actions: capabilities.includes('actions') ? ['default', 'Open', ...buttons] : [],
        hints: inline ? [...hints, 'x-kde-reply-placeholder-text'] : hints,
      })),
    )
    expect(longest).toBeLessThan(longestCallMs)
    expect([children.length - started, opened, existsSync(mark())]).toEqual([0, [], false])
  })

  test('arrive as they should through the real notify-send', async () => {
    const desktop = await desktopWith({})
    const texts = corpus()
    const started = children.length
    const longest = await sendAll(createNotifySend(process.env, nobodysFallback), texts)
    await expectAll(
      desktop,
      texts.map((text) => ({
        appName: 'Belfry',
        icon: '',
        title: plain(text).title,
        body: marked(text).body,
        actions: [],
        hints: ['sender-pid', 'urgency'],
      })),
    )
    const programs = children.slice(started)
    expect(programs.every(({ spawnfile }) => spawnfile === 'notify-send')).toBe(true)
    expect([programs.length, existsSync(mark())]).toEqual([texts.length, false])
    expect(longest).toBeLessThan(longestCallMs)
    await noProgramsLeft(desktop)
  })

  test('arrive as they should through node-notifier', async () => {
    const desktop = await desktopWith({})
    const texts = corpus()
    const started = children.length
    const notifier = createFallbackNotifier((options, done) => {
      nodeNotifier.notify(options, done)
    }, 'linux')
    const longest = await sendAll(notifier, texts)
    const noOption = (text: string) => (text.startsWith('-') ? `\u2060${text}` : text)
    await expectAll(
      desktop,
      texts.map((text) => ({
        appName: 'notify-send',
        icon: '',
        title: noOption(plain(text).title),
        body: noOption(marked(text).body.replaceAll('\n', ' ')) || '\u00a0',
        actions: [],
        hints: ['sender-pid', 'urgency'],
      })),
    )
    expect([children.length - started, existsSync(mark())]).toEqual([texts.length, false])
    expect(longest).toBeLessThan(longestCallMs)
    await noProgramsLeft(desktop)
  })

  test('would be lost, altered or hang without the guard (control)', async () => {
    const desktop = await desktopWith({})
    const started = children.length
    const texts = ['Lunch?', '--icon=/etc/passwd', '--version', '- item', '\\074b\\076', 'x\0y', '']
    const intact: string[] = []
    for (const body of texts) {
      await new Promise<void>((resolve) => {
        try {
          nodeNotifier.notify({ title: 'Ann', message: body }, () => resolve())
        } catch {
          // A NUL byte cannot be in an argument.
          resolve()
        }
      })
      if (desktop.notifications.all.at(-1)?.body === body) intact.push(body)
    }
    expect(intact).toEqual(['Lunch?'])
    counts.control = texts.length - intact.length
    nodeNotifier.notify({ title: 'Ann', message: '--wait' })
    const [hanging] = children.slice(started).filter(({ exitCode }) => exitCode === null)
    await programsRun(desktop)
    expect(hanging?.spawnfile).toBe('/bin/sh')
    await endPrograms(desktop)
  })
})

describe('a notification program that hangs because its daemon does', () => {
  test.each([
    {
      name: 'notify-send',
      make: (deadlineMs: number) => createNotifySend(process.env, nobodysFallback, deadlineMs),
    },
    {
      name: 'node-notifier',
      make: (deadlineMs: number) =>
        createFallbackNotifier(
          (options, done) => {
            nodeNotifier.notify(options, done)
          },
          'linux',
          deadlineMs,
        ),
    },
  ])('is ended at its deadline, and no others are started: $name', async ({ make }) => {
    const desktop = await desktopWith({ notifications: { hangs: true } })
    const started = children.length
    const notifier = make(1_500)
    for (let at = 0; at < 10; at += 1)
      notifier.notify(strangersNotice({ title: 'Ann', body: 'x' }, at))
    await notifier.settled()
    expect(notifier.delivery().by).toBe('nobody')
    expect(children.length - started).toBe(3)
    await noProgramsLeft(desktop)
  })

  test('is ended when the app ends', async () => {
    const desktop = await desktopWith({ notifications: { hangs: true } })
    const notifier = createNotifySend(process.env, nobodysFallback, 60_000)
    notifier.notify(strangersNotice({ title: 'Ann', body: 'x' }, 0))
    await programsRun(desktop)
    notifier.stop()
    await noProgramsLeft(desktop)
  })
})
