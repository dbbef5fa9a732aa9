import { unreadableWords } from '#shared/core/checks/status-counts.ts'
import { clockWords } from '#shared/core/clock-words.ts'
import { failureWords } from '#shared/core/failure-words.ts'
import { accountById } from '#shared/core/state.ts'
import type { Target } from '#shared/core/target.ts'
import type { NoteRow } from '#shared/core/views/board-row.ts'
import { whyNotWritable } from '../check-editor/editor-access.ts'
import { Icon } from '../parts/icon.tsx'
import { type Shape, StatusShape } from '../parts/status-shape.tsx'
import { appState, now } from '../window-state.ts'

interface Words {
  readonly what: string
  readonly more: string
  readonly tone: 'calm' | 'trouble'
  readonly shape: Shape | 'key' | null
}

/** Where Enter or a click on the note leads; null when it only tells. */
export function noteTarget({ accountId, note }: NoteRow): Target | null {
  if (note.is === 'key' && note.key !== 'locked') return { view: 'replaceKey', accountId }
  return note.is === 'empty' && canWrite(accountId)
    ? { view: 'editCheck', accountId, checkId: null }
    : null
}

function canWrite(accountId: string): boolean {
  return whyNotWritable(accountById(appState.value, accountId), null) === null
}

/** Something about a project that is no check: no key, no connection, nothing there. */
export function NoteLine({ row }: { readonly row: NoteRow }) {
  const { what, more, tone, shape } = noteWords(row)
  const grouped = appState.value.settings.groupBy === 'project'
  return (
    <div class={`note-line note-${tone}`} title={`${what} ${more}`}>
      {shape === 'key' && <Icon name="warning" />}
      {shape !== null && shape !== 'key' && <StatusShape shape={shape} />}
      <span class="note-what">
        {grouped ? what : `${row.project}: ${what.charAt(0).toLowerCase()}${what.slice(1)}`}
      </span>
      <span class="note-more">{more}</span>
    </div>
  )
}

function noteWords({ accountId, note }: NoteRow): Words {
  switch (note.is) {
    case 'reading':
      return { what: 'Reading the checks', more: '', tone: 'calm', shape: null }
    case 'empty':
      return {
        what: 'No checks in this project yet',
        more: canWrite(accountId)
          ? 'Open this line to make the first.'
          : 'They appear here as soon as the project has some.',
        tone: 'calm',
        shape: null,
      }
    case 'unreadable':
      return {
        what: unreadableWords(note.count),
        more: 'The server describes them in a way unknown here.',
        tone: 'trouble',
        shape: 'unknown',
      }
    case 'key':
      return keyWords(note.key)
    case 'failed':
      return failedWords(accountId)
  }
}

function keyWords(key: 'missing' | 'locked' | 'rejected'): Words {
  switch (key) {
    case 'rejected':
      return {
        shape: 'key',
        what: 'The server rejected the key',
        more: 'Nothing is read meanwhile. Open this line to replace it.',
        tone: 'trouble',
      }
    case 'missing':
      return {
        shape: 'key',
        what: 'The key was kept for the last session only',
        more: 'Open this line to enter it again.',
        tone: 'trouble',
      }
    case 'locked':
      return {
        shape: 'key',
        what: 'The keyring is locked',
        more: 'Unlock it, then refresh. Nothing is lost.',
        tone: 'trouble',
      }
  }
}

function failedWords(accountId: string): Words {
  const freshness = appState.value.boards.get(accountId)?.freshness
  if (freshness?.failure == null) return { what: 'Not read', more: '', tone: 'calm', shape: null }
  const { what, action } = failureWords(freshness.failure)
  const age =
    freshness.readAt === null
      ? 'No data yet.'
      : `Showing data from ${clockWords(freshness.readAt, now.value)}.`
  return { what, more: `${age} ${action}`.trim(), tone: 'trouble', shape: 'stale' }
}
