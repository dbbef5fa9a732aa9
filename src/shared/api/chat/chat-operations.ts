import { channelOperations } from './channel-operations.ts'
import {
  draftOperations,
  messageOperations,
  reminderOperations,
  scheduledOperations,
} from './message-operations.ts'
import { presenceOperations, settingsOperations, userOperations } from './people-operations.ts'
import { fileOperations, queueOperations, serverOperations } from './server-operations.ts'

/**
 * All operations of the chat service, by name. Parameters are sent as query (GET) or form fields:
 * text as is, everything else as JSON. Names are spelled as documented; where the real server
 * differs, both spellings are sent and read.
 */
export const chatOperations = {
  ...queueOperations,
  ...messageOperations,
  ...scheduledOperations,
  ...draftOperations,
  ...reminderOperations,
  ...fileOperations,
  ...userOperations,
  ...presenceOperations,
  ...channelOperations,
  ...serverOperations,
  ...settingsOperations,
}

export type ChatOperationId = keyof typeof chatOperations
