/**
 * What a person was shown, judged by rules in words; each is taken from docs/attention.md and
 * docs/reliability.md, and none from the app's code:
 *
 * 1. Every outage that the rules ask for is told exactly once: as “is down”, as one of the outages
 *    that a check “was down”, or in a count of changes. More than once is *doubled*; a check that is
 *    “still down” is news only where somebody asked to be reminded (a repeat rule, the end of a
 *    silence or of a maintenance). A crash just after a pop-up may repeat it.
 * 2. A check that is read as down, while nothing asks for quiet, has been told after twelve minutes
 *    (five for a storm, five for flapping) and the wait that the rules ask for; else it is *missed*.
 * 3. Who was told that a check is down (if only by the icon), silenced it until it changes, or saw it
 *    as down in every list since the first, is told that it is up again, and nobody else is. A crash
 *    just after a pop-up may repeat it.
 * 4. Whatever a notice says that a check is now, the newest list that was read says so too, and it
 *    was read since the start; else it is *untrue*. So is a pop-up about a silenced check, and one of a
 *    kind for which the icon, or nothing, was chosen.
 * 5. What a replaced or withdrawn pop-up said of a check is said elsewhere, if it is still so.
 * 6. At most three pop-ups in ten seconds, without those of the chat and of problems in Belfry.
 * 7. Each direct message and each mention is told exactly once; a crash between the disk and the
 *    pop-up may cost the pop-up, and never repeats one. One between a digest and the disk may repeat
 *    what that told.
 * 8. The list has every pop-up, calls nothing shown that wasn't, and has what is for the icon only.
 * 9. The icon is green only while every account has been read and no check that isn't silenced was
 *    down in it, but for ten seconds.
 * 10. A check that depends on another is silent while that one is down by the lists, or paused since,
 *    and no pop-up tells of it before that one was read once more. It excuses no green.
 * 11. Without a program to show pop-ups the list has them. The newest of each subject, five at most, are
 *    shown by the next such program, if they are still so; of one about several things, something has to be.
 * 12. A run is told of as too short, too long or without a start only if it was so, and once, also
 *    if it is told while it goes on; a clearly odd one is told, where nothing asks for quiet.
 * 13. Where a project's counts are asked for between its lists, a list is read at most the chosen minutes
 *    after the last one, and within a poll of a change of how many are down. Counts that are those of the
 *    newest list keep the icon green (9) like a read.
 */
import { judgeChat } from './chat-oracle.ts'
import { type Claim, readNotice } from './claims.ts'
import { overlaps } from './holds.ts'
import { falselyGreen } from './icon.ts'
import { recoveries } from './judge.ts'
import { judgeList } from './list-oracle.ts'
import type { Plans } from './plan.ts'
import { instantMs, type Outage, Record, type Watched } from './record.ts'
import { judgeRun, untoldRuns } from './runs.ts'
import type { Seen, Shown } from './seen.ts'
import { untold } from './untold.ts'
import type { Whole } from './whole.ts'
import { unreadLists } from './whole-lists.ts'

export interface Findings {
  readonly flips: number
  readonly missed: readonly string[]
  readonly doubled: readonly string[]
  readonly untrue: readonly string[]
  readonly green: readonly string[]
  readonly greenSeconds: number
  /** Seconds from the end of a fault to the next good list. */
  readonly worstRecovery: number
  readonly slow: readonly string[]
}

const second = 1_000
/** Notices that wait for a notification daemon. */
const mostKept = 5
const minute = 60 * second
/** Longer than any life: what came before one began is not told in it. */
const lifeMs = 12 * 60 * minute

export function judgeWhole(plans: Plans, whole: Whole): Findings {
  return new Oracle(new Record(plans, whole)).judge()
}

