import { render } from 'preact'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { commands } from 'vitest/browser'
import type { MessageContext } from '../../../src/renderer/chat/message-context.ts'
import { MessageHtml } from '../../../src/renderer/chat/message-html.tsx'
import { inertTree, mathAttributes, mathElements } from '../../../src/renderer/chat/sanitize.ts'
import { beginTurn } from '../../../src/renderer/parts/draw-in-turn.ts'
import { hostileVectors } from '../../support/hostile-families.ts'
import { hostileStrings } from '../../support/hostile-grammar.ts'
import { hostileHtml } from '../../support/hostile-html.ts'
import { allDrawn, withBridge } from '../mount.ts'

/** Makes the fuzzed strings reproducible. */
const seed = 20_261_121
const fuzzed = hostileStrings(seed, 10_000)

/** Giant ones show nothing more here, and take a page long. */
const ordinary = hostileVectors.filter(({ length }) => length < 5_000)

/** Read by the summary of all security tests (`npm run security`). */
const counts = { vectors: 0, fuzzed: 0, through: 0, control: 0 }

afterAll(async () => {
  await commands.writeFile('test-results/security-html.json', `${JSON.stringify(counts)}\n`)
})

const pixel = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'

function surroundings(withPictures: boolean) {
  const opened: string[] = []
  const loaded: string[] = []
  const context: MessageContext = {
    baseUrl: 'https://chat.example.org',
    myId: 1,
    myGroups: new Set(),
    nameOf: () => null,
    onLink: (url) => opened.push(url),
    onPlace: () => false,
    loadPicture: withPictures
      ? (path) => {
          loaded.push(path)
          return Promise.resolve(pixel)
        }
      : null,
    onShowPictures: () => undefined,
  }
  return { context, opened, loaded }
}

describe('hostile messages', () => {
  test.each([
    { kind: 'vectors', strings: hostileVectors, withPictures: false, atOnce: 40 },
    { kind: 'vectors', strings: ordinary, withPictures: true, atOnce: 40 },
    { kind: 'fuzzed', strings: fuzzed, withPictures: false, atOnce: 100 },
  ] as const)(
    '$kind (seed 20261121, pictures: $withPictures) run nothing, load nothing, lead nowhere and leave no unknown markup',
    async ({ kind, strings, withPictures, atOnce }) => {
      withBridge()
      const seen = watchPage()
      const { context, opened, loaded } = surroundings(withPictures)
      const wrong: string[] = []
      for (let at = 0; at < strings.length; at += atOnce)
        wrong.push(...(await drawnStrangers(strings.slice(at, at + atOnce), context)))
      await loadsNoticed()
      counts[kind] = Math.max(counts[kind], strings.length)
      counts.through +=
        wrong.length + seen.dialogs() + seen.requests().length + seen.navigations().length
      expect(wrong).toEqual([])
      expect(opened.filter((url) => !/^(?:https?|mailto):/.test(url))).toEqual([])
      expect(opened.filter((url) => /^https?:\/\/[^/]*@/.test(url))).toEqual([])
      expect(opened.length).toBeGreaterThan(0)
      expect(loaded.filter((path) => !picturePaths.test(path))).toEqual([])
      expect(seen.dialogs()).toBe(0)
      expect(seen.requests()).toEqual([])
      expect(seen.navigations()).toEqual([])
    },
  )

  test('are at least 500 vectors and 10,000 fuzzed strings', () => {
    expect(hostileVectors.length).toBeGreaterThanOrEqual(500)
    expect(new Set(fuzzed).size).toBe(10_000)
  })

  test('run and load if drawn unsanitized: the control of the tests above', async () => {
    let dialogs = 0
    const told = ({ data }: MessageEvent): void => {
      if (data === 'hostile script ran') dialogs += 1
    }
    window.addEventListener('message', told)
    onTestFinished(() => window.removeEventListener('message', told))
    // Each page fires in its own time, so this waits for results, not for a duration.
    await unsafe(hostileHtml, () => dialogs >= 50, 20)
    await unsafe(
      ordinary.slice(hostileHtml.length).filter((_, at) => at % 6 === 0),
      () => dialogs >= 60,
      10,
    )
    const before = dialogs
    await unsafe(fuzzed.slice(0, 100), () => dialogs > before, 1)
    counts.control = dialogs
    expect(dialogs).toBeGreaterThan(60)
  })

  test('are detected by the observers of the tests above', async () => {
    const seen = watchPage()
    const link = document.createElement('a')
    link.href = '/hostile/away'
    document.body.append(link)
    link.click()
    link.remove()
    window.alert('seen')
    new Image().src = '/hostile/control'
    expect(seen.navigations()).toHaveLength(1)
    expect(seen.dialogs()).toBe(1)
    // A load is recorded when it has ended, which may be after one that started later.
    await expect.poll(seen.requests).toHaveLength(1)
    const root = document.createElement('div')
    root.append(document.createElement('iframe'), document.createElement('p'))
    root.lastElementChild?.setAttribute('onclick', 'x')
    expect(strangers(root)).toEqual(['<iframe>', 'p[onclick]'])
  })
})

