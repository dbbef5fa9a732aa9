import { render } from 'preact'
import type { MessageContext } from '../../src/renderer/chat/message-context.ts'
import { MessageHtml } from '../../src/renderer/chat/message-html.tsx'
import { isTooCostly } from '../../src/renderer/chat/message-tree.ts'
import { attributes, elements, inertTree, mathElements } from '../../src/renderer/chat/sanitize.ts'
import { beginTurn } from '../../src/renderer/parts/draw-in-turn.ts'
import { hostileVectors } from '../../test/support/hostile-families.ts'
import { messageConstructs } from '../../test/support/message-constructs.ts'
import type { Numbers } from '../measurement.ts'
import { corpus, eachKind } from './corpus.ts'

/** The part of DOMPurify that is used; its own script defines it. */
interface Purifier {
  sanitize(html: string, options: object): DocumentFragment
}

declare global {
  interface Window {
    readonly DOMPurify?: Purifier
    sanitizing: { take(contender: SanitizingContender, count: number): Numbers }
  }
}

export type SanitizingContender = 'unsafe innerHTML' | 'DOMPurify' | 'app'

interface Way {
  /** Turns a message into nodes; null if it is refused. */
  readonly nodes: (html: string) => ParentNode | null
  /** Puts all of them on the page. */
  readonly mount: (all: readonly string[], container: Element) => void
}

const context: MessageContext = {
  baseUrl: 'https://chat.example.org',
  myId: 1,
  myGroups: new Set(),
  nameOf: (id) => (id === 2 ? 'Ana' : null),
  onLink: () => undefined,
  onPlace: () => false,
  loadPicture: null,
  onShowPictures: () => undefined,
}

/** Without a window, like ours: nothing loads, so that the bound doesn't pay for pictures. */
const inert = document.implementation.createHTMLDocument('')

function unsafe(html: string): Element {
  const root = inert.createElement('div')
  root.innerHTML = html
  return root
}

/** The same list as ours, in the faster of its two forms. */
const purify = {
  ALLOWED_TAGS: [...elements, ...mathElements],
  ALLOWED_ATTR: attributes,
  ALLOW_DATA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
}

function purified(html: string): DocumentFragment {
  if (window.DOMPurify === undefined) throw new Error('DOMPurify is not loaded')
  return window.DOMPurify.sanitize(html, purify)
}

const ways: Readonly<Record<SanitizingContender, Way>> = {
  'unsafe innerHTML': {
    nodes: unsafe,
    mount: (all, container) => {
      for (const html of all) body(container).innerHTML = html
    },
  },
  DOMPurify: {
    nodes: purified,
    mount: (all, container) => {
      for (const html of all) body(container).append(purified(html))
    },
  },
  app: {
    nodes: (html) => (isTooCostly(html) ? null : inertTree(html)),
    mount: (all, container) => {
      for (const html of all) {
        // As if each arrived alone: what exceeds a turn's budget waits until it is in view.
        beginTurn()
        const place = document.createElement('div')
        container.append(place)
        render(
          <MessageHtml
            html={html}
            text=""
            isAction={false}
            context={context}
            onOpen={() => undefined}
          />,
          place,
        )
      }
    },
  },
}

function body(container: Element): Element {
  const element = document.createElement('div')
  element.className = 'message-html'
  container.append(element)
  return element
}

window.sanitizing = {
  take(contender, count) {
    const { nodes, mount } = ways[contender]
    const all = corpus(count)
    for (const html of all.slice(0, 200)) nodes(html)
    const startedAt = performance.now()
    for (const html of all) nodes(html)
    const nodesMs = performance.now() - startedAt
    const container = document.createElement('div')
    document.body.append(container)
    const mountedAt = performance.now()
    mount(all, container)
    const mountedMs = performance.now() - mountedAt
    numbersInOrder(container, count)
    container.remove()
    if (contender === 'app') {
      kindsAreKept()
      constructsAreKept()
      attacksAreDead()
    }
    const bytes = all.reduce((sum, html) => sum + html.length, 0) / count
    return { nodesMs, mountedMs, usEach: (nodesMs * 1_000) / count, bytesEach: bytes }
  },
}

