import type { Emoji, Message } from '#shared/core/chat/message.ts'
import type { NarrowPlace } from './message-link.ts'

/** What the text of a message needs to know of its surroundings to be drawn. */
export interface MessageContext {
  /** The realm's address, which root-relative links belong to. */
  readonly baseUrl: string
  readonly myId: number | null
  /** The groups of users that I am in. */
  readonly myGroups: ReadonlySet<number>
  /** The present name of a user; null for someone we know nothing of. */
  readonly nameOf: (userId: number) => string | null
  readonly onLink: (url: string) => void
  /** Opens a place of the same realm in this window; false when we do not hold it. */
  readonly onPlace: (place: NarrowPlace) => boolean
  /**
   * Gets a picture of the realm through main, as a `data:` address; null where there is none. No
   * function at all while the user did not ask for this realm's pictures.
   */
  readonly loadPicture: ((path: string) => Promise<string | null>) | null
  /** The user asks for this realm's pictures, now and later. */
  readonly onShowPictures: () => void
}

/** Where the picture of an emoji is that has no character; null for none of this realm's. */
type EmojiPath = (emoji: Pick<Emoji, 'code' | 'type'>) => string | null

/** What a whole message needs. Made once per conversation. */
export interface ItemContext extends MessageContext {
  /** Opens a message in the browser. */
  readonly onOpenMessage: (messageId: number) => void
  /** Shows who somebody is. */
  readonly onPerson: (userId: number) => void
  /** Offers what can be done with a message. */
  readonly onActions: (message: Message) => void
  readonly emojiPath: EmojiPath
  /** Adds or takes back a reaction of one's own. */
  readonly onReact: (message: Message, emoji: Emoji, present: boolean) => void
}
