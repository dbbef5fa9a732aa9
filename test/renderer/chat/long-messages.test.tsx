import { render } from 'preact'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { MessageContext } from '../../../src/renderer/chat/message-context.ts'
import { MessageHtml } from '../../../src/renderer/chat/message-html.tsx'
import { isTooCostly } from '../../../src/renderer/chat/message-tree.ts'
import { beginTurn } from '../../../src/renderer/parts/draw-in-turn.ts'
import { costlyHtml, longestSent } from '../../support/costly-html.ts'
import { allDrawn, drawnByItself, moreDrawn, showMore, withBridge } from '../mount.ts'

const context: MessageContext = {
  baseUrl: 'https://chat.example.org',
  myId: 1,
  myGroups: new Set(),
  nameOf: () => null,
  onLink: () => undefined,
  onPlace: () => false,
  loadPicture: null,
  onShowPictures: () => undefined,
}

/** Main's plain text of a message may itself be long. */
const longText = 'a word '.repeat(14_000)
const mostElements = 1_400
const mostCharacters = 13_000

/** A scrolling container as large as a window. */
function frame(): HTMLElement {
  const container = document.body.appendChild(document.createElement('div'))
  container.style.cssText = 'width: 400px; height: 600px; overflow: auto'
  onTestFinished(() => {
    render(null, container)
    container.remove()
  })
  return container
}

function drawn(html: string, text = longText): HTMLElement {
  withBridge()
  beginTurn()
  const container = frame()
  render(
    <MessageHtml
      html={html}
      text={text}
      isAction={false}
      context={context}
      onOpen={() => undefined}
    />,
    container,
  )
  expect(container.querySelector('.message-waiting')).toBeNull()
  return container
}

describe('a message of the maximum length', () => {
  test.each(Object.entries(costlyHtml))('is drawn up to a cap: %s', async (_shape, htmlOf) => {
    const container = drawn(htmlOf(longestSent))
    await drawnByItself(container)
    expect(container.querySelectorAll('*').length).toBeLessThan(mostElements)
    expect(container.textContent.length).toBeLessThan(mostCharacters)
  })

  test('is shown as text with a link to all of it if its markup is too complex', async () => {
    const container = drawn(costlyHtml['elements in each other']?.(longestSent) ?? '')
    await allDrawn(container)
    expect(container.textContent).toContain(longText.trim())
    expect(container.textContent).toMatch(/Too complex to show .*Open in browser$/)
  })

  test('keeps whole characters where a part ends', async () => {
    const container = drawn(`<p>a${'😀'.repeat(50_000)}</p>`)
    expect(container.textContent.isWellFormed()).toBe(true)
    await drawnByItself(container)
    expect(container.textContent.isWellFormed()).toBe(true)
  })
})

test('a part that takes long is the last that comes by itself', async () => {
  // The window is kept busy by each character of this script.
  const container = drawn(`<p>${'กำ'.repeat(20_000)}</p>`)
  await drawnByItself(container)
  expect(container.textContent.length).toBeLessThan(mostCharacters)
  expect(showMore(container)).toBeDefined()
})

test('the focus stays at the message when the last part is shown by the keyboard', async () => {
  const container = drawn('<p>x</p>'.repeat(4_000))
  container.tabIndex = 0
  await drawnByItself(container)
  while (showMore(container) !== undefined) {
    showMore(container)?.focus()
    await moreDrawn(container)
  }
  expect(document.activeElement).toBe(container)
})

const coloured = '<span class="n">a</span><span class="o">=</span><span class="mi">1</span>\n'
const symbols = '<mi>x</mi><mo>=</mo><mfrac><mn>1</mn><mi>y</mi></mfrac>'

