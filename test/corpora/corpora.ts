import type { Score } from './corpus.ts'
import { scoreSecrets } from './secrets.ts'

interface Corpus {
  readonly name: string
  readonly score: () => Score | Promise<Score>
}

/** In the order of the closing line. */
export const corpora: readonly Corpus[] = [{ name: 'secrets', score: () => scoreSecrets() }]
