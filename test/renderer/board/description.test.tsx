import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { Description } from '../../../src/renderer/board/check-facts.tsx'
import { BadgeDialog } from '../../../src/renderer/board/ping-address.tsx'
import * as eg from '../../support/eg.ts'
import { mount, withBridge } from '../mount.ts'

const html = () => document.querySelector('.detail-description')?.innerHTML ?? ''

test('a description is rendered from Markdown, and its links open in the browser', async () => {
  const bridge = withBridge()
  const text = `# When down\nSee [the *runbook*](https://wiki.example/db_(backup)) or https://wiki.example/a_b_c.
- restart **it**
- run \`a_b_c *\`

1. call
> quoted
\`\`\`
# code
\`\`\`
ends <https://x.example/y>!`
  mount(<Description text={text} />)
  await expect.element(page.getByText('When down')).toBeVisible()
  expect(
    html()
      .replace(/<button[^>]*>/g, '<a>')
      .replaceAll('</button>', '</a>'),
  ).toBe(
    '<p><strong>When down</strong></p>' +
      '<p>See <a>the *runbook*</a> or <a>https://wiki.example/a_b_c</a>.</p>' +
      '<ul><li>restart <strong>it</strong></li><li>run <code>a_b_c *</code></li></ul>' +
      '<ol><li>call</li></ol><blockquote>quoted</blockquote><pre># code</pre>' +
      '<p>ends <a>https://x.example/y</a>!</p>',
  )
  await page.getByRole('button', { name: 'the *runbook*' }).click()
  await page.getByRole('button', { name: /a_b_c/ }).click()
  expect(bridge.inputsOf('openLink')).toEqual([
    { url: 'https://wiki.example/db_(backup)' },
    { url: 'https://wiki.example/a_b_c' },
  ])
})

test.each([
  ['[click](javascript:alert(1))', 'click'],
  ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
  ['[x](https://hc-ping.com/0c8b1f2e-5d3a-4c1b-9e7f-a1b2c3d4e5f6)', 'x'],
  ['https://hc.example/ping/0c8b1f2e-5d3a-4c1b-9e7f-a1b2c3d4e5f6/fail', undefined],
  ['[x](file:///etc/passwd)', 'x'],
  ['[x](https://me:secret@bank.example)', 'x'],
])('nothing dangerous becomes a link: %s', async (text, shown) => {
  mount(<Description text={text} />)
  await expect.element(page.getByText(shown ?? text)).toBeVisible()
  expect(document.querySelector('.detail-description :is(button, a, img)')).toBeNull()
})

test('link text that names another site isn’t linked, but the address is', async () => {
  mount(<Description text="[https://bank.example](https://evil.example/x)" />)
  await expect.element(page.getByRole('button', { name: 'https://evil.example/x' })).toBeVisible()
  expect(page.getByRole('button', { name: /bank/ }).elements()).toEqual([])
})

test('a long or odd description renders at once', async () => {
  const began = performance.now()
  mount(<Description text={`${'['.repeat(50_000)}\n${'*_'.repeat(990)}\n${'- a\n'.repeat(500)}`} />)
  await expect.element(page.getByText(/^\[+/)).toBeInTheDocument()
  expect(performance.now() - began).toBeLessThan(20_000)
})

test('a description of 25,000 lines is shown part by part', async () => {
  const line = (n: number) => `- **${n}** กำ`
  mount(<Description text={Array.from({ length: 25_000 }, (_, n) => line(n)).join('\n')} />)
  await expect.element(page.getByText('99', { exact: true })).toBeInTheDocument()
  expect(document.querySelectorAll('.detail-description li')).toHaveLength(100)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect.element(page.getByText('199', { exact: true })).toBeInTheDocument()
  expect(document.querySelectorAll('.detail-description li')).toHaveLength(200)
})

test('badges are shown as pictures, and copied as Markdown and as a URL', async () => {
  const b = (name: string) => `https://hc.example/badge/x/${name}.svg`
  const bridge = withBridge({
    run: () => ({
      badges: {
        '*': { svg: b('all-2'), svg3: b('all') },
        prod: { svg: b('prod-2'), svg3: b('prod') },
      },
    }),
    loadBadge: () => 'data:image/svg+xml;base64,PHN2Zy8+',
  })
  const details = eg.details({
    name: 'a [b]',
    tags: ['prod', 'other'],
    badgeUrl: 'https://hc.example/b/2/y.svg',
  })
  mount(<BadgeDialog account={eg.account()} details={details} onClose={() => undefined} />)
  await expect.element(page.getByRole('img', { name: 'Badge: a [b]' })).toBeInTheDocument()
  await page.getByRole('button', { name: 'Copy Markdown' }).click()
  await page.getByRole('combobox', { name: 'Badge for' }).selectOptions('#prod')
  await page.getByRole('checkbox', { name: /Show when it is late/ }).click()
  await page.getByRole('button', { name: 'Copy address' }).click()
  await expect
    .poll(() => bridge.inputsOf('copyText'))
    .toEqual([
      { text: '![a \\[b\\]](https://hc.example/b/3/y.svg)' },
      { text: 'https://hc.example/badge/x/prod-2.svg' },
    ])
})
