import { type ComponentChildren, h, type VNode } from 'preact'
import { useRef } from 'preact/hooks'
import { namedTimeWords } from '#shared/core/time.ts'
import { CopyButton, SmallButton } from '../parts/button.tsx'
import { InParts } from '../parts/in-parts.tsx'
import type { Room } from '../parts/room.ts'
import { emojiCharacter, emojiCodeOf } from './emoji-character.ts'
import type { MessageContext } from './message-context.ts'
import { messageLink } from './message-link.ts'
import { mathNode, sourceOf } from './message-math.tsx'
import { drawnMedia, MessageAnchor, previewPicture } from './message-media.tsx'
import { directionOf, type Tree, treeFor, withoutFormat } from './message-tree.ts'
import {
  attribute,
  lacksText,
  noteNothing,
  noteReplaced,
  noteShown,
  styleAttribute,
  textTree,
} from './sanitize.ts'
import { Spoiler } from './spoiler.tsx'

/** Deeper nesting than anybody writes; below it only the text is shown. */
const deepest = 60

/** How many characters of a message are shown until it is its turn to be drawn. */
const previewLength = 40

interface Props {
  readonly html: string
  /** The same as plain text, shown if the browser can't sanitise or parsing would take too long. */
  readonly text: string
  /** A `/me` message: the command itself is not part of the sentence. */
  readonly isAction: boolean
  readonly context: MessageContext
  /** Shows the whole message elsewhere, if there is such a place. */
  readonly onOpen?: () => void
}

/**
 * Draws a message that the server rendered. Its HTML is hostile until proven otherwise, so it is
 * parsed where nothing can happen (`sanitize.ts`) and then only read: every node on the page is made
 * here, from the names written in this file. Anything unknown is shown as its text. A long one is
 * drawn part by part (`draw-in-turn.ts`).
 */
export function MessageHtml({ html, text, isAction, context, onOpen }: Props) {
  const parsed = useRef<{ readonly html: string; readonly tree: Tree } | null>(null)
  const treeOf = (): Tree => {
    // Not before its turn, and then once for all parts.
    if (parsed.current?.html !== html)
      parsed.current = { html, tree: treeFor(html, text, isAction) }
    return parsed.current.tree
  }
  const draw = (room: Room): ComponentChildren => {
    const { root } = treeOf()
    noteNothing()
    const content = drawnChildren(root, { context, room }, 0)
    if (room.isCut || !lacksText(root)) return content
    // Rather its plain text than a message without what was meant.
    parsed.current = { html, tree: { root: textTree(text), missing: withoutFormat } }
    return room.text(text)
  }
  return (
    <InParts
      // How long another text took says nothing about this one.
      key={html}
      waiting={text.slice(0, previewLength)}
      inputs={[text, isAction, context]}
      unread={html.length}
      draw={draw}
      end={() => {
        const { missing } = treeOf()
        if (missing === null) return null
        return (
          <p class="quiet">
            {missing}{' '}
            {onOpen !== undefined && <SmallButton onClick={onOpen}>Open in browser</SmallButton>}
          </p>
        )
      }}
    />
  )
}

/** What drawing an element needs besides the element. */
interface Drawing {
  readonly context: MessageContext
  readonly room: Room
}

function drawnChildren(parent: Element, drawing: Drawing, depth: number): ComponentChildren {
  const { room } = drawing
  if (depth > deepest) return textIn(parent, room)
  const children: ComponentChildren[] = []
  for (let node = parent.firstChild; node !== null; node = node.nextSibling) {
    // The sanitizer leaves no comments: whatever isn't text is an element.
    if (node.nodeType === Node.TEXT_NODE) {
      const text = node.nodeValue ?? ''
      noteShown(node)
      if (!room.isFull || text.trim() !== '') children.push(room.text(text))
    } else if (room.takeElement()) children.push(drawn(node as Element, drawing, depth + 1))
    if (room.isCut) break
  }
  return children
}

