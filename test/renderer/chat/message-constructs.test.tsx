import { describe, expect, onTestFinished, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { MessageContext } from '../../../src/renderer/chat/message-context.ts'
import { MessageHtml } from '../../../src/renderer/chat/message-html.tsx'
import { LargePicture } from '../../../src/renderer/chat/message-media.tsx'
import '../../../src/renderer/chat/chat.css'
import * as eg from '../../support/eg.ts'
import { messageConstructs } from '../../support/message-constructs.ts'
import { mount, withBridge } from '../mount.ts'

const context: MessageContext = {
  baseUrl: 'https://chat.example.org',
  myId: eg.me.id,
  myGroups: new Set(),
  nameOf: (id) => [eg.me, eg.ana].find((user) => user.id === id)?.name ?? null,
  onLink: () => undefined,
  onPlace: () => false,
  loadPicture: null,
  onShowPictures: () => undefined,
}

/** All constructs in one column, as wide as in the narrowest window and in a usual one. */
function sheet(theme: string, width: number): readonly HTMLElement[] {
  withBridge()
  document.documentElement.dataset['theme'] = theme
  onTestFinished(() => {
    delete document.documentElement.dataset['theme']
  })
  const screen = mount(
    <div class="sheet" style={{ width: `${width}px`, background: 'var(--bg)' }}>
      {messageConstructs.map(({ name, html }) => (
        <article key={name} class="message" aria-label={name}>
          <MessageHtml html={html} text={name} isAction={false} context={context} />
        </article>
      ))}
    </div>,
  )
  return [...screen.element().querySelectorAll<HTMLElement>('.message-html')]
}

const looks = ['light', 'dark'].flatMap((theme) => [280, 420].map((width) => ({ theme, width })))

describe('every construct that a chat server renders', () => {
  test('renders its text and elements', () => {
    const drawn = sheet('light', 420)
    for (const [at, { name, words, holds }] of messageConstructs.entries()) {
      const root = drawn[at]!
      expect(wordsOf(root), name).toBe(words)
      for (const [selector, count] of Object.entries(holds))
        expect(root.querySelectorAll(selector).length, `${selector} of ${name}`).toBe(count)
    }
  })

  test.each(looks)('fits a column of $width px, $theme, and is readable', ({ theme, width }) => {
    for (const [at, root] of sheet(theme, width).entries()) {
      const name = messageConstructs[at]!.name
      expect(overflowing(root), name).toEqual([])
      expect(pale(root), name).toEqual([])
      const { height } = root.getBoundingClientRect()
      expect(height, name).toBeGreaterThan(14)
      expect(height, name).toBeLessThan(260)
    }
  })

  test.each(looks)('is visible on a screenshot, $width px, $theme', async ({ theme, width }) => {
    const drawn = sheet(theme, width)
    const before = { width: window.innerWidth, height: window.innerHeight }
    const shown = drawn[0]!.closest<HTMLElement>('.sheet')!
    await page.viewport(500, Math.ceil(shown.getBoundingClientRect().bottom) + 20)
    const picture = await pictureOf(shown)
    await page.viewport(before.width, before.height)
    const empty = drawn.flatMap((root, at) =>
      inkOf(picture, root, shown) > 20 ? [] : [messageConstructs[at]!.name],
    )
    expect(empty).toEqual([])
    // Control: a blank element has no ink.
    const blank = document.createElement('div')
    blank.style.height = '20px'
    expect(inkOf(await pictureOf(shown, blank), blank, shown)).toBe(0)
  })

  test('is found if too wide or too pale: the control of the above', () => {
    const [root] = sheet('light', 280)
    const wide = document.createElement('p')
    wide.style.cssText = 'width:400px;color:#ccc'
    wide.textContent = 'pale'
    root!.append(wide)
    expect(overflowing(root!)).toEqual(['p'])
    expect(pale(root!)).toEqual(['pale'])
  })
})

describe('a picture that the user asked for', () => {
  const pixel = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'
  const canvas = Object.assign(document.createElement('canvas'), { width: 2_000, height: 1_000 })
  const wide = canvas.toDataURL()
  const uploaded = messageConstructs.find(({ name }) => name === 'an uploaded image')!.html

  function drawn(html: string, answer: (path: string) => Promise<string | null>) {
    const asked: string[] = []
    const opened: string[] = []
    const screen = mount(
      <MessageHtml
        html={html}
        text=""
        isAction={false}
        context={{
          ...context,
          onLink: (url) => opened.push(url),
          loadPicture: (path) => {
            asked.push(path)
            return answer(path)
          },
        }}
      />,
    )
    return { screen, asked, opened }
  }

  test('has its space before it loads, comes from main, and opens large with Enter', async () => {
    let come: (picture: string) => void = () => undefined
    const { screen, asked } = drawn(uploaded, () => new Promise((done) => (come = done)))
    const large = mount(<LargePicture />)
    const button = screen.getByRole('button', { name: /^Open image latency\.png/ })
    await expect
      .poll(() => asked)
      .toEqual(['/user_uploads/thumbnail/2/a1/latency.png/840x560.webp'])
    const before = button.element().getBoundingClientRect()
    expect([before.width, before.height].map(Math.round)).toEqual([240, 120])
    come(pixel)
    await expect.element(screen.getByAltText('latency.png')).toHaveAttribute('src', pixel)
    expect(button.element().getBoundingClientRect()).toEqual(before)
    button.element().focus()
    await userEvent.keyboard('{Enter}')
    const dialog = large.getByRole('dialog', { name: 'Image latency.png' })
    await expect.element(dialog.getByText('Loading…')).toBeVisible()
    expect(asked.at(-1)).toBe('/user_uploads/2/a1/latency.png')
    come(wide)
    const picture = dialog.getByAltText('latency.png')
    await expect.element(picture).toHaveAttribute('src', wide)
    await expect.element(dialog.getByText('Loading…')).not.toBeInTheDocument()
    await userEvent.keyboard('{Escape}')
    await expect.element(dialog).not.toBeInTheDocument()
    expect(document.activeElement).toBe(button.element())
  })

  test('is zoomed by keys, and leads to the next one and to the browser', async () => {
    const other = uploaded.replaceAll('latency.png', 'errors.png')
    const { screen, opened } = drawn(uploaded + other, () => Promise.resolve(wide))
    const large = mount(<LargePicture />)
    await screen.getByRole('button', { name: /^Open image latency\.png/ }).click()
    const picture = large.getByAltText('latency.png')
    const width = () => Math.round(picture.element().getBoundingClientRect().width)
    await expect.element(picture).toBeVisible()
    await userEvent.keyboard('1')
    await expect.poll(width).toBe(2_000)
    await userEvent.keyboard('+')
    await expect.poll(width).toBe(3_000)
    await userEvent.keyboard('--')
    await expect.poll(width).toBe(1_500)
    await userEvent.keyboard('{ArrowRight}')
    expect(width()).toBe(1_500)
    await userEvent.keyboard('0')
    await expect.poll(width).toBe(document.documentElement.clientWidth)
    await userEvent.keyboard('{ArrowRight}{ArrowRight}')
    await expect.element(large.getByRole('dialog', { name: 'Image errors.png' })).toBeVisible()
    await large.getByRole('button', { name: /in the browser/ }).click()
    expect(opened).toEqual(['https://chat.example.org/user_uploads/2/a1/errors.png'])
    await userEvent.keyboard('{ArrowLeft}')
    await expect.element(picture).toBeVisible()
    await userEvent.keyboard('{Escape}')
  })

  test('stays a preview, and says so, if the full picture is refused', async () => {
    const { screen } = drawn(uploaded, (path) =>
      Promise.resolve(path.includes('thumbnail') ? wide : null),
    )
    const large = mount(<LargePicture />)
    await screen.getByRole('button').click()
    await expect.element(large.getByText('Only this preview could be loaded')).toBeVisible()
    await expect.element(large.getByAltText('latency.png')).toHaveAttribute('src', wide)
    await userEvent.keyboard('{Escape}')
  })

  test('shows a film’s or linked page’s preview, and leads there', async () => {
    const film =
      '<div class="youtube-video message_inline_image"><a data-id="x" href="https://video.example/watch?v=x"><img src="/external_content/a/b"></a></div>'
    const page =
      '<div class="message_embed"><a class="message_embed_image" href="https://news.example/1" style="background-image: url(&quot;https://chat.example.org/external_content/c/d&quot;)"></a>' +
      '<div class="message_embed_title"><a href="https://news.example/1">News</a></div></div>' +
      '<div class="message_embed"><a class="message_embed_image" href="https://news.example/2" style="background-image: url(https://spy.example/e)"></a></div>'
    const { screen, asked, opened } = drawn(film + page, () => Promise.resolve(pixel))
    await expect
      .poll(() => asked.toSorted())
      .toEqual(['/external_content/a/b', '/external_content/c/d'])
    for (const button of screen.getByRole('button').elements()) {
      await expect.poll(() => button.querySelector('img')).not.toBeNull()
      if (button instanceof HTMLElement) button.click()
    }
    expect(opened).toEqual(['https://video.example/watch?v=x', 'https://news.example/1'])
  })

  test('says so if it couldn’t be loaded, and still opens', async () => {
    const { screen, opened } = drawn(uploaded, () => Promise.resolve(null))
    await expect.element(screen.getByText('latency.png could not be loaded')).toBeVisible()
    await screen.getByRole('button').click()
    expect(opened).toHaveLength(1)
    const broken = drawn(uploaded, () => Promise.resolve('data:image/png;base64,AAAA'))
    await expect.element(broken.screen.getByText('latency.png could not be loaded')).toBeVisible()
  })

  test('shows an emoji, and its name if that has no picture', async () => {
    const html = messageConstructs.find(({ name }) => name === 'emoji')!.html
    const { screen, asked } = drawn(html, () => Promise.resolve(pixel))
    await expect.element(screen.getByAltText(':party_cat:')).toBeVisible()
    expect(asked).toEqual(['/user_avatars/2/emoji/images/1.png'])
    const none = drawn(html, () => Promise.resolve(null))
    await expect.element(none.screen.getByText(':party_cat:')).toBeVisible()
  })

  test('from elsewhere, from an old server or not ready is never requested', async () => {
    const names = ['an image of an old server, from elsewhere itself', 'an image that is not ready']
    for (const { html } of messageConstructs.filter(({ name }) => names.includes(name))) {
      const { screen, asked } = drawn(html, () => Promise.resolve(pixel))
      await expect.element(screen.getByRole('button', { name: /^Open/ })).toBeVisible()
      expect(asked).toEqual([])
    }
  })

  test('is requested by its placeholder', async () => {
    let times = 0
    const screen = mount(
      <MessageHtml
        html={uploaded}
        text=""
        isAction={false}
        context={{ ...context, onShowPictures: () => (times += 1) }}
      />,
    )
    await screen.getByRole('button', { name: 'Show images from chat.example.org' }).click()
    expect(times).toBe(1)
  })
})

function wordsOf(root: Element): string {
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  const found: string[] = []
  while (texts.nextNode() !== null) found.push(texts.currentNode.nodeValue?.trim() ?? '')
  return found.filter((text) => text !== '').join(' ')
}

/** Elements wider than the column, except inside a part that scrolls. */
function overflowing(root: HTMLElement): readonly string[] {
  const right = root.getBoundingClientRect().right + 0.5
  return [...root.querySelectorAll<HTMLElement>('*')]
    .filter((element) => element.parentElement?.closest('pre, .table-scroll, .math-block') == null)
    .filter((element) => element.getBoundingClientRect().right > right)
    .map(({ localName }) => localName)
}

/** Texts with a contrast below WCAG's 4.5. */
function pale(root: HTMLElement): readonly string[] {
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  const found: string[] = []
  while (texts.nextNode() !== null) {
    const parent = texts.currentNode.parentElement
    const text = texts.currentNode.nodeValue?.trim() ?? ''
    if (parent === null || text === '' || !parent.checkVisibility({ visibilityProperty: true }))
      continue
    const colour = channels(getComputedStyle(parent).color)
    if (contrast(colour, behind(parent)) < 4.5) found.push(text)
  }
  return found
}

function behind(element: Element | null): readonly number[] {
  if (element === null) return [255, 255, 255, 1]
  const own = channels(getComputedStyle(element).backgroundColor)
  return own[3] === 0 ? behind(element.parentElement) : own
}

/** Red, green, blue and alpha of any CSS colour, as the browser draws it. */
function channels(colour: string): readonly number[] {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d')!
  canvas.fillStyle = colour
  canvas.fillRect(0, 0, 1, 1)
  return [...canvas.getImageData(0, 0, 1, 1).data]
}

function contrast(one: readonly number[], other: readonly number[]): number {
  const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (high! + 0.05) / (low! + 0.05)
}

function luminance(colour: readonly number[]): number {
  const [red, green, blue] = colour.map((value) => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}

/** A screenshot, as pixels. */
async function pictureOf(element: HTMLElement, appended?: HTMLElement): Promise<ImageData> {
  if (appended !== undefined) element.append(appended)
  const { base64 } = await page.screenshot({ element, base64: true, save: true })
  const image = new Image()
  image.src = `data:image/png;base64,${base64}`
  await image.decode()
  const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d')!
  canvas.drawImage(image, 0, 0)
  return canvas.getImageData(0, 0, image.width, image.height)
}

/** The pixels in an element's area that differ from its first pixel. */
function inkOf(picture: ImageData, element: HTMLElement, shown: HTMLElement): number {
  const all = shown.getBoundingClientRect()
  const own = element.getBoundingClientRect()
  const scale = picture.width / all.width
  const left = Math.round((own.left - all.left) * scale)
  const top = Math.round((own.top - all.top) * scale)
  const ground = pixelAt(picture, left, top)
  let ink = 0
  for (let y = top; y < top + Math.floor(own.height * scale); y += 1)
    for (let x = left; x < left + Math.floor(own.width * scale); x += 1)
      if (pixelAt(picture, x, y) !== ground) ink += 1
  return ink
}

function pixelAt({ data, width }: ImageData, x: number, y: number): number {
  const at = (y * width + x) * 4
  return ((data[at] ?? 0) << 16) | ((data[at + 1] ?? 0) << 8) | (data[at + 2] ?? 0)
}
