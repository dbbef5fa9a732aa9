import { board } from './board/board.ts'
import { palette } from './board/palette.ts'
import { conversation } from './chat/conversation.ts'
import { sanitizing } from './chat/sanitizing.ts'
import { events } from './events/events.ts'
import { idle } from './idle/idle.ts'
import { keptWindow } from './idle/window.ts'
import type { Measurement } from './measurement.ts'
import { polls } from './poll/polls.ts'
import { real, realHidden } from './real/real.ts'
import { pageSize } from './start/page-size.ts'
import { start } from './start/start.ts'
import { store } from './store/store.ts'

/** All of them, in the order of the table. */
export const measurements: readonly Measurement[] = [
  ...polls,
  board,
  palette,
  sanitizing,
  conversation,
  ...events,
  idle,
  keptWindow,
  store,
  pageSize,
  start,
  real,
  realHidden,
]