class Oracle {
  readonly #record: Record
  readonly #missed: string[] = []
  readonly #doubled: string[] = []
  readonly #untrue: string[] = []
  /** On the screen, by subject. */
  readonly #screen = new Map<string, Shown>()
  /** The newest of each subject, also if its daemon is gone. */
  readonly #digests = new Map<string, Shown>()
  #isDaemonThere = true
  /** Made while no program was there to show it. */
  readonly #unshown = new Map<string, Shown>()
  /** The most of them at a time since the daemon went. */
  #mostUnshown = 0
  /** What the notice says of these checks, one whose place it takes said as well, in words of then. */
  #repeated: ReadonlySet<Watched | undefined> = new Set()
  readonly #madeAt = new WeakMap<Shown, number>()
  /** When the newest notice of a check was made that a daemon showed later. */
  readonly #lateOf = new Map<Watched, number>()
  /** Withdrawn last; a digest may take its place, and say again what it said. */
  #gone: { readonly at: number; readonly notice: Shown } | null = null

  constructor(record: Record) {
    this.#record = record
  }

  judge(): Findings {
    for (const one of this.#record.seen) this.#take(one)
    const chat = judgeChat(this.#record)
    this.#missed.push(...untold(this.#record), ...untoldRuns(this.#record), ...chat.missed)
    this.#missed.push(...unreadLists(this.#record))
    this.#doubled.push(...chat.doubled)
    this.#untrue.push(...judgeList(this.#record))
    this.#storms()
    const flips = this.#record.checks.reduce((sum, { outages }) => sum + outages.length, 0)
    const found = { missed: this.#missed, doubled: this.#doubled, untrue: this.#untrue }
    const reads = this.#record.reads.flat()
    const { seed, faults } = this.#record.plans
    const interruptions = interruptionsOf(this.#record.seen)
    const recovered = recoveries({ seed, faults, interruptions }, reads)
    return {
      flips,
      ...found,
      ...recovered,
      ...falselyGreen(this.#record.plans, this.#record.seen, this.#record.holds),
    }
  }

  #take(one: Seen): void {
    if (one.what === 'said' && one.about !== undefined) this.#said(one.at, one.about)
    if (one.what === 'popUp') this.#popUp(one.at, one.notice)
    if (one.what === 'withdrawn') this.#withdrawn(one.at, one.subject)
    if (one.what === 'late') this.#late(one.at, one.notice)
    if (one.what === 'ended') {
      this.#unshown.clear()
      this.#mostUnshown = 0
    }
    if (one.what === 'daemon') {
      if (one.on) this.#daemonCame(one.at)
      else this.#screen.clear()
      this.#isDaemonThere = one.on
    }
  }

  /** A bot’s message about an outage and a notice of it are the same news. */
  #said(at: number, { project, uuid }: { readonly project: number; readonly uuid: string }): void {
    const check = this.#record.checks.find((one) => one.project === project && one.uuid === uuid)
    const outage = check && this.#record.current(check, at)
    if (outage !== undefined) outage.isSaid = true
  }

  /** Rule 11: it is still so, as far as it says what is so now, and comes before what was said since. */
  #late(at: number, notice: Shown): void {
    this.#unshown.delete(notice.subject)
    this.#screen.set(notice.subject, notice)
    const madeAt = this.#madeAt.get(notice) ?? at
    // One about several things stays until none of them is so.
    for (const claim of notice.lines.length > 0 ? [] : readNotice(notice).claims) {
      const check = this.#record.checkOf(claim)
      if (check === undefined) continue
      const read = this.#record.newest(check, at)
      const isPast = claim.now === null || claim.says === 'back' || claim.says === 'was'
      if (!isPast && read && !agrees(claim, read))
        this.#untrue.push(
          this.#record.say(at, `kept for a daemon: “${claim.text}”, but it isn’t so`),
        )
      const since = this.#lateOf.get(check) ?? madeAt
      if (since > madeAt)
        this.#untrue.push(
          this.#record.say(at, `kept for a daemon: “${claim.text}”, after what was said later`),
        )
      this.#lateOf.set(check, Math.max(since, madeAt))
    }
  }

