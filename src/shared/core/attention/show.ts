import { numberWords } from '../wording.ts'
import type { CheckEvent, MessageEvent } from './event.ts'
import type { Candidate } from './judge.ts'
import type { DeferredEvent, Lane, LaneName } from './memory.ts'
import { foldAbove, type Notice, type NoticeLine, type Reason } from './notice.ts'
import {
  conversationNotice,
  everythingNotice,
  flappingNotice,
  flappingTogetherNotice,
  messagesNotice,
  noticeOf,
  projectNotice,
} from './notices.ts'
import { type Draft, end, type Work, withinLimit } from './work.ts'

/** More pop-ups than this in so short a time are a storm, whoever they are of. */
const stormMs = 10_000
const popUpsInStorm = 3
/** A storm that goes on is told of ever more seldom, down to this. */
const longestHoldMs = 5 * 60_000
/** Lines of a notice that stands for many; more are counted in its title. */
const lineLimit = 50

/** Each as it is, or in one notice of its project or conversation; in a storm not before it is over. */
export function show(work: Work, candidates: readonly Candidate[]): void {
  for (const planned of plan(work, candidates)) {
    const name = laneOf(planned.candidates)
    const lane = work.draft.lanes[name]
    if (isStorm(lane, name, work.now)) hold(work, name, planned.candidates)
    else tell(work, name, planned)
  }
}

/** A check that changes too often, and how often it did. */
export interface Flapping extends DeferredEvent {
  readonly event: CheckEvent
  readonly changes: number
}

/** Flapping checks keep to the same measure as everything else: many of them are told of in one. */
export function showFlapping(work: Work, flapping: readonly Flapping[]): void {
  const byProject = Map.groupBy(flapping, ({ event }) => event.accountId)
  for (const group of byProject.values()) {
    const planned = group.length > foldAbove ? [planFlapping(group)] : group.map(planOneFlapping)
    for (const one of planned) {
      const { checks: lane } = work.draft.lanes
      if (isStorm(lane, 'checks', work.now)) keep(work, 'checks', one.candidates)
      else tell(work, 'checks', one)
    }
  }
}

function planOneFlapping({ event, sound: rings, changes }: Flapping): Planned {
  return {
    candidates: [{ event, sound: rings, reasons: [] }],
    notice: (sound) => flappingNotice(event, changes, sound),
    why: calmWhy,
  }
}

function planFlapping(group: readonly Flapping[]): Planned {
  const events = group.map(({ event }) => event)
  const changes = group.reduce((sum, one) => sum + one.changes, 0)
  return {
    candidates: group.map(({ event, sound }) => ({ event, sound, reasons: [] })),
    notice: (sound) => flappingTogetherNotice(events, changes, sound),
    why: calmWhy,
  }
}

const calmWhy: Reason = {
  by: 'flapping',
  text: 'It changed too often for a notification each time: this one counts five minutes of changes.',
}

function isStorm(lane: Lane, name: LaneName, now: number): boolean {
  if (lane.until !== null) return true
  // What comes soon after the notice of a storm is still the same storm.
  if (lane.level > 0 && now - (lane.popUps.at(-1) ?? 0) < holdMs(lane, name)) return true
  return lane.popUps.filter((at) => now - at < stormMs).length >= popUpsInStorm
}

/** A storm of checks is told of ever more seldom; what people write never waits long. */
function holdMs({ level }: Lane, name: LaneName): number {
  return name === 'checks' ? Math.min(longestHoldMs, stormMs * 2 ** level) : stormMs
}

function laneOf([first]: readonly Candidate[]): LaneName {
  return first?.event.of === 'check' ? 'checks' : 'others'
}

function setLane(work: Work, name: LaneName, lane: Lane): void {
  work.draft.lanes[name] = lane
}

function keep(work: Work, name: LaneName, candidates: readonly Candidate[]): void {
  const lane = work.draft.lanes[name]
  const until = lane.until ?? work.now + holdMs(lane, name)
  const held = [...lane.held, ...candidates.map(({ event, sound }) => ({ event, sound }))]
  setLane(work, name, { ...lane, held: withinLimit(held), until })
}

