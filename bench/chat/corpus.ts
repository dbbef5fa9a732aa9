/**
 * What teams write, as a chat server renders it (chat API, "Rendered message content"): 12 kinds,
 * weighted by their share, with the many short ones first.
 */
const kinds: Readonly<Record<string, { readonly share: number; readonly html: string }>> = {
  short: { share: 30, html: '<p>ok, looking now</p>' },
  emoji: {
    share: 12,
    html: '<p>done <span aria-label="tada" class="emoji emoji-1f389" role="img" title="tada">:tada:</span> <img alt=":party_cat:" class="emoji" src="/user_avatars/2/emoji/images/1.png" title="party cat"></p>',
  },
  mention: {
    share: 14,
    html: '<p><span class="user-mention" data-user-id="2">@Ana</span> <span class="user-group-mention" data-user-group-id="11">@oncall</span> can you look at <a class="stream-topic" data-stream-id="9" href="/#narrow/channel/9-ops/topic/etl">#ops &gt; etl</a>?</p>',
  },
  link: {
    share: 14,
    html: '<p>See <a href="https://hc.example.org/checks/9f6d0c9e-2d0e-4d3a-8c55-0c2b5a5d6f7e/details/">the check</a>, <a href="https://wiki.example.org/runbooks/nightly-etl?x=1&amp;y=2">runbook</a> and <a href="mailto:ops@example.org">ops@example.org</a>.</p>',
  },
  marks: {
    share: 8,
    html: '<p><strong>nightly-etl</strong> is <em>down</em> since <time datetime="2026-11-21T04:12:00Z">2026-11-21T04:12:00Z</time>, exit <code>137</code>, <del>probably</del> out of memory</p>\n<ul>\n<li>host-017</li>\n<li>host-018\n<ul>\n<li>db</li>\n</ul>\n</li>\n</ul>\n<ol>\n<li>restart</li>\n<li>check logs</li>\n</ol>',
  },
  quote: {
    share: 7,
    html: '<p><span class="user-mention silent" data-user-id="3">Boris</span> <a href="/#narrow/channel/9-ops/topic/etl/near/9001">said</a>:</p>\n<blockquote>\n<p>The queue has 12,345 items, see <code>rabbitmqctl list_queues</code></p>\n<blockquote>\n<p>nested quote</p>\n</blockquote>\n</blockquote>\n<p>Fixed.</p>',
  },
  code: { share: 5, html: `<p>try</p>\n${code(8)}` },
  longCode: { share: 1, html: `<p>all of it:</p>\n${code(40)}` },
  math: { share: 1, html: `<p>Error rate ${formula()}</p>` },
  image: {
    share: 3,
    html: '<p>graph:</p>\n<div class="message_inline_image"><a href="/user_uploads/2/ab/xYz/graph.png" title="graph.png"><img data-original-dimensions="1200x800" data-original-content-type="image/png" src="/user_uploads/thumbnail/2/ab/xYz/graph.png/840x560.webp"></a></div>',
  },
  table: { share: 2, html: `<p>lag</p>\n${table(12)}` },
  spoiler: {
    share: 3,
    html: `<p>trace</p>\n<div class="spoiler-block"><div class="spoiler-header">\n<p>Stack</p>\n</div><div class="spoiler-content" aria-hidden="true">\n${code(6)}\n</div></div>`,
  },
}

export const kindNames: readonly string[] = Object.keys(kinds)

/**
 * This many messages, always the same ones. The first paragraph of each ends with its number: "
 * #17".
 */
export function corpus(count: number): readonly string[] {
  const bag = Object.values(kinds).flatMap(({ share, html }) => Array<string>(share).fill(html))
  // A step that shares no factor with the 100 in the bag visits all of them.
  return Array.from({ length: count }, (_, at) =>
    (bag[(at * 37) % bag.length] ?? '').replace('</p>', ` #${at}</p>`),
  )
}

/** One of each kind. */
export function eachKind(): readonly string[] {
  return Object.values(kinds).map(({ html }) => html)
}

function code(jobs: number): string {
  const lines = Array.from(
    { length: jobs },
    (_, at) =>
      `<span class="k">def</span> <span class="nf">job_${at}</span><span class="p">(</span><span class="n">ctx</span><span class="p">):</span>\n    <span class="k">return</span> <span class="n">ctx</span><span class="o">.</span><span class="n">get</span><span class="p">(</span><span class="s2">&quot;key_${at}&quot;</span><span class="p">)</span>\n`,
  )
  return `<div class="codehilite" data-code-language="Python"><pre><span></span><code>${lines.join('')}</code></pre></div>`
}

/** Both halves of KaTeX, the second one shortened. */
function formula(): string {
  return '<span class="katex"><span class="katex-mathml"><math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow><msup><mi>λ</mi><mn>2</mn></msup></mrow><annotation encoding="application/x-tex">\\lambda^2</annotation></semantics></math></span><span class="katex-html" aria-hidden="true"><span class="base"><span class="strut" style="height:0.8141em;"></span><span class="mord"><span class="mord mathnormal">λ</span><span class="msupsub"><span class="vlist-t"><span class="vlist-r"><span class="vlist" style="height:0.8141em;"><span style="top:-3.063em;margin-right:0.05em;"><span class="pstrut" style="height:2.7em;"></span><span class="sizing reset-size6 size3 mtight"><span class="mord mtight">2</span></span></span></span></span></span></span></span></span></span></span>'
}

function table(rows: number): string {
  const row = (cell: string, words: readonly [string, string]): string =>
    `<tr>\n<${cell} style="text-align: left;">${words[0]}</${cell}>\n<${cell} style="text-align: right;">${words[1]}</${cell}>\n</tr>`
  const body = Array.from({ length: rows }, (_, at) => row('td', [`host-${at}`, `${at * 17} s`]))
  return `<table>\n<thead>\n${row('th', ['host', 'lag'])}\n</thead>\n<tbody>\n${body.join('\n')}\n</tbody>\n</table>`
}
