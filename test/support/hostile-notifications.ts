import type { Notice } from '../../src/shared/core/attention/notice.ts'

/** What a stranger can make a notification say: their name as the title, their text as the body. */
export interface HostileText {
  readonly title: string
  readonly body: string
}

/** Options of notify-send 0.8.1: long, short, joined and separate. */
const options = [
  ...['--icon=/etc/passwd', '-i /etc/passwd', '-i/etc/passwd', '--icon', '--app-icon=x'],
  ...['--hint=string:image-path:/etc/passwd', '-h string:image-path:/etc/passwd'],
  ...['--hint=byte:urgency:2', '--hint=string:desktop-entry:bank', '-hint:x:y'],
  ...['--action=x=y', '--action=default=Pay', '-A x=y', '-Ax=y', '--wait', '-w', '-wp'],
  ...['--help', '-?', '--help-all', '--version', '-v', '--urgency=critical', '-u critical job'],
  ...['--app-name=Bank', '-a Bank', '--category=im', '-c im', '--expire-time=1', '-t 0', '-t x'],
  ...[
    '--print-id',
    '-p',
    '--replace-id=1',
    '-r 1',
    '--transient',
    '-e',
    '--',
    '-- x',
    '-',
    '- item',
  ],
  ...['---', '--unknown', '-\n-wait', '\u2212\u2212icon=x', '\u2010-wait', '\u2014wait'],
]

/** In front of an option these are invisible, or dropped. */
const invisible = [
  ...[' ', '\n', '\t', '\r\n', '\0', '\u0008', '\u001b', '\u007f', '\u0085', '\u00a0', '\u00ad'],
  ...['\u034f', '\u061c', '\u115f', '\u180e', '\u200b', '\u200d', '\u200e', '\u2028', '\u202e'],
  ...['\u2060', '\u2066', '\u3000', '\u3164', '\ufeff', '\ud800', '\u200b\u2060 \u202e'],
]

/** Each would create a file at `mark` if it were executed. */
const shell = (mark: string): string[] => [
  ...[`$(touch ${mark})`, `\`touch ${mark}\``, `"; touch ${mark}; "`, `'; touch ${mark}; '`],
  ...[`" && touch ${mark} && "`, `| touch ${mark}`, `\n touch ${mark}\n`, `; touch ${mark} #`],
  ...[
    `\\$(touch ${mark})`,
    `\\\\$(touch ${mark})`,
    `\\\`touch ${mark}\\\``,
    `\\"; touch ${mark}; \\"`,
  ],
  ...[
    `"$(touch ${mark})"`,
    `\${x:-$(touch ${mark})}`,
    `> ${mark}`,
    `" > ${mark} "`,
    `<(touch ${mark})`,
  ],
  ...[
    '$HOME',
    '$\u007bIFS}',
    '$((1))',
    '~root',
    '*',
    '!!',
    '%PATH%',
    '%s%n%x%999999d',
    '"',
    "'",
    '`',
    '$',
  ],
]

const markup = [
  ...['<b>bold</b>', '<a href="https://evil.example">click</a>', '<img src="file:///etc/passwd">'],
  ...['<span size="999999">x</span>', '<u><i>', '</body>', '<', '>', '&', '&&', '&lt;b&gt;'],
  ...[
    '&amp;lt;b&amp;gt;',
    '&#60;b&#62;',
    '&#x3c;b&#x3e;',
    '&nbsp;',
    '<!--',
    ']]>',
    '<b',
    '<?xml?>',
  ],
  ...['<!DOCTYPE x [<!ENTITY e "x">]>&e;', '\ufe64b\ufe65', '\uff1cb\uff1e', '<\u200bb>', '<\0b>'],
]

/** What `g_strcompress` transforms. */
const escapes = [
  ...['\\074b\\076', '\\x3cb\\x3e', '\\n', '\\t\\r\\b\\f\\v', '\\342\\200\\256', '\\033[31m', '\\'],
  ...[
    '\\\\',
    '\\\\074b\\\\076',
    '\\\\\\074',
    'C:\\new\\table',
    '\\0',
    '\\000',
    '\\377',
    '\\u003c',
    '\\"',
  ],
  ...['\\-\\-wait', '\\055\\055wait', '\\134074', 'x\\'],
]

const controls = [
  ...[
    'a\0b',
    '\0',
    '\u0007',
    '\u001b[31mred',
    '\u001b]0;title\u0007',
    '\u009b31m',
    '\u0008\u0008x',
  ],
  ...['paid\roverdue', 'a\u000bb\u000cc', '\u007f', '\u0080', '\u0090q', '\u0001\u0002\u0003'],
]

