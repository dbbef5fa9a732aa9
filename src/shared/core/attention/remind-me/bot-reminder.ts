import type { Message } from '../../chat/message.ts'
import { narrowPlace } from '../../chat/narrow-link.ts'
import type { Realm } from '../../chat/realm.ts'

/**
 * Whether the server's bot reminds of a message, in whatever language: it mentions who wrote that,
 * and links to it. Nobody else can write as that bot, but what it says of a channel has the name in
 * it that somebody else chose.
 */
export function reminds({ users }: Realm, { conversation, senderId, html }: Message): boolean {
  return (
    conversation.kind === 'direct' &&
    conversation.userIds.length === 1 &&
    users.get(senderId)?.isSystem === true &&
    html.includes('"user-mention silent"') &&
    [...html.matchAll(plainLink)].some(([, hash = '']) => {
      const url = `https://realm/${hash}`
      return narrowPlace(url, url, -1)?.messageId != null
    })
  )
}

/** The servers shorten an address within the realm; a link made of a channel's name has a class. */
const plainLink = /<a href="[^"#]*(#narrow[^"]*)"/g
