import { showsDemo } from '#shared/core/state.ts'
import { type StatusLine, statusLine } from '#shared/core/views/status-line.ts'
import { QuietLine } from '../attention/quiet-line.tsx'
import { call } from '../bridge.ts'
import { IconButton } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { StatusShape } from '../parts/status-shape.tsx'
import { saidEnough, sayIfFailed, saying, takeOffer } from '../toast.ts'
import { appState, go, now } from '../window-state.ts'

/** The foot of the window: how fresh all of it is, and above it what the last action led to. */
export function StatusFoot() {
  const line = statusLine(appState.value, now.value)
  return (
    <footer class="foot">
      <div role="status">
        {saying.value !== null && (
          <div class={`saying saying-${saying.value.tone}`}>
            <span>{saying.value.text}</span>
            {saying.value.action !== undefined && (
              <button type="button" class="link" title="Key: Ctrl Z" onClick={takeOffer}>
                {saying.value.action.label}
              </button>
            )}
            <IconButton icon="close" label="Dismiss" onClick={saidEnough} />
          </div>
        )}
      </div>
      <QuietLine />
      <div class={`status-line line-${line.tone}`}>
        {line.tone === 'stale' && <StatusShape shape="stale" size={12} />}
        {line.tone === 'trouble' && <Icon name="warning" />}
        <span class="line-text" title={line.text}>
          {line.text}
        </span>
        {line.more > 0 && (
          <button type="button" class="link" onClick={() => go({ view: 'accounts' })}>
            and {line.more} more
          </button>
        )}
        {line.action !== null && <ActionButton action={line.action} />}
        {showsDemo(appState.value) && line.action === null && (
          <button type="button" class="link" onClick={() => sayIfFailed(call.leaveDemo({}))}>
            Leave the demo
          </button>
        )}
        <IconButton
          icon="refresh"
          label="Refresh now"
          onClick={() => sayIfFailed(call.refresh({ accountId: null }))}
        />
      </div>
    </footer>
  )
}

function ActionButton({ action }: { readonly action: NonNullable<StatusLine['action']> }) {
  return (
    <button type="button" class="link" onClick={() => go(action.target)}>
      {action.label}
    </button>
  )
}
