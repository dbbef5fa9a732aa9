import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { failureSentence } from '#shared/core/failure-words.ts'
import { call } from '../bridge.ts'
import { Button } from '../parts/button.tsx'
import { PageBar } from '../parts/page-bar.tsx'
import { placeLeft, saidEnough, say } from '../toast.ts'
import { dropDraft, edited, isChanged, tried } from './attention-draft.ts'
import { DisturbSection } from './disturb.tsx'
import { QuietSection } from './quiet-section.tsx'
import { RuleList } from './rule-list.tsx'
import { TrialView } from './trial-view.tsx'
import { WaysTable } from './ways-table.tsx'

/** What may interrupt, when, and how loudly; saved as a whole. */
export function AttentionView() {
  const page = useRef<HTMLElement>(null)
  const changed = isChanged.value
  useLayoutEffect(() => {
    // When opened, and when the focused "Save" or "Cancel" disappears.
    if (!page.current?.contains(document.activeElement)) page.current?.focus()
  }, [changed])
  return (
    <section class="page" aria-label="What may interrupt" ref={page} tabIndex={-1}>
      <PageBar title="What may interrupt" />
      <div class="page-scroll attention">
        <DisturbSection />
        <WaysTable />
        <RuleList />
        <QuietSection />
        <Trial />
      </div>
      {changed && <SaveBar />}
    </section>
  )
}

function Trial() {
  const [busy, setBusy] = useState(false)
  const attempt = async () => {
    saidEnough()
    setBusy(true)
    const attention = edited.value
    const answer = await call.tryAttention({ attention })
    setBusy(false)
    if (!answer.ok) return say(failureSentence(answer.failure), 'failed')
    // Changes made meanwhile were not tried.
    if (edited.value === attention) tried.value = answer.value
  }
  return (
    <section class="attention-section" aria-label="Try it">
      <h2 class="group-label">Try it</h2>
      <p class="field-help">
        Replays the events of the last 7 days with the settings on this page.
      </p>
      <Button busy={busy} onClick={() => void attempt()}>
        Try on the last 7 days
      </Button>
      {tried.value !== null && <TrialView trial={tried.value} />}
    </section>
  )
}

function SaveBar() {
  const [busy, setBusy] = useState(false)
  // "Saved." is no longer true.
  useLayoutEffect(() => placeLeft(), [])
  const save = async () => {
    saidEnough()
    setBusy(true)
    const attention = edited.value
    const answer = await call.updateSettings({ attention })
    setBusy(false)
    if (!answer.ok) return say(failureSentence(answer.failure), 'failed')
    say('Saved.')
    // Changes made meanwhile are still to be saved.
    if (edited.value === attention) dropDraft()
  }
  return (
    <div class="save-bar">
      <span class="note">Not saved yet. Changes are kept while this window is open.</span>
      <div class="button-row">
        <Button onClick={dropDraft}>Cancel</Button>
        <Button kind="primary" busy={busy} onClick={() => void save()}>
          Save
        </Button>
      </div>
    </div>
  )
}
