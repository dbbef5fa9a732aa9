import type { ComponentChildren } from 'preact'
import type { MessageContext } from './message-context.ts'
import { type MessageLink, namesAnotherHost, narrowPlace } from './message-link.ts'

interface Props {
  readonly link: MessageLink
  /** The text as written, to compare with where the link leads. */
  readonly text: string
  readonly context: MessageContext
  readonly children: ComponentChildren
}

/** A link of a message. Never followed by the page itself: main checks and opens it. */
export function MessageAnchor({ link, text, context, children }: Props) {
  const place = narrowPlace(link.url, context.baseUrl, context.myId ?? -1)
  // A file's name looks like a host; within the realm it leads to no other.
  const elsewhere =
    URL.parse(link.url)?.origin !== URL.parse(context.baseUrl)?.origin &&
    namesAnotherHost(text, link)
  const open = (click: MouseEvent): void => {
    click.preventDefault()
    if (place !== null && context.onPlace(place)) return
    context.onLink(link.url)
  }
  return (
    <>
      <a
        class="message-link"
        href={link.url}
        title={place === null ? link.host : `In this chat: ${link.host}`}
        draggable={false}
        onClick={open}
        onAuxClick={open}
      >
        {children}
      </a>
      {elsewhere && <span class="link-elsewhere"> (leads to {link.host})</span>}
    </>
  )
}
