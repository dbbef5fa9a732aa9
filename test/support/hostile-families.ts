import { hostileHtml } from './hostile-html.ts'

/**
 * Families of attack: each is some places times some tricks, every combination its own vector. As
 * in `hostile-html.ts`, `alert` shows that a script ran and `/hostile/` that something was loaded.
 */

const img = '<img src=x onerror=alert(1)>'

function crossed<A, B>(
  ones: readonly A[],
  others: readonly B[],
  join: (one: A, other: B) => string,
): string[] {
  return ones.flatMap((one) => others.map((other) => join(one, other)))
}

/** Every element of HTML: past, present and future. */
const everyElement = [
  ...['a', 'abbr', 'acronym', 'address', 'applet', 'area', 'article', 'aside', 'audio', 'b'],
  ...['base', 'basefont', 'bdi', 'bdo', 'bgsound', 'big', 'blink', 'blockquote', 'body', 'br'],
  ...['button', 'canvas', 'caption', 'center', 'cite', 'code', 'col', 'colgroup', 'command'],
  ...['content', 'data', 'datalist', 'dd', 'del', 'details', 'dfn', 'dialog', 'dir', 'div', 'dl'],
  ...['dt', 'em', 'embed', 'fencedframe', 'fieldset', 'figcaption', 'figure', 'font', 'footer'],
  ...['form', 'frame', 'frameset', 'geolocation', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'head'],
  ...['header', 'hgroup', 'hr', 'html', 'i', 'iframe', 'image', 'img', 'input', 'ins', 'isindex'],
  ...['kbd', 'keygen', 'label', 'legend', 'li', 'link', 'listing', 'main', 'map', 'mark'],
  ...['marquee', 'math', 'menu', 'menuitem', 'meta', 'meter', 'multicol', 'nav', 'nextid', 'nobr'],
  ...['noembed', 'noframes', 'noscript', 'object', 'ol', 'optgroup', 'option', 'output', 'p'],
  ...['param', 'permission', 'picture', 'portal', 'pre', 'progress', 'q', 'rb', 'rp', 'rt', 'rtc'],
  ...['ruby', 's', 'samp', 'search', 'section', 'select', 'selectedcontent', 'shadow', 'slot'],
  ...['small', 'source', 'spacer', 'span', 'strike', 'strong', 'style', 'sub', 'summary', 'sup'],
  ...['svg', 'table', 'tbody', 'td', 'template', 'textarea', 'tfoot', 'th', 'thead', 'time'],
  ...['title', 'tr', 'track', 'tt', 'u', 'ul', 'var', 'video', 'wbr', 'webview', 'xmp'],
]

const events = [
  ...['onfocus', 'onload', 'onerror', 'ontoggle', 'onanimationstart', 'onpointerover', 'onclick'],
  ...[
    'onbeforetoggle',
    'onscrollsnapchange',
    'oncontentvisibilityautostatechange',
    'onbeforematch',
  ],
]

/** Handlers on every element, each with the next event. */
const handlers = everyElement.map((name, at) => {
  const event = events[at % events.length] ?? 'onclick'
  return `<${name} ${event}=alert(1) onfocus=alert(1) autofocus tabindex=0 src=/hostile/on-${name} style="display:block;content-visibility:auto;animation:x 1ms">x</${name}>`
})

/** `javascript:` as browsers read it and filters may not. */
const programs = [
  'javascript:alert(1)',
  'JAVASCRIPT:alert(1)',
  '\tjavascript:alert(1)',
  '\u0001javascript:alert(1)',
  'java&Tab;script:alert(1)',
  'java&NewLine;script:alert(1)',
  'javascript&#58;alert(1)',
  'javascript&#x0000000003A;alert(1)',
  '&#x6A&#x61&#x76&#x61&#x73&#x63&#x72&#x69&#x70&#x74:alert(1)',
  'javascript:/*</title>*/alert(1)',
  'javascript:%61lert(1)',
  'javascript:void(alert`1`)',
  'jav\u00adascript:alert(1)',
  'ｊavascript:alert(1)',
  'javascript\u2028:alert(1)',
  'feed:javascript:alert(1)',
  'view-source:javascript:alert(1)',
  'livescript:alert(1)',
  'mocha:alert(1)',
  'vbscript:alert(1)',
  'data:text/html,<script>parent.alert(1)</script>',
  'data:image/svg+xml,<svg xmlns=&quot;http://www.w3.org/2000/svg&quot; onload=&quot;alert(1)&quot;/>',
  'data:;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==',
  'blob:null/alert(1)',
]