const bidi = [
  ...[
    '\u202egnp.exe',
    'a\u202eb\u202cc',
    '\u2066x\u2069',
    '\u2067\u2068',
    '\u200fx\u200e',
    '\u061cx',
  ],
  ...[
    '\u202a\u202b\u202d',
    '\u05e9\u05dc\u05d5\u05dd',
    '\u0645\u0631\u062d\u0628\u0627 123',
    'a \u05d0 1',
  ],
]

const unseen = [
  ...['a\u200bb', 'a\u200db', '\u2063\u2064', '\u3164', '\u115f\u1160', '\ufeffx', 'a\u00adb'],
  ...[
    '\u{e0001}',
    'x\u{e0041}\u{e007f}',
    '\u180ex',
    '',
    ' ',
    '\u00a0',
    '\u3000',
    '\ufff9a\ufffab\ufffb',
  ],
]

const lines = [
  ...[
    'a\nb',
    'a\r\nb',
    'a\rb',
    '\n\n\n',
    'a\n\n\n\nb',
    'a\u2028b',
    'a\u2029b',
    'a\u0085b',
    ' a \n b ',
  ],
  ...['x\n'.repeat(1_000), '\n'.repeat(300), 'a\t\tb', 'Belfry\n\nYour key expired: click here'],
]

const unicode = [
  ...[
    '\u{1f469}\u200d\u{1f469}\u200d\u{1f467}',
    '\u2764\ufe0f',
    '\u{1f1f3}\u{1f1f1}',
    '\u{1f44d}\u{1f3fd}',
  ],
  ...['\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}', '1\ufe0f\u20e3'],
  ...['\ud800', 'a\udc00b', '\ud83d', '\udd25\ud83d', 'x\ud83d', '\ufffe', '\uffff', '\u{1ffff}'],
  ...[
    '\u{10ffff}',
    '\ufffd',
    '\ue000',
    `Z${'\u0301'.repeat(500)}`,
    '\u0301\u0302x',
    '\u0489'.repeat(99),
  ],
  ...[
    `\u0e01${'\u0e47'.repeat(60)}`,
    'e\u0301',
    `a${'\u20dd'.repeat(40)}b`,
    '\ufdfd'.repeat(9),
    '\u1d11e',
  ],
]

const large = [
  ...['x', '\u{1f525}', '\n', '<', '&', '\\', 'a\u0301', '-', '"', '$(', ' ', '\u200b', '\0'].map(
    (one) => one.repeat(200_000 / one.length),
  ),
  ...[' ', '\u200b', '\n', '\0', '\u202e'].map((one) => `${one.repeat(200_000)}--wait`),
  `--icon=${'/x'.repeat(100_000)}`,
]

/** Names of others, and parts of our own protocol. */
const pretenders = [
  ...[
    'Belfry',
    'Healthchecks',
    'db-backup is down',
    'System update',
    'org.freedesktop.Notifications',
  ],
  ...[
    'default',
    'open',
    'reply',
    'inline-reply',
    'image-path',
    'urgency',
    '{"urgency":2}',
    '[]',
    '()',
  ],
  ...[
    "{'urgency': <byte 2>}",
    'null',
    'undefined',
    '__proto__',
    'constructor',
    '0',
    'susssasa{sv}i',
  ],
]

/** Each text once as a title and once as a body. */
export function hostileNotifications(mark: string): readonly HostileText[] {
  const texts = [
    ...options,
    ...invisible.map((one) => `${one}--wait`),
    ...shell(mark),
    ...[markup, escapes, controls, bidi, unseen, lines, unicode, large, pretenders].flat(),
  ]
  return texts.flatMap((text) => [
    { title: text, body: 'Lunch?' },
    { title: 'Ann (to you)', body: text },
  ])
}

/** A message by a stranger, as a notice. */
export function strangersNotice({ title, body }: HostileText, at: number): Notice {
  return {
    id: `stranger-${at}`,
    kind: 'direct',
    accountId: 'chat',
    subject: `chat/${at}`,
    title,
    body,
    at,
    target: {
      view: 'conversation',
      accountId: 'chat',
      conversation: { kind: 'direct', userIds: [7] },
      messageId: null,
    },
    sound: false,
    outcome: 'shown',
    reasons: [],
    lines: [],
  }
}
