import { asNow } from '../as-now.ts'
import { isChange } from '../event.ts'
import type { Pending } from '../memory.ts'
import type { Notice } from '../notice.ts'
import { programOf } from '../rules.ts'
import type { Work } from '../work.ts'

/** Starts the programs of the rules about what a notification tells: each once, with all of it. */
export function startPrograms(
  { starts, context: { settings }, now }: Work,
  told: readonly Pending[],
  { id, title }: Notice,
): void {
  if (settings.rules.every(({ programId }) => programId == null)) return
  const events = told.filter((one) => !isRepetition(one)).map((one) => asNow(one, now))
  for (const [programId, some] of Map.groupBy(events, (one) => programOf(one, settings)))
    if (programId !== null) starts.push({ programId, notice: { id, title }, events: some })
}

/** Its outage was told before, and so run for. */
function isRepetition({ event, wasDown }: Pending): boolean {
  return wasDown && isChange(event) && (event.isReminder === true || event.again !== undefined)
}
