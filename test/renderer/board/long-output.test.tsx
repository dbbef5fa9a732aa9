import { render } from 'preact'
import { expect, onTestFinished, test } from 'vitest'
import { BodyText } from '../../../src/renderer/board/run-output.tsx'
import { beginTurn } from '../../../src/renderer/parts/draw-in-turn.ts'
import { allDrawn, drawnByItself, moreDrawn, showMore, withBridge } from '../mount.ts'

function shown(text: string, isMarked?: (line: string) => boolean): HTMLElement {
  beginTurn()
  const container = document.body.appendChild(document.createElement('div'))
  container.style.cssText = 'width: 400px; height: 600px; overflow: auto'
  onTestFinished(() => {
    render(null, container)
    container.remove()
  })
  render(<BodyText label="Output of ping 1" text={text} isMarked={isMarked} />, container)
  return container
}

const drawn = (container: HTMLElement): string => container.querySelector('pre')?.textContent ?? ''

test.each([
  ['one line', 'a'],
  ['lines', 'a line of it\n'],
  ['empty lines with one at the end', 'x\n\n\n'],
  ['another script', 'กำ'],
  ['terminal codes', '\u001b[31mx\u001b[0m'],
])('of 8 MB of %s a part is shown, and what follows on request', async (_what, piece) => {
  withBridge()
  const container = shown(piece.repeat(Math.ceil(8_000_000 / piece.length)))
  await drawnByItself(container)
  const first = drawn(container).length
  expect(first).toBeLessThan(13_000)
  await moreDrawn(container)
  expect(drawn(container).length).toBeGreaterThan(first)
  expect(showMore(container)).toBeDefined()
})

test('all of a long output can be shown and copied', async () => {
  const bridge = withBridge()
  const text = Array.from({ length: 9_000 }, (_, at) => `line ${at}`).join('\n')
  const container = shown(text)
  const copy = [...container.querySelectorAll('button')].find((one) => one.textContent === 'Copy')
  copy?.click()
  expect(bridge.inputsOf('copyText')).toEqual([{ text }])
  await allDrawn(container)
  expect(drawn(container)).toBe(text)
})

test('a marked line is marked in whatever part it stands', async () => {
  withBridge()
  const container = shown(`${'same\n'.repeat(5_000)}new`, (line) => line === 'new')
  await drawnByItself(container)
  expect(container.querySelectorAll('mark')).toHaveLength(0)
  await allDrawn(container)
  expect(container.querySelector('mark')?.textContent).toBe('new\n')
})
