import {
  type PaletteIndex,
  type PaletteItem,
  paletteIndex,
  paletteResults,
} from '#shared/core/views/palette-search.ts'
import { checkActions, copyActions } from '../board/row-keys.ts'
import { conversationActions } from '../chat/conversation-actions.tsx'
import { aboutPerson } from '../chat/presence.tsx'
import { hereItem } from '../palette-shown.ts'
import type { PageAction } from '../parts/page-actions.ts'
import { appState, go } from '../window-state.ts'

/** What a verb does to an item; null if it can't be done to it. */
interface Verb {
  readonly kind: PaletteItem['kind']
  readonly of: (item: PaletteItem) => Pick<PageAction, 'title' | 'act'> | null
}

/** The first of the actions on a check, as on the board, whose title begins so. */
function toCheck(begins: RegExp): Verb {
  return {
    kind: 'check',
    of: ({ action }) => {
      if (action.does !== 'go' || action.target.view !== 'check') return null
      const { accountId, checkId } = action.target
      const check = appState.peek().boards.get(accountId)?.checks.get(checkId)
      if (check === undefined) return null
      const actions = [...checkActions({ accountId, check }), ...copyActions({ accountId, check })]
      return actions.find(({ title }) => begins.test(title)) ?? null
    },
  }
}

/** Actions on any check, conversation or person by a verb before its name, such as "snooze db". */
const verbs: Readonly<Record<string, Verb>> = {
  snooze: toCheck(/^(?:Unsnooze|Snooze) /),
  unsnooze: toCheck(/^Unsnooze /),
  acknowledge: toCheck(/^(?:Unacknowledge|Acknowledge) /),
  unacknowledge: toCheck(/^Unacknowledge /),
  note: toCheck(/^Note on /),
  pause: toCheck(/^(?:Pause|Resume) /),
  edit: toCheck(/^Edit /),
  delete: toCheck(/^Delete /),
  share: toCheck(/^Share /),
  timeline: toCheck(/^Timeline /),
  curl: toCheck(/^Copy the ping /),
  mute: {
    kind: 'conversation',
    of: ({ title, action }) => {
      if (action.does !== 'go' || action.target.view !== 'conversation') return null
      const { target } = action
      const actions = conversationActions(target, title, () => go(target))
      return actions.find((one) => one.title.startsWith('Mute ')) ?? null
    },
  },
  about: {
    kind: 'person',
    of: ({ title, action }) => {
      if (action.does !== 'go' || action.target.view !== 'conversation') return null
      const { accountId, conversation } = action.target
      const [userId] = conversation.kind === 'direct' ? conversation.userIds : []
      if (userId === undefined) return null
      return { title: `About ${title}`, act: () => aboutPerson(accountId, userId) }
    },
  },
}

/** What a verb and the beginning of a name do, best match first; nothing for a verb alone. */
export function verbItems(index: PaletteIndex, query: string): readonly PaletteItem[] {
  const [, verb = '', rest = ''] = /^(\p{L}+)\s(.*)$/u.exec(query.toLowerCase()) ?? []
  const { kind, of } = (Object.hasOwn(verbs, verb) ? verbs[verb] : undefined) ?? {}
  if (of === undefined) return []
  // Only items that the verb applies to, or others would fill the list.
  const kept = paletteIndex(index.items.filter((item) => item.kind === kind))
  return paletteResults(kept, rest, []).flatMap((item) => {
    const found = of(item)
    return found === null
      ? []
      : [hereItem(`${verb}/${item.id}`, found.title, found.act, { hint: item.hint })]
  })
}
