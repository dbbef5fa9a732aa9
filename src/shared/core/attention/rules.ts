import * as v from 'valibot'
import type { AccountId } from '../account.ts'
import { conversationKey, topicKey } from '../chat/conversation.ts'
import { noTopic, withoutEnds } from '../chat/topic-name.ts'
import type { Check } from '../checks/check.ts'
import { memoized } from '../identity.ts'
import { type Immutable, idSchema, numberId, tagSchema } from '../schemas.ts'
import { codePointLength } from '../text-length.ts'
import { everyWords } from '../time.ts'
import { lowerFirst } from '../wording.ts'
import {
  type AttentionEvent,
  type EventKind,
  eventKinds,
  isWished,
  type MessageEvent,
} from './event.ts'
import type { Reason } from './notice.ts'
import { quietHoursSchema } from './quiet-hours.ts'
import { oddKinds, type RunLimits } from './runs/usual-runs.ts'

export const ruleLimits = { rules: 200, afterMinutes: 24 * 60, runMinutes: 7 * 24 * 60 } as const

const minutes = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(ruleLimits.afterMinutes))
const runMinutes = v.exactOptional(
  v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(ruleLimits.runMinutes))),
)
/** From loud to silent; each includes the next. `tray`: only in the list and on the icon. */
const waySchema = v.picklist(['sound', 'banner', 'tray', 'nothing'])
export type Way = v.InferOutput<typeof waySchema>

function newWay(way: Way) {
  return v.optional(waySchema, way)
}

/** A rule matches if all its conditions do; null matches anything. The first match decides. */
const ruleSchema = v.object({
  id: idSchema,
  /** Empty: every kind. */
  kinds: v.array(v.picklist(eventKinds)),
  accountId: v.nullable(idSchema),
  tag: v.nullable(tagSchema),
  checkId: v.nullable(idSchema),
  channelId: v.nullable(numberId),
  topic: v.nullable(v.pipe(v.string(), v.maxLength(1_000))),
  senderId: v.nullable(numberId),
  /** Null: as without this rule. */
  way: v.nullable(waySchema),
  /** How long a check must be down before it is notified; null: as without this rule. */
  afterMinutes: v.nullable(minutes),
  /** How often to repeat an outage that nobody has seen; 0: never; null: as without this rule. */
  repeatMinutes: v.exactOptional(v.nullable(minutes)),
  /** A run that takes longer is too long, and one that takes less too short; 0: none is; null: as learned. */
  longerMinutes: runMinutes,
  shorterMinutes: runMinutes,
  /** The program of the user's own to run with the notification; null: as without this rule. */
  programId: v.exactOptional(v.nullable(idSchema)),
})
export type Rule = Immutable<v.InferOutput<typeof ruleSchema>>

export const attentionSchema = v.object({
  /** Defaults where no rule decides. For messages the chat's own settings come first. */
  ways: v.object({
    ...v.entriesFromList(eventKinds, waySchema),
    // Older versions did not write them.
    ...{ tooShort: newWay('banner'), tooLong: newWay('banner'), noStart: newWay('tray') },
  }),
  afterMinutes: minutes,
  rules: v.pipe(v.array(ruleSchema), v.maxLength(ruleLimits.rules)),
  quietHours: quietHoursSchema,
  /** The desktop's do-not-disturb applies to our notifications too. */
  followSystem: v.boolean(),
})
export type AttentionSettings = Immutable<v.InferOutput<typeof attentionSchema>>

export const defaultAttention: v.InferOutput<typeof attentionSchema> = {
  ways: {
    down: 'sound',
    late: 'tray',
    recovered: 'banner',
    missed: 'banner',
    tooShort: 'banner',
    tooLong: 'banner',
    noStart: 'tray',
    direct: 'sound',
    mention: 'sound',
    alertWord: 'sound',
    message: 'sound',
    trouble: 'banner',
  },
  afterMinutes: 0,
  rules: [],
  quietHours: { enabled: false, zone: null, windows: [], exceptTags: [], exceptPeople: [] },
  followSystem: true,
}

interface AlertLevel {
  readonly name: string
  /** One sentence. */
  readonly words: string
  readonly ways: AttentionSettings['ways']
}

function all(way: Way): AttentionSettings['ways'] {
  const each = Object.keys(defaultAttention.ways).map((kind) => [kind, way])
  return Object.fromEntries(each) as AttentionSettings['ways'] // has the same keys
}

/** What each kind of event does, in three words. Any other choice is the user's own. */
export const alertLevels: readonly AlertLevel[] = [
  {
    name: 'Quiet',
    words:
      'Checks that go down and problems in Belfry itself show a notification, without a sound; the rest is listed under the bell.',
    ways: { ...all('tray'), down: 'banner', trouble: 'banner' },
  },
  {
    name: 'Normal',
    words:
      'Checks that go down and messages make a sound, recoveries show a notification, and late checks are only listed.',
    ways: defaultAttention.ways,
  },
  {
    name: 'Loud',
    words:
      'Everything makes a sound, including late checks, recoveries, and outages while Belfry was off.',
    ways: all('sound'),
  },
]

