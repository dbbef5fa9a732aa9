/** The positive control's child: keeps a document the plain way, in place, and tells of each write. */
import { writeFileSync } from 'node:fs'

const [file = ''] = process.argv.slice(2)
/** As long as the documents of a busy user. */
const filler = 'x'.repeat(200_000)
for (let count = 1; ; count += 1) {
  writeFileSync(file, JSON.stringify({ version: 1, value: { count, filler } }))
  process.send?.(count)
  await new Promise((resolve) => {
    setImmediate(resolve)
  })
}