/** Paths that main may be asked for. */
const picturePaths =
  /^\/(?:user_uploads|external_content|user_avatars|static\/generated\/emoji)\/(?!.*\/\.\.\/)/

/** Draws messages together, clicks everything clickable, and returns what shouldn’t be there. */
async function drawnStrangers(
  strings: readonly string[],
  context: MessageContext,
): Promise<readonly string[]> {
  const container = document.body.appendChild(document.createElement('div'))
  for (const html of strings) {
    beginTurn()
    const place = container.appendChild(document.createElement('div'))
    render(<MessageHtml html={html} text="as text" isAction={false} context={context} />, place)
  }
  await allDrawn(container)
  clickAll(container)
  await settled()
  await allDrawn(container)
  const roots = [...container.querySelectorAll('.message-html')]
  const wrong = roots.flatMap((root, at) =>
    strangers(root).map((stranger) => `${stranger} from ${strings[at]?.slice(0, 500)}`),
  )
  wrong.push(...[...container.querySelectorAll('[aria-busy=true]')].map(() => 'not drawn'))
  if (roots.length !== strings.length) wrong.push(`${roots.length} of ${strings.length} drawn`)
  for (const place of container.children) render(null, place)
  if (container.textContent !== '') wrong.push(`left behind: ${container.textContent}`)
  container.remove()
  return wrong
}

const ownElements = new Set([
  ...['div', 'p', 'br', 'strong', 'em', 'b', 'i', 'del', 'code', 'pre', 'hr', 'blockquote', 'ul'],
  ...['ol', 'li', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'a', 'span', 'button', 'time'],
  ...['h2', 'h3', 'h4', 'h5', 'h6', 'img', ...mathElements],
])
const ownAttributes = new Set([
  ...[
    'class',
    'href',
    'title',
    'draggable',
    'type',
    'role',
    'tabindex',
    'datetime',
    'start',
    'dir',
  ],
  ...['scope', 'aria-label', 'aria-hidden', 'aria-expanded', ...mathAttributes],
])

const foldSign = '<path d="m6 4 4 4-4 4"></path>'

/** Elements and attributes that rendering should never create. */
function strangers(root: Element): string[] {
  const found: string[] = []
  for (const element of root.querySelectorAll('*')) {
    // The copy button is ours; the language next to it is text.
    if (element.closest('.code-bar') !== null) continue
    // So is the sign on the button of a spoiler.
    const sign = element.closest('.spoiler-button > svg.fold-sign')
    if (sign?.innerHTML === foldSign) continue
    if (!ownElements.has(element.localName)) found.push(`<${element.localName}>`)
    for (const { name, value } of element.attributes) {
      if (!isOwn(element, name, value)) found.push(`${element.localName}[${name}]`)
      if (name === 'href' && !/^(https?:\/\/|mailto:)/.test(value)) found.push(`href=${value}`)
    }
  }
  return found
}

function isOwn(element: Element, name: string, value: string): boolean {
  if (element.localName === 'img')
    return /^(?:alt|title|draggable)$/.test(name) || (name === 'src' && value === pixel)
  if (name === 'style')
    return (
      element.matches('button.picture') && /^width: \d+px; aspect-ratio: \d+ \/ \d+;$/.test(value)
    )
  return ownAttributes.has(name)
}

