import { computed } from '@preact/signals'
import { quietChecks } from '#shared/core/attention/silence.ts'
import { unreadTotals } from '#shared/core/views/conversation-rows.ts'
import { numberWords } from '#shared/core/wording.ts'
import { appState, now } from '../window-state.ts'

const boards = computed(() => appState.value.boards)
const silences = computed(() => appState.value.silences)
const realms = computed(() => appState.value.realms)
const notices = computed(() => appState.value.notices)
const noticesSeenAt = computed(() => appState.value.settings.noticesSeenAt)

/** How many checks of all projects are down, without quiet ones, as the tray counts them. */
export const downCount = computed(() => {
  const quiet = quietChecks(silences.value, now.peek())
  let down = 0
  for (const { accountId, counts, checks } of boards.value.values()) {
    down += counts.down
    if (counts.down === 0 || silences.value.length === 0) continue
    for (const check of checks.values())
      if (check.status === 'down' && quiet(accountId, check) !== null) down -= 1
  }
  return down
})

/** How many messages are unread, as the chat list and the tray count them. */
export const unreadCount = computed(() => {
  let unread = 0
  for (const realm of realms.value.values()) unread += unreadTotals(realm).unread
  return unread
})

/** How many notifications were shown since the list of them was last looked at. */
export const newNotices = computed(() => {
  const seenAt = noticesSeenAt.value ?? 0
  return notices.value.filter(({ at, outcome }) => outcome === 'shown' && at > seenAt).length
})

/** "2 down · 3 unread – Belfry". */
export const windowTitle = computed(() => {
  const parts = [
    downCount.value > 0 ? `${numberWords(downCount.value)} down` : '',
    unreadCount.value > 0 ? `${numberWords(unreadCount.value)} unread` : '',
  ].filter((part) => part !== '')
  return parts.length === 0 ? 'Belfry' : `${parts.join(' · ')} – Belfry`
})
