/** Scores every corpus and lists what is wrong; the last line has the scores. `npm run corpora`. */
import { corpora } from './corpora.ts'

const scores = await Promise.all(corpora.map(async ({ score }) => score()))
for (const line of scores.flatMap(({ wrong }) => wrong)) process.stdout.write(`${line}\n`)
process.stdout.write(`${scores.map(({ words }) => words).join(', ')}\n`)
process.exitCode = scores.every(({ passed }) => passed) ? 0 : 1