/** Clicks every link and button, including those that spoilers reveal. */
function clickAll(root: HTMLElement): void {
  for (const element of root.querySelectorAll<HTMLElement>('button, a')) element.click()
}

async function settled(): Promise<void> {
  await new Promise((resolve) => requestAnimationFrame(resolve))
  await new Promise((resolve) => requestAnimationFrame(resolve))
}

/** Waits for several loads in a row: by then, any earlier load has been recorded, too. */
async function loadsNoticed(): Promise<void> {
  for (let n = 0; n < 5; n += 1) {
    const image = new Image()
    image.src = `/marker-${n}-${Math.round(performance.now())}`
    await expect.poll(() => performance.getEntriesByName(image.src).length).toBe(1)
  }
}

function watchPage() {
  performance.setResourceTimingBufferSize(10_000)
  performance.clearResourceTimings()
  const before = { alert: window.alert, open: window.open }
  let dialogs = 0
  const navigations: string[] = []
  window.alert = () => {
    dialogs += 1
  }
  window.open = (url) => {
    navigations.push(String(url))
    return null
  }
  const away = (leaving: NavigateEvent): void => {
    navigations.push(leaving.destination.url)
    leaving.preventDefault()
  }
  window.navigation.addEventListener('navigate', away)
  onTestFinished(() => {
    Object.assign(window, before)
    window.navigation.removeEventListener('navigate', away)
  })
  return {
    dialogs: () => dialogs,
    navigations: () => navigations,
    requests: () =>
      performance
        .getEntriesByType('resource')
        .map(({ name }) => name)
        .filter(isHostile),
  }
}

function isHostile(address: string): boolean {
  return /\/hostile\/|hostile\.example|\/x$/.test(address)
}

/** Draws each one unsanitized in a page of its own, until enough of them took effect. */
async function unsafe(
  strings: readonly string[],
  isEnough: () => boolean,
  loads: number,
): Promise<void> {
  const frames = strings.map(unsafeFrame)
  await expect.poll(isEnough).toBe(true)
  await expect.poll(() => frames.flatMap(hostileLoads).length).toBeGreaterThanOrEqual(loads)
  for (const frame of frames) frame.remove()
}

function unsafeFrame(html: string): HTMLIFrameElement {
  const frame = document.createElement('iframe')
  frame.srcdoc = `<script>window.alert = () => parent.postMessage('hostile script ran', '*')</script>${html}`
  document.body.append(frame)
  return frame
}

function hostileLoads(frame: HTMLIFrameElement): string[] {
  try {
    const entries = frame.contentWindow?.performance.getEntriesByType('resource') ?? []
    return entries.map(({ name }) => name).filter(isHostile)
  } catch {
    // It navigated to another origin, as such messages try to.
    return ['/hostile/elsewhere']
  }
}

describe('the policy of the window', () => {
  test('lets the parser work and refuses innerHTML', async () => {
    const policy =
      "script-src 'self'; style-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'"
    const frame = document.createElement('iframe')
    frame.srcdoc = `<meta http-equiv="Content-Security-Policy" content="${policy}"><body>`
    const loaded = new Promise((resolve) => frame.addEventListener('load', resolve))
    document.body.append(frame)
    onTestFinished(() => frame.remove())
    await loaded
    const inside = frame.contentDocument!
    const reports: string[] = []
    inside.addEventListener('securitypolicyviolation', (report) => {
      reports.push(report.violatedDirective)
    })
    const tree = inertTree(
      `<p style="text-align: right">fine<script>alert(1)</script></p>${'<p onclick="x" style=\'a\'></p>'.repeat(100)}`,
      inside.implementation.createHTMLDocument(''),
    )
    expect(tree.textContent).toBe('fine')
    expect(() => {
      inside.body.innerHTML = '<p>no</p>'
    }).toThrow(/TrustedHTML/)
    await expect.poll(() => reports).toContain('require-trusted-types-for')
    expect(reports).not.toContain('style-src-attr')
    expect(reports).not.toContain('script-src-attr')
  })
})
