/** Direct places contain everyone's ids, the sender's included, ascending. */
export type DemoPlace = TopicPlace | DirectPlace

export interface TopicPlace {
  readonly kind: 'topic'
  readonly channelId: number
  readonly topic: string
}

export interface DirectPlace {
  readonly kind: 'direct'
  readonly userIds: readonly number[]
}

/** Stored in wire format. */
export interface DemoReaction {
  readonly emoji_name: string
  readonly emoji_code: string
  readonly reaction_type: string
  readonly user_id: number
}

export interface DemoMessage {
  readonly id: number
  place: DemoPlace
  readonly senderId: number
  readonly client: string
  content: string
  html: string
  /** Epoch seconds, as everywhere in this API. */
  readonly sentAt: number
  editedAt: number | null
  movedAt: number | null
  /**
   * Whether the demo user got it when sent: in a channel left since, only such messages get events.
   */
  readonly received: boolean
  /** The demo user's flags, by wire name. */
  readonly flags: Set<string>
  reactions: readonly DemoReaction[]
}
