import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readArguments } from '../../src/main/desktop/system/computer.ts'
import { dockMenu, jumpListTasks, showInDock } from '../../src/main/desktop/system/launcher.ts'
import { readDeepLink } from '../../src/shared/core/deep-link.ts'
import * as eg from '../support/eg.ts'

const entry = readFileSync(
  new URL('../../packaging/org.belfry.Belfry.desktop', import.meta.url),
  'utf8',
)

const groups = Array.from(
  entry.matchAll(/^\[Desktop Action (\w+)\]\nName=(.+)\nExec=belfry (.+)$/gm),
)

function viewOf(argv: readonly string[]): string {
  const { link } = readArguments(argv)
  const found = readDeepLink(link ?? '', eg.state())
  return 'to' in found ? found.to.view : found.refused
}

test('each action of the menu entry opens its page', () => {
  const listed = /^Actions=(.*);$/m.exec(entry)?.[1]?.split(';')
  expect(groups.map(([, name]) => name)).toEqual(listed)
  const views = groups.map(([, , , argument = '']) => viewOf([argument]))
  expect(views).toEqual(['checks', 'chat', 'newMessage', 'notices'])
})

test('the menu in the dock of macOS has the same', () => {
  const opened: string[] = []
  const items = dockMenu((link) => opened.push(link))
  expect(items.map(({ label }) => label)).toEqual(groups.map(([, , name]) => name))
  for (const { click } of items) Reflect.apply(click ?? (() => undefined), null, [])
  expect(opened.map((link) => viewOf([link]))).toEqual(
    groups.map(([, , , argument = '']) => viewOf([argument])),
  )
})

test('the icon is in the dock of macOS while a window is open', () => {
  const app = new EventEmitter()
  const window = new EventEmitter()
  const it = { isShown: true }
  const dock = {
    show: async () => {
      it.isShown = true
    },
    hide() {
      it.isShown = false
    },
  }
  showInDock(dock, app)
  app.emit('browser-window-created', {}, window)
  const seen = ['show', 'hide', 'show', 'closed'].map((event) => {
    const before = it.isShown
    window.emit(event)
    return [before, it.isShown]
  })
  expect(seen).toEqual([
    [false, true],
    [true, false],
    [false, true],
    [true, false],
  ])
})

test('the jump list of Windows has the same', () => {
  const program = 'C:\\Program Files\\Belfry\\Belfry.exe'
  const tasks = jumpListTasks(program)
  expect(tasks.map(({ title }) => title)).toEqual(groups.map(([, , name]) => name))
  expect(tasks.map((task) => viewOf([task.program, ...task.arguments.split(' ')]))).toEqual(
    groups.map(([, , , argument = '']) => viewOf([argument])),
  )
  expect(new Set(tasks.map((task) => task.program))).toEqual(new Set([program]))
})
