import type { ComponentChildren } from 'preact'
import { call } from '../bridge.ts'
import { messageLink, namesAnotherHost } from '../chat/message-link.ts'
import { LinkButton } from '../parts/button.tsx'
import { toastIfFailed } from '../toast.ts'

interface Block {
  readonly kind: 'text' | 'heading' | 'bullets' | 'numbers' | 'quote' | 'code'
  readonly lines: string[]
}

const starts: readonly (readonly [Block['kind'], RegExp])[] = [
  ['heading', /^ {0,3}#{1,6}\s+/],
  ['bullets', /^\s*[-*+]\s+/],
  ['numbers', /^\s*\d{1,9}[.)]\s+/],
  ['quote', /^ {0,3}> ?/],
]

function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = []
  let open = null as Block | null
  for (const line of text.split(/\r\n|\r|\n/)) {
    const isFence = /^ {0,3}(?:```|~~~)/.test(line)
    if (open?.kind === 'code') {
      if (isFence) open = null
      else open.lines.push(line)
      continue
    }
    const [kind, mark] = starts.find(([, start]) => start.test(line)) ?? ['text', null]
    if (line.trim() === '') {
      open = null
      continue
    }
    if (isFence || open?.kind !== kind || kind === 'heading') {
      open = { kind: isFence ? 'code' : kind, lines: [] }
      blocks.push(open)
    }
    if (!isFence) open.lines.push(mark === null ? line : line.replace(mark, ''))
  }
  return blocks
}

/** What somebody wrote about a check, with the usual signs of Markdown. Nothing in it is HTML or loaded. */
export function Description({ text }: { readonly text: string }) {
  return (
    <div class="detail-description" dir="auto">
      {blocksOf(text).map(({ kind, lines }, at) => {
        const key = `${kind} ${at}`
        const items = lines.map((line, n) => <li key={`${n} ${line}`}>{inline(line)}</li>)
        if (kind === 'code') return <pre key={key}>{lines.join('\n')}</pre>
        if (kind === 'bullets') return <ul key={key}>{items}</ul>
        if (kind === 'numbers') return <ol key={key}>{items}</ol>
        const rows = lines.flatMap((line, n) => [
          ...(n > 0 ? [<br key={`br ${n} ${line}`} />] : []),
          ...inline(line),
        ])
        if (kind === 'quote') return <blockquote key={key}>{rows}</blockquote>
        return <p key={key}>{kind === 'heading' ? <strong>{rows}</strong> : rows}</p>
      })}
    </div>
  )
}

/** Longer lines are no prose: looking for signs in them could take long. */
const longestLine = 2_000

const signs =
  /`([^`]+)`|\[([^[\]]+)\]\(\s*<?([^\s<>()]+(?:\([^\s<>()]*\)[^\s<>()]*)*)>?\s*\)|<?(https?:\/\/[^\s<>"`]+)>?|\*\*([^*]+)\*\*|(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])|(?<!\w)_([^_\s][^_]*)_(?!\w)/g

function inline(line: string): ComponentChildren[] {
  if (line.length > longestLine) return [line]
  const parts: ComponentChildren[] = []
  let done = 0
  for (const match of line.matchAll(signs)) {
    const [whole, code, words, to, address, strong, starred, scored] = match
    // What ends a sentence is not of the address in it.
    const bare = address?.replace(/[.,;:!?'*_]+$|\)(?<!\([^()]*\))$/, '')
    const length = bare === undefined ? whole.length : whole.indexOf(bare) + bare.length
    parts.push(line.slice(done, match.index))
    if (code !== undefined) parts.push(<code>{code}</code>)
    else if (to !== undefined) parts.push(<Link text={words ?? to} to={to} />)
    else if (bare !== undefined) parts.push(<Link text={bare} to={bare} />)
    else if (strong !== undefined) parts.push(<strong>{inline(strong)}</strong>)
    else parts.push(<em>{inline(starred ?? scored ?? '')}</em>)
    done = match.index + (whole.startsWith('<') && whole.endsWith('>') ? whole.length : length)
  }
  return [...parts, line.slice(done)]
}

/** A signal would be sent by opening it. */
const pingAddress = /(?:hc-ping\.com|\/ping)\/\S*[\w-]/i

/** Followed in the user's own browser. Words that name another site are none: the address is. */
function Link({ text, to }: { readonly text: string; readonly to: string }) {
  const isSafe = /^(?:https?:|mailto:)/i.test(to) && !pingAddress.test(to)
  const link = isSafe ? messageLink(to, 'https://none.invalid') : null
  if (link === null) return <>{text}</>
  const isHonest = !namesAnotherHost(text, link)
  return (
    <>
      {!isHonest && `${text} `}
      <LinkButton title={link.url} onClick={() => toastIfFailed(call.openLink({ url: link.url }))}>
        {isHonest ? text : link.url}
      </LinkButton>
    </>
  )
}
