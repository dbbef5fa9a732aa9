/** Something that a chat server renders (chat API, "Rendered message content"). */
export interface MessageConstruct {
  readonly name: string
  readonly html: string
  /** All words in the order of the page, with spoilers closed and pictures not loaded. */
  readonly words: string
  /** How often each of these selectors matches on the page. */
  readonly holds: Readonly<Record<string, number>>
}

const tex = '<annotation encoding="application/x-tex">\\frac{a}{2}</annotation>'
const katex = `<span class="katex"><span class="katex-mathml"><math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow><mfrac><mi>a</mi><mn>2</mn></mfrac><mo>=</mo><msqrt><mi>b</mi></msqrt></mrow>${tex}</semantics></math></span><span class="katex-html" aria-hidden="true"><span style="height:1em">a2b</span></span></span>`
const long = 'averylongwordwithoutanyplacetobreak'.repeat(4)

/** One of each construct in the reference, with the names that real servers use. */
export const messageConstructs: readonly MessageConstruct[] = [
  {
    name: 'inline marks',
    html: '<p>plain <strong>strong</strong> <em>em</em> <del>del</del> <code>code</code><br>next line</p>',
    words: 'plain strong em del code next line',
    holds: { strong: 1, em: 1, del: 1, code: 1, br: 1 },
  },
  {
    name: 'headings',
    html: '<h1>one</h1><h2>two</h2><h3>three</h3><h4>four</h4><h5>five</h5><h6>six</h6>',
    words: 'one two three four five six',
    holds: { 'h2, h3, h4, h5, h6': 6 },
  },
  {
    name: 'lists',
    html: '<ul><li>a<ul><li>b</li></ul></li></ul><ol start="9"><li>nine</li><li>ten</li></ol>',
    words: 'a b nine ten',
    holds: { ul: 2, 'ol[start="9"]': 1, li: 4 },
  },
  {
    name: 'a quote and a rule',
    html: '<blockquote><p>said</p><blockquote><p>before</p></blockquote></blockquote><hr><p>after</p>',
    words: 'said before after',
    holds: { blockquote: 2, hr: 1 },
  },
  {
    name: 'preformatted text',
    html: `<pre>${'x'.repeat(200)}</pre>`,
    words: `Copy ${'x'.repeat(200)}`,
    holds: { pre: 1 },
  },
  {
    name: 'a long word',
    html: `<p>${long}</p>`,
    words: long,
    holds: { p: 1 },
  },
  {
    name: 'mentions',
    html: '<p><span class="user-mention" data-user-id="2">@Ana</span> <span class="user-mention silent" data-user-id="2">Ana</span> <span class="user-mention" data-user-id="1">@Maria</span> <span class="user-mention channel-wildcard-mention" data-user-id="*">@all</span> <span class="user-group-mention" data-user-group-id="4">@backend</span> <span class="topic-mention">@topic</span></p>',
    words: '@Ana Ana @Maria @all @backend @topic',
    holds: { '.mention': 6, '.mention-me': 2, '.mention-silent': 1 },
  },
  {
    name: 'emoji',
    html: '<p><span aria-label="thumbs up" class="emoji emoji-1f44d" role="img" title="thumbs up">:+1:</span> <img alt=":party_cat:" class="emoji" src="/user_avatars/2/emoji/images/1.png" title="party cat"></p>',
    words: '👍 :party_cat:',
    holds: { '[role=img]': 1, '.custom-emoji': 1, img: 0 },
  },
  {
    name: 'code with its language',
    html: `<div class="codehilite" data-code-language="Python"><pre><span></span><code><span class="k">if</span> <span class="n">a</span>:\n    ${'long '.repeat(40)}\n</code></pre></div>`,
    words: `Python Copy if a:\n    ${'long '.repeat(40).trim()}`,
    holds: { '.code-block': 1, 'pre code': 1 },
  },
  {
    name: 'math in a line',
    html: `<p>so ${katex} it is</p>`,
    words: 'so a 2 = b it is',
    holds: { math: 1, mfrac: 1, msqrt: 1, '.math-block': 0 },
  },
  {
    name: 'math of its own',
    html: `<p><span class="katex-display">${katex}</span></p>`,
    words: 'a 2 = b',
    holds: { math: 1, '.math-block': 1 },
  },
  {
    name: 'math in error',
    html: '<p><span class="tex-error">\\frac{</span></p>',
    words: '\\frac{',
    holds: { code: 1, math: 0 },
  },
  {
    name: 'a spoiler',
    html: '<div class="spoiler-block"><div class="spoiler-header"><p>The end</p></div><div class="spoiler-content" aria-hidden="true"><p>the butler</p></div></div>',
    words: 'The end',
    holds: { 'button[aria-expanded=false]': 1 },
  },
  {
    name: 'a table',
    html: `<table><thead><tr><th style="text-align: right;">n</th><th style="text-align: center;">name</th><th>${'wide '.repeat(20)}</th></tr></thead><tbody><tr><td style="text-align: right;">1</td><td style="text-align: center;">ops</td><td>z</td></tr></tbody></table>`,
    words: `n name ${'wide '.repeat(20).trim()} 1 ops z`,
    holds: { table: 1, th: 3, td: 3, '.align-right': 2, '.align-center': 2 },
  },
  {
    name: 'a time',
    html: '<p>at <time datetime="2026-03-17T14:25:00Z">Tue</time> or <span class="timestamp-error">Invalid time format: late</span></p>',
    words: 'at Tue, 17 Mar 2026, 14:25 or Invalid time format: late',
    holds: { time: 1, '.quiet': 1 },
  },
  {
    name: 'an uploaded image',
    html: '<div class="message_inline_image"><a href="/user_uploads/2/a1/latency.png" title="latency.png"><img src="/user_uploads/thumbnail/2/a1/latency.png/840x560.webp" data-original-dimensions="240x120" data-original-content-type="image/png"></a></div>',
    words: 'Image latency.png chat.example.org Show images Open',
    holds: { button: 2, img: 0 },
  },
  {
    name: 'an image that is not ready',
    html: '<div class="message_inline_image"><a href="/user_uploads/2/a1/new.png" title="new.png"><img class="image-loading-placeholder" src="/static/images/loading/loader-black.svg" data-original-dimensions="1x1"></a></div>',
    words: 'Image new.png chat.example.org Open',
    holds: { button: 1, img: 0 },
  },
  {
    name: 'an image in a line',
    html: '<p>see <img class="inline-image" alt="cat" src="/user_uploads/thumbnail/2/a1/latency.png/840x560.webp" data-original-src="/user_uploads/2/a1/latency.png" data-original-dimensions="240x120"></p>',
    words: 'see Image cat chat.example.org Show images Open',
    holds: { button: 2, img: 0 },
  },
  {
    name: 'an image of elsewhere',
    html: '<div class="message_inline_image"><a href="https://pics.example/dog.jpg"><img src="/external_content/1f/68.jpg"></a></div>',
    words: 'Image dog.jpg pics.example Show images Open',
    holds: { button: 2, img: 0 },
  },
  {
    name: 'an image of an old server, from elsewhere itself',
    html: '<div class="message_inline_image"><a href="https://pics.example/dog.jpg"><img src="https://pics.example/dog.jpg"></a></div>',
    words: 'Image dog.jpg pics.example Open',
    holds: { button: 1, img: 0 },
  },
  {
    name: 'a film',
    html: '<div class="message_inline_image message_inline_video"><a href="/user_uploads/2/c3/rack.mp4"><video preload="metadata" src="/user_uploads/2/c3/rack.mp4"></video></a></div>',
    words: 'Video rack.mp4 chat.example.org Open',
    holds: { button: 1, video: 0 },
  },
  {
    name: 'a film of elsewhere',
    html: '<div class="youtube-video message_inline_image"><a data-id="x" href="https://video.example/watch?v=x"><img src="/external_content/x.jpg"></a></div>',
    words: 'Video watch video.example Show images Open',
    holds: { button: 2, img: 0 },
  },
  {
    name: 'a sound',
    html: '<p><audio controls preload="metadata" src="/user_uploads/2/c/alarm.mp3" title="alarm.mp3"></audio></p>',
    words: 'Audio alarm.mp3 chat.example.org Open',
    holds: { button: 1, audio: 0 },
  },
  {
    name: 'a link preview',
    html: '<div class="message_embed"><a class="message_embed_image" href="https://news.example/1" style="background-image: url(https://i.example/1.png)"></a><div class="data-container"><div class="message_embed_title"><a href="https://news.example/1" title="News">The news of today</a></div><div class="message_embed_description">It rains.</div></div></div>',
    words: 'The news of today news.example It rains.',
    holds: { '.embed': 1, 'a.message-link': 1 },
  },
  {
    name: 'links of the realm',
    html: '<p><a class="stream" data-stream-id="10" href="/#narrow/channel/10-ops">#ops</a> <a class="stream-topic" data-stream-id="10" href="/#narrow/channel/10-ops/topic/db">#ops &gt; db</a> <a class="stream-topic" data-stream-id="10" href="/#narrow/channel/10-ops/topic/">#ops &gt; <em>general chat</em></a> <a class="message-link" href="/#narrow/channel/10-ops/topic/db/near/7">#ops &gt; db @ 💬</a></p>',
    words: '#ops #ops > db #ops > general chat #ops > db @ 💬',
    holds: { 'a.message-link': 4 },
  },
  {
    name: 'a file and a link',
    html: '<p><a href="/user_uploads/2/ab/report.pdf">report.pdf</a> <a href="https://docs.example/a">the docs</a> <a href="javascript:alert(1)">no link</a> <a href="https://evil.example">bank.example</a></p>',
    words: 'report.pdf the docs no link bank.example (leads to evil.example )',
    holds: { 'a.message-link': 3, '.link-elsewhere': 1 },
  },
  {
    name: 'a poll',
    html: '<p>/poll Lunch?\nSoup\nNoodles</p>',
    words: '/poll Lunch?\nSoup\nNoodles',
    holds: { p: 1 },
  },
  {
    name: 'a hit of a search',
    html: '<p>the <span class="highlight">backup</span> ran</p>',
    words: 'the backup ran',
    holds: { p: 1 },
  },
]
