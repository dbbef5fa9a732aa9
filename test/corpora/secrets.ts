import { withoutSecrets } from '../../src/shared/core/secrets.ts'
import { linesOf, type Score } from './corpus.ts'

/** Masked wrongly at most, as a share. */
const mostWrong = 0.01
/** So much of a secret is as good as all of it. */
const mostShown = 5

/**
 * Lines of `secrets-with.txt` have their secrets in ⟦brackets⟧, and a ¦ in whatever a scanner of a
 * hosting site would take for a real one; those of `secrets-without.txt` have none. "⏎" is a line
 * break in both.
 */
export function scoreSecrets(mask: (text: string) => string = withoutSecrets): Score {
  const withSecrets = linesOf('secrets-with.txt').map(unescaped)
  const shown = withSecrets.filter((line) => {
    const seen = mask(line.replace(/[⟦⟧]/g, ''))
    const rest = line.replace(/⟦[^⟧]*⟧/g, '\n')
    return secretsIn(line).some((secret) => isShown(secret, seen, rest))
  })
  const without = linesOf('secrets-without.txt').map(unescaped)
  const masked = without.filter((line) => mask(line) !== line)
  return {
    words: `secrets: ${shown.length} of ${withSecrets.length} shown, ${masked.length} of ${without.length} masked wrongly`,
    passed: shown.length === 0 && masked.length <= mostWrong * without.length,
    wrong: [
      ...shown.map((line) => `shown: ${line} → ${mask(line.replace(/[⟦⟧]/g, ''))}`),
      ...masked.map((line) => `masked wrongly: ${line} → ${mask(line)}`),
    ],
  }
}

function unescaped(line: string): string {
  return line.replaceAll('¦', '').replaceAll('⏎', '\n')
}

function secretsIn(line: string): string[] {
  return Array.from(line.matchAll(/⟦([^⟧]*)⟧/g), ([, secret = '']) => secret)
}

/** Whether a part of it is seen that is not in the rest of the line anyway. */
function isShown(secret: string, seen: string, rest: string): boolean {
  const signs = [...secret]
  const length = Math.min(signs.length, mostShown + 1)
  const parts = signs.slice(length - 1).map((_sign, at) => signs.slice(at, at + length).join(''))
  return parts.some((part) => seen.includes(part) && !rest.includes(part))
}
