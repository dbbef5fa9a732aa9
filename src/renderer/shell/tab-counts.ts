import { computed } from '@preact/signals'
import { unreadTotals } from '#shared/core/chat-list.ts'
import { appState } from '../state.ts'

const boards = computed(() => appState.value.boards)
const realms = computed(() => appState.value.realms)

/** Checks that are down, over all projects. */
export const downCount = computed(() => {
  let down = 0
  for (const { counts } of boards.value.values()) down += counts.down
  return down
})

/** Unread messages as the chat list and the tray count them. */
export const unreadCount = computed(() => {
  let unread = 0
  for (const realm of realms.value.values()) unread += unreadTotals(realm).unread
  return unread
})

/** For the switcher of the desktop: "2 down · 3 unread – Belfry". */
export const windowTitle = computed(() => {
  const parts = [
    downCount.value > 0 ? `${downCount.value} down` : '',
    unreadCount.value > 0 ? `${unreadCount.value} unread` : '',
  ].filter((part) => part !== '')
  return parts.length === 0 ? 'Belfry' : `${parts.join(' · ')} – Belfry`
})
