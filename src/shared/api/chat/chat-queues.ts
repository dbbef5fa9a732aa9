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
import { operation } from '../operation.ts'
import { field } from '../schema-field.ts'
import {
  answer,
  avatarAddresses,
  done,
  flagField,
  items,
  lenient,
  textField,
  whole,
} from './chat-fields.ts'

const queueId = textField('Queue', 'As registering named it.')

/** The snapshot of a realm with ten thousand users is some 20 MB. */
const snapshotMaxBytes = 64 * 1024 * 1024

export const queueOperations = {
  registerQueue: operation({
    service: 'chat',
    title: 'Register an event queue',
    method: 'POST',
    path: '/api/v1/register',
    params: object({
      apply_markdown: optional(flagField('Rendered', 'Contents as HTML, not Markdown.'), true),
      slim_presence: optional(
        flagField('Slim presence', 'Presence by user id, in its modern form.'),
      ),
      presence_history_limit_days: optional(
        field(
          pipe(whole, minValue(0)),
          'Presence of',
          'How far back; the server’s default is 14.',
          {
            unit: 'days',
          },
        ),
      ),
      include_subscribers: optional(
        field(
          picklist(['true', 'false', 'partial']),
          'Subscribers',
          'Whether to list who follows each channel; partial needs feature level 412.',
        ),
      ),
      event_types: optional(
        field(
          array(string()),
          'Event types',
          'Such as message or subscription; all when not given.',
        ),
      ),
      fetch_event_types: optional(
        field(
          array(string()),
          'Initial data',
          'Types to tell the state of now; as above when not given.',
        ),
      ),
      all_public_streams: optional(
        flagField('All public channels', 'Messages of channels you don’t follow too.'),
      ),
      /** When sent, real servers demand the key `notification_settings_null`. */
      client_capabilities: optional(
        field(
          record(string(), boolean()),
          'Capabilities',
          'What the client understands; real servers demand notification_settings_null in it.',
        ),
      ),
      narrow: optional(
        field(
          array(tuple([string(), string()])),
          'Narrow',
          'Pairs of operator and operand; only messages that fit.',
        ),
      ),
      ...avatarAddresses,
    }),
    /** The rest is read by `readSnapshot`. */
    reply: answer({ queue_id: string(), last_event_id: whole }),
    effect: 'read',
    maxBytes: snapshotMaxBytes,
    // People, most of all.
    maxItems: 200_000,
    deadlineMs: 60_000,
  }),
  /** Answers when something happens, or with a heartbeat after some 50 s. One poll per queue at a time. */
  getEvents: operation({
    service: 'chat',
    title: 'Get events from an event queue',
    method: 'GET',
    path: '/api/v1/events',
    params: object({
      queue_id: queueId,
      last_event_id: field(
        pipe(whole, minValue(-1)),
        'Last event',
        'The id of the last one received, or what registering said: -1 or more.',
      ),
      dont_block: optional(flagField('At once', 'Answer at once, also when nothing happened.')),
    }),
    reply: answer({ events: items, queue_id: lenient(string()) }),
    effect: 'read',
    maxBytes: 64 * 1024 * 1024,
    // More is a queue that is cheaper to give up and catch up with.
    maxItems: 20_000,
    deadlineMs: 90_000,
  }),
  deleteQueue: operation({
    service: 'chat',
    title: 'Delete an event queue',
    method: 'DELETE',
    path: '/api/v1/events',
    params: object({ queue_id: queueId }),
    reply: done,
    effect: 'destroy',
    destroys: 'the event queue {queue_id}: whoever polls it must register anew',
    deadlineMs: 3_000,
  }),
}