const programPlaces: readonly ((program: string) => string)[] = [
  (program) => `<a href="${program}">x</a>`,
  (program) => `<p><a class="stream" data-stream-id=1 href='${program}'>x</a></p>`,
  (program) => `<iframe src="${program}"></iframe>`,
  (program) => `<div class="message_inline_image"><a href="${program}">${img}</a></div>`,
  (program) => `<svg><a xlink:href="${program}"><text y=20>x</text></a></svg>`,
  (program) => `<math><mrow href="${program}"><mtext>x</mtext></mrow></math>`,
  (program) => `<form action="${program}"><button formaction="${program}">x</button></form>`,
]

/** Attributes that load, on elements that support them and on some that don't. */
const loadingAttributes = [
  ...['src', 'srcset', 'poster', 'background', 'data', 'href', 'lowsrc', 'dynsrc', 'longdesc'],
  ...['cite', 'manifest', 'archive', 'codebase', 'imagesrcset', 'ping', 'profile', 'usemap'],
  ...['classid', 'icon', 'action', 'formaction', 'attributionsrc', 'xlink:href', 'xml:base'],
]
const loadingElements = ['img', 'video', 'td', 'object', 'link rel=stylesheet', 'svg']

/**
 * Places where HTML is parsed again inside foreign markup, times elements whose content is raw
 * text.
 */
const integrationPoints = [
  ...['<svg><desc>', '<svg><title>', '<svg><foreignObject>', '<math><mtext>', '<math><mi>'],
  ...['<math><mo>', '<math><mn>', '<math><ms>', '<math><annotation-xml encoding="text/html">'],
  ...['<math><mtext><table><mglyph>', '<svg><foreignObject><math><mi>', '<math><mi><svg><desc>'],
]
const rawTexts = [
  ...['style', 'xmp', 'noscript', 'textarea', 'title', 'noembed', 'noframes', 'iframe'],
  ...['script', 'template', 'option', 'select', 'plaintext'],
]

/** Names by which a form or page finds its own parts, claimed by parts of the message. */
const clobbered = [
  ...['attributes', 'childNodes', 'firstChild', 'nodeName', 'nodeType', 'localName', 'textContent'],
  ...['parentNode', 'ownerDocument', 'implementation', 'querySelector', 'classList', 'className'],
  ...['getAttribute', 'closest', 'setHTML', 'bridge', 'alert', '__proto__', 'constructor'],
]

const styles = [
  'background:url(/hostile/s1)',
  'background:url( "/hostile/s2" )',
  'background-image:image-set("/hostile/s3" 1x)',
  'background:\\75rl(/hostile/s4)',
  'background:url(\\/hostile\\/s5)',
  'border-image:url(/hostile/s6) 1',
  'cursor:url(/hostile/s7),auto',
  'mask:url(/hostile/s8)',
  'filter:url(/hostile/s9#x)',
  'clip-path:url(/hostile/s10#x)',
  'shape-outside:url(/hostile/s11)',
  'content:url(/hostile/s12)',
  'list-style:url(/hostile/s13);display:list-item',
  'text-align:right;--x:url(/hostile/s14);background:var(--x)',
  'text-align:center;background:url(/hostile/s15)',
  'behavior:url(/hostile/s16)',
  '-moz-binding:url(/hostile/s17)',
  'width:expression(alert(1))',
  'position:fixed;inset:0;z-index:9999;background:red',
  'animation:x 1ms;background:cross-fade(url(/hostile/s18),red)',
]
const sheets = [
  '@import "/hostile/t1";',
  '@import url(/hostile/t2);',
  '@import/**/"/hostile/t3";',
  '@\\69mport "/hostile/t4";',
  '@font-face{font-family:x;src:url(/hostile/t5)}*{font-family:x}',
  'p::before{content:url(/hostile/t6)}',
  'a[href^="h"]{background:url(/hostile/t7)}',
  '</style><img src=x onerror=alert(1)>',
  '<!--</style><img src=x onerror=alert(1)>-->',
  '@namespace svg "http://www.w3.org/2000/svg";svg|a{fill:url(/hostile/t8)}',
]

