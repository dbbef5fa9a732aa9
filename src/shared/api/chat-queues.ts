import {
  array,
  boolean,
  minValue,
  object,
  optional,
  picklist,
  pipe,
  record,
  string,
  tuple,
} from 'valibot'
import { answer, avatarAddresses, done, items, lenient, whole } from './chat-fields.ts'
import { operation } from './operation.ts'

/** The snapshot of a realm with ten thousand users is some 20 MB. */
const snapshotMaxBytes = 64 * 1024 * 1024

export const queueOperations = {
  registerQueue: operation({
    service: 'chat',
    title: 'Register an event queue',
    method: 'POST',
    path: '/api/v1/register',
    params: object({
      apply_markdown: optional(boolean(), true),
      slim_presence: optional(boolean()),
      presence_history_limit_days: optional(pipe(whole, minValue(0))),
      include_subscribers: optional(picklist(['true', 'false', 'partial'])),
      event_types: optional(array(string())),
      fetch_event_types: optional(array(string())),
      all_public_streams: optional(boolean()),
      /** When sent, real servers demand the key `notification_settings_null`. */
      client_capabilities: optional(record(string(), boolean())),
      narrow: optional(array(tuple([string(), string()]))),
      ...avatarAddresses,
    }),
    /** The rest is read by `readSnapshot`. */
    reply: answer({ queue_id: string(), last_event_id: whole }),
    effect: 'read',
    maxBytes: snapshotMaxBytes,
    deadlineMs: 60_000,
  }),
  /** Answers when something happens, or with a heartbeat after some 50 s. One poll per queue at a time. */
  getEvents: operation({
    service: 'chat',
    title: 'Get events from an event queue',
    method: 'GET',
    path: '/api/v1/events',
    params: object({
      queue_id: string(),
      /** The id of the last event received, or what registering said: -1 or more. */
      last_event_id: pipe(whole, minValue(-1)),
      dont_block: optional(boolean()),
    }),
    reply: answer({ events: items, queue_id: lenient(string()) }),
    effect: 'read',
    maxBytes: 32 * 1024 * 1024,
    deadlineMs: 90_000,
  }),
  deleteQueue: operation({
    service: 'chat',
    title: 'Delete an event queue',
    method: 'DELETE',
    path: '/api/v1/events',
    params: object({ queue_id: string() }),
    reply: done,
    effect: 'write',
    deadlineMs: 3_000,
  }),
}