/** The level that these ways amount to; null if they are the user's own. */
export function levelOf(ways: AttentionSettings['ways']): AlertLevel | null {
  const isSame = (level: AlertLevel) => eventKinds.every((kind) => level.ways[kind] === ways[kind])
  return alertLevels.find(isSame) ?? null
}

/** The same for ways that an older version wrote, which knew no odd runs. */
export function oldLevelOf(ways: Readonly<Record<string, unknown>>): AlertLevel | null {
  if (oddKinds.some((kind) => kind in ways)) return null
  const known = eventKinds.filter((kind) => !oddKinds.some((odd) => odd === kind))
  return alertLevels.find((one) => known.every((kind) => one.ways[kind] === ways[kind])) ?? null
}

/** What the rules decide about an event, before silences and quiet. */
export interface Verdict {
  readonly way: Way
  readonly afterMinutes: number
  /** 0: never. */
  readonly repeatMinutes: number
  readonly reasons: readonly Reason[]
}

export const kindLabels: Readonly<Record<EventKind, string>> = {
  down: 'Check goes down',
  late: 'Check is late',
  recovered: 'Check recovers',
  missed: 'Down while Belfry was off',
  tooShort: 'Run ends too soon',
  tooLong: 'Run takes too long',
  noStart: 'Run without its start signal',
  direct: 'Direct message',
  mention: 'You are mentioned',
  alertWord: 'Alert word',
  message: 'Other message',
  trouble: 'Problem in Belfry',
}

export const wayLabels: Readonly<Record<Way, string>> = {
  sound: 'Notification with sound',
  banner: 'Notification',
  tray: 'Silent',
  nothing: 'Nothing',
}

/** Whether an event of this kind may make a sound. */
export function mayRing({ ways, rules }: AttentionSettings, kind: EventKind): boolean {
  const isOf = ({ kinds }: Rule) => kinds.length === 0 || kinds.includes(kind)
  return ways[kind] === 'sound' || rules.some((rule) => rule.way === 'sound' && isOf(rule))
}

/** "Check goes down or check is late". */
export function kindsWords(kinds: readonly EventKind[]): string {
  if (kinds.length === 0) return 'Everything'
  return kinds
    .map((kind, i) => (i === 0 ? kindLabels[kind] : lowerFirst(kindLabels[kind])))
    .join(' or ')
}

/** By the first rule that matches, else by the kind's default within the chat's own settings. */
export const verdictOf = memoized((event: AttentionEvent, settings: AttentionSettings): Verdict => {
  if (event.kind === 'reminder' || isWished(event)) return remindedOf
  const { loud, late, again } = firstRules(event, settings)
  const isDown = event.kind === 'down'
  const afterMinutes = isDown ? (late?.afterMinutes ?? settings.afterMinutes) : 0
  const repeats = isDown ? (again?.repeatMinutes ?? 0) : 0
  if (loud?.way != null) {
    const repeatMinutes = popsUp(loud.way) ? repeats : 0
    return { way: loud.way, afterMinutes, repeatMinutes, reasons: ruleReasons(loud, loud.way) }
  }
  const way = settings.ways[event.kind]
  const reasons = defaultReasons(settings.ways, event.kind)
  const repeatMinutes = popsUp(way) ? repeats : 0
  const usual = { afterMinutes, repeatMinutes }
  if (event.of !== 'message') return { way, ...usual, reasons }
  const { chat } = event
  if (!chat.notify)
    return {
      way: 'nothing',
      ...usual,
      reasons: [{ by: 'chat', text: 'Your chat settings turn this notification off.' }],
    }
  if (way === 'sound' && !chat.sound)
    return {
      way: 'banner',
      ...usual,
      reasons: [...reasons, { by: 'chat', text: 'Your chat settings turn this sound off.' }],
    }
  return { way, ...usual, reasons }
})

/** The program to run when this is told: that of the first matching rule that has one; null: none. */
export function programOf(event: AttentionEvent, { rules }: AttentionSettings): string | null {
  if (isWished(event)) return null
  return rules.find((rule) => rule.programId != null && fits(rule, event))?.programId ?? null
}

/** For each of the three settings, the first matching rule that has it. */
function firstRules(event: AttentionEvent, { rules }: AttentionSettings) {
  let loud: Rule | null = null
  let late: Rule | null = null
  let again: Rule | null = null
  for (const rule of rules) {
    if (!fits(rule, event)) continue
    if (rule.way !== null) loud ??= rule
    if (rule.afterMinutes !== null) late ??= rule
    if (rule.repeatMinutes != null) again ??= rule
  }
  return { loud, late, again }
}

