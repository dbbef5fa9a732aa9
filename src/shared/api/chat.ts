import { channelOperations } from './chat-channels.ts'
import { draftOperations } from './chat-drafts.ts'
import { fileOperations } from './chat-files.ts'
import { messageOperations } from './chat-messages.ts'
import { presenceOperations } from './chat-presence.ts'
import { queueOperations } from './chat-queues.ts'
import { scheduledOperations } from './chat-scheduled.ts'
import { serverOperations } from './chat-server.ts'
import { settingsOperations } from './chat-settings.ts'
import { userOperations } from './chat-users.ts'

/**
 * Everything we know to ask of the chat service, by name. Parameters travel as query (GET) or form
 * fields: text as it is, everything else as JSON text. Spellings are those of the document; where the
 * real server differs, both are sent and both are read.
 */
export const chatOperations = {
  ...queueOperations,
  ...messageOperations,
  ...scheduledOperations,
  ...draftOperations,
  ...fileOperations,
  ...userOperations,
  ...presenceOperations,
  ...channelOperations,
  ...serverOperations,
  ...settingsOperations,
}

export type ChatOperationId = keyof typeof chatOperations
