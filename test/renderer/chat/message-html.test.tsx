import { describe, expect, onTestFinished, test } from 'vitest'
import type { MessageContext } from '../../../src/renderer/chat/message-context.ts'
import { MessageHtml } from '../../../src/renderer/chat/message-html.tsx'
import * as eg from '../../support/eg.ts'
import { allDrawn, mount, withBridge } from '../mount.ts'

const baseUrl = 'https://chat.example.org'

function surroundings(change: Partial<MessageContext> = {}) {
  const opened: string[] = []
  const places: unknown[] = []
  const context: MessageContext = {
    baseUrl,
    myId: eg.me.id,
    myGroups: new Set([4]),
    nameOf: (id) => [eg.me, eg.ana].find((user) => user.id === id)?.name ?? null,
    onLink: (url) => opened.push(url),
    onPlace: (place) => {
      places.push(place)
      return false
    },
    loadPicture: null,
    onShowPictures: () => places.push('pictures'),
    ...change,
  }
  return { context, opened, places }
}

function draw(html: string, change: Partial<MessageContext> = {}, isAction = false) {
  const around = surroundings(change)
  const screen = mount(
    <MessageHtml html={html} text="as text" isAction={isAction} context={around.context} />,
  )
  const root = screen.element().querySelector('.message-html')
  if (!(root instanceof HTMLElement)) throw new Error('nothing was drawn')
  return { ...around, screen, root }
}