const animated = ['href', 'xlink:href', 'onclick', 'src', 'attributeName', 'from', 'to', 'values']

const shadows = [
  'shadowrootmode=open',
  'shadowrootmode=closed',
  'shadowrootmode=open shadowrootclonable',
  'shadowrootmode=open shadowrootserializable',
  'shadowrootmode=open shadowrootdelegatesfocus',
  'shadowroot=open',
]

/** Comments and the like that end for one parser and not for another. */
const boundaries = [
  ...['<!-->', '<!--->', '<!-- --!>', '<!---->', '<!--a--!b-->', '<!--<!---->', '<!>', '<!x>'],
  ...['<?xml-stylesheet href="/hostile/b1"?>', '<?>', '</>', '</ x>', '<%x%>', '<![CDATA[', ']]>'],
  ...['<!DOCTYPE html>', '<!ENTITY x "y">', '<!--[if IE]>', '<![endif]-->', '<comment>', '\u0000'],
  ...[
    '<x\u0000>',
    '<svg><![CDATA[<!--]]>',
    '<math><![CDATA[-->]]>',
    '<a title="-->',
    '+ADw-p+AD4-',
  ],
]

const invisible = [
  ...['\u202e', '\u2066', '\u200b', '\u2028', '\ufeff', '\u00ad', '\u061c', '\u{e0041}', '\ud800'],
  ...['\u0300'.repeat(300), '\u0085', '\ufffe'],
]

const links = [
  '<link rel=stylesheet href=/hostile/l1>',
  '<link rel="alternate stylesheet" href=/hostile/l2>',
  '<link rel=preconnect href=https://hostile.example/l3>',
  '<link rel=dns-prefetch href=//hostile.example>',
  '<link rel=prerender href=/hostile/l4>',
  '<link rel=manifest href=/hostile/l5>',
  '<link rel=import href=/hostile/l6>',
  '<link rel=apple-touch-icon href=/hostile/l7>',
  '<link rel=preload as=fetch href=/hostile/l8>',
  '<link rel=preload as=script href=/hostile/l9>',
  '<link rel=compression-dictionary href=/hostile/l10>',
  '<meta http-equiv=refresh content="0;/hostile/l11">',
  '<meta http-equiv=refresh content="0; url=data:text/html,x">',
  '<meta http-equiv=set-cookie content="a=b">',
  '<meta http-equiv=content-type content="text/html; charset=utf-7">',
  '<meta charset=iso-2022-jp>\u001b(J<img src=x onerror=alert(1)>',
  '<meta name=referrer content=unsafe-url><img src=/hostile/l12>',
  '<base href=https://hostile.example/><a href=l13>x</a><img src=l14>',
  '<base target=_top><a href=/hostile/l15>x</a>',
  '<script type=speculationrules>{"prefetch":[{"urls":["/hostile/l16"]}]}</script>',
  '<script type=importmap>{"imports":{"a":"/hostile/l17"}}</script><script type=module>import "a"</script>',
  '<script nomodule src=/hostile/l18></script>',
  '<script blocking=render src=/hostile/l19></script>',
]

