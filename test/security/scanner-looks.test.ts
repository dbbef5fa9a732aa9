import { describe, expect, test } from 'vitest'
import { excusedOf } from '../../scripts/scanner.mjs'

const link = { id: 'OPEN_EXTERNAL_JS_CHECK', file: 'main/desktop/system/links.ts' }
const opened = { ...link, words: 'shell.openExternal(url.href)' }
const preload = {
  id: 'PRELOAD_JS_CHECK',
  file: 'main/main-a_b-1.js',
  words: 'preload: parts.preload,',
}
const timer = {
  id: 'DANGEROUS_FUNCTIONS_JS_CHECK',
  file: 'renderer/assets/index-a_b-1.js',
  words: 'setTimeout(e);',
}

const links = {
  id: 'PROTOCOL_HANDLER_JS_CHECK',
  file: 'main/index.ts',
  words: "app.setAsDefaultProtocolClient('belfry', process.execPath, ['--'])",
}

describe('a reviewed place', () => {
  test('is no finding, at its place and with its exact code', () => {
    expect(excusedOf([opened, preload, timer, links])).toEqual([true, true, true, true])
  })

  test('is recognised in the bundle, too', () => {
    const words = `electron.${opened.words};`
    expect(excusedOf([{ ...opened, file: 'main/main-a_b-1.js', words }])).toEqual([true])
  })

  test('is accepted once: a second one is a finding', () => {
    for (const one of [opened, preload, timer, links])
      expect(excusedOf([one, one])).toEqual([true, false])
  })

  test.each([
    ['another address', { ...opened, words: 'shell.openExternal(url)' }],
    ['more on its line', { ...opened, words: 'shell.openExternal(url.href) || run(text)' }],
    ['another file', { ...opened, file: 'main/app.ts' }],
    ['a file of that name elsewhere', { ...opened, file: 'demo/main/desktop/links.ts' }],
    ['another preload', { ...preload, words: 'preload: input.preload,' }],
    ['a preload elsewhere', { ...preload, file: 'renderer/assets/index-a.js' }],
    ['a timer of text', { ...timer, words: "setTimeout('run()');" }],
    ['a timer of a sum', { ...timer, words: 'setTimeout(e+t);' }],
    ['a timer in main', { ...timer, file: 'main/main-a_b-1.js' }],
    ['another scheme', { ...links, words: links.words.replace('belfry', 'file') }],
    ['another check at the same words', { ...timer, id: 'AUXCLICK_JS_CHECK' }],
  ])('doesn’t excuse %s', (_what, place) => {
    expect(excusedOf([place])).toEqual([false])
  })
})
