import { array, object, optional, union } from 'valibot'
import { operation } from '../operation.ts'
import { field } from '../schema-field.ts'
import {
  answer,
  done,
  id,
  idField,
  items,
  markdownContent,
  readBySender,
  recipientKind,
  topicField,
} from './chat-fields.ts'

const scheduledId = idField('Scheduled message', 'By its own id; once sent it has another.', {
  picker: 'scheduledMessage',
})
const to = field(
  union([id, array(id)]),
  'To',
  'A channel’s id; for direct messages a list of user ids.',
)
const deliverAt = field(id, 'Send at', 'Epoch seconds, in the future.', { unit: 'unixSeconds' })

export const scheduledOperations = {
  listScheduledMessages: operation({
    service: 'chat',
    title: 'Get scheduled messages',
    method: 'GET',
    path: '/api/v1/scheduled_messages',
    params: object({}),
    reply: answer({ scheduled_messages: items }),
    effect: 'read',
  }),
  createScheduledMessage: operation({
    service: 'chat',
    title: 'Create a scheduled message',
    method: 'POST',
    path: '/api/v1/scheduled_messages',
    params: object({
      type: recipientKind,
      to,
      content: markdownContent,
      topic: optional(topicField),
      scheduled_delivery_timestamp: deliverAt,
      read_by_sender: optional(readBySender),
    }),
    reply: answer({ scheduled_message_id: id }),
    effect: 'write',
  }),
  /** A new kind needs `to`, and `topic` for a channel. One that failed needs a new time. 404 when it is gone. */
  editScheduledMessage: operation({
    service: 'chat',
    title: 'Edit a scheduled message',
    method: 'PATCH',
    path: '/api/v1/scheduled_messages/{scheduled_message_id}',
    params: object({
      scheduled_message_id: scheduledId,
      type: optional(recipientKind),
      to: optional(to),
      content: optional(markdownContent),
      topic: optional(topicField),
      scheduled_delivery_timestamp: optional(deliverAt),
    }),
    reply: done,
    effect: 'write',
  }),
  deleteScheduledMessage: operation({
    service: 'chat',
    title: 'Delete a scheduled message',
    method: 'DELETE',
    path: '/api/v1/scheduled_messages/{scheduled_message_id}',
    params: object({ scheduled_message_id: scheduledId }),
    reply: done,
    effect: 'destroy',
    destroys: 'the scheduled message {scheduled_message_id}: it will not be sent',
  }),
}
