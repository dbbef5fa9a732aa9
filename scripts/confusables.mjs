/**
 * Renews `src/renderer/parts/confusables.ts` from Unicode's table of characters that look alike
 * (UTS #39): `node scripts/confusables.mjs [confusables.txt]`; without a file, it is downloaded.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from './programs.mjs'

const address = 'https://www.unicode.org/Public/security/latest/confusables.txt'
const [, , file] = process.argv
const text = file === undefined ? await (await fetch(address)).text() : readFileSync(file, 'utf8')
const version = /^# Version: (.*)$/m.exec(text)?.[1]
const date = /^# Date: ([\d-]+)/m.exec(text)?.[1]

/** @type {Map<string, string>} */
const lookOf = new Map()
for (const [, from = '', to = ''] of text.matchAll(/^([\dA-F]{4,6}) ;\s([\dA-F ]+) ;/gm)) {
  const sign = String.fromCodePoint(Number.parseInt(from, 16))
  const codes = to.split(' ').map((code) => Number.parseInt(code, 16))
  // In the table, an "m" is an "rn".
  const look = folded(String.fromCodePoint(...codes)).replace('rn', 'm')
  // Colons are dots here: in "bank:com", nobody reads anything else.
  const isDot = /^[.:\u00b7]$/.test(look) && !/\p{N}/u.test(sign)
  // What is folded to ASCII anyway needs no entry, and marks are dropped.
  if (/^[\x20-\x7e]*$/.test(folded(sign))) continue
  if (isDot || /^[a-z\d]$/.test(look)) lookOf.set(sign, isDot ? '.' : look)
}
/** @type {Map<string, string>} */
const looks = new Map()
for (const [sign, look] of lookOf)
  if (folded(sign) === sign || lookOf.get(folded(sign)) !== look)
    looks.set(look, (looks.get(look) ?? '') + sign)

const lines = [...looks].sort().map(([look, signs]) => `  ${JSON.stringify(look)}: '${signs}',`)
writeFileSync(
  join(projectRoot, 'src', 'renderer', 'parts', 'confusables.ts'),
  `/**
 * Characters that look like a letter, a digit or a dot, by what they look like, in lower case and without
 * those that compatibility normalisation folds. Taken by \`scripts/confusables.mjs\` from Unicode's
 * confusables.txt, version ${version} of ${date} (Unicode License v3).
 */
export const confusables: Readonly<Record<string, string>> = {
${lines.join('\n')}
}
`,
)

/** As `named-sites.ts` folds a text. @param {string} one */
function folded(one) {
  return one.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}
