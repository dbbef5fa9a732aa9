import type { Score } from './corpus.ts'
import { scoreCrontabs } from './crontabs.ts'
import { scoreReasons } from './reasons.ts'
import { scoreSecrets } from './secrets.ts'

interface Corpus {
  readonly name: string
  readonly score: () => Score | Promise<Score>
}

/** In the order of the closing line. */
export const corpora: readonly Corpus[] = [
  { name: 'reasons', score: () => scoreReasons() },
  { name: 'secrets', score: () => scoreSecrets() },
  { name: 'crontabs', score: () => scoreCrontabs() },
]
