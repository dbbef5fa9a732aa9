import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
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
  const [asking, setAsking] = useState(false)
  const open = (click: MouseEvent): void => {
    click.preventDefault()
    if (place !== null && context.onPlace(place)) return
    if (elsewhere) setAsking(true)
    else context.onLink(link.url)
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
      {asking && (
        <ElsewhereQuestion
          link={link}
          text={text}
          onOpen={() => context.onLink(link.url)}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}

interface QuestionProps {
  readonly link: MessageLink
  readonly text: string
  readonly onOpen: () => void
  readonly onClose: () => void
}

/** Of what the link says: its own words may be a page long. */
const longestSaid = 80

/** Before a link opens that says one host and goes to another. Enter does not open it, Esc closes. */
function ElsewhereQuestion({ link, text, onOpen, onClose }: QuestionProps) {
  const said = text.trim()
  const shown = said.length > longestSaid ? `${said.slice(0, longestSaid)}…` : said
  return (
    <Dialog title="Open this link?" onClose={onClose}>
      <p>
        This link says <bdi>{shown}</bdi> but goes to <strong>{link.host}</strong>. Open?
      </p>
      <div class="button-row button-row-end">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          kind="danger"
          onClick={() => {
            onClose()
            onOpen()
          }}
        >
          Open {link.host}
        </Button>
      </div>
    </Dialog>
  )
}
