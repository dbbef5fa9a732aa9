/**
 * The package as an ordinary user has it, on a screen of its own: started, connected, closed, and
 * started again after an upgrade. Prints `upgrade` when it is time for that and waits for a line;
 * every other line is a check that passed.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { png } from '../../src/main/desktop/tray/drawing.ts'
import { startDisplay } from '../support/display.ts'
import { type FakeDesktop, startDesktop, type TrayItem } from '../support/session-bus.ts'
import { serveWorld } from '../support/world-server.ts'
import { pixelsOf, screenAt, seen, type Window } from './screen.ts'

const [pictures = ''] = process.argv.slice(2)

/** `--late` of the light theme: only for shapes and texts of late checks. */
const late = '#8a5a00'
/** `--accent` of the light theme: the bell of the first page; its button may be hovered. */
const accent = '#1f5fbf'
/** `--line-control` of the light theme: the edges of fields. */
const edge = '#8a92a3'
/** Three fields have more, the buttons of the first page fewer. */
const edgesOfFields = 1_500

const lines = createInterface({ input: process.stdin })
const display = await startDisplay('1280x1024x24')
const desktop = await startDesktop()
const server = await serveWorld({ now: Date.now, seed: 1 })
const screen = screenAt(display.name)
try {
  await use()
} finally {
  lines.close()
  await server.close()
  await desktop.stop()
  await display.stop()
}

async function use(): Promise<void> {
  const first = start()
  const empty = await screen.window('Belfry')
  const item = await trayItem(desktop, 0)
  await seen('a tray without an account', () => hasTooltip(item, /no account yet/))
  held('the program that dpkg installed starts as an ordinary user, with a window and a tray icon')
  check('its window is the one of the menu entry', empty.classes().includes('Belfry'))
  check('nothing is late while nothing is watched', pixelsOf(empty.picture(), late) === 0)

  // By keyboard: the focus is on the first page, and in the form on the name.
  await seen('the first page', () => atLeast(500, empty, accent))
  empty.press('Return')
  await connect(empty)
  await seen('a tray that counts what is down', () => hasTooltip(item, /\d+ down/))
  await seen('a board with what is late', () => atLeast(1, empty, late))
  picture('board', empty)
  await seen('a command that answers', () => (told().status === 1 ? true : null))
  check('the command says what is down', /^▲ \d+ down/.test(told().stdout))
  held('the board of a project is seen once its key is typed')
  await quit(first, item)
  check('the command says that Belfry is not running', told().status === 2)

  process.stdout.write('upgrade\n')
  await once(lines, 'line')
  const second = start()
  const again = await trayItem(desktop, 1)
  await seen('the same project', () => hasTooltip(again, /\d+ down/))
  const board = await screen.window('Belfry')
  await seen('its board', () => atLeast(1, board, late))
  picture('board-upgraded', board)
  held('after the upgrade the board is seen with nothing typed again')
  await quit(second, again)
}

function atLeast(count: number, window: Window, colour: string): number | null {
  const found = pixelsOf(window.picture(), colour)
  return found >= count ? found : null
}

async function connect(window: Window): Promise<void> {
  await seen('the form', () => atLeast(edgesOfFields, window, edge))
  window.type('ops-project')
  window.press('Tab')
  window.type(server.urls.ops)
  window.press('Tab')
  window.type(server.world.newAccounts.ops.key)
  picture('form', window)
  window.press('Return')
  // Main asks before a key goes to a new address, and Enter alone means no.
  const question = await screen.window('Belfry', window)
  picture('question', question)
  question.press('Tab', 'Return')
}

function start() {
  return spawn('belfry', ['--password-store=gnome-libsecret'], {
    env: {
      ...process.env,
      DISPLAY: display.name,
      DBUS_SESSION_BUS_ADDRESS: desktop.address,
      LANG: 'en_GB.UTF-8',
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
}

function told() {
  return spawnSync('belfry', ['status', '--line'], { encoding: 'utf8' })
}

function trayItem({ items }: FakeDesktop, at: number): Promise<TrayItem> {
  return seen('a tray icon', () => items.all[at] ?? null)
}

async function hasTooltip(item: TrayItem, words: RegExp): Promise<string | null> {
  const text = await desktop.tooltip(item).catch(() => '')
  return words.test(text) ? text : null
}

async function quit(app: ReturnType<typeof start>, item: TrayItem): Promise<void> {
  const ended = once(app, 'exit')
  await desktop.clickMenu(item, 'Quit')
  const [code] = (await ended) as [number | null]
  check('Quit in its tray menu ends it', code === 0)
}

function picture(name: string, window: Window): void {
  writeFileSync(join(pictures, `${name}.png`), png(window.picture()))
}

function check(what: string, isSo: boolean): void {
  if (!isSo) throw new Error(`not so: ${what}`)
  held(what)
}

function held(what: string): void {
  process.stdout.write(`ok ${what}\n`)
}
