import * as v from 'valibot'
import { dependencySchema } from '../../shared/core/attention/dependencies/dependency.ts'
import { eventKinds } from '../../shared/core/attention/event.ts'
import { plannedSchema } from '../../shared/core/attention/maintenance/planned.ts'
import { messageReminderSchema } from '../../shared/core/attention/remind-me/message-reminder.ts'
import { idSchema, inPart, readableItems, timeSchema } from '../../shared/core/schemas.ts'
import { counter } from '../storage/left-out.ts'
import { listDocument, type StoredDocument } from './stored-document.ts'

export const plannedRow = listDocument('planned', {
  words: 'the planned maintenance',
  after: 'silences',
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

/** As the system's dialog gave it, from its root. */
const chosenPath = v.pipe(v.string(), v.regex(/^(?:\/|\\\\|[A-Za-z]:\\)/))

const soundSchema = v.object({
  kind: v.picklist(eventKinds),
  name: v.string(),
  path: chosenPath,
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

const programSchema = v.object({
  id: idSchema,
  name: v.string(),
  path: chosenPath,
  /** One at most: what can’t be read of it costs no program. */
  last: inPart(v.array(v.object({ at: timeSchema, failure: v.nullable(v.string()) }))),
})

/** The same for programs. */
export const programsRow: StoredDocument = {
  words: 'the programs of your own',
  file: 'programs',
  parts: ({ state, programPaths }) => [state.programs, programPaths],
  write: ({ state, programPaths }) =>
    [...state.programs].map(([id, { name, last }]) => ({
      ...{ id, name, path: programPaths?.get(id) },
      last: last === null ? [] : [last],
    })),
  read: ({ state, memory }, document) => {
    const lost = counter()
    const read = readableItems(programSchema, document ?? [], lost.add)
    const programs = new Map(read.map(({ id, name, last: [last = null] }) => [id, { name, last }]))
    const programPaths = new Map(read.map(({ id, path }) => [id, path]))
    return { state: { ...state, programs }, memory, programPaths, unreadable: lost.count() }
  },
  without: (state) => state,
}
