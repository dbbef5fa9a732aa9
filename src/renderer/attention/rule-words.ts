import { accountById } from '#shared/core/account.ts'
import { type EventKind, eventKinds } from '#shared/core/attention/event.ts'
import {
  type AttentionSettings,
  kindLabels,
  kindsWords,
  type Rule,
  runLimitWords,
  type Way,
  wayLabels,
} from '#shared/core/attention/rules.ts'
import { checkName } from '#shared/core/checks/check.ts'
import type { AppState } from '#shared/core/state.ts'
import { everyWords } from '#shared/core/time.ts'

/** Which events a rule matches, in words. */
export function ruleChoice(state: AppState, rule: Rule): string {
  return [kindsWords(rule.kinds), ...places(state, rule)].join(' · ')
}

function places(state: AppState, rule: Rule): string[] {
  const { accountId, tag, checkId, channelId, topic, senderId } = rule
  const account = accountId === null ? null : accountById(state, accountId)
  const realm = state.realms.get(accountId ?? '')
  const place: string[] = []
  if (accountId !== null) place.push(account?.label ?? 'a removed account')
  if (tag !== null) place.push(`#${tag}`)
  if (checkId !== null) {
    const check = state.boards.get(accountId ?? '')?.checks.get(checkId)
    place.push(check === undefined ? 'a deleted check' : checkName(check))
  }
  if (channelId !== null) {
    const channel = realm?.channels.get(channelId) ?? realm?.otherChannels.get(channelId)
    place.push(`channel ${channel?.name ?? channelId}`)
  }
  if (topic !== null) place.push(`topic ${topic}`)
  if (senderId !== null)
    place.push(`from ${realm?.users.get(senderId)?.name ?? `user ${senderId}`}`)
  return place
}

/** What a rule does, in words, with the default for what it leaves open. */
export function ruleEffect(
  rule: Rule,
  settings: AttentionSettings,
  { programs }: Pick<AppState, 'programs'>,
): string {
  const after =
    rule.afterMinutes === null
      ? null
      : rule.afterMinutes === 0
        ? 'at once'
        : `after ${rule.afterMinutes} min`
  const way = rule.way === null ? inheritedWords(rule.kinds, settings) : wayLabels[rule.way]
  const again = rule.repeatMinutes ? `again ${everyWords(`${rule.repeatMinutes} min`)}` : null
  const { programId } = rule
  const run =
    programId == null ? null : `run ${programs.get(programId)?.name ?? 'a program that is gone'}`
  return [way, after, again, ...runLimitWords(rule), run].filter((part) => part !== null).join(', ')
}

/** "Default: Notification", without the way if the kinds' defaults differ. */
export function inheritedWords(
  kinds: readonly EventKind[],
  { ways }: Pick<AttentionSettings, 'ways'>,
): string {
  const found = new Set<Way>(kinds.map((kind) => ways[kind]))
  const [only] = found
  return found.size === 1 && only !== undefined ? `Default: ${wayLabels[only]}` : 'Default'
}

export const kinds = eventKinds.map((kind) => [kind, kindLabels[kind]] as const)

export const kindHelp: Readonly<Partial<Record<EventKind, string>>> = {
  missed: 'It came back up before Belfry looked: between two reads, or while it was off or asleep.',
  tooShort: 'In less than a tenth of the time that its runs usually take, as Belfry has learned.',
  tooLong: 'More than three times as long as its runs usually take; told while it is running.',
  noStart: 'It ended well, but the signal that its runs start with did not come.',
  alertWord: 'One of the alert words that you set up in the chat itself.',
  message: 'Only those that your chat settings notify you about.',
  trouble: 'A key was rejected, or a reply was not sent.',
}

export const ways: readonly (readonly [way: Way, label: string])[] = [
  ['sound', 'Sound'],
  ['banner', 'Notification'],
  ['tray', 'Silent'],
  ['nothing', 'Nothing'],
]
