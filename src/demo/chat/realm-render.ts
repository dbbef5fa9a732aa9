export interface RenderContext {
  /** Id of the person with this name, or null. */
  readonly userId: (name: string) => number | null
  readonly channelId: (name: string) => number | null
  /** The server's feature level. */
  readonly level: number
}

/** Emoji used in the demo, by the server's names. */
export const emojiCodes: ReadonlyMap<string, string> = new Map([
  ['+1', '1f44d'],
  ['thumbs_up', '1f44d'],
  ['-1', '1f44e'],
  ['heart', '2764'],
  ['tada', '1f389'],
  ['eyes', '1f440'],
  ['smile', '1f604'],
  ['check', '2705'],
  ['warning', '26a0'],
  ['fire', '1f525'],
  ['coffee', '2615'],
  ['rocket', '1f680'],
  ['octopus', '1f419'],
  ['flag_slovenia', '1f1f8-1f1ee'],
  ['pager', '1f4df'],
  ['calendar', '1f4c5'],
  ['working_on_it', '1f6e0'],
  ['bus', '1f68c'],
  ['house', '1f3e0'],
  ['palm_tree', '1f334'],
  ['hurt', '1f915'],
])

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

/** The part of the server's Markdown that the demo uses; anything else is left as typed. */
export function renderMarkdown(source: string, context: RenderContext): string {
  return renderBlocks(source.split('\n'), context)
}

function renderBlocks(lines: readonly string[], context: RenderContext): string {
  const blocks: string[] = []
  let rest = lines
  while (rest.length > 0) {
    const [block, taken] = renderBlock(rest, context)
    if (block !== '') blocks.push(block)
    rest = rest.slice(taken)
  }
  return blocks.join('\n')
}