const frames = [
  '<iframe srcdoc="&lt;script&gt;parent.alert(1)&lt;/script&gt;"></iframe>',
  '<iframe srcdoc="<img src=x onerror=parent.alert(1)>" sandbox="allow-scripts allow-same-origin"></iframe>',
  '<iframe srcdoc="<form action=/hostile/f1><input>"></iframe>',
  '<iframe src=/hostile/f2 loading=eager></iframe>',
  '<iframe src=about:blank#/hostile/ onload=alert(1)></iframe>',
  '<iframe name=alert(1) src="javascript:parent.eval(name)"></iframe>',
  '<object data="data:text/html,<script>parent.alert(1)</script>"></object>',
  '<object type=text/html data=/hostile/f3></object>',
  '<object><param name=movie value=/hostile/f4><embed src=/hostile/f5></object>',
  '<embed type=text/html src=/hostile/f6>',
  '<embed code=/hostile/f7 allowscriptaccess=always>',
  '<fencedframe src=/hostile/f8></fencedframe>',
  '<webview src=/hostile/f9 preload=/hostile/f10 nodeintegration></webview>',
  '<frameset><frame src="javascript:alert(1)"></frameset>',
  '<portal src=/hostile/f11></portal>',
]

const forms = [
  '<form id=f action=/hostile/g1></form><button form=f autofocus>x</button>',
  '<form method=dialog><button>x</button></form>',
  '<form action=/hostile/g2 target=_top><input type=submit autofocus></form>',
  '<form action=/hostile/g3><input type=image src=/hostile/g4></form>',
  '<input type=submit formaction="javascript:alert(1)" form=f>',
  '<isindex action="javascript:alert(1)" type=image>',
  '<input type=hidden oncontentvisibilityautostatechange=alert(1) style=content-visibility:auto>',
  '<button popovertarget=p>x</button><div popover id=p onbeforetoggle=alert(1)>x</div>',
  '<button command=show-modal commandfor=d>x</button><dialog id=d oncommand=alert(1)>x</dialog>',
  '<button interestfor=i>x</button><p id=i popover oninterest=alert(1)>x</p>',
  '<label for=c onclick=alert(1)>x</label><input id=c type=checkbox>',
  '<select onchange=alert(1) autofocus onfocus=alert(1)><option>x</select>',
  '<details name=n open ontoggle=alert(1)><summary>x</summary>y</details>',
  '<dialog open onclose=alert(1)><form method=dialog><button autofocus>x</button></form></dialog>',
]

const strangeElements = [
  `<x-evil onclick=alert(1)>${img}</x-evil>`,
  `<annotation-xml encoding=text/html>${img}</annotation-xml>`,
  `<font-face onclick=alert(1)>${img}</font-face>`,
  `<img is=x-img src=/hostile/c1 onerror=alert(1)>`,
  `<p is="annotation-xml" onclick=alert(1)>x</p>`,
  `<x:script xmlns:x="http://www.w3.org/1999/xhtml">alert(1)</x:script>`,
  `<svg:script>alert(1)</svg:script>`,
  `<html:img src=/hostile/c2 onerror=alert(1)>`,
  `<a:b xmlns:a="javascript:alert(1)">${img}</a:b>`,
  `<constructor>${img}</constructor>`,
  `<__proto__ onclick=alert(1)>x</__proto__>`,
  `<tostring>${img}</tostring>`,
  `<p#x onclick=alert(1)>${img}</p#x>`,
  `<p.x onclick=alert(1)>${img}</p.x>`,
  `<ſcript>alert(1)</ſcript>`,
  `<ſvg onload=alert(1)>`,
  `<İmg src=/hostile/c3 onerror=alert(1)>`,
  `<slot onslotchange=alert(1)><img slot=x src=/hostile/c4></slot>`,
]

const deepElements = [
  ...['p', 'div', 'span', 'blockquote', 'b', 'a href=/x', 'ul><li', 'table><tr><td', 'font', 'q'],
  ...['math><mrow', 'svg><g', 'div class=spoiler-block', 'span class=katex', 'x-deep', 'select'],
]

