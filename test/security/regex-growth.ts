/** Signs of which pieces are made, besides those in the expression itself. */
const signs = [...'aA0 \t.:/-_="\'({[<$%|&;@', '\u201c', '\u2018', '\u2022', '\u00e9']

/**
 * What recheck found by mutation for these expressions, or for their parts: pieces that are repeated.
 * It judges some of them wrongly, and others not at all in its time.
 */
const foundBefore: readonly string[] = [
  ...[
    ' login  ',
    ' login\tg',
    ' login\0 \t',
    ' use/u',
    ' use/0',
    '\r\ruse',
    'NUPDATEC',
    '0-',
    '-P',
  ],
  ...['\t ', '  A A', 'A|#|', 'ERROR WAS', 'TPASS', 'EPSKK', 'EPSK="O', 'EPSK-U', 'I:"S', 'L\t"W'],
  ...['D="D', '="H', 'PASSW', 'SECRET', 'SIGNATURE', 'TOKEN', 'UUID EDAD0AF', '[ORA', '[AT S'],
  ...['4=AT .', 'SESS', 'APP', 'PWDL', 'SHARED', '{\u2018', '{}', 'a://', 'x-', 'eyJ.', '-eyJa'],
]

/** Ends that few expressions accept, so that all ways of matching are tried. */
const ends = ['\0', '}S', '\n']

const shortLength = 4_000
const longLength = 50_000
/** On a busy computer, a linear expression takes a fraction of this on a short text. */
const suspiciousMs = 2
const relevantMs = 20

/** The text on which an expression takes time that grows faster than its length; null if none does. */
export function attackOn(regex: RegExp): string | null {
  const words = [...new Set(regex.source.match(/(?<!\\)[a-z]{2,}/gi))].slice(0, 40)
  const own = [...new Set(regex.source.match(/[^\w\s]/g))]
  const pairs = own.flatMap((one) => [...own, 'a', ' '].map((other) => one + other))
  const pieces = [...signs, ...foundBefore, ...words, ...own, ...pairs]
  for (const begin of ['', words[0] ?? ''])
    for (const piece of pieces)
      for (const end of ends) if (grows(regex, begin, piece, end)) return begin + piece
  return null
}

function grows(regex: RegExp, begin: string, piece: string, end: string): boolean {
  const ms = (length: number) =>
    least(regex, `${begin}${piece.repeat(length / piece.length)}${end}`)
  if (ms(shortLength) < suspiciousMs) return false
  // Four times as long for twice the text is quadratic.
  let length = shortLength
  while (length < longLength && ms(length) < relevantMs) length *= 2
  const isQuadratic = (): boolean => {
    const before = ms(length)
    return before >= relevantMs && ms(2 * length) > 3 * before
  }
  // What else the computer does may slow down one try, but not each.
  return [1, 2, 3].every(isQuadratic)
}

/** The least of three, ms: what else the computer does only adds to it. */
function least(regex: RegExp, text: string): number {
  let shortest = Number.POSITIVE_INFINITY
  for (let n = 0; n < 3 && shortest > 0.2; n += 1) {
    const begun = performance.now()
    // Each match, as most of them are used.
    text.replace(regex, '')
    shortest = Math.min(shortest, performance.now() - begun)
  }
  return shortest
}