describe('a message', () => {
  test('keeps its paragraphs, emphasis, lists, quotes, rules and headings', () => {
    const html =
      '<p>one<br><strong>two</strong> <em>three</em> <del>four</del> <code>five</code></p>' +
      '<h1>title</h1><h5>small</h5><ul><li>a</li></ul><ol start="3"><li>c</li></ol>' +
      '<blockquote><p>said</p></blockquote><hr>'
    const { root } = draw(html)
    expect(root.innerHTML).toBe(
      '<p dir="auto">one<br><strong>two</strong> <em>three</em> <del>four</del> <code>five</code></p>' +
        '<h2 class="message-heading-1" dir="auto">title</h2>' +
        '<h6 class="message-heading-5" dir="auto">small</h6>' +
        '<ul dir="auto"><li>a</li></ul><ol dir="auto" start="3"><li>c</li></ol>' +
        '<blockquote dir="auto"><p dir="auto">said</p></blockquote><hr>',
    )
  })

  test.each([
    ['<p><span class="user-mention" data-user-id="20">@Ana</span> שלום עולם</p>', 'rtl'],
    ['<p><span class="user-mention" data-user-id="20">@אנה</span> hello</p>', 'ltr'],
    ['<p><a href="https://a.example">https://a.example</a> مرحبا</p>', 'rtl'],
    ['<p><code>db-backup</code>: שלום</p>', 'rtl'],
    ['<ul><li><code>db</code> שלום</li></ul>', 'rtl'],
    ['<h2><span class="topic-mention">@topic</span> שלום</h2>', 'rtl'],
    // Nothing but these.
    ['<p><a href="https://a.example">שלום</a> 1, 2</p>', 'rtl'],
    ['<p><code>db-backup</code></p>', 'ltr'],
  ])('takes the direction of its words: %s', (html, direction) => {
    const { root } = draw(html)
    expect(getComputedStyle(root.firstElementChild!).direction).toBe(direction)
  })

  test('gives each block the direction of its own text', () => {
    const { root } = draw('<p>שלום עולם</p><p>hello</p><ul><li>مرحبا</li></ul>')
    const directions = [...root.children].map((block) => getComputedStyle(block).direction)
    expect(directions).toEqual(['rtl', 'ltr', 'rtl'])
  })

  test('shows emoji as pictures even if a font would show a symbol', () => {
    const codes = [
      '2764',
      '26a0',
      '2714',
      '1f44d',
      '261d-1f3fd',
      '2764-fe0f-200d-1f525',
      '0031-20e3',
    ]
    const { root } = draw(
      codes.map((code) => `<span class="emoji emoji-${code}">:x:</span>`).join(''),
    )
    expect([...root.querySelectorAll('.emoji')].map((one) => one.textContent)).toEqual([
      '❤️',
      '⚠️',
      '✔️',
      '👍',
      '☝🏽',
      '❤️‍🔥',
      '1️⃣',
    ])
  })

  test('shows people’s current names, and marks mentions of the user', () => {
    const { root } = draw(
      '<p><span class="user-mention" data-user-id="2">@Anna Old</span> ' +
        '<span class="user-mention" data-user-id="1">@Maria</span> ' +
        '<span class="user-mention silent" data-user-id="1">Maria</span> ' +
        '<span class="user-mention" data-user-id="99">@Gone</span> ' +
        '<span class="user-mention channel-wildcard-mention" data-user-id="*">@all</span> ' +
        '<span class="user-group-mention" data-user-group-id="4">@backend</span> ' +
        '<span class="user-group-mention" data-user-group-id="5">@others</span> ' +
        '<span class="topic-mention">@topic</span></p>',
    )
    expect(root.textContent).toBe('@Ana @Maria Maria @Gone @all @backend @others @topic')
    const marked = [...root.querySelectorAll('.mention-me')].map((one) => one.textContent)
    expect(marked).toEqual(['@Maria', '@all', '@backend'])
  })

  test('shows emoji as characters, and the realm’s own by name', async () => {
    const { screen, root } = draw(
      '<p><span aria-label="thumbs up" class="emoji emoji-1f44d" role="img" title="thumbs up">:+1:</span>' +
        '<span class="emoji emoji-1f1e9-1f1ea" role="img">:germany:</span>' +
        '<img alt=":party_cat:" class="emoji" src="/user_avatars/1/emoji/1.png">' +
        '<span class="emoji emoji-zz">:broken:</span><span class="emoji emoji-202e">:turned:</span></p>',
    )
    expect(root.textContent).toBe('👍🇩🇪:party_cat::broken::turned:')
    await expect.element(screen.getByRole('img', { name: 'thumbs up' })).toBeVisible()
  })

  test('shows code as it is written, with its language, and copies it', async () => {
    const bridge = withBridge()
    const { screen } = draw(
      '<div class="codehilite" data-code-language="Python"><pre><span></span><code>' +
        '<span class="k">if</span> <span class="n">a</span> &lt; 1:\n    pass\n</code></pre></div>',
    )
    await expect.element(screen.getByText('Python')).toBeInTheDocument()
    expect(screen.getByRole('code').element().textContent).toBe('if a < 1:\n    pass')
    await screen.getByRole('button', { name: 'Copy' }).click()
    expect(bridge.inputsOf('copyText')).toEqual([{ text: 'if a < 1:\n    pass' }])
    await expect.element(screen.getByRole('button', { name: 'Copied' })).toBeVisible()
  })

  test('shows the whole header of a spoiler, with its links beside the button', () => {
    const spoiler = (header: string) =>
      `<div class="spoiler-block"><div class="spoiler-header"><p>${header}</p></div><div class="spoiler-content" aria-hidden="true"><p>hidden</p></div></div>`
    const emoji = '<img alt=":blob:" class="emoji" src="/user_avatars/1/emoji/images/3.png">'
    const bell = '<span aria-label="bell" class="emoji emoji-1f514" role="img">:bell:</span>'
    const { root } = draw(spoiler(`who ${emoji} <em>is</em> ${bell}`))
    const button = root.querySelector('.spoiler-button')!
    expect(button.textContent).toBe('who :blob: is 🔔')
    const { root: linked } = draw(spoiler('see <a href="https://a.example/x">the log</a>'))
    expect(linked.querySelector('.spoiler-button a')).toBeNull()
    expect(linked.querySelector('.spoiler-line > .spoiler-header a')).not.toBeNull()
    expect(linked.textContent).toContain('see the log')
  })

  test.each([
    '<div class="message_inline_image"><a href="/user_uploads/1/a.png"><img src="/user_uploads/thumbnail/1/a.png/840x560.webp"></a>caption</div>',
    '<div class="message_embed"><div class="data-container"><div class="message_embed_title"><a href="https://a.example">title</a></div><p>caption</p></div></div>',
    `<p><span class="user-mention" data-user-id="20">${'@Ana and all the others. '.repeat(10)}caption</span></p>`,
    `<p><span class="emoji emoji-1f44d" role="img">:thumbs_up:${' words'.repeat(40)} caption</span></p>`,
    `<p><time datetime="2026-03-17T14:25:00Z">${'at some time '.repeat(20)}caption</time></p>`,
    `<table><thead><tr><th><span class="user-mention" data-user-id="20">${'x '.repeat(90)}caption</span></th></tr></thead></table>`,
    `<blockquote><p><span class="emoji emoji-1f44d" role="img">${'x '.repeat(90)}caption</span></p></blockquote>`,
  ])('keeps text that does not belong to a construct we know: %s', async (html) => {
    const { screen, root } = draw(html)
    await allDrawn(screen.element())
    expect(root.textContent).toContain('caption')
  })

  test.each([
    '<div class="message_inline_image"><a href="/user_uploads/1/a.png"><img src="/user_uploads/1/a.png"></a><a href="/user_uploads/1/b.png"><img src="/user_uploads/1/b.png"></a></div>',
    '<p><a href="/user_uploads/1/a.png"><img src="/user_uploads/1/a.png"><img src="/user_uploads/1/b.png"></a></p>',
    '<div class="message_embed"><div class="message_embed_title"><a href="https://a.example">x</a></div><img src="/user_uploads/1/a.png"><img src="/user_uploads/1/b.png"></div>',
  ])('keeps each of several images: %s', (html) => {
    const { root } = draw(html)
    expect(root.textContent).toContain('a.png')
    expect(root.textContent).toContain('b.png')
  })

  test.each(['<p>stray</p>', '<div class="spoiler-content"><p>stray</p></div>'])(
    'keeps in a spoiler what it does not know, hidden like the rest: %s',
    async (stray) => {
      const { screen, root } = draw(
        `<div class="spoiler-block"><div class="spoiler-header"><p>The end</p></div><div class="spoiler-content"><p>the butler</p></div>${stray}</div>`,
      )
      expect(root.textContent).not.toMatch(/butler|stray/)
      await screen.getByRole('button', { name: 'Spoiler' }).click()
      for (const words of ['The end', 'the butler', 'stray'])
        await expect.element(screen.getByText(words)).toBeVisible()
    },
  )

  test('shows math by its MathML half, with the source in the title', async () => {
    const tex = '<annotation encoding="application/x-tex">\\frac{a}{2}</annotation>'
    const mathMl = `<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mfrac><mi>a</mi><mn>2</mn></mfrac>${tex}</semantics></math>`
    const katex = `<span class="katex"><span class="katex-mathml">${mathMl}</span><span class="katex-html" aria-hidden="true"><span style="height:1em">a2</span></span></span>`
    const { screen, root } = draw(
      `<p>${katex}</p><p><span class="katex-display">${katex}</span></p>`,
    )
    expect(root.querySelectorAll('math > mfrac')).toHaveLength(2)
    expect(root.querySelector('math')?.namespaceURI).toBe('http://www.w3.org/1998/Math/MathML')
    expect(root.textContent).toBe('a2a2')
    await expect.element(screen.getByTitle('\\frac{a}{2}').first()).toBeVisible()
    expect(draw('<p><span class="tex-error">\\oops</span></p>').root.textContent).toBe('\\oops')
  })

  test('keeps a spoiler closed, and its content off the page, until it is opened', async () => {
    const { screen, root } = draw(
      '<div class="spoiler-block"><div class="spoiler-header"><p>The <em>end</em></p></div>' +
        '<div class="spoiler-content" aria-hidden="true"><p>the butler</p></div></div>',
    )
    expect(root.textContent).not.toContain('butler')
    const button = screen.getByRole('button', { name: 'The end' })
    await expect.element(button).toHaveAttribute('aria-expanded', 'false')
    await button.click()
    await expect.element(screen.getByText('the butler')).toBeVisible()
    await button.click()
    expect(root.textContent).not.toContain('butler')
  })

  test('keeps tables and the alignment of their columns', async () => {
    const { screen } = draw(
      '<table><thead><tr><th style="text-align: right;">n</th><th>name</th></tr></thead>' +
        '<tbody><tr><td style="text-align: right;">1</td><td>ops</td></tr></tbody></table>',
    )
    await expect.element(screen.getByRole('columnheader', { name: 'name' })).toBeVisible()
    await expect.element(screen.getByRole('cell', { name: '1' })).toHaveClass('align-right')
  })

  test('shows times by the local clock, with the exact one in the title', async () => {
    const { screen, root } = draw('<p><time datetime="2026-03-17T14:25:00Z">Tue</time></p>')
    expect(root.textContent).toContain('2026')
    await expect.element(screen.getByTitle('2026-03-17T14:25:00Z (UTC)')).toBeVisible()
    expect(draw('<p><time datetime="soon">soon</time></p>').root.textContent).toBe('soon')
    const bad = '<p><span class="timestamp-error">Invalid time format: x</span></p>'
    expect(draw(bad).root.textContent).toBe('Invalid time format: x')
  })

  test('is a sentence about its sender if it is a status message', () => {
    expect(draw('<p>/me restarts <em>it</em></p>', {}, true).root.textContent).toBe('restarts it')
    expect(draw('<p>/me restarts it</p>').root.textContent).toBe('/me restarts it')
  })

  test('nested too deeply is shown as plain text, at once', async () => {
    const deep = (count: number) => `${'<table><tr><td>'.repeat(count)}x`
    expect(draw(deep(10_000)).root.textContent).toMatch(/^as textToo complex to show/)
    expect(draw(deep(3)).root.querySelectorAll('table')).toHaveLength(3)
    const { root, screen } = draw('<p>a<br></p>'.repeat(1_000))
    await allDrawn(screen.element())
    expect(root.querySelectorAll('p')).toHaveLength(1_000)
  })

  test('is shown as plain text, and not as too long, where the browser refuses to sanitise', () => {
    const { prototype } = Element
    const before = Object.getOwnPropertyDescriptor(prototype, 'setHTML')!
    onTestFinished(() => void Object.defineProperty(prototype, 'setHTML', before))
    const value = () => {
      throw new TypeError('A name on the list is refused.')
    }
    Object.defineProperty(prototype, 'setHTML', { ...before, value })
    expect(draw('<p>a <b>c</b></p>').root.textContent).toBe('as text')
  })

  test.each([
    ['a value', '<div title="</div>">'],
    ['a value behind another', '<div " a="></div>">'],
    ['a comment', '<div><!--</div>-->'],
    ['text that is no markup', '<div><textarea></div></textarea>'],
    ['a table that it can not leave', '<div><table></div></table>'],
    ['the middle of another tag', "<div a='</div>'>"],
    ['what is no blank to the parser', '<div\u00a0a="><div></div>">'],
  ])('isn’t nested less because of an end tag in %s', (_where, one) => {
    expect(draw(one.repeat(300)).root.textContent).toMatch(/^as textToo complex to show/)
    expect(draw(`<p>a</p>${one.repeat(10)}`).root.querySelectorAll('p')).toHaveLength(1)
  })

  test('is rendered however long if each element is closed', async () => {
    const line = '<span class="k">def</span> <span title="a > b">f</span>\n'
    const code = `<div class="codehilite"><pre><span></span><code>${line.repeat(300)}</code></pre></div>`
    const image = '<p>a<br/><img alt=":x:" class="emoji" src="/x.png" /></p>'
    for (const [html, count] of [
      [code + image, 2],
      [image.repeat(300), 300],
    ] as const) {
      const { root, screen } = draw(html)
      await allDrawn(screen.element())
      expect(root.querySelectorAll('pre, p')).toHaveLength(count)
    }
  })

  test('shows polls and unknown markup as their text', () => {
    expect(draw('<p>/poll Lunch?\nPizza</p>').root.textContent).toBe('/poll Lunch?\nPizza')
    const { root } = draw(
      '<p>a <mark>b</mark> <x-future data-y="1">c <u>d</u></x-future></p><section>e</section>',
    )
    expect(root.textContent).toBe('a b c de')
    expect(root.querySelector('mark, u, section, x-future')).toBeNull()
  })
})

