import * as v from 'valibot'
import { readable } from '../schemas.ts'
import { checkEventSchema, eventSchema, isChange, stateAfter } from './event.ts'
import { byKey, keyOf, type Waiting, type Why } from './memory.ts'

const deferred = v.object({ event: eventSchema, sound: v.boolean() })
const lane = v.object({ held: v.array(deferred), until: v.nullable(v.number()) })

/** Where versions before the list of what waits kept it. */
const containers = v.object({
  lanes: v.object({ checks: lane, others: lane }),
  checks: v.array(
    v.tuple([
      v.string(),
      v.object({
        shownAt: v.array(v.number()),
        held: v.number(),
        last: v.nullable(checkEventSchema),
      }),
    ]),
  ),
  waiting: v.array(v.tuple([v.string(), v.object({ event: checkEventSchema, dueAt: v.number() })])),
  missed: v.array(deferred),
  maintained: v.array(v.object({ scope: v.string(), label: v.string(), held: v.array(deferred) })),
  lastDigest: v.nullable(v.object({ events: v.array(deferred) })),
  unseen: v.array(
    v.tuple([v.string(), v.object({ event: checkEventSchema, at: v.number(), times: v.number() })]),
  ),
  quiet: v.nullable(v.object({ why: v.string() })),
})

const nothing: v.InferOutput<typeof containers> = {
  lanes: { checks: { held: [], until: null }, others: { held: [], until: null } },
  checks: [],
  waiting: [],
  missed: [],
  maintained: [],
  lastDigest: null,
  unseen: [],
  quiet: null,
}

/** As long as a flapping check's changes were held back after its last pop-up. */
const flappingMs = 5 * 60_000

/** What waited in a memory that an older version stored. */
export function waitsOfOld(document: unknown): ReadonlyMap<string, Waiting> {
  const old = readable(containers, document, nothing)
  const waits: Waiting[] = []
  const add = (
    { event, sound }: Pick<Waiting, 'event' | 'sound'>,
    rest: Pick<Waiting, 'why' | 'until'> & Partial<Waiting>,
  ): void => {
    const isUp = event.of === 'check' && stateAfter[event.kind] === 'up'
    waits.push({ event, sound, wasDown: isUp, changes: 1, ...rest })
  }
  for (const [, { event, dueAt: until }] of old.waiting)
    add({ event, sound: true }, { why: 'brief', until })
  for (const { scope, label, held } of old.maintained)
    for (const one of held)
      add(one, { why: 'maintenance', until: null, maintenance: { scope, label } })
  const quiet: Why = old.quiet?.why === 'away' ? 'sleep' : 'quiet'
  for (const one of old.missed) add(one, { why: quiet, until: null })
  // One without a time would wait for ever.
  for (const { held, until } of Object.values(old.lanes))
    for (const one of held) add(one, { why: 'storm', until: until ?? 0 })
  for (const [, { shownAt, held, last }] of old.checks)
    if (held > 0 && last !== null) {
      const until = (shownAt.at(-1) ?? 0) + flappingMs
      add({ event: last, sound: true }, { why: 'flapping', until, changes: held })
    }
  const said = (old.lastDigest?.events ?? []).map((one) => ({ ...one, until: null }))
  for (const one of said) add(one, { why: 'said', until: null })
  for (const [, { event, at, times }] of old.unseen)
    add(
      { event: { ...event, at }, sound: true },
      { why: 'reminder', until: null, times, wasDown: true, changes: 0 },
    )
  return together(waits)
}

/** A check's changes stood in several places, or several times in one: they are one now. */
function together(waits: readonly Waiting[]): ReadonlyMap<string, Waiting> {
  const all = new Map<string, Waiting>()
  for (const one of waits) {
    const key = keyOf(one)
    const before = all.get(key)
    if (before === undefined || !isChange(one.event)) all.set(key, one)
    else {
      const isNewer = one.event.at >= before.event.at
      const [first, last] = isNewer ? [before, one] : [one, before]
      const changes = before.changes + one.changes
      all.set(key, { ...last, wasDown: first.wasDown, changes })
    }
  }
  return byKey([...all.values()])
}
