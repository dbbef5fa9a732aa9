import type { EventKind } from '#shared/core/attention/event.ts'
import type { Way } from '#shared/core/attention/rules.ts'

/** Every kind as the page names it, in its order. */
export const kinds: readonly (readonly [kind: EventKind, label: string])[] = [
  ['down', 'Check goes down'],
  ['late', 'Check is late'],
  ['recovered', 'Check recovers'],
  ['missed', 'Was down unseen'],
  ['direct', 'Direct message'],
  ['mention', 'Mention of you'],
  ['alertWord', 'Alert word'],
  ['message', 'Other message'],
  ['trouble', 'Belfry in trouble'],
]

export const kindLabels = new Map(kinds)

/** What needs more than its label. */
export const kindHelp: Readonly<Partial<Record<EventKind, string>>> = {
  missed: 'It went down and came back between two reads, or while this computer slept.',
  alertWord: 'One of the alert words that you keep in the chat itself.',
  message: 'Only those that your chat settings ask to be told of.',
  trouble: 'A key was rejected, or a reply was not sent.',
}

export const ways: readonly (readonly [way: Way, label: string])[] = [
  ['sound', 'Sound'],
  ['banner', 'Notification'],
  ['tray', 'Icon only'],
  ['nothing', 'Nothing'],
]

export const wayLabels: Readonly<Record<Way, string>> = {
  sound: 'Notification with sound',
  banner: 'Notification',
  tray: 'Icon only',
  nothing: 'Nothing',
}