/** As large as a server allows in one message, and far larger. */
const huge = [
  ...deepElements.map((name) => `<${name}>`.repeat(10_000) + img),
  `${'</p>'.repeat(10_000)}${img}`,
  `<p title="${'a'.repeat(300_000)}">${img}</p>`,
  `<p class="${'emoji emoji-1f44d '.repeat(5_000)}">${img}</p>`,
  `<p ${Array.from({ length: 5_000 }, (_, at) => `a${at}=1`).join(' ')}>${img}</p>`,
  `<a href="https://hostile.example/${'a'.repeat(100_000)}">x</a>`,
  `<${'a'.repeat(50_000)}>${img}`,
  `${'&amp;'.repeat(50_000)}${img}`,
  `${'<a<'.repeat(20_000)}${img}`,
  `${'<p style="'.repeat(5_000)}${img}`,
  `${Array.from({ length: 500 }, (_, at) => `<x-${at}>`).join('')}${img}`,
  `<div class="codehilite"><pre><code>${'<span class="k">x</span>'.repeat(5_000)}</code></pre></div>`,
  `<ol start=${'9'.repeat(10_000)}><li>${img}</ol>`,
]

const whole = '<p><a href="javascript:alert(1)" title=\'x\'><img src=x onerror="alert(1)"></a></p>'
/** The same attack, cut off at each place where a parser changes its state. */
const cut = Array.from({ length: whole.length }, (_, at) => whole.slice(0, at + 1))
  .filter((part) => /[\s=<>"'/:]$/.test(part))
  .map((part) => `${part}<img src=x onerror=alert(1)>`)

const inputNames = clobbered.slice(0, 12)

/** By class of attack. */
const families: Readonly<Record<string, readonly string[]>> = {
  handlers,
  programs: crossed(programPlaces, programs, (place, program) => place(program)),
  loads: crossed(
    loadingElements,
    loadingAttributes,
    (element, attribute) => `<${element} ${attribute}="/hostile/${attribute}">x`,
  ),
  confusions: crossed(
    integrationPoints,
    rawTexts,
    (point, raw) => `${point}<${raw}><p title="</${raw}>${img}">`,
  ),
  clobbering: [
    ...clobbered.map((name) => `<form id=${name} name=${name}>${img}</form><a id=${name}>x</a>`),
    ...clobbered.map((name) => `<img name=${name} src=/hostile/${name}><p id=${name}>x</p>`),
    ...inputNames.map((name) => `<form><input name=${name}><output id=${name}>x</form>${img}`),
  ],
  styles: [
    ...crossed(['p', 'td', 'span class=katex'], styles, (at, style) => `<${at} style="${style}">x`),
    ...sheets.map((sheet) => `<style>${sheet}</style><p>x</p>`),
    ...sheets.map((sheet) => `<svg><style>${sheet}</style></svg>`),
  ],
  animations: crossed(
    ['animate', 'set', 'animateTransform'],
    animated,
    (element, name) =>
      `<svg><a><${element} attributeName="${name}" to="javascript:alert(1)" onbegin=alert(1) dur=1ms /><text y=20>x</text></a></svg>`,
  ),
  shadows: crossed(
    shadows,
    [
      img,
      '<slot onslotchange=alert(1)></slot>',
      '<style>:host{background:url(/hostile/w)}</style>',
    ],
    (attributes, content) => `<div><template ${attributes}>${content}</template>x</div>`,
  ),
  boundaries: [
    ...boundaries.map((boundary) => `${boundary}${img}`),
    ...boundaries.map((boundary) => `<p title="${boundary}">${boundary}${img}-->`),
  ],
  invisible: invisible.flatMap((sign) => [
    `<a href="https://chat.example.org${sign}@hostile.example/">chat.example.org${sign}</a>`,
    `<p>${sign}<im${sign}g src=x onerror=alert(1)>${sign}${img}</p>`,
  ]),
  links,
  frames,
  forms,
  strangeElements,
  huge,
  cut,
}

/** All vectors, each once. */
export const hostileVectors: readonly string[] = [
  ...new Set([...hostileHtml, ...Object.values(families).flat()]),
]
