import { codePointLength } from '../text-length.ts'
import type { Realm } from './realm.ts'

/** From this feature level on, topics may be empty. */
const emptyTopicLevel = 370

/** What older servers call a topic that was left empty; later ones still take it for that. */
export const noTopic = '(no topic)'

/** White space to the server, which is written in Python; `trim` also removes U+FEFF. */
const space = String.raw`[\p{White_Space}\x1c-\x1f]`
const ends = new RegExp(`^${space}+|(?<!${space})${space}+$`, 'gu')

/** A topic without the white space that the server removes. */
export function withoutEnds(topic: string): string {
  return topic.replace(ends, '')
}

/**
 * The name that the server gives to a topic that was typed, linked or stored: every topic goes
 * through here before it becomes a key, or one topic would be two places (chat API, "Send a message",
 * `topic`). Topics that the server sends have this name already.
 */
export function serverTopic(
  realm: Pick<Realm, 'server' | 'limits' | 'emptyTopicName'>,
  topic: string,
): string {
  const name = withoutEnds(topic)
  // Its rules are known from the first registration on.
  if (realm.server === null) return name
  const { topicLength } = realm.limits
  if (codePointLength(name) > topicLength)
    return `${[...name].slice(0, Math.max(0, topicLength - 3)).join('')}...`
  if ((realm.server.featureLevel ?? emptyTopicLevel) < emptyTopicLevel) return name || noTopic
  return name === noTopic || name === realm.emptyTopicName ? '' : name
}
