import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { accountById } from '#shared/core/account.ts'
import { checkSubject } from '#shared/core/attention/event.ts'
import type { Check } from '#shared/core/checks/check.ts'
import {
  changeWords,
  type Finding,
  type LookChange,
  type LookKind,
  lookKinds,
  lookMarkdown,
  lookMs,
  lookTitles,
  mostAtFirst,
} from '#shared/core/checks/weekly-look.ts'
import type { Result } from '#shared/core/failure.ts'
import { failureWords } from '#shared/core/failure-words.ts'
import { counted, numberWords } from '#shared/core/wording.ts'
import { undoSilence } from '../attention/quiet-menu.tsx'
import { call } from '../bridge.ts'
import { isOnlyRead, whyNotWritable } from '../check-editor/editor-access.ts'
import { Button, IconButton, LinkButton } from '../parts/button.tsx'
import { EmptyState, PageBar, ScrollRegion, usePageFocus } from '../parts/page-bar.tsx'
import { run, useBusy, useRun } from '../run.ts'
import { toast, toastFailure, toastIfFailed, toastResult, undo } from '../toast.ts'
import { appState, go, now } from '../window-state.ts'

/** What was wrong with checks in the last week, each with the one change that would help. */
export function WeeklyPage() {
  const { value, failure } = useRun('week', () => call.weeklyLook({}))
  const page = usePageFocus()
  const labelOf = (id: string) => accountById(appState.value, id)?.label ?? ''
  const copy = (findings: readonly Finding[]) => {
    const text = lookMarkdown(findings, labelOf, now.peek())
    toastResult(call.copyText({ text }), 'Weekly review copied as Markdown.')
  }
  return (
    <section class="page" aria-label="Weekly review">
      <PageBar title="Weekly review">
        <Button kind="quiet" onClick={() => go({ view: 'outages' })}>
          Outages
        </Button>
        {value !== null && (
          <IconButton icon="copy" label="Copy as Markdown" onClick={() => copy(value)} />
        )}
      </PageBar>
      <ScrollRegion class="page-scroll weekly" label="Findings" box={page}>
        {failure !== null && <p class="note">{failureWords(failure).what}</p>}
        {value?.length === 0 && (
          <EmptyState title="Nothing needs attention">
            <p>
              No check was noisy, slow or flapping in the last week, and each has what it needs.
            </p>
          </EmptyState>
        )}
        {lookKinds.map((kind) => {
          const own = (value ?? []).filter((one) => one.kind === kind)
          return own.length > 0 && <Findings key={kind} kind={kind} all={own} labelOf={labelOf} />
        })}
      </ScrollRegion>
    </section>
  )
}

const moreAtOnce = 100

interface FindingsProps {
  readonly kind: LookKind
  readonly all: readonly Finding[]
  readonly labelOf: (accountId: string) => string
}

/** Shows a manageable number, and more on request: there may be one for every check. */
function Findings({ kind, all, labelOf }: FindingsProps) {
  const [drawn, setDrawn] = useState(mostAtFirst)
  const list = useRef<HTMLUListElement>(null)
  const rest = all.length - drawn
  useLayoutEffect(() => {
    // The focus moves to the first of the rows that were added.
    if (drawn > mostAtFirst)
      list.current?.children[drawn - moreAtOnce]?.querySelector('button')?.focus()
  }, [drawn])
  return (
    <section aria-label={lookTitles[kind]}>
      <h2>
        {lookTitles[kind]} <span class="raw">{counted(all.length, 'check')}</span>
      </h2>
      <ul ref={list}>
        {all.slice(0, drawn).map((one) => (
          <Row
            key={checkSubject(one.accountId, one.checkId)}
            finding={one}
            label={labelOf(one.accountId)}
          />
        ))}
      </ul>
      {rest > 0 && (
        <Button kind="quiet" onClick={() => setDrawn(drawn + moreAtOnce)}>
          Show {Math.min(rest, moreAtOnce)} of {numberWords(rest)} more
        </Button>
      )}
    </section>
  )
}

function Row({ finding, label }: { readonly finding: Finding; readonly label: string }) {
  const { accountId, checkId, name, words, change } = finding
  return (
    <li>
      <div>
        <LinkButton dir="auto" onClick={() => go({ view: 'check', accountId, checkId })}>
          {name}
        </LinkButton>{' '}
        <span class="raw">{label}</span>
        <p>{words}</p>
      </div>
      {change !== null && <Change finding={finding} change={change} />}
    </li>
  )
}

function Change({ finding, change }: { finding: Finding; change: LookChange }) {
  const { accountId, checkId, name } = finding
  const [isDone, setDone] = useState(false)
  const [busy, during] = useBusy()
  const check = appState.value.boards.get(accountId)?.checks.get(checkId)
  const isWrite = change.do === 'setGrace' || change.do === 'integrations'
  const account = accountById(appState.value, accountId)
  const why = isWrite ? whyNotWritable(account, check ?? null) : null
  if (isWrite && account?.kind === 'monitoring' && isOnlyRead(account, check ?? null)) return null
  const act = async () => {
    const result = await during(make(finding, change))
    if (!result.ok) return toastFailure(result.failure)
    setDone(true)
    const id = String(new Map<string, unknown>(Object.entries(result.value ?? {})).get('id'))
    const takeBack = () => {
      setDone(false)
      if (change.do === 'snooze') undoSilence(id).act()
      else if (change.do === 'depend') toastIfFailed(call.removeDependency({ id }))
      else toastIfFailed(restored(finding, change, check))
    }
    toast(`${changeWords(change)}: done for ${name}.`, 'done', undo(takeBack))
  }
  return (
    <Button
      busy={busy}
      disabled={isDone || why !== null || check === undefined}
      title={why ?? undefined}
      onClick={() => void act()}
    >
      {isDone ? 'Done' : changeWords(change)}
    </Button>
  )
}

function make({ accountId, checkId }: Finding, change: LookChange): Promise<Result<unknown>> {
  switch (change.do) {
    case 'setGrace':
      return run(accountId, 'updateCheck', { uuid: checkId, grace: change.seconds })
    case 'integrations':
      return allIntegrations(accountId, checkId)
    case 'snooze':
      return call.silence({
        how: 'snooze',
        scope: { of: 'check', accountId, checkId },
        until: { kind: 'time', at: now.peek() + lookMs },
      })
    case 'depend':
      return call.addDependency({
        scope: { of: 'check', accountId, checkId },
        on: change.on,
      })
  }
}

/** Assigns all integrations. The service reports success even for a project that has none. */
async function allIntegrations(accountId: string, checkId: string): Promise<Result<unknown>> {
  const result = await run(accountId, 'updateCheck', { uuid: checkId, channels: '*' })
  if (!result.ok || result.value.channels !== '') return result
  const message = 'This project has no integrations. Add one on its web page first.'
  return { ok: false, failure: { kind: 'invalid', field: 'channels', message } }
}

/** Changes the check back to what it was before. */
function restored(
  { accountId, checkId }: Finding,
  change: LookChange,
  before: Check | undefined,
): Promise<Result<unknown>> {
  const fields =
    change.do === 'setGrace' ? { grace: before?.graceSeconds ?? change.seconds } : { channels: '' }
  return run(accountId, 'updateCheck', { uuid: checkId, ...fields })
}
