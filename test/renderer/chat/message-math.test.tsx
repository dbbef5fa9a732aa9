import { render } from 'preact'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { MessageContext } from '../../../src/renderer/chat/message-context.ts'
import { MessageHtml } from '../../../src/renderer/chat/message-html.tsx'
import { beginTurn } from '../../../src/renderer/parts/draw-in-turn.ts'
import '../../../src/renderer/chat/chat.css'
import { allDrawn, withBridge } from '../mount.ts'

/**
 * Every formula of KaTeX's own support table (docs/support_table.md of its repository, MIT) that
 * KaTeX 0.19.1 renders, one a line: TeX, a tab, and what stands in the `semantics` of its MathML.
 */
const answers = await (await fetch(new URL('./katex-answers.txt', import.meta.url))).text()
const formulas = answers
  .trimEnd()
  .split('\n')
  .map((line) => line.split('\t'))
  .map(([tex = '', mathMl = '']) => ({ tex, mathMl }))

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

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** As the service sends it. */
function htmlOf({ tex, mathMl }: (typeof formulas)[number]): string {
  const annotation = `<annotation encoding="application/x-tex">${escaped(tex)}</annotation>`
  const math = `<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics>${mathMl}${annotation}</semantics></math>`
  return `<p><span class="katex"><span class="katex-mathml">${math}</span><span class="katex-html" aria-hidden="true"><span class="base">half</span></span></span></p>`
}

async function drawn(one: (typeof formulas)[number]): Promise<HTMLElement> {
  withBridge()
  beginTurn()
  const container = document.body.appendChild(document.createElement('div'))
  onTestFinished(() => {
    render(null, container)
    container.remove()
  })
  render(
    <MessageHtml html={htmlOf(one)} text={one.tex} isAction={false} context={context} />,
    container,
  )
  await allDrawn(container)
  return container
}

const plain = (text: string) => text.replace(/\s+/g, '')

/** The text between the tags, read by no parser of markup. */
function textOf(mathMl: string): string {
  const entities = { amp: '&', lt: '<', gt: '>', quot: '"' }
  return plain(
    mathMl
      .replace(/<[^>]*>/g, '')
      .replace(/&#x([\da-f]+);/gi, (_all, code: string) =>
        String.fromCodePoint(Number.parseInt(code, 16)),
      )
      .replace(/&(amp|lt|gt|quot);/g, (_all, name: keyof typeof entities) => entities[name]),
  )
}

describe('a formula', () => {
  test('keeps its text: all 980 of KaTeX’s table, by their MathML', async () => {
    expect(formulas.length).toBeGreaterThan(980)
    const differing: string[] = []
    for (const one of formulas) {
      const root = await drawn(one)
      const isSame = plain(root.textContent) === textOf(one.mathMl)
      if (!isSame || root.querySelector('code') !== null) differing.push(one.tex)
    }
    expect(differing).toEqual([])
  })

  test.each([
    [
      'x = \\cancel{5} 6',
      '<mrow><mi>x</mi><mo>=</mo><mnew><mn>5</mn></mnew><mn>6</mn></mrow>',
      'x=56',
    ],
    // What no sanitizer lets through is not left out silently.
    [
      'x = \\cancel{5} 6',
      '<mrow><mi>x</mi><mo>=</mo><template><mn>5</mn></template><mn>6</mn></mrow>',
      '\\cancel',
    ],
    ['1<!--2-->3', '<mn>1<!--2>5-->3</mn>', '1<!--2-->3'],
  ])(
    'of markup that we don’t know is drawn whole, or as its source: %s',
    async (tex, mathMl, words) => {
      const root = await drawn({ tex, mathMl })
      expect(plain(root.textContent)).toContain(words)
    },
  )

  test.each([
    ['\\cancel{5}', '.math-updiagonalstrike'],
    ['\\xcancel{ABC}', '.math-updiagonalstrike.math-downdiagonalstrike'],
    ['\\boxed{ab}', '.math-box'],
    ['\\phase{-78^\\circ}', '.math-phasorangle'],
    ['a_{\\angl n}', '.math-actuarial'],
    ['\\color{#0000FF} AaBb123', '[mathcolor="#0000FF"]'],
    ['\\begin{matrix}a&b\\\\ \\hline c&d\\end{matrix}', '.math-line-solid > mtd'],
    ['a\\qquad\\qquad{b}', 'mspace[width="2em"]'],
  ])('is drawn with its lines, spaces and colours: %s', async (tex, selector) => {
    const one = formulas.find(
      (formula) => formula.tex.replaceAll(' ', '') === tex.replaceAll(' ', ''),
    )
    expect((await drawn(one!)).querySelector(`math ${selector}`)).not.toBeNull()
  })

  test('has room where it has a space', async () => {
    const width = async (mathMl: string) =>
      (await drawn({ tex: 'x', mathMl })).querySelector('math')!.getBoundingClientRect().width
    const apart = await width('<mn>10</mn><mspace width="1em"/><mn>20</mn>')
    expect(apart).toBeGreaterThan((await width('<mn>10</mn><mn>20</mn>')) + 10)
  })

  test.each([
    'width="9999em"',
    'height="1e9px"',
    'mathsize="99em"',
    'mathcolor="url(https://x.test)"',
    'minsize="900em"',
    'voffset="-400px"',
    'style="position:fixed"',
    'notation="x y"',
  ])('takes no liberties: %s', async (attribute) => {
    const mathMl = `<mpadded ${attribute}><mo ${attribute}>(</mo></mpadded>`
    const math = (await drawn({ tex: 'x', mathMl })).querySelector('math')!
    expect(
      math.querySelector(
        '[width], [height], [mathsize], [mathcolor], [minsize], [voffset], [style]',
      ),
    ).toBeNull()
    expect(math.getBoundingClientRect().width).toBeLessThan(100)
  })

  test('does not grow by sizes inside of sizes', async () => {
    const nested = `${'<mstyle mathsize="2.4em">'.repeat(20)}<mi>x</mi>${'</mstyle>'.repeat(20)}`
    const root = await drawn({ tex: 'x', mathMl: nested })
    expect(root.getBoundingClientRect().height).toBeLessThan(100)
  })
})