function hold(work: Work, name: LaneName, candidates: readonly Candidate[]): void {
  keep(work, name, candidates)
  for (const { event, reasons } of candidates)
    end(work, event, 'folded', [
      ...reasons,
      { by: 'storm', text: 'Too much happened at once: one notification covers it all.' },
    ])
}

const stormWhy: Reason = {
  by: 'storm',
  text: 'Too much happened at once: this covers what was held back.',
}

/** After five calm minutes the next storm begins anew. Before anything is shown: nothing else wakes for it. */
export function forgetStorms(work: Work): void {
  for (const name of ['checks', 'others'] as const) {
    const lane = work.draft.lanes[name]
    const last = lane.popUps.at(-1) ?? 0
    if (lane.until === null && lane.level > 0 && work.now - last >= longestHoldMs)
      setLane(work, name, { ...lane, level: 0 })
  }
}

/** Tells what was held and is still to be told of, once its time has come. */
export function releaseDeferred(work: Work, isWanted: (held: DeferredEvent) => boolean): void {
  for (const name of ['checks', 'others'] as const) {
    const lane = work.draft.lanes[name]
    if (lane.until === null || lane.until > work.now) continue
    setLane(work, name, { ...lane, held: [], until: null, level: lane.level + 1 })
    const wanted = newest(lane.held).filter(isWanted)
    const candidates = wanted.map((one) => ({ ...one, reasons: [] }))
    const planned = plan(work, candidates, 1)
    const few = planned.length > popUpsInStorm ? [planEverything(candidates)] : planned
    for (const one of few) tell(work, name, later(one))
  }
}

/** By another id than the entry in the list that says that it was held. */
function later(planned: Planned): Planned {
  const notice = (sound: boolean): Notice => {
    const made = planned.notice(sound)
    return { ...made, id: `${made.id}/later` }
  }
  return { ...planned, notice, why: stormWhy }
}

/** Of a check that changed several times meanwhile only what it is now. */
function newest(held: readonly DeferredEvent[]): DeferredEvent[] {
  const last = new Map(held.map((one) => [one.event.subject, one]))
  return held.filter((one) => one.event.of !== 'check' || last.get(one.event.subject) === one)
}

/** Shows a notice. Of several sounds within ten seconds only the first is heard. */
function tell(work: Work, name: LaneName, { candidates, notice, why }: Planned): void {
  const lane = work.draft.lanes[name]
  const sound = candidates.some((one) => one.sound) && mayRing(work)
  const recent = lane.popUps.filter((at) => work.now - at < longestHoldMs)
  setLane(work, name, { ...lane, popUps: [...recent, work.now] })
  const made = notice(sound)
  const isOne = candidates.length === 1
  const together: Reason[] = isOne
    ? []
    : [
        {
          by: 'batch',
          text: `${numberWords(candidates.length)} came together, in one notification.`,
        },
      ]
  const own = [...(candidates[0]?.reasons ?? []), ...together]
  const reasons = why === undefined ? own : [why]
  pop(work, isOne ? made : { ...made, lines: candidates.slice(0, lineLimit).map(lineOf) }, reasons)
  const batch: Reason = { by: 'batch', text: `It came with others: “${made.title}”.` }
  const longer = new Map<readonly Reason[], readonly Reason[]>()
  for (const { event, reasons: decided } of candidates) {
    // What was held has been decided already.
    if (decided.length === 0) continue
    work.decisions.push({
      event,
      outcome: isOne ? 'shown' : 'folded',
      sound: isOne && sound,
      reasons: isOne ? decided : longerBy(longer, decided, batch),
      noticeId: made.id,
    })
  }
}

/** With one more reason. Thousands that were decided for the same reasons share the list of them. */
function longerBy(
  known: Map<readonly Reason[], readonly Reason[]>,
  reasons: readonly Reason[],
  last: Reason,
): readonly Reason[] {
  const same = known.get(reasons)
  if (same !== undefined) return same
  const longer = [...reasons, last]
  known.set(reasons, longer)
  return longer
}