describe('a link in a message', () => {
  test('is opened by main, never by the page, and shows its host', async () => {
    const { screen, opened } = draw('<p><a href="https://docs.example.org/a?b#c">the docs</a></p>')
    const link = screen.getByRole('link', { name: 'the docs' })
    await expect.element(link).toHaveAttribute('title', 'docs.example.org')
    await link.click()
    await link.click({ button: 'middle' })
    expect(opened).toEqual(['https://docs.example.org/a?b#c', 'https://docs.example.org/a?b#c'])
  })

  test('belongs to the realm if it is relative', async () => {
    const { screen, opened } = draw('<p><a href="/user_uploads/1/ab/report.pdf">report.pdf</a></p>')
    await screen.getByRole('link', { name: 'report.pdf' }).click()
    expect(opened).toEqual(['https://chat.example.org/user_uploads/1/ab/report.pdf'])
  })

  test('opens a known conversation here, any other in the browser', async () => {
    const html =
      '<p><a class="stream-topic" data-stream-id="10" href="/#narrow/channel/10-ops/topic/db.20backup/near/77">#ops</a></p>'
    const elsewhere = draw(html)
    await elsewhere.screen.getByRole('link').click()
    expect(elsewhere.places).toEqual([
      { conversation: { kind: 'topic', channelId: 10, topic: 'db backup' }, messageId: 77 },
    ])
    expect(elsewhere.opened).toHaveLength(1)
    const here = draw(html, { onPlace: () => true })
    await here.screen.getByRole('link').last().click()
    expect(here.opened).toEqual([])
  })

  test.each([
    ['https://bank.example', 'https://evil.example/', true],
    ['bank.example/login', 'https://bank.example.evil.test/', true],
    ['bank.example', 'https://evil-bank.example/', true],
    ['www.bank.example', 'https://bank.example/', false],
    ['https://bank.example/a', 'https://bank.example/b', false],
    ['ana@bank.example', 'mailto:ana@bank.example', false],
    ['click here', 'https://evil.example/', false],
  ])('with text %s and address %s is flagged: %s', async (text, href, flagged) => {
    const { root } = draw(`<p><a href="${href}">${text}</a></p>`)
    const flag = root.querySelector('.link-elsewhere')?.textContent
    expect(flag).toBe(flagged ? ` (leads to ${new URL(href).host})` : undefined)
  })
})

