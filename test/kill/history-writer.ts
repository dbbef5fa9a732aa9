/** Adds to a history file as fast as it is written, and reports what is safely there. */
import { openHistory } from '../../src/main/storage/history-database.ts'

const [file = '', first = '1'] = process.argv.slice(2)
const history = openHistory({
  file,
  // Entries use their number as their time, so by the real clock they would be pruned as old.
  now: () => 0,
  onTrouble: ({ text }) => process.send?.({ trouble: text }),
})
for (let count = Number(first); ; count += 1) {
  history.add([{ at: count, accountId: 'one', subject: 'kill', kind: 'test', data: { count } }])
  await history.settled()
  process.send?.({ count })
}
