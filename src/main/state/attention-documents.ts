import * as v from 'valibot'
import { dependencySchema } from '../../shared/core/attention/dependencies/dependency.ts'
import { eventKinds } from '../../shared/core/attention/event.ts'
import { plannedSchema } from '../../shared/core/attention/maintenance/planned.ts'
import { messageReminderSchema } from '../../shared/core/attention/remind-me/message-reminder.ts'
import { readableItems } from '../../shared/core/schemas.ts'
import { counter } from '../storage/left-out.ts'
import { listDocument, type StoredDocument } from './stored-document.ts'

export const plannedRow = listDocument('planned', {
  words: 'the planned maintenance',
  item: plannedSchema,
  accountsOf: ({ scope }) => ('accountId' in scope ? [scope.accountId] : []),
})

export const remindersRow = listDocument('reminders', {
  words: 'what to remind you of',
  item: messageReminderSchema,
  accountsOf: ({ accountId }) => [accountId],
})

export const dependenciesRow = listDocument('dependencies', {
  words: 'which checks depend on others',
  item: dependencySchema,
  accountsOf: ({ scope, on }) => [on.accountId, ...('accountId' in scope ? [scope.accountId] : [])],
})

const soundSchema = v.object({
  kind: v.picklist(eventKinds),
  name: v.string(),
  /** As the system's dialog gave it, from its root. */
  path: v.pipe(v.string(), v.regex(/^(?:\/|\\\\|[A-Za-z]:\\)/)),
  isGone: v.boolean(),
})

/** The state has all of a sound but its path, since windows have the state. */
export const ownSoundsRow: StoredDocument = {
  words: 'the sounds of your own',
  file: 'sounds',
  parts: ({ state, soundPaths }) => [state.ownSounds, soundPaths],
  write: ({ state, soundPaths }) =>
    [...state.ownSounds].map(([kind, sound]) => ({ kind, ...sound, path: soundPaths?.get(kind) })),
  read: ({ state, memory }, document) => {
    const lost = counter()
    const sounds = readableItems(soundSchema, document ?? [], lost.add)
    const ownSounds = new Map(sounds.map(({ kind, path: _path, ...sound }) => [kind, sound]))
    const soundPaths = new Map(sounds.map(({ kind, path }) => [kind, path]))
    return { state: { ...state, ownSounds }, memory, soundPaths, unreadable: lost.count() }
  },
  without: (state) => state,
}
