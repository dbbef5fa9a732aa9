import type { AccountsSlice } from '../account.ts'
import type { ChatSlice } from '../chat/chat-slice.ts'
import type { ChecksSlice } from '../checks/board.ts'
import type { OutagesSlice } from '../outages/incident.ts'
import type { SettingsSlice } from '../settings.ts'
import type { TroublesSlice } from '../trouble.ts'
import type { DependenciesSlice } from './dependencies/dependency.ts'
import type { PlannedSlice } from './maintenance/planned.ts'
import type { NoticesSlice, OwnSoundsSlice } from './notice.ts'
import type { OutageMessagesSlice } from './outage-messages.ts'
import type { ProgramsSlice } from './programs/program.ts'
import type { RemindersSlice } from './remind-me/message-reminder.ts'
import type { SilencesSlice } from './silence.ts'

/** What attention keeps in the app's state. */
export interface AttentionSlice
  extends NoticesSlice,
    SilencesSlice,
    PlannedSlice,
    DependenciesSlice,
    RemindersSlice,
    OwnSoundsSlice,
    ProgramsSlice,
    OutageMessagesSlice {}

/** What attention looks at. */
export interface WatchedState
  extends AccountsSlice,
    ChecksSlice,
    ChatSlice,
    OutagesSlice,
    SettingsSlice,
    TroublesSlice,
    AttentionSlice {}
