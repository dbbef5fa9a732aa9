import { useState } from 'preact/hooks'
import { failureSentence } from '#shared/core/failure-words.ts'
import { call } from '../bridge.ts'
import { Button } from '../parts/button.tsx'
import { say } from '../toast.ts'
import { go } from '../window-state.ts'
import { Mark } from './mark.tsx'

/** What the window offers while there is no account. */
export function FirstRun() {
  const [busy, setBusy] = useState(false)
  const explore = () => {
    setBusy(true)
    void call.exploreDemo({}).then((result) => {
      setBusy(false)
      if (!result.ok) say(failureSentence(result.failure), 'failed')
    })
  }
  return (
    <section class="first-run" aria-label="Welcome">
      <Mark />
      <h1>Belfry</h1>
      <p>Watches your cron jobs, follows your team chat, and stays out of the way.</p>
      <div class="first-choices">
        <Button kind="primary" onClick={() => go({ view: 'addAccount', kind: 'monitoring' })}>
          Connect a monitoring project
        </Button>
        <Button onClick={() => go({ view: 'addAccount', kind: 'chat' })}>
          Connect a chat account
        </Button>
        <Button kind="quiet" busy={busy} onClick={explore}>
          Explore the demo
        </Button>
      </div>
      <p class="first-note">The demo runs on this computer alone: nothing is sent anywhere.</p>
    </section>
  )
}
