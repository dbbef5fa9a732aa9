import type { Emoji, Message } from '#shared/core/chat/message.ts'
import type { NarrowPlace } from '#shared/core/chat/narrow-link.ts'

/** What drawing a message's content needs from its surroundings. */
export interface MessageContext {
  /** The realm's address, against which root-relative links are resolved. */
  readonly baseUrl: string
  readonly myId: number | null
  /** The user groups that I am in. */
  readonly myGroups: ReadonlySet<number>
  /** The current name of a user; null for an unknown one. */
  readonly nameOf: (userId: number) => string | null
  readonly onLink: (url: string) => void
  /** Opens a place of the same realm in this window; false if the conversation is unknown here. */
  readonly onPlace: (place: NarrowPlace) => boolean
  /**
   * Loads an image of the realm through main, as a `data:` URL; null if there is none. The function
   * itself is null unless the user chose to show this realm's images.
   */
  readonly loadPicture: ((path: string) => Promise<string | null>) | null
  /** The user chose to show this realm's images from now on. */
  readonly onShowPictures: () => void
}

/** The path of the image of an emoji without a character; null if it isn't one of this realm's. */
type EmojiPath = (emoji: Pick<Emoji, 'code' | 'type'>) => string | null

/** What a whole message needs. Created once per conversation. */
export interface ItemContext extends MessageContext {
  /** Opens a message in the browser. */
  readonly onOpenMessage: (messageId: number) => void
  /** Shows the card of a person. */
  readonly onPerson: (userId: number) => void
  /** Opens the list of a message's actions. */
  readonly onActions: (message: Message) => void
  readonly emojiPath: EmojiPath
  readonly mutedUsers: readonly number[]
  /** Adds (`present`) or removes the user's own reaction. */
  readonly onReact: (message: Message, emoji: Emoji, present: boolean) => void
}