/** Whether the last sound is long enough ago. */
export function mayRing({ draft, now }: Work): boolean {
  return now - draft.soundAt >= stormMs
}

/** A pop-up, in the list as well. */
export function pop(work: Work, notice: Notice, reasons: readonly Reason[]): void {
  const shown = { ...notice, outcome: 'shown' as const, reasons }
  if (shown.sound) work.draft.soundAt = work.now
  work.popUps.push(shown)
  work.listed.push(shown)
}

function lineOf({ event }: Candidate): NoticeLine {
  return { text: event.title, at: event.at, target: event.target }
}

/** Epoch ms at which something held is told. */
export function nextRelease({ lanes }: Draft): number | null {
  const times = [lanes.checks.until, lanes.others.until].filter((at) => at !== null)
  return times.length === 0 ? null : Math.min(...times)
}

/** Some events that one notice is to tell of. */
interface Planned {
  readonly candidates: readonly Candidate[]
  /** Of events that were decided before: why they come now. */
  readonly why?: Reason
  readonly notice: (sound: boolean) => Notice
}

/** Each as it is, or those of one project and kind, or many of one account's messages, together. */
function plan(work: Work, candidates: readonly Candidate[], most = foldAbove): Planned[] {
  const { checks, others } = grouped(candidates)
  return [
    ...checks.flatMap((group) =>
      group.length > most ? [planProject(work, group)] : group.map(planSingle),
    ),
    ...planOthers(others),
  ]
}

interface Grouped {
  /** Of one project and one kind, in the order of the first of each. */
  readonly checks: readonly Candidate[][]
  readonly others: readonly Candidate[]
}

function grouped(candidates: readonly Candidate[]): Grouped {
  const checks: Candidate[][] = []
  const others: Candidate[] = []
  for (const candidate of candidates) {
    if (candidate.event.of === 'check') {
      const group = checks.find((one) => isAlike(one[0], candidate))
      if (group === undefined) checks.push([candidate])
      else group.push(candidate)
    } else others.push(candidate)
  }
  return { checks, others }
}

function isAlike(one: Candidate | undefined, { event }: Candidate): boolean {
  return one?.event.kind === event.kind && one.event.accountId === event.accountId
}

function planOthers(candidates: readonly Candidate[]): Planned[] {
  const messages = Map.groupBy(
    candidates.filter(({ event }) => event.of === 'message'),
    ({ event }) => event.accountId,
  )
  const planned = [...messages.values()].flatMap((group) => {
    const conversations = Map.groupBy(group, ({ event }) => event.subject)
    return conversations.size > foldAbove
      ? [planMessages(group)]
      : [...conversations.values()].map(planConversation)
  })
  return [...planned, ...candidates.filter(({ event }) => event.of === 'trouble').map(planSingle)]
}

function planSingle(candidate: Candidate): Planned {
  return { candidates: [candidate], notice: (sound) => noticeOf(candidate.event, sound) }
}

function planProject({ context }: Work, group: readonly Candidate[]): Planned {
  const events = group.map(({ event }) => event as CheckEvent) // grouped by kind
  const down = context.down[events[0]?.accountId ?? ''] ?? 0
  return { candidates: group, notice: (sound) => projectNotice(events, down, sound) }
}

function planConversation(group: readonly Candidate[]): Planned {
  const events = group.map(({ event }) => event as MessageEvent) // grouped by kind
  return { candidates: group, notice: (sound) => conversationNotice(events, sound) }
}

function planMessages(group: readonly Candidate[]): Planned {
  const events = group.map(({ event }) => event as MessageEvent) // grouped by kind
  return { candidates: group, notice: (sound) => messagesNotice(events, sound) }
}

/** When even one for each project were too many. */
function planEverything(candidates: readonly Candidate[]): Planned {
  const events = candidates.map(({ event }) => event)
  return { candidates, notice: (sound) => everythingNotice(events, sound) }
}