/** The limits for a check's runs that rules of these kinds set, instead of what was learned. */
export function runLimitsOf(
  { rules }: AttentionSettings,
  accountId: AccountId,
  { id, tags }: Pick<Check, 'id' | 'tags'>,
): RunLimits | null {
  const longer = limitIn(rules, 'tooLong', 'longerMinutes')
  const shorter = limitIn(rules, 'tooShort', 'shorterMinutes')
  return longer === null && shorter === null ? null : { longer, shorter }

  function limitIn(
    all: readonly Rule[],
    kind: EventKind,
    name: 'longerMinutes' | 'shorterMinutes',
  ): number | null {
    const rule = all.find(
      (one) =>
        one[name] != null &&
        one.kinds.includes(kind) &&
        (one.accountId === null || one.accountId === accountId) &&
        (one.checkId === null || one.checkId === id) &&
        (one.tag === null || tags.includes(one.tag)),
    )
    return rule?.[name] == null ? null : rule[name] * 60
  }
}

const remindedOf: Verdict = {
  way: 'sound',
  afterMinutes: 0,
  repeatMinutes: 0,
  reasons: [{ by: 'default', text: 'You wanted to be reminded of this.' }],
}

function popsUp(way: Way): boolean {
  return way === 'sound' || way === 'banner'
}

/** Cached, since thousands of decisions may share them. */
const ruleReasons = memoized((rule: Rule, way: Way): readonly Reason[] => [
  { by: 'rule', text: `Your rule “${ruleWords(rule)}”: ${lowerFirst(wayLabels[way])}.` },
])

const defaultReasons = memoized(
  (ways: AttentionSettings['ways'], kind: EventKind): readonly Reason[] => [
    {
      by: 'default',
      text: `Your default for “${kindLabels[kind]}”: ${lowerFirst(wayLabels[ways[kind]])}.`,
    },
  ],
)

function fits(rule: Rule, event: AttentionEvent): boolean {
  return (
    (rule.kinds.length === 0 || rule.kinds.some((kind) => kind === event.kind)) &&
    (rule.accountId === null || rule.accountId === event.accountId) &&
    fitsCheck(rule, event) &&
    fitsMessage(rule, event)
  )
}

function fitsCheck({ tag, checkId }: Rule, event: AttentionEvent): boolean {
  if (tag === null && checkId === null) return true
  return (
    event.of === 'check' &&
    (tag === null || event.tags.includes(tag)) &&
    (checkId === null || checkId === event.checkId)
  )
}

function fitsMessage({ channelId, topic, senderId }: Rule, event: AttentionEvent): boolean {
  if (channelId === null && topic === null && senderId === null) return true
  return (
    event.of === 'message' &&
    (channelId === null || channelId === event.channelId) &&
    (topic === null || fitsTopic(topic, event)) &&
    (senderId === null || senderId === event.senderId)
  )
}

/** The empty topic fits by the realm's name for it, and by the service's. */
function fitsTopic(typed: string, { topic, channelId, key }: MessageEvent): boolean {
  if (topic === null || channelId === null) return false
  const name = withoutEnds(typed)
  const isEmpty = key === conversationKey({ kind: 'topic', channelId, topic: '' })
  return topicKey(name) === topicKey(topic) || (isEmpty && name === noTopic) || isCutTo(name, topic)
}

/** No server cuts a topic to less. */
const shortestCut = 60

/** Whether the server would cut the typed name to this one. */
function isCutTo(typed: string, topic: string): boolean {
  const length = codePointLength(topic)
  return (
    topic.endsWith('...') &&
    length >= shortestCut &&
    codePointLength(typed) > length &&
    topicKey(typed).startsWith(topicKey(topic.slice(0, -3)))
  )
}

/** A rule in one line, without the names that only the state knows. */
function ruleWords(rule: Rule): string {
  const where = [
    rule.accountId === null ? null : 'one account',
    rule.tag === null ? null : `#${rule.tag}`,
    rule.checkId === null ? null : 'one check',
    rule.channelId === null ? null : 'one channel',
    rule.topic === null ? null : `topic ${rule.topic}`,
    rule.senderId === null ? null : 'one person',
  ].filter((part) => part !== null)
  const then = [
    rule.way === null ? null : lowerFirst(wayLabels[rule.way]),
    rule.afterMinutes === null ? null : `after ${rule.afterMinutes} min`,
    rule.repeatMinutes == null ? null : `again ${everyWords(`${rule.repeatMinutes} min`)}`,
    ...runLimitWords(rule),
    rule.programId == null ? null : 'run a program',
  ].filter((part) => part !== null)
  return `${[kindsWords(rule.kinds), ...where].join(' · ')} → ${then.join(', ') || 'default'}`
}

/** "longer than 120 min". A limit counts only for a kind that the rule is for. */
export function runLimitWords({ kinds, longerMinutes, shorterMinutes }: Rule): string[] {
  const words = (kind: EventKind, name: string, limit: number | null | undefined): string[] =>
    limit == null || !kinds.includes(kind)
      ? []
      : [limit === 0 ? `never ${name}` : `${name} than ${limit} min`]
  return [
    ...words('tooLong', 'longer', longerMinutes),
    ...words('tooShort', 'shorter', shorterMinutes),
  ]
}

/** Matches every event and changes nothing: the start of a new rule. */
export const anyRule: Omit<Rule, 'id'> = {
  kinds: [],
  accountId: null,
  tag: null,
  checkId: null,
  channelId: null,
  topic: null,
  senderId: null,
  way: null,
  afterMinutes: null,
}