describe('a picture, film, sound or preview', () => {
  test.each([
    [
      'an uploaded image',
      '<div class="message_inline_image"><a href="/user_uploads/1/a/cat.png" title="cat.png"><img src="/user_uploads/thumbnail/1/a/cat.png/840x560.webp" data-original-dimensions="10x10"></a></div>',
      'Image cat.png chat.example.org Show images Open',
      'https://chat.example.org/user_uploads/1/a/cat.png',
    ],
    [
      'a newer inline image',
      '<p>see <img class="inline-image" alt="cat" src="/thumb" data-original-src="/user_uploads/1/a/cat.png"></p>',
      'see Image cat chat.example.org Open',
      'https://chat.example.org/user_uploads/1/a/cat.png',
    ],
    [
      'an image of elsewhere',
      '<div class="message_inline_image"><a href="https://pics.example/dog.jpg"><img src="/external_content/x"></a></div>',
      'Image dog.jpg pics.example Show images Open',
      'https://pics.example/dog.jpg',
    ],
    [
      'an uploaded film',
      '<div class="message_inline_image message_inline_video"><a href="/user_uploads/1/b/clip.mp4"><video preload="metadata" src="/user_uploads/1/b/clip.mp4"></video></a></div>',
      'Video clip.mp4 chat.example.org Open',
      'https://chat.example.org/user_uploads/1/b/clip.mp4',
    ],
    [
      'a film of elsewhere',
      '<div class="youtube-video message_inline_image"><a data-id="x" href="https://video.example/watch?v=x"><img src="https://i.example/x.jpg"></a></div>',
      'Video watch video.example Open',
      'https://video.example/watch?v=x',
    ],
    [
      'a sound',
      '<p><audio controls preload="metadata" src="/user_uploads/1/c/a.mp3" title="a.mp3"></audio></p>',
      'Audio a.mp3 chat.example.org Open',
      'https://chat.example.org/user_uploads/1/c/a.mp3',
    ],
  ])('%s is named and opened only on request', async (_what, html, text, url) => {
    const { screen, root, opened } = draw(html)
    await expect.element(screen.getByRole('button', { name: /^Open/ })).toBeVisible()
    expect(words(root)).toBe(text)
    expect(root.querySelector('img, video, audio')).toBeNull()
    await screen.getByRole('button', { name: /^Open/ }).click()
    expect(opened).toEqual([url])
  })

  test('shows title, host and description of a linked page', () => {
    const { root } = draw(
      '<div class="message_embed"><a class="message_embed_image" href="https://news.example/1" style="background-image: url(https://i.example/1.png)"></a>' +
        '<div class="data-container"><div class="message_embed_title"><a href="https://news.example/1" title="News">News</a></div>' +
        '<div class="message_embed_description">It rains.</div></div></div>',
    )
    expect(words(root)).toBe('News news.example It rains.')
  })
})

function words(root: Element): string {
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  const found: string[] = []
  while (texts.nextNode() !== null) found.push(texts.currentNode.nodeValue?.trim() ?? '')
  return found.filter((text) => text !== '').join(' ')
}