/** What people and bots really write, and more. */
const honest = {
  '5,000 Thai characters': `<p>${'ภาษาไทย'.repeat(715)}</p>`,
  '5,000 Arabic words': `<p>${'سلام '.repeat(5_000)}</p>`,
  'coloured code of 5,000 characters': `<div class="codehilite"><pre><code>${coloured.repeat(1_250)}</code></pre></div>`,
  'a list of 500 items': `<ul>${'<li>an item with <strong>some</strong> words</li>\n'.repeat(500)}</ul>`,
  'a table of 50 rows': `<table><tbody>${`<tr>${'<td>cell</td>'.repeat(12)}</tr>`.repeat(50)}</tbody></table>`,
  '20 formulas': `<p>${`<span class="katex"><span class="katex-mathml"><math><semantics><mrow>${symbols.repeat(8)}</mrow></semantics></math></span><span class="katex-html">${'<span class="mord">x</span>'.repeat(80)}</span></span>`.repeat(20)}</p>`,
  // The only self-closing tags from the service: a space, roots and strokes.
  'a formula with a space, and 300 words': `<p><span class="katex"><span class="katex-mathml"><math><semantics><mrow>${symbols}<mspace width="1em"/>${symbols}</mrow></semantics></math></span></span>${'<em>a</em> '.repeat(300)}</p>`,
  '20 roots and 20 strokes': `<p>${`<span class="katex"><span class="katex-mathml"><math><semantics><msqrt><mi>x</mi></msqrt></semantics></math></span><span class="katex-html"><svg viewBox="0 0 400000 1080"><path d="M95,702\nc-2.7,0"/></svg><svg height="0.4"><line x1="0" x2="100%"/><line x1="100%" x2="0"/></svg>${'<span class="mord">x</span>'.repeat(20)}</span></span>`.repeat(20)}</p>`,
  '100 links': '<p><a href="https://a.example/x">a link</a></p>'.repeat(100),
  '10,000 Chinese characters': `<p>${'中文消息'.repeat(2_500)}</p>`,
  'a log of 100,000 characters': `<pre><code>${`${'a line of a log '.repeat(5)}\n`.repeat(1_240)}</code></pre>`,
  // Words with letters of two Unicode blocks in one font.
  '10,000 characters of Kurdish': `<p>${'هەموو مرۆڤێک بە ئازادی لە دایک دەبێت '.repeat(270)}</p>`,
  '10,000 characters of Kazakh': `<p>${'барлық адамдар тумысынан азат және тең '.repeat(250)}</p>`,
  '10,000 characters of Amharic': `<p>${'የሰው ልጅ ሁሉ ሲወለድ ነጻና በክብርና በመብትም እኩልነት ያለው ነው '.repeat(210)}</p>`,
  '10,000 characters of old Greek': `<p>${'ἐν ἀρχῇ ἦν ὁ λόγος καὶ ὁ λόγος ἦν πρὸς τὸν θεόν '.repeat(205)}</p>`,
  '10,000 characters of Khmer': `<p>${'មនុស្ស\u200bទាំង\u200bអស់\u200bកើត\u200bមក\u200b'.repeat(370)}</p>`,
  '10,000 emoji': `<p>${'😀'.repeat(10_000)}</p>`,
}

test.each(Object.entries(honest))('%s are shown whole, part by part', async (_what, html) => {
  const container = drawn(html)
  await allDrawn(container)
  const words = document.implementation.createHTMLDocument()
  words.body.innerHTML = html
  for (const half of words.querySelectorAll('.katex-html')) half.remove()
  const plain = (text: string) => text.replaceAll(/\s|Copy/g, '')
  expect(plain(container.textContent)).toBe(plain(words.body.textContent))
})