const fence = /^```\s*(\S*)\s*(.*)$/
const bullet = /^\s*[*-] (.*)$/
const numbered = /^\s*(\d+)\. (.*)$/

/** The first block of `lines` and how many lines it took: at least one. */
function renderBlock(lines: readonly string[], context: RenderContext): [string, number] {
  const first = lines[0] ?? ''
  if (first.trim() === '') return ['', 1]
  if (fence.test(first)) return renderFence(lines, context)
  const run = (pattern: RegExp) => {
    const end = lines.findIndex((line) => !pattern.test(line))
    return lines.slice(0, end === -1 ? lines.length : end)
  }
  if (first.startsWith('>')) {
    const quoted = run(/^>/)
    const inner = renderBlocks(
      quoted.map((line) => line.replace(/^> ?/, '')),
      context,
    )
    return [`<blockquote>\n${inner}\n</blockquote>`, quoted.length]
  }
  for (const [pattern, tag] of [
    [bullet, 'ul'],
    [numbered, 'ol'],
  ] as const) {
    const items = run(pattern)
    if (items.length > 0) {
      const html = items.map(
        (line) => `<li>${renderInline(pattern.exec(line)?.at(-1) ?? '', context)}</li>`,
      )
      return [`<${tag}>\n${html.join('\n')}\n</${tag}>`, items.length]
    }
  }
  const heading = /^(#{1,6}) (.*)$/.exec(first)
  if (heading) {
    const level = heading[1]?.length ?? 1
    return [`<h${level}>${renderInline(heading[2] ?? '', context)}</h${level}>`, 1]
  }
  const end = lines.findIndex((line) => line.trim() === '' || fence.test(line) || /^>/.test(line))
  const paragraph = lines.slice(0, end === -1 ? lines.length : Math.max(1, end))
  const html =
    renderLoneRecording(paragraph, context) ??
    paragraph.map((line) => renderInline(line, context)).join('<br>\n')
  return [`<p>${html}</p>${renderPictures(paragraph.join('\n'), context)}`, paragraph.length]
}

/** Below the text, a thumbnail of each uploaded picture that it links to. */
function renderPictures(text: string, { level }: RenderContext): string {
  const links = text.matchAll(
    /(!?)\[([^\]]+)\]\(\/user_uploads\/([^\s)]+\.(?:png|jpe?g|gif|webp))\)/gi,
  )
  const pictures = Array.from(links, ([, mark, name = '', path = '']) => {
    if (mark !== '' && level >= imagesSince) return ''
    const at = escapeHtml(path)
    return (
      `\n<div class="message_inline_image"><a href="/user_uploads/${at}" title="${escapeHtml(name)}">` +
      `<img ${thumbnailOf(at)}></a></div>`
    )
  })
  return pictures.join('')
}

/** The attributes of an uploaded picture's thumbnail. */
function thumbnailOf(path: string): string {
  const type = (path.split('.').at(-1) ?? '').toLowerCase().replace('jpg', 'jpeg')
  return `data-original-content-type="image/${type}" src="/user_uploads/thumbnail/${path}/840x560.webp"`
}

/** The level from which an image in Markdown is drawn where it stands. */
const imagesSince = 437

const recording = /\.(?:aac|flac|mp3|wav)$/i

function renderMedia([, name = '', path = '']: RegExpExecArray, { level }: RenderContext) {
  if (level < imagesSince) return null
  const at = escapeHtml(path)
  const title = escapeHtml(name)
  return recording.test(path)
    ? `<audio controls preload="metadata" src="/user_uploads/${at}" title="${title}"></audio>`
    : `<img alt="${title}" class="inline-image" data-original-src="/user_uploads/${at}" ${thumbnailOf(at)}>`
}

/** From level 405 on, a link to an uploaded recording is a player if it is all of a paragraph. */
function renderLoneRecording(lines: readonly string[], { level }: RenderContext): string | null {
  const [, name = '', path = ''] =
    /^\[([^\]]+)\]\(\/user_uploads\/([^\s)]+)\)$/.exec(lines.join('\n')) ?? []
  if (level < 405 || !recording.test(path)) return null
  return `<audio controls preload="metadata" src="/user_uploads/${escapeHtml(path)}" title="${escapeHtml(name)}"></audio>`
}

function renderFence(lines: readonly string[], context: RenderContext): [string, number] {
  const [, word = '', more = ''] = fence.exec(lines[0] ?? '') ?? []
  const end = lines.findIndex((line, index) => index > 0 && line.trim() === '```')
  const inner = lines.slice(1, end === -1 ? lines.length : end)
  const taken = end === -1 ? lines.length : end + 1
  if (word === 'quote')
    return [`<blockquote>\n${renderBlocks(inner, context)}\n</blockquote>`, taken]
  if (word === 'spoiler') {
    const header = more === '' ? '' : `<p>${renderInline(more, context)}</p>`
    return [
      `<div class="spoiler-block"><div class="spoiler-header">\n${header}\n</div>` +
        `<div class="spoiler-content" aria-hidden="true">\n${renderBlocks(inner, context)}\n</div></div>`,
      taken,
    ]
  }
  const language = word === '' ? '' : ` data-code-language="${escapeHtml(word)}"`
  const code = escapeHtml(`${inner.join('\n')}\n`)
  return [
    `<div class="codehilite"${language}><pre><span></span><code>${code}</code></pre></div>`,
    taken,
  ]
}