function numbersInOrder(container: Element, count: number): void {
  const found = [...container.children].map((one) => / #(\d+)/.exec(one.textContent)?.[1])
  check(found.length === count, `${found.length} of ${count} messages`)
  for (const [at, number] of found.entries()) check(number === String(at), `${number} at ${at}`)
}

/** Checks that each kind keeps its text, its elements, and the attributes that the list allows. */
function kindsAreKept(): void {
  for (const html of eachKind()) {
    const ours = inertTree(html)
    const all = unsafe(html)
    check(ours.textContent === all.textContent, `another text: ${html}`)
    const [mine, theirs] = [ours, all].map((root) => [...root.querySelectorAll('*')].map(tagOf))
    check(mine?.join() === theirs?.join(), `another structure: ${html}`)
  }
}

function tagOf({ localName, attributes: all }: Element): string {
  const kept = [...all].filter(({ name }) => attributes.includes(name) && name !== 'data-style')
  return `<${localName} ${kept.map(({ name, value }) => `${name}=${value}`).join(' ')}>`
}

/** Checks each construct as the app's own tests do. */
function constructsAreKept(): void {
  for (const { name, html, holds } of messageConstructs) {
    const container = document.createElement('div')
    ways.app.mount([html], container)
    for (const [selector, count] of Object.entries(holds))
      check(container.querySelectorAll(selector).length === count, `${selector} of ${name}`)
  }
}

/** Checks the parsed tree and what is built from it. */
function attacksAreDead(): void {
  const through: string[] = []
  for (const html of hostileVectors) {
    if (isTooCostly(html)) continue
    const tree = treeOf(html)
    // A stranger's form stays in the parsed tree, but is not drawn.
    const found = tree === null ? [] : alive(tree).filter((what) => !strangers.has(what))
    through.push(...found.map((what) => `${what} of ${html}`))
    const container = document.createElement('div')
    ways.app.mount([html], container)
    const drawn = [...alive(container), ...addresses(container)]
    through.push(...drawn.map((what) => `${what} drawn of ${html}`))
    render(null, container)
  }
  check(through.length === 0, `${through.length} attacks alive: ${through.slice(0, 5).join('\n')}`)
  // The control: the same check finds attacks in markup that nothing was done about.
  const seen = hostileVectors
    .filter(({ length }) => length < 5_000)
    .filter((html) => alive(unsafe(html)).length > 0)
  check(seen.length > hostileVectors.length / 2, `${seen.length} attacks are seen in the control`)
}

function treeOf(html: string): Element | null {
  try {
    return inertTree(html)
  } catch {
    // Refused as a whole: `MessageHtml` then shows the text.
    return null
  }
}

/** Harmless in the parsed tree. */
const strangers = new Set(['<form>', '<input>', '<template>'])

const deadly = 'script, style, iframe, object, embed, svg, form, input, template, link, meta, base'

/**
 * Elements and attributes that are active on their own; the copy button of code and the sign on the
 * button of a spoiler are ours.
 */
function alive(root: ParentNode): string[] {
  const found: string[] = []
  for (const element of root.querySelectorAll('*')) {
    if (element.closest('.code-bar, .spoiler-button > svg.fold-sign') !== null) continue
    if (element.matches(deadly)) found.push(`<${element.localName}>`)
    // Read this way because a form with parts named like its properties could hide them.
    for (const name of Element.prototype.getAttributeNames.call(element))
      if (/^(?:on|style$|src.|action$|formaction$|xlink)/.test(name)) found.push(`[${name}]`)
  }
  return found
}

/**
 * Links may point only to the web and to mail, and nothing else on the page may have an address.
 */
function addresses(root: ParentNode): string[] {
  const links = [...root.querySelectorAll('[href]')].map((link) => link.getAttribute('href') ?? '')
  const wrong = links.filter((href) => !/^(?:https?:\/\/|mailto:)/.test(href))
  return [
    ...wrong,
    ...[...root.querySelectorAll('[src]')].map(({ localName }) => `src of ${localName}`),
  ]
}

function check(isRight: boolean, otherwise: string): void {
  if (!isRight) throw new Error(otherwise)
}
