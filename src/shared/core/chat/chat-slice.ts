import type { DraftsSlice } from './drafts.ts'
import type { OutboxSlice } from './outbox.ts'
import type { StatusEndsSlice } from './own-status.ts'
import type { RealmsSlice } from './realm.ts'
import type { SchedulingSlice } from './scheduled.ts'
import type { UploadsSlice } from './upload.ts'

/** The chat as a part of the app's state. */
export interface ChatSlice
  extends RealmsSlice,
    OutboxSlice,
    UploadsSlice,
    DraftsSlice,
    SchedulingSlice,
    StatusEndsSlice {}
