import { type ComponentChildren, h, type VNode } from 'preact'
import { useMemo, useRef, useState } from 'preact/hooks'
import { namedTimeWords } from '#shared/core/time.ts'
import { CopyButton, SmallButton } from '../parts/button.tsx'
import { charge, useInTurn } from './draw-in-turn.ts'
import { emojiCharacter, emojiCodeOf } from './emoji-character.ts'
import type { MessageContext } from './message-context.ts'
import { affordable, estimatedWork, isTooCostly, mostWork, workOf } from './message-cost.ts'
import { messageLink } from './message-link.ts'
import { compareFormulas, mathNode } from './message-math.tsx'
import { drawnMedia, MessageAnchor, previewPicture } from './message-media.tsx'
import {
  attribute,
  canSanitize,
  inertTree,
  lacksText,
  noteReplaced,
  noteShown,
  styleAttribute,
} from './sanitize.ts'
import { directionOf } from './text-direction.ts'

/** Deeper nesting than anybody writes; below it only the text is shown. */
const deepest = 60

/** How many characters of a message are shown until it is its turn to be drawn. */
const previewLength = 300

interface Props {
  readonly html: string
  /** The same as plain text, shown if the browser can't sanitise or drawing would cost too much. */
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
 * here, from the names written in this file. Anything unknown is shown as its text.
 */
export function MessageHtml({ html, text, isAction, context, onOpen }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const estimated = useMemo(() => estimatedWork(html), [html])
  const drawn = useInTurn(place, {
    inputs: [html, text, isAction, context],
    estimated,
    make: () => ({ html, ...contentOf({ html, text, isAction, context }, estimated) }),
  })
  const current = drawn?.html === html ? drawn : null
  return (
    <div ref={place} class={current === null ? 'message-html message-waiting' : 'message-html'}>
      {current === null ? text.slice(0, previewLength) : current.content}
      {current?.isPart === true && (
        <p class="quiet">
          Too long or too complex to show here.{' '}
          {onOpen !== undefined && <SmallButton onClick={onOpen}>Open in browser</SmallButton>}
        </p>
      )}
    </div>
  )
}

interface Content {
  readonly content: ComponentChildren
  /** Whether to say that the message isn't shown in full. */
  readonly isPart: boolean
}

function contentOf({ html, text, isAction, context }: Props, estimated: number): Content {
  const isCostly = isTooCostly(html)
  const root = isCostly || !canSanitize() ? null : treeOf(html)
  const content = root && drawnContent(root, isAction, context, estimated)
  if (content !== null) return { content, isPart: false }
  const shown = affordable(text)
  // Without a working sanitizer, an ordinary message loses only its formatting: no need to say so.
  return { content: shown, isPart: isCostly || root !== null || shown.length < text.length }
}

/** Null if it would cost too much, or if something would be missing. */
function drawnContent(
  root: Element,
  isAction: boolean,
  context: MessageContext,
  estimated: number,
): ComponentChildren | null {
  const work = workOf(root)
  charge(Math.max(0, work - estimated))
  if (work > mostWork) return null
  if (isAction) dropCommand(root)
  const content = drawnChildren(root, context, 0)
  // Rather its plain text than a message without what was meant.
  return lacksText(root) ? null : content
}

function treeOf(html: string): Element | null {
  try {
    const root = inertTree(html)
    compareFormulas(root, html)
    return root
  } catch {
    // A newer browser may refuse a name on our lists: one message must not take the window down.
    return null
  }
}

function dropCommand(root: Element): void {
  const first = root.querySelector('p')?.firstChild
  if (first?.nodeType === Node.TEXT_NODE && first.nodeValue !== null)
    first.nodeValue = first.nodeValue.replace(/^\/me /, '')
}

function drawnChildren(parent: Element, context: MessageContext, depth: number): ComponentChildren {
  if (depth > deepest) return textIn(parent)
  const children: ComponentChildren[] = []
  for (let node = parent.firstChild; node !== null; node = node.nextSibling)
    // The sanitizer leaves no comments: whatever isn't text is an element.
    if (node.nodeType === Node.TEXT_NODE) {
      noteShown(node)
      children.push(node.nodeValue)
    } else children.push(drawn(node as Element, context, depth + 1))
  return children
}

/** The text of the element, noted as shown. */
function textIn(element: Element): string {
  noteShown(element)
  return element.textContent
}

/** Draws it in its own way, or else what is in it, if that way would leave something out. */
function wholeOr(
  element: Element,
  own: ComponentChildren,
  otherwise: () => ComponentChildren,
): ComponentChildren {
  return lacksText(element) ? otherwise() : own
}

/** Drawn as they are, without any attributes. */
const plainElements = new Set([
  ...['p', 'br', 'strong', 'em', 'b', 'i', 'del', 'code', 'hr', 'blockquote', 'ul', 'li'],
  ...['thead', 'tbody', 'tr'],
])

/** Each takes its text direction from its own first words. */
const blocks = new Set(['p', 'blockquote', 'ul'])

function drawn(element: Element, context: MessageContext, depth: number): ComponentChildren {
  const name = element.localName
  const children = (): ComponentChildren => drawnChildren(element, context, depth)
  if (plainElements.has(name))
    return h(name, blocks.has(name) ? { dir: directionOf(element) } : null, children())
  switch (name) {
    case 'span':
      return drawnSpan(element, context, depth)
    case 'div':
      return drawnDiv(element, context, depth)
    case 'a':
      return drawnLink(element, context, depth)
    case 'img':
    case 'audio':
    case 'video':
      return shownMedia(element, element, context)
    case 'pre':
      return <CodeBlock code={codeText(element)} language="" />
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
      return wholeOr(element, drawnTime(element), children)
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
      return drawnMath(element, false)
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

function drawnSpan(element: Element, context: MessageContext, depth: number): ComponentChildren {
  const classes = element.classList
  const children = (): ComponentChildren => drawnChildren(element, context, depth)
  if (classes.contains('user-mention'))
    return wholeOr(element, drawnMention(element, context), children)
  if (classes.contains('user-group-mention') || classes.contains('topic-mention')) {
    const group = Number(attribute(element, 'data-user-group-id') || Number.NaN)
    const mine = context.myGroups.has(group) && !classes.contains('silent')
    return (
      <span class={mentionClass(element, mine ? 'mention mention-me' : 'mention')}>
        {children()}
      </span>
    )
  }
  if (classes.contains('emoji')) return wholeOr(element, drawnEmoji(element), children)
  if (classes.contains('katex-display')) return drawnMath(element, true)
  if (classes.contains('katex')) return drawnMath(element, false)
  if (classes.contains('tex-error')) return <code title="Not valid TeX">{children()}</code>
  if (classes.contains('timestamp-error')) return <span class="quiet">{children()}</span>
  return children()
}

/** Formulas have a net of their own: two halves of KaTeX's markup say the same. */
function drawnMath(element: Element, isBlock: boolean): VNode {
  noteShown(element)
  return mathNode(element, isBlock)
}

function mentionClass(element: Element, base: string): string {
  return element.classList.contains('silent') ? `${base} mention-silent` : base
}

/** Shows people by their current name: the one in the text is from when it was written. */
function drawnMention(element: Element, context: MessageContext): VNode {
  const id = attribute(element, 'data-user-id')
  const everyone = id === '*' || element.classList.contains('channel-wildcard-mention')
  if (everyone)
    return <span class={mentionClass(element, 'mention mention-me')}>{textIn(element)}</span>
  const userId = /^\d+$/.test(id) ? Number(id) : -1
  const name = context.nameOf(userId)
  noteReplaced(element)
  const silent = element.classList.contains('silent')
  const mine = userId === context.myId && !silent
  return (
    <span class={mentionClass(element, mine ? 'mention mention-me' : 'mention')}>
      {name === null ? element.textContent : `${silent ? '' : '@'}${name}`}
    </span>
  )
}

function drawnEmoji(element: Element): VNode {
  const code = emojiCodeOf(element.className)
  const character = code === null ? null : emojiCharacter(code)
  const label = attribute(element, 'aria-label') || element.textContent.replaceAll(':', '')
  if (character === null) return <span>{textIn(element)}</span>
  noteReplaced(element)
  return (
    <span class="emoji" role="img" aria-label={label} title={element.textContent}>
      {character}
    </span>
  )
}

function drawnDiv(element: Element, context: MessageContext, depth: number): ComponentChildren {
  const classes = element.classList
  if (classes.contains('codehilite')) {
    const language = attribute(element, 'data-code-language')
    return <CodeBlock code={codeText(element)} language={language} />
  }
  if (classes.contains('spoiler-block')) return drawnSpoiler(element, context, depth)
  const children = (): VNode => <div>{drawnChildren(element, context, depth)}</div>
  if (classes.contains('message_embed'))
    return wholeOr(element, drawnEmbed(element, context), () => (
      <div class="embed">{drawnChildren(element, context, depth)}</div>
    ))
  const media = element.querySelector('img:not(.emoji), video, audio')
  const isMedia =
    classes.contains('message_inline_image') || /(^|\s)\w+-video(\s|$)/.test(element.className)
  if (!isMedia || media === null) return children()
  const only = shownMedia(media, element.querySelector('a') ?? media, context)
  return wholeOr(element, only, children)
}

function shownMedia(media: Element, holder: Element, context: MessageContext): VNode {
  noteShown(media)
  return drawnMedia(media, holder, context)
}

function drawnSpoiler(element: Element, context: MessageContext, depth: number): VNode {
  const header = element.querySelector(':scope > .spoiler-header')
  const content = element.querySelector(':scope > .spoiler-content')
  const isRich = header?.querySelector('a, img, span, time') != null
  const drawnHeader =
    header === null
      ? 'Spoiler'
      : isRich
        ? headerOf(header, context, depth)
        : textIn(header).trim() || 'Spoiler'
  const hidden = content === null ? null : drawnChildren(content, context, depth + 1)
  const isWhole = !lacksText(element)
  return (
    <Spoiler
      header={isWhole ? drawnHeader : 'Spoiler'}
      hasLinks={isWhole && header?.querySelector('a') != null}
    >
      {isWhole ? hidden : drawnChildren(element, context, depth + 1)}
    </Spoiler>
  )
}

/** What a header of one paragraph says, for a button, which holds no paragraph. */
function headerOf(header: Element, context: MessageContext, depth: number): ComponentChildren {
  const only = header.children.length === 1 && header.firstElementChild?.localName === 'p'
  return drawnChildren((only && header.firstElementChild) || header, context, depth + 1)
}

function drawnLink(element: Element, context: MessageContext, depth: number): ComponentChildren {
  const link = messageLink(attribute(element, 'href'), context.baseUrl)
  const media = element.querySelector('img:not(.emoji), video, audio')
  // An image inside a link is one thing to open, not a button inside a link.
  if (media !== null && element.textContent.trim() === '')
    return wholeOr(element, shownMedia(media, element, context), () =>
      drawnChildren(element, context, depth),
    )
  const children = drawnChildren(element, context, depth)
  if (link === null) return children
  return (
    <MessageAnchor link={link} text={element.textContent} context={context}>
      {children}
    </MessageAnchor>
  )
}

function drawnEmbed(element: Element, context: MessageContext): VNode {
  const title = element.querySelector('.message_embed_title a')
  const image = element.querySelector('.message_embed_image')
  const description = element.querySelector('.message_embed_description')
  const text = description?.textContent.trim() ?? ''
  for (const one of [title, description])
    if (one !== null && one.querySelector('img, video, audio') === null) noteShown(one)
  const href = attribute(title, 'href') || attribute(image, 'href')
  const link = messageLink(href, context.baseUrl)
  const name = title?.textContent.trim() || link?.host || 'Link preview'
  return (
    <div class="embed">
      {link === null ? (
        <span>{name}</span>
      ) : (
        <MessageAnchor link={link} text={name} context={context}>
          {name}
        </MessageAnchor>
      )}
      {link !== null && <span class="one-line raw media-host">{link.host}</span>}
      {text !== '' && <p>{text}</p>}
      {link !== null &&
        previewPicture({ name, style: attribute(image, styleAttribute), link }, context)}
    </div>
  )
}

function drawnTime(element: Element): VNode {
  const written = attribute(element, 'datetime')
  const at = Date.parse(written)
  if (Number.isNaN(at)) return <span class="quiet">{textIn(element)}</span>
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

function codeText(element: Element): string {
  return textIn(element).replace(/\n$/, '')
}

function CodeBlock({ code, language }: { readonly code: string; readonly language: string }) {
  return (
    <div class="code-block">
      <div class="code-bar">
        <span class="code-language">{language}</span>
        <CopyButton text={code} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
    </div>
  )
}

/** The hidden part isn't even on the page until it is opened. */
function Spoiler(props: {
  readonly header: ComponentChildren
  /** Links can't be inside the button, so they are beside it. */
  readonly hasLinks: boolean
  readonly children: ComponentChildren
}) {
  const [open, setOpen] = useState(false)
  const header = <span class="spoiler-header">{props.header}</span>
  return (
    <div class="spoiler">
      <div class="spoiler-line">
        <button
          type="button"
          class="spoiler-button"
          aria-label={props.hasLinks ? 'Spoiler' : undefined}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          <span aria-hidden="true">{open ? '▾' : '▸'}</span>
          {!props.hasLinks && header}
        </button>
        {props.hasLinks && header}
      </div>
      {open && <div class="spoiler-content">{props.children}</div>}
    </div>
  )
}
