import { Board } from '../board/check-board.tsx'
import { Button } from '../parts/button.tsx'
import { EmptyState } from '../parts/page-bar.tsx'
import { appState, go } from '../window-state.ts'

export function ChecksView() {
  return (
    <>
      <h1 class="visually-hidden">Checks</h1>
      {appState.value.accounts.some(({ kind }) => kind === 'monitoring') ? (
        <Board />
      ) : (
        <EmptyState title="No monitoring project yet">
          <p>Connect one to see its checks here, worst first.</p>
          <Button kind="primary" onClick={() => go({ view: 'addAccount', kind: 'monitoring' })}>
            Connect a monitoring project
          </Button>
        </EmptyState>
      )}
    </>
  )
}