test.each([
  ['depth', '<b>'.repeat(201) + 'x'.repeat(400)],
  ['tags', '<b>x</b>'.repeat(10_001)],
  ['attributes of one tag', `<p ${'a '.repeat(8_001)}>`],
  ['attributes behind a quote', `<p a='"'>${'x'.repeat(400)}<p ${'a '.repeat(8_001)}>`],
  ['lines outside of a drawing', `<svg><path/></svg>${'<path/>'.repeat(201)}`],
  ['lines in what is none', `<svg/>${'<path/>'.repeat(201)}`],
  ['lines behind what ends a drawing', `<svg><p></p>${'<path/>'.repeat(201)}`],
  ['spaces outside of a formula', `<math><mspace/></math>${'<mspace/>'.repeat(201)}`],
  ['spaces in a token', `<math><mi>${'<mspace/>'.repeat(201)}`],
  ['spaces in HTML in a token', `<math><mi><mrow>${'<mspace/>'.repeat(201)}`],
  ['spaces behind what ends a formula', `<math><p></p><mrow>${'<mspace/>'.repeat(201)}`],
  ['what a wrong end tag may open', `<p>${'x'.repeat(400)}</b>${'</p>'.repeat(201)}`],
])('markup isn’t even parsed if there is too much of this: %s', (_what, html) => {
  expect(isTooCostly(html)).toBe(true)
  expect(isTooCostly(html.slice(0, html.length / 2))).toBe(false)
})

describe('many costly messages at once', () => {
  const count = 100
  const mention = '<p><span class="user-mention" data-user-id="7">@Ana</span></p>'
  const html = mention + '<p>x</p>'.repeat(1_500)
  /** Whatever the reason: each takes longer than a turn may. */
  const slow = {
    ...context,
    nameOf: () => {
      for (const began = performance.now(); performance.now() - began < 70; );
      return null
    },
  }

  test('are drawn only if in view once that took long', async () => {
    withBridge()
    beginTurn()
    const container = frame()
    render(
      Array.from({ length: count }, (_, at) => (
        <MessageHtml key={at} html={html} text={`message ${at}`} isAction={false} context={slow} />
      )),
      container,
    )
    const waiting = (): number => container.querySelectorAll('.message-waiting').length
    const isDrawn = (): boolean => {
      container.scrollTop = container.scrollHeight
      return container.lastElementChild?.matches('.message-waiting') === false
    }
    await expect.poll(isDrawn).toBe(true)
    // Those in between were never in view.
    expect(waiting()).toBeGreaterThan(count / 2)
    expect(container.textContent).toContain('message 50')
  })

  test('keep their content while they wait to be rendered again', async () => {
    // More than is drawn at once, however little of each was.
    const all = (around: MessageContext) =>
      Array.from({ length: 10 }, (_, at) => (
        <MessageHtml key={at} html={html} text="" isAction={false} context={around} />
      ))
    withBridge()
    const container = frame()
    render(all(context), container)
    await drawnByItself(container)
    const last = container.lastElementChild
    expect(last?.textContent).toMatch(/^@Ana/)
    beginTurn()
    render(all({ ...context, nameOf: () => 'Eva' }), container)
    expect(last?.textContent).toMatch(/^@Ana/)
    last?.scrollIntoView()
    await expect.poll(() => last?.textContent).toMatch(/^@Eva/)
  })

  test('grow where what was drawn moved them out of view until the next frame', async () => {
    withBridge()
    beginTurn()
    vi.spyOn(window, 'requestIdleCallback').mockImplementation((run) =>
      requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(run))),
    )
    onTestFinished(() => void vi.restoreAllMocks())
    const container = frame()
    container.style.height = 'auto'
    let [calls, clock] = [0, 0]
    vi.spyOn(performance, 'now').mockImplementation(() => clock)
    /** Each asks for it once for each part. The first part of all took long, and so did the second of one. */
    const nameOf = (): null => {
      calls += 1
      clock += calls === 2 ? 40 : calls === 8 ? 100 : 1
      if (calls === 8) {
        container.style.marginTop = '5000px'
        requestAnimationFrame(() => container.style.removeProperty('margin-top'))
      }
      return null
    }
    const mentioned = `${mention.slice(0, -4)}${'<i>x</i>'.repeat(1_500)}</p>`
    render(
      Array.from({ length: 7 }, (_, at) => (
        <MessageHtml
          key={at}
          html={mentioned}
          text=""
          isAction={false}
          context={{ ...context, nameOf }}
        />
      )),
      container,
    )
    await expect.poll(() => calls).toBeGreaterThan(8)
    await expect.poll(() => container.querySelectorAll('[aria-busy]').length).toBe(0)
  })
})
