import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readArguments } from '../../src/main/desktop/system/computer.ts'
import { readDeepLink } from '../../src/shared/core/deep-link.ts'
import * as eg from '../support/eg.ts'

const entry = readFileSync(
  new URL('../../packaging/org.belfry.Belfry.desktop', import.meta.url),
  'utf8',
)

test('each action of the menu entry opens its page', () => {
  const listed = /^Actions=(.*);$/m.exec(entry)?.[1]?.split(';')
  const groups = Array.from(
    entry.matchAll(/^\[Desktop Action (\w+)\]\nName=.+\nExec=belfry (.+)$/gm),
  )
  expect(groups.map(([, name]) => name)).toEqual(listed)
  const views = groups.map(([, , argument = '']) => {
    const { link } = readArguments([argument])
    const found = readDeepLink(link ?? '', eg.state())
    return 'to' in found ? found.to.view : found.refused
  })
  expect(views).toEqual(['checks', 'chat', 'newMessage', 'notices'])
})
