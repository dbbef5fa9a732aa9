import { codePointLength } from '../text-length.ts'
import type { Realm } from './realm.ts'

/** From this feature level on, topics may be empty. */
const emptyTopicLevel = 370

/** What older servers call a topic that was left empty; later ones still take it for that. */
const noTopic = '(no topic)'

/**
 * The name that the server gives to a topic that was typed, linked or stored: every topic goes
 * through here before it becomes a key, or one topic would be two places (chat API, "Send a message",
 * `topic`). Topics that the server sends have this name already.
 */
export function serverTopic(
  realm: Pick<Realm, 'server' | 'limits' | 'emptyTopicName'>,
  topic: string,
): string {
  // Not `trim`, which also removes U+FEFF, but not U+0085.
  const name = topic.replace(/^\p{White_Space}+|(?<!\p{White_Space})\p{White_Space}+$/gu, '')
  // Its rules are known from the first registration on.
  if (realm.server === null) return name
  const { topicLength } = realm.limits
  if (codePointLength(name) > topicLength)
    return `${[...name].slice(0, Math.max(0, topicLength - 3)).join('')}...`
  if ((realm.server.featureLevel ?? emptyTopicLevel) < emptyTopicLevel) return name || noTopic
  return name === noTopic || name === realm.emptyTopicName ? '' : name
}
