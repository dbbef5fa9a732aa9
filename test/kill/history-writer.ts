/** Adds to a history file as fast as it is kept, and tells of what is safely there. */
import { openHistory } from '../../src/main/storage/history-database.ts'

const [file = '', first = '1'] = process.argv.slice(2)
const history = openHistory({
  file,
  // Entries are dated by their number: by the clock they would be pruned as old.
  now: () => 0,
  onTrouble: ({ text }) => process.send?.({ trouble: text }),
})
for (let count = Number(first); ; count += 1) {
  history.add([{ at: count, accountId: 'one', subject: 'kill', kind: 'test', data: { count } }])
  await history.settled()
  process.send?.({ count })
}