  /** Rule 11: what nobody has seen is shown now, as far as it is few and still so. */
  #daemonCame(at: number): void {
    const kept = [...this.#unshown.values()]
    const most = this.#mostUnshown
    this.#unshown.clear()
    this.#mostUnshown = 0
    // Some were given up for others, which may be over by now.
    if (most > mostKept) return
    const late = this.#record.seen.flatMap((one) =>
      one.what === 'late' && one.at >= at && one.at < at + second ? [one.notice.subject] : [],
    )
    for (const { subject, title } of kept)
      if (!late.includes(subject))
        this.#missed.push(this.#record.say(at, `“${title}” is not shown by the daemon that came`))
  }

  #popUp(at: number, notice: Shown): void {
    this.#madeAt.set(notice, at)
    if (!this.#isDaemonThere) {
      this.#unshown.set(notice.subject, notice)
      this.#mostUnshown = Math.max(this.#mostUnshown, this.#unshown.size)
    }
    const { claims, unread } = readNotice(notice)
    for (const text of unread)
      if (notice.kind !== 'trouble')
        this.#untrue.push(this.#record.say(at, `not understood: “${text}”`))
    const said = new Map<Watched, Claim>()
    const before = this.#screen.get(notice.subject)
    const earlier = before ?? this.#digests.get(notice.subject)
    if (notice.kind === 'digest') this.#digests.set(notice.subject, notice)
    // A digest that takes the place of another says again what that said.
    const gone = this.#gone !== null && at - this.#gone.at < instantMs ? this.#gone.notice : null
    const whole = [earlier, gone].flatMap((one) => (one === undefined || one === null ? [] : one))
    const texts = whole.flatMap(({ title, lines }) => [title, ...lines.map(({ text }) => text)])
    const repeated = new Set(notice.kind === 'digest' ? texts : [])
    const replaced = notice.kind === 'digest' ? whole.flatMap((one) => readNotice(one).claims) : []
    this.#repeated = new Set(replaced.map((claim) => this.#record.checkOf(claim)))
    for (const claim of claims) {
      const check = this.#record.checkOf(claim)
      if (check === undefined) continue
      said.set(check, claim)
      if (repeated.has(claim.text)) this.#repeats(at, check, claim)
      else this.#claim(at, notice, check, claim)
    }
    this.#screen.set(notice.subject, notice)
    if (before !== undefined) this.#replaced(at, before, said)
  }

  /** After a crash it may speak of another outage in the same words. */
  #repeats(at: number, check: Watched, claim: Claim): void {
    const outage = claim.now === 'down' ? this.#record.current(check, at) : undefined
    if (outage?.told.length === 0) outage.told.push({ at, how: claim.text })
  }

  #claim(at: number, notice: Shown, check: Watched, claim: Claim): void {
    const read = this.#record.newest(check, at)
    const name = `${check.label}: “${claim.text}”`
    if (claim.now !== null) {
      if (read === null) {
        this.#untrue.push(this.#record.say(at, `${name}, but nothing was read since the start`))
        return
      }
      if (!agrees(claim, read))
        this.#untrue.push(
          this.#record.say(at, `${name}, but the newest list says ${read[0]?.status ?? 'nothing'}`),
        )
    }
    if (claim.says === 'late' && read !== null && !read.some(({ status }) => status === 'grace'))
      this.#untrue.push(
        this.#record.say(at, `${name}, but the newest list says ${read[0]?.status ?? 'nothing'}`),
      )
    this.#unwanted(at, notice, check, claim)
    if (claim.says === 'run') this.#oddRun(at, check, claim)
    else if (claim.says === 'back') this.#cameBack(at, check, claim)
    else if (claim.says === 'was') this.#pastOutages(at, check, claim)
    else if (claim.says === 'flapping') this.#changes(at, check, claim)
    else if (claim.now === 'down') this.#isDown(at, notice, check, claim)
    else if (claim.says === 'up') this.#isUp(at, check, claim)
    // A check's changes wait as one, and are told as what it is by then.
    if (claim.says === 'down' || claim.says === 'up')
      for (const one of this.#record.past(check, at)) one.isCounted ||= one.seenAt !== null
    if (claim.now !== null) check.last = { at, now: claim.now, before: check.last }
  }

  #oddRun(at: number, check: Watched, claim: Claim): void {
    const found = judgeRun(this.#record, at, check, claim)
    if (found?.is === 'doubled') this.#twice(at, check, found.how)
    else if (found !== null) this.#untrue.push(this.#record.say(at, found.how))
  }

  /** Rule 4: silenced, or of a kind that asks for no pop-up. */
  #unwanted(at: number, { kind }: Shown, check: Watched, claim: Claim): void {
    // They may have changed in this second.
    const chosen = this.#record.attentions(at - second, at).map(({ ways }) => {
      const ofKind = kind in ways ? ways[kind as keyof typeof ways] : 'banner'
      // A count of changes tells of outages, too, whatever the check is by then, and so does what was held back.
      const isUntold = claim.says === 'up' && this.#record.past(check, at).at(-1)?.told.length === 0
      const isOfOutage =
        claim.says === 'back' || ((claim.says === 'flapping' || isUntold) && pops(ways.down))
      return isOfOutage ? ways.down : ofKind
    })
    const [way] = chosen
    if (!chosen.some(pops))
      this.#untrue.push(
        this.#record.say(at, `a pop-up of kind ${kind}, for which “${way}” was chosen`),
      )
    if (kind === 'digest') return
    const silence = this.#record
      .silences(check)
      .find(
        (one) =>
          one.from + instantMs < at &&
          one.sureTo > at + instantMs &&
          !(one.isUntilChange && this.#isAnother(check, one.from, at)) &&
          !(one.on !== undefined && claim.says === 'was' && hasUntold(check, one.from)),
      )
    if (silence !== undefined)
      this.#untrue.push(
        this.#record.say(
          at,
          `${check.label}: “${claim.text}” during ${silence.how} of its ${silence.covers.of}`,
        ),
      )
    const quiet = this.#record.holds.quiet.find(
      (one) => one.from + minute < at && one.sureTo > at + instantMs,
    )
    if (quiet !== undefined)
      this.#untrue.push(this.#record.say(at, `${check.label}: “${claim.text}” in a quiet time`))
  }

  #twice(at: number, check: Watched, what: string): void {
    if (!this.#repeated.has(check)) this.#doubled.push(this.#record.say(at, what))
  }

  /** Whether the check changed since that earlier time, even if no list showed it. */
  #isAnother(check: Watched, earlier: number, at: number): boolean {
    if (this.#record.current(check, earlier) !== this.#record.current(check, at)) return true
    return check.outages.some(({ from, to }) => from > earlier && to < at)
  }

  #isDown(at: number, notice: Shown, check: Watched, claim: Claim): void {
    const outage = this.#record.current(check, at)
    if (outage === undefined) return
    const [first] = outage.told
    const earlier = outage.told.at(-1)
    const news = { at, how: claim.text }
    const isAlone = claim.says === 'down' && notice.lines.length === 0 && notice.kind !== 'digest'
    if (isAlone && this.#record.isTooSoon(check, at))
      this.#untrue.push(
        this.#record.say(at, `${check.label}: “${claim.text}” before what it depends on was read`),
      )
    if (earlier === undefined || first === undefined) {
      outage.told.push(news)
      return
    }
    const mayRemind = claim.says === 'still' && this.#isReminder(check, notice, earlier.at, at)
    if (!mayRemind && !this.#record.isAfterCrash(earlier.at, at))
      this.#twice(
        at,
        check,
        `${check.label}: “${claim.text}”, told ${this.#record.ago(earlier.at, at)} before as “${earlier.how}”`,
      )
    outage.told.push(news)
  }

  /** Whether somebody asked to be told again that it is down. */
  #isReminder(check: Watched, { kind }: Shown, earlier: number, at: number): boolean {
    const repeats = this.#record
      .attentions(earlier, at)
      .map(({ rules }) => rules.find(({ id }) => id === 'again')?.repeatMinutes ?? 0)
    const repeat = Math.min(...repeats.filter((minutes) => minutes > 0))
    // A clock that is set forward looks like sleep.
    const forward = Math.max(0, this.#record.aheadAt(at) - this.#record.aheadAt(earlier))
    if (at + forward - earlier >= repeat * minute - 5 * second) return true
    const over = this.#record
      .silences(check)
      .some((one) => one.from <= at && one.to >= earlier && one.sureTo <= at + instantMs)
    return over || (kind === 'digest' && at - earlier > minute)
  }

  #isUp(at: number, check: Watched, claim: Claim): void {
    const past = this.#record.past(check, at)
    // A lookup tells of what no list showed.
    const outage = past.findLast(({ seenAt }) => seenAt !== null) ?? past.at(-1)
    if (outage === undefined) return
    const before = outage.ups.at(-1)
    if (before !== undefined && !this.#record.isAfterCrash(before, at))
      this.#twice(
        at,
        check,
        `${check.label}: “${claim.text}”, told ${this.#record.ago(before, at)} before`,
      )
    outage.ups.push(at)
    if (outage.told.length > 0) return
    // By what the user was told last, of another outage since which nothing was told.
    if ([check.last, this.#record.known(check, at)].some((word) => word?.now === 'down')) {
      outage.isCounted = true
      return
    }
    if (!this.#mayTellUp(check, outage, at))
      this.#untrue.push(
        this.#record.say(
          at,
          `${check.label}: “${claim.text}”, but nobody was told that it was down`,
        ),
      )
    outage.told.push({ at, how: claim.text })
  }

  /** Whether “up again” may come although no pop-up told that it was down. */
  #mayTellUp(check: Watched, outage: Outage, at: number): boolean {
    const rules = this.#record.attentions(this.#knownSince(check, outage, at), at)
    if (outage.isSaid || rules.some(({ ways }) => ways.down === 'tray')) return true
    const isAwaited = this.#record
      .silences(check)
      .some((one) => one.isUntilChange && overlaps(one, outage.from, outage.to))
    return isAwaited || this.#isHeldFromBaseline(check, outage, at)
  }

  /** The end of what was so at the first list, held back until this one was over as well. */
  #isHeldFromBaseline(check: Watched, outage: Outage, at: number): boolean {
    const baseline = this.#record.baseline(check, at)
    const held = this.#record
      .past(check, at)
      .filter(({ to, told, ups }) => to > baseline && told.length === 0 && ups.length === 0)
    return [outage, ...(check.last === null ? held : [])].some((one) =>
      this.#record.isDownSinceBaseline(check, one, at),
    )
  }

  /** Of outages that ended while something else was down, only the last end is told. */
  #knownSince(check: Watched, { from }: Outage, at: number): number {
    const heard = check.last?.at ?? 0
    const before = check.outages.filter((one) => one.from > heard && one.from < from)
    const held = this.#record
      .silences(check)
      .filter((one) => one.how === 'dependency' && overlaps(one, from, at))
    const first = before.find(({ to }) => held.some((one) => overlaps(one, to, to)))
    return first?.from ?? from
  }

  /** A count of changes tells of every outage that the lists showed since the last word. */
  #changes(at: number, check: Watched, claim: Claim): void {
    const { last } = check
    const fresh = [...this.#record.past(check, at), this.#record.current(check, at)].filter(
      (one): one is Outage => one !== undefined && one.told.length === 0,
    )
    // What no list showed may still come by itself.
    for (const one of fresh)
      if (this.#isUnseen(check, one, at)) one.isCounted = true
      else one.told.push({ at, how: claim.text })
    const isChanged =
      fresh.length > 0 ||
      last === null ||
      last.now !== claim.now ||
      this.#changedSince(check, last.at, at)
    if (!isChanged && !this.#record.isAfterCrash(last.at, at))
      this.#twice(
        at,
        check,
        `${check.label}: “${claim.text}”, and nothing changed since ${this.#record.ago(last.at, at)} before`,
      )
    if (claim.now === 'up') this.#record.past(check, at).at(-1)?.ups.push(at)
  }

  #changedSince(check: Watched, from: number, at: number): boolean {
    return check.outages.some(
      (one) =>
        (one.from > from - 60 * second && one.from < at) ||
        (one.to > from - 60 * second && one.to < at),
    )
  }

  /** “Went down and came back N times”: the last so many that lists showed. */
  #cameBack(at: number, check: Watched, claim: Claim): void {
    const waits = (from: number): number[] =>
      this.#record.attentions(from, at).map((one) => one.afterMinutes * minute)
    const shortest = (from: number): number => Math.min(...waits(from)) - minute
    const untold = this.#record
      .past(check, at)
      .filter(
        (one) =>
          one.told.length === 0 &&
          (this.#isInMaintenance(check, one) ||
            (this.#record.readAfter(check, one.to) ?? one.to) - one.from >= shortest(one.from)),
      )
    const surelySeen = untold.filter((one) => !this.#isUnseen(check, one, at))
    const seen = surelySeen.length > 0 ? surelySeen : untold.filter(({ seenAt }) => seenAt !== null)
    const before = check.last
    const isAfterCrash = before !== null && this.#record.isAfterCrash(before.at, at)
    // Then it repeats what it said of one that a list showed; the others' flips tell of them.
    if (isAfterCrash && seen.length === 0) return
    // Those that surely lasted long enough first: of the others, some were ignored.
    const isSure = ({ from, to }: Outage): boolean => to - from >= Math.max(...waits(from))
    const inOrder = (seen.length > 0 ? seen : untold).toSorted(
      (one, other) => Number(isSure(one)) - Number(isSure(other)),
    )
    const chosen = inOrder.slice(-(claim.times ?? 1))
    for (const one of chosen) one.told.push({ at, how: claim.text })
    this.#record.past(check, at).at(-1)?.ups.push(at)
    if (chosen.length > 0 || isAfterCrash) return
    this.#twice(at, check, `${check.label}: “${claim.text}”, but no outage was untold`)
  }

  /** Its digest has outages of any length. */
  #isInMaintenance(check: Watched, { from, to }: Outage): boolean {
    const silences = this.#record.silences(check)
    return silences.some((one) => one.how === 'maintenance' && overlaps(one, from, to))
  }

  /** “Was down N times, last at …”: that one, and so many before it, of which nobody has heard. */
  #pastOutages(at: number, check: Watched, claim: Claim): void {
    const near = (within: number) =>
      this.#record
        .past(check, at)
        .filter(
          ({ from, pausedAt }) =>
            from > at - lifeMs &&
            (this.#beganThen(from, claim, at, within) ||
              (claim.isUnsure &&
                pausedAt !== null &&
                this.#beganThen(pausedAt, claim, at, within))),
        )
    // Clocks differ, but of two that are minutes apart it means the nearer one.
    const past = near(1).length > 0 ? near(1) : near(3)
    const untold = past.filter(({ told }) => told.length === 0)
    const isRepeated = ({ told }: Outage): boolean =>
      told.some((one) => this.#record.isAfterCrash(one.at, at))
    const last =
      untold.findLast(({ seenAt }) => seenAt === null) ?? untold.at(-1) ?? past.findLast(isRepeated)
    if (last === undefined) {
      const before = past.flatMap(({ told }) => told).at(-1)
      const isPause = check.breaks.some((one) =>
        this.#record.isNear(one, claim.minuteOfDay ?? 0, at),
      )
      // “Possibly”: told of the pause.
      if (isPause && claim.isUnsure) return
      if (before !== undefined)
        this.#twice(
          at,
          check,
          `${check.label}: “${claim.text}”, told ${this.#record.ago(before.at, at)} before as “${before.how}”`,
        )
      else if (!isPause)
        this.#untrue.push(this.#record.say(at, `${check.label}: “${claim.text}”, which never was`))
      return
    }
    const earlier = check.outages.filter(
      (one) =>
        one.from < last.from &&
        (one.told.length === 0 ? this.#isUnseen(check, one, at) : this.#mayRepeat(one, at)),
    )
    const many = claim.times ?? earlier.length + 1
    // A list just before a crash or an end may have told of the others after all.
    const sure = earlier.filter(({ seenAt }) => seenAt === null)
    for (const one of earlier) if (!sure.includes(one)) one.isCounted = true
    const others = sure.length < many - 1 ? earlier : sure
    const chosen = [...others.slice(Math.max(0, others.length - (many - 1))), last]
    for (const one of chosen) one.told.push({ at, how: claim.text })
    if (claim.now === 'up') last.ups.push(at)
    if (chosen.length < many && !claim.isUnsure)
      this.#twice(
        at,
        check,
        `${check.label}: “${claim.text}”, but only ${chosen.length} such outages were untold`,
      )
  }

  #beganThen(from: number, { minuteOfDay }: Claim, at: number, within: number): boolean {
    return minuteOfDay === null || this.#record.isNear(from, minuteOfDay, at, within)
  }

  /** No list had it, or only one just before a crash or the end of a run. */
  #isUnseen(check: Watched, outage: Outage, at: number): boolean {
    const { seenAt } = outage
    return (
      seenAt === null ||
      this.#record.isAfterCrash(seenAt, at) ||
      !this.#record.isTakenIn(check, outage)
    )
  }

  /** Told just before a crash. */
  #mayRepeat({ told }: Outage, at: number): boolean {
    return told.every((one) => this.#record.isAfterCrash(one.at, at))
  }

  /** Rule 5. */
  #replaced(at: number, before: Shown, said: ReadonlyMap<Watched, Claim>): void {
    for (const claim of readNotice(before).claims) {
      const check = this.#record.checkOf(claim)
      if (check === undefined || said.has(check) || claim.now !== 'down') continue
      this.#lost(at, before, check, claim, 'replaced by one that leaves it out')
    }
  }

  #withdrawn(at: number, subject: string): void {
    this.#unshown.delete(subject)
    const notice = this.#screen.get(subject)
    if (notice === undefined) return
    this.#screen.delete(subject)
    this.#gone = { at, notice }
    for (const claim of readNotice(notice).claims) {
      const check = this.#record.checkOf(claim)
      if (check !== undefined && claim.now === 'down')
        this.#lost(at, notice, check, claim, 'withdrawn')
    }
  }

  /** A pop-up that said so is gone, although it is so. */
  #lost(at: number, notice: Shown, check: Watched, claim: Claim, how: string): void {
    // Told anew, or that it was up since then: it is down again.
    if (check.last !== null && (check.last.at >= at || check.last.now === 'up')) return
    // What it said was over by a list: this is another outage, told by a notice of its own.
    const madeAt = this.#madeAt.get(notice) ?? at
    if (this.#record.wasUpIn(check, madeAt + instantMs, at)) return
    if (!(this.#record.newest(check, at) ?? []).every(({ status }) => status === 'down')) return
    if (this.#record.newest(check, at) === null) return
    const isElsewhere = [...this.#screen.values()].some((notice) =>
      readNotice(notice).claims.some(
        (one) => this.#record.checkOf(one) === check && one.now === 'down',
      ),
    )
    // In the same step, or in the next notice of a storm.
    const isToldAnew = this.#record.seen.some(
      (one) =>
        one.what === 'popUp' &&
        one.at >= at &&
        one.at <= at + 11 * second &&
        readNotice(one.notice).claims.some(
          (each) => this.#record.checkOf(each) === check && each.now === 'down',
        ),
    )
    const isSilenced = this.#record
      .silences(check)
      .some((one) => overlaps(one, at - second, at + second))
    const isOpened = this.#record.seen.some(
      (one) =>
        one.what === 'act' &&
        one.act.did === 'open' &&
        one.act.uuid === check.uuid &&
        Math.abs(one.at - at) < 5 * second,
    )
    const isRemoved = this.#record.seen.some(
      (one) =>
        one.what === 'act' &&
        one.act.did === 'removed' &&
        one.act.project === check.project &&
        Math.abs(one.at - at) < 5 * second,
    )
    if (!isElsewhere && !isToldAnew && !isSilenced && !isOpened && !isRemoved)
      this.#missed.push(
        this.#record.say(at, `${check.label}: “${claim.text}” was ${how}, though it is down`),
      )
  }

  /** Rule 6. Chat, problems of Belfry and odd runs are counted separately. */
  #storms(): void {
    const times = this.#record.seen.flatMap((one) =>
      one.what === 'popUp' && !others.has(one.notice.kind) ? [one.at] : [],
    )
    for (const [place, at] of times.entries()) {
      // A clock set forward is as if the computer had slept.
      const passed = (to: number): number =>
        to - at + Math.max(0, this.#record.aheadAt(to) - this.#record.aheadAt(at))
      const near = times.filter((one, other) => other >= place && passed(one) < 10 * second)
      // A crash just after a pop-up costs the memory of it.
      const many = near.filter((one) => !this.#record.isAfterCrash(one, near.at(-1) ?? one)).length
      if (many > 3) {
        this.#doubled.push(this.#record.say(at, `${many} pop-ups within ten seconds`))
        return
      }
    }
  }
}