/** As much of the element's text as there is room for, noted as shown. */
function textIn(element: Element, room: Room): string {
  noteShown(element)
  return room.text(element.textContent)
}

/** Draws it in its own way, or else what is in it, if that way would leave something out. */
function wholeOr(
  element: Element,
  room: Room,
  own: ComponentChildren,
  otherwise: () => ComponentChildren,
): ComponentChildren {
  return !room.isCut && lacksText(element) ? otherwise() : own
}

/** Drawn as they are, without any attributes. */
const plainElements = new Set([
  ...['p', 'br', 'strong', 'em', 'b', 'i', 'del', 'code', 'hr', 'blockquote', 'ul', 'li'],
  ...['thead', 'tbody', 'tr'],
])

/** Drawn as several elements. */
const partsOf: Readonly<Record<string, number>> = {
  a: 1,
  table: 1,
  img: 7,
  audio: 7,
  video: 7,
  pre: 7,
}

/** Each takes its text direction from its own first words. */
const blocks = new Set(['p', 'blockquote', 'ul'])

function drawn(element: Element, drawing: Drawing, depth: number): ComponentChildren {
  const name = element.localName
  const { room } = drawing
  room.takeElement(partsOf[name] ?? 0)
  const children = (): ComponentChildren => drawnChildren(element, drawing, depth)
  if (plainElements.has(name))
    return h(name, blocks.has(name) ? { dir: directionOf(element) } : null, children())
  switch (name) {
    case 'span':
      return drawnSpan(element, drawing, depth)
    case 'div':
      return drawnDiv(element, drawing, depth)
    case 'a':
      return drawnLink(element, drawing, depth)
    case 'img':
    case 'audio':
    case 'video':
      return mediaIn(element, element, drawing)
    case 'pre':
      return codeBlock(element, '', room)
    case 'ol':
      return (
        <ol
          dir={directionOf(element)}
          start={Number.parseInt(attribute(element, 'start'), 10) || 1}
        >
          {children()}
        </ol>
      )
    case 'time':
      return wholeOr(element, room, drawnTime(element, room), children)
    case 'table':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        <div class="table-scroll" tabIndex={0}>
          <table>{children()}</table>
        </div>
      )
    case 'th':
    case 'td': {
      const scope = name === 'th' ? { scope: 'col' } : {}
      return h(
        name,
        { ...scope, dir: directionOf(element), class: alignmentClass(element) },
        children(),
      )
    }
    case 'math':
      return formula(element, false, room)
    default:
      return /^h[1-6]$/.test(name) ? drawnHeading(element, children()) : children()
  }
}

/** One level lower, since the title of the conversation is the page's top heading. */
function drawnHeading(element: Element, children: ComponentChildren): VNode {
  const level = Number(element.localName.slice(1))
  return h(
    `h${Math.min(6, level + 1)}`,
    { class: `message-heading-${level}`, dir: directionOf(element) },
    children,
  )
}

function drawnSpan(element: Element, drawing: Drawing, depth: number): ComponentChildren {
  const classes = element.classList
  const { context, room } = drawing
  const children = (): ComponentChildren => drawnChildren(element, drawing, depth)
  if (classes.contains('user-mention'))
    return wholeOr(element, room, drawnMention(element, drawing), children)
  if (classes.contains('user-group-mention') || classes.contains('topic-mention')) {
    const group = Number(attribute(element, 'data-user-group-id') || Number.NaN)
    const mine = context.myGroups.has(group) && !classes.contains('silent')
    return (
      <span class={mentionClass(element, mine ? 'mention mention-me' : 'mention')}>
        {children()}
      </span>
    )
  }
  if (classes.contains('emoji')) return wholeOr(element, room, drawnEmoji(element, room), children)
  if (classes.contains('katex-display')) return formula(element, true, room)
  if (classes.contains('katex')) return formula(element, false, room)
  if (classes.contains('tex-error')) return <code title="Not valid TeX">{children()}</code>
  if (classes.contains('timestamp-error')) return <span class="quiet">{children()}</span>
  return children()
}

