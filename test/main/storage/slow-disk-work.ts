/*
 * Runs in a process of its own, on a disk that takes seconds to sync: writes what the app writes,
 * and prints how long main's thread was blocked at most, in ms.
 */
import { join } from 'node:path'
import { onDiskThread } from '../../../src/main/storage/disk-thread.ts'
import { openHistory } from '../../../src/main/storage/history-database.ts'
import { openSaved } from '../../../src/main/storage/saved-files.ts'

const [folder = '', how = ''] = process.argv.slice(2)
let last = performance.now()
let longest = 0
const timer = setInterval(() => {
  const now = performance.now()
  longest = Math.max(longest, now - last)
  last = now
}, 5)

const onTrouble = ({ text }: { readonly text: string | null }): void => {
  throw new Error(text ?? 'over')
}
const saved = openSaved(folder, onTrouble)
const history = openHistory({ file: join(folder, 'history.db'), now: Date.now, onTrouble })
// More than the log may hold before a checkpoint.
for (let round = 0; round < 30; round += 1) {
  history.add(
    Array.from({ length: 100 }, (_, at) => ({
      at: Date.now(),
      accountId: 'a',
      subject: `a/check/${at}`,
      kind: 'notice' as const,
      data: { text: 'x'.repeat(5_000) },
    })),
  )
  await new Promise((resolve) => setTimeout(resolve, 20))
}
await saved.write('drafts', { a: 1 })
await saved.write('settings', { theme: 'dark' })
await history.settled()
history.close()
if (how === 'onMain') {
  // The control: the same on main's own thread.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
  const db = new DatabaseSync(join(folder, 'history.db'))
  db.exec('PRAGMA synchronous = FULL; CREATE TABLE other (a); INSERT INTO other VALUES (1)')
  db.close()
} else await onDiskThread({ do: 'checkpoint', file: join(folder, 'history.db') })
await new Promise((resolve) => setTimeout(resolve, 20))
clearInterval(timer)
process.stdout.write(`${Math.round(longest)}\n`)