const others: ReadonlySet<string> = new Set([
  ...['direct', 'mention', 'message', 'alertWord', 'trouble'],
  ...['tooShort', 'tooLong', 'noStart'],
])

function pops(way: string): boolean {
  return way === 'sound' || way === 'banner'
}

function agrees({ now, says }: Claim, read: readonly { readonly status: string }[]): boolean {
  // What came back and was paused (and resumed) or deleted since then did come back.
  const isPast =
    says === 'back' && read.every(({ status }) => ['paused', 'new', 'nothing'].includes(status))
  return isPast || read.some(({ status }) => isSo(now, status))
}

function isSo(now: 'up' | 'down' | null, status: string): boolean {
  return now === 'down' ? status === 'down' : status === 'up' || status === 'grace'
}

/** When nothing could be read for a reason of its own: off, asleep, or between two keys. */
function interruptionsOf(seen: readonly Seen[]): { readonly from: number; readonly to: number }[] {
  const found: { from: number; to: number }[] = []
  for (const one of seen) {
    if (one.what === 'ended') found.push({ from: one.at, to: one.at })
    if (one.what === 'began') found.push({ from: found.at(-1)?.from ?? one.at, to: one.at })
    if (one.what === 'slept') found.push({ from: one.since, to: one.at })
    if (one.what !== 'act') continue
    const isOfAccount = one.act.did === 'added' || one.act.did === 'removed'
    const isOfKey = one.act.did === 'other' && one.act.what === 'replaceKey'
    if (isOfAccount || isOfKey) found.push({ from: one.at - 5 * minute, to: one.at + 5 * minute })
  }
  return found
}

/** What was over before an outage of what the check depends on is no part of that. */
function hasUntold(check: Watched, before: number): boolean {
  return check.outages.some(({ to, told }) => to <= before && told.length === 0)
}