/** Each inline construct: its pattern and its HTML (null: leave it as typed). */
const inlines: readonly [
  RegExp,
  (found: RegExpExecArray, context: RenderContext) => string | null,
][] = [
  [/^`([^`]+)`/, ([, code = '']) => `<code>${escapeHtml(code)}</code>`],
  [/^@(_?)\*\*(.+?)\*\*/, renderMention],
  [/^@\*(on-call)\*/, ([, name = '']) => groupMention(name)],
  [/^#\*\*(.+?)\*\*/, renderChannelLink],
  [/^!\[([^\]]*)\]\(\/user_uploads\/([^\s)]+)\)/, renderMedia],
  [/^\*\*(.+?)\*\*/, ([, text = ''], c) => `<strong>${renderInline(text, c)}</strong>`],
  [/^\*(\S.*?)\*/, ([, text = ''], c) => `<em>${renderInline(text, c)}</em>`],
  [/^~~(.+?)~~/, ([, text = ''], c) => `<del>${renderInline(text, c)}</del>`],
  [
    /^\[([^\]]+)\]\(((?:https?:\/\/|\/)[^\s)]+)\)/,
    ([, text = '', url = '']) => `<a href="${escapeHtml(url)}">${escapeHtml(text)}</a>`,
  ],
  [
    /^https?:\/\/[^\s<>"]*[^\s<>".,;:!?)]/,
    ([url]) => `<a href="${escapeHtml(url)}">${escapeHtml(url)}</a>`,
  ],
  [/^<time:([^>]+)>/, renderTime],
  [/^:([a-z0-9_+-]+):/, ([, name = '']) => renderEmoji(name)],
]

function renderInline(text: string, context: RenderContext): string {
  let html = ''
  let rest = text
  while (rest !== '') {
    const piece = inlinePiece(rest, context)
    html += piece.html
    rest = rest.slice(piece.length)
  }
  return html
}

function inlinePiece(text: string, context: RenderContext): { html: string; length: number } {
  for (const [pattern, render] of inlines) {
    const found = pattern.exec(text)
    const html = found && render(found, context)
    if (html) return { html, length: found[0].length }
  }
  const plain = /^(?:[A-Za-z0-9]+|.)/su.exec(text)?.[0] ?? text
  // Otherwise a word right before a URL would swallow its scheme.
  const word = plain.startsWith('http') ? plain.slice(0, 1) : plain
  return { html: escapeHtml(word), length: word.length }
}

function renderMention([, silent, name = '']: RegExpExecArray, context: RenderContext) {
  if (['all', 'everyone', 'channel'].includes(name))
    return `<span class="user-mention channel-wildcard-mention" data-user-id="*">@${name}</span>`
  if (name === 'topic') return '<span class="topic-mention">@topic</span>'
  const id = context.userId(name)
  if (id === null) return null
  const shown = escapeHtml(name.replace(/\|\d+$/, ''))
  return silent === '_'
    ? `<span class="user-mention silent" data-user-id="${id}">${shown}</span>`
    : `<span class="user-mention" data-user-id="${id}">@${shown}</span>`
}

/** The demo's one user group; its members are in `realm-seed.ts`. */
function groupMention(name: string): string {
  return `<span class="user-group-mention" data-user-group-id="21">@${name}</span>`
}

function renderChannelLink([, target = '']: RegExpExecArray, context: RenderContext) {
  const [channel = '', topic] = target.split('>')
  const id = context.channelId(channel)
  if (id === null) return null
  const at = `/#narrow/channel/${id}-${encodeURIComponent(channel)}`
  return topic === undefined
    ? `<a class="stream" data-stream-id="${id}" href="${at}">#${escapeHtml(channel)}</a>`
    : `<a class="stream-topic" data-stream-id="${id}" href="${at}/topic/${encodeURIComponent(topic).replaceAll('%', '.')}">#${escapeHtml(channel)} &gt; ${escapeHtml(topic)}</a>`
}

function renderTime([whole, given = '']: RegExpExecArray, { level }: RenderContext) {
  // From level 503 on, only ISO 8601.
  const time = new Date(level < 503 || /^\d{4}-\d\d-\d\dT/.test(given) ? given : Number.NaN)
  if (!Number.isNaN(time.getTime()))
    return `<time datetime="${time.toISOString().replace('.000', '')}">${escapeHtml(given)}</time>`
  return level < 451
    ? `<span class="timestamp-error">Invalid time format: ${escapeHtml(whole)}</span>`
    : escapeHtml(whole)
}

function renderEmoji(name: string) {
  if (name === 'belfry')
    return '<img alt=":belfry:" class="emoji" src="/user_avatars/2/emoji/images/1.png" title="belfry">'
  const code = emojiCodes.get(name)
  if (code === undefined) return null
  const title = name.replaceAll('_', ' ')
  return `<span aria-label="${title}" class="emoji emoji-${code}" role="img" title="${title}">:${name}:</span>`
}

/** Highlights these words in the text of the HTML, as the server highlights search hits. */
export function highlighted(html: string, words: readonly string[]): string {
  const patterns = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const hit = new RegExp(patterns.join('|'), 'gi')
  return html
    .split(/(<[^>]*>)/)
    .map((part) =>
      part.startsWith('<') ? part : part.replace(hit, '<span class="highlight">$&</span>'),
    )
    .join('')
}