function mentionClass(element: Element, base: string): string {
  return element.classList.contains('silent') ? `${base} mention-silent` : base
}

/** Shows people by their current name: the one in the text is from when it was written. */
function drawnMention(element: Element, { context, room }: Drawing): VNode {
  const id = attribute(element, 'data-user-id')
  const everyone = id === '*' || element.classList.contains('channel-wildcard-mention')
  if (everyone)
    return <span class={mentionClass(element, 'mention mention-me')}>{textIn(element, room)}</span>
  const userId = /^\d+$/.test(id) ? Number(id) : -1
  const name = context.nameOf(userId)
  noteReplaced(element)
  const silent = element.classList.contains('silent')
  const mine = userId === context.myId && !silent
  return (
    <span class={mentionClass(element, mine ? 'mention mention-me' : 'mention')}>
      {room.text(name === null ? element.textContent : `${silent ? '' : '@'}${name}`)}
    </span>
  )
}

function drawnEmoji(element: Element, room: Room): VNode {
  const code = emojiCodeOf(element.className)
  const character = code === null ? null : emojiCharacter(code)
  if (character === null) return <span>{textIn(element, room)}</span>
  noteReplaced(element)
  const name = room.text(element.textContent)
  const label = attribute(element, 'aria-label') || name.replaceAll(':', '')
  return (
    <span class="emoji" role="img" aria-label={label} title={name}>
      {character}
    </span>
  )
}

function drawnDiv(element: Element, drawing: Drawing, depth: number): ComponentChildren {
  const classes = element.classList
  if (classes.contains('codehilite'))
    return codeBlock(element, attribute(element, 'data-code-language'), drawing.room)
  if (classes.contains('spoiler-block')) return drawnSpoiler(element, drawing, depth)
  const children = (): VNode => <div>{drawnChildren(element, drawing, depth)}</div>
  const { room } = drawing
  if (classes.contains('message_embed'))
    return wholeOr(element, room, drawnEmbed(element, drawing), () => (
      <div class="stack embed">{drawnChildren(element, drawing, depth)}</div>
    ))
  const media = element.querySelector('img:not(.emoji), video, audio')
  const isMedia =
    classes.contains('message_inline_image') || /(^|\s)\w+-video(\s|$)/.test(element.className)
  if (!isMedia || media === null) return children()
  const only = mediaIn(media, element.querySelector('a') ?? media, drawing)
  return wholeOr(element, room, only, children)
}

function drawnSpoiler(element: Element, drawing: Drawing, depth: number): VNode {
  const header = element.querySelector(':scope > .spoiler-header')
  const content = element.querySelector(':scope > .spoiler-content')
  const isRich = header?.querySelector('a, img, span, time') != null
  const words =
    header === null
      ? 'Spoiler'
      : isRich
        ? headerOf(header, drawing, depth)
        : textIn(header, drawing.room).trim() || 'Spoiler'
  // What is hidden is drawn when it is opened.
  if (content !== null) noteShown(content)
  const isWhole = drawing.room.isCut || !lacksText(element)
  noteShown(element)
  const behind = isWhole ? content : element
  const { context } = drawing
  return (
    <Spoiler
      header={isWhole ? words : 'Spoiler'}
      hasLinks={isWhole && header?.querySelector('a') != null}
      inputs={[behind, context]}
      draw={(room) => behind && hidden(behind, { context, room }, depth + 1)}
    />
  )
}

function hidden(content: Element, drawing: Drawing, depth: number): ComponentChildren {
  noteNothing()
  const children = drawnChildren(content, drawing, depth)
  const isWhole = drawing.room.isCut || !lacksText(content)
  return isWhole ? children : drawing.room.text(content.textContent)
}

