import { render } from 'preact'
import '../../src/renderer/styles.css'
import { followChanges } from '../../src/renderer/board/changed-checks.ts'
import { Board } from '../../src/renderer/board/check-board.tsx'
import { followState } from '../../src/renderer/window-state.ts'
import { drive } from './drive.ts'
import { patchFor, pretendBridge } from './window-state.ts'

/** The app's own board and state, following main in the app's own way. */
const push = pretendBridge()
followChanges()
followState()

drive({
  message: (checks, before) => patchFor(checks, before, Date.now()),
  mount(root, first) {
    push(first)
    render(<Board />, root)
  },
  apply: push,
})
