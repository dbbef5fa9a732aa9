/** The positive control's child: writes a document in place, and reports each write. */
import { writeFileSync } from 'node:fs'

const [file = ''] = process.argv.slice(2)
/** As long as a busy user's documents. */
const filler = 'x'.repeat(200_000)
for (let count = 1; ; count += 1) {
  writeFileSync(file, JSON.stringify({ version: 1, value: { count, filler } }))
  process.send?.(count)
  await new Promise((resolve) => {
    setImmediate(resolve)
  })
}