/** What a header of one paragraph says, for a button, which holds no paragraph. */
function headerOf(header: Element, drawing: Drawing, depth: number): ComponentChildren {
  const only = header.children.length === 1 && header.firstElementChild?.localName === 'p'
  return drawnChildren((only && header.firstElementChild) || header, drawing, depth + 1)
}

function drawnLink(element: Element, drawing: Drawing, depth: number): ComponentChildren {
  const { context } = drawing
  const link = messageLink(attribute(element, 'href'), context.baseUrl)
  const media = element.querySelector('img:not(.emoji), video, audio')
  // An image inside a link is one thing to open, not a button inside a link.
  if (media !== null && element.textContent.trim() === '')
    return wholeOr(element, drawing.room, mediaIn(media, element, drawing), () =>
      drawnChildren(element, drawing, depth),
    )
  const children = drawnChildren(element, drawing, depth)
  if (link === null) return children
  return (
    <MessageAnchor link={link} text={element.textContent} context={context}>
      {children}
    </MessageAnchor>
  )
}

function drawnEmbed(element: Element, { context, room }: Drawing): VNode {
  const title = element.querySelector('.message_embed_title a')
  const image = element.querySelector('.message_embed_image')
  const description = element.querySelector('.message_embed_description')
  const text = description?.textContent.trim() ?? ''
  for (const one of [title, description])
    if (one !== null && one.querySelector('img, video, audio') === null) noteShown(one)
  const href = attribute(title, 'href') || attribute(image, 'href')
  const link = messageLink(href, context.baseUrl)
  const name = title?.textContent.trim() || link?.host || 'Link preview'
  room.takeElement(8)
  const shown = room.text(name)
  return (
    <div class="stack embed">
      {link === null ? (
        <span>{shown}</span>
      ) : (
        <MessageAnchor link={link} text={name} context={context}>
          {shown}
        </MessageAnchor>
      )}
      {link !== null && <span class="one-line raw media-host">{link.host}</span>}
      {text !== '' && <p>{room.text(text)}</p>}
      {link !== null &&
        previewPicture({ name, style: attribute(image, styleAttribute), link }, context)}
    </div>
  )
}

function drawnTime(element: Element, room: Room): VNode {
  const written = attribute(element, 'datetime')
  const at = Date.parse(written)
  if (Number.isNaN(at)) return <span class="quiet">{textIn(element, room)}</span>
  noteReplaced(element)
  return (
    <time class="message-time" dateTime={new Date(at).toISOString()} title={`${written} (UTC)`}>
      {namedTimeWords(at)}
    </time>
  )
}

function alignmentClass(element: Element): string {
  const found = /text-align:\s*(left|center|right)/.exec(attribute(element, styleAttribute))
  return found === null ? 'align-left' : `align-${found[1]}`
}

function mediaIn(media: Element, holder: Element, { context, room }: Drawing): VNode {
  noteShown(media)
  room.text(attribute(media, 'alt'))
  return drawnMedia(media, holder, context)
}

/** More elements than the formulas that people write have; of larger ones the source is shown. */
const mostInFormula = 500

/** A formula is whole or not there: a part of one would be another. */
function formula(katex: Element, block: boolean, room: Room): ComponentChildren {
  noteShown(katex)
  const math = katex.localName === 'math' ? katex : katex.querySelector('math')
  const count = math?.getElementsByTagName('*').length ?? 0
  if (math === null || count > mostInFormula) return <code>{room.text(sourceOf(katex))}</code>
  if (!room.takeWhole(2 * count, math.textContent.length)) return null
  return mathNode(katex, math, block)
}

function codeText(element: Element): string {
  noteShown(element)
  return element.textContent.replace(/\n$/, '')
}

/** Copying copies all of it, whatever is shown. */
function codeBlock(element: Element, language: string, room: Room): VNode {
  const code = codeText(element)
  return (
    <div class="code-block takes-corner">
      <div class="code-bar">
        <span class="code-language">{language}</span>
        <CopyButton text={code} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre tabIndex={0}>
        <code>{room.text(code)}</code>
      </pre>
    </div>
  )
}
