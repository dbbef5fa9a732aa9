import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import type { BulkAction } from '#shared/core/checks/bulk.ts'
import { checkName, integrationName } from '#shared/core/checks/check.ts'
import { durationWords } from '#shared/core/time.ts'
import { counted, firstOf, numberWords } from '#shared/core/wording.ts'
import type { Named } from '../attention/quiet-menu.tsx'
import { someWritable } from '../check-editor/editor-access.ts'
import { Button, IconButton, SmallButton } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field, FormFoot } from '../parts/field.tsx'
import { draftField, submits, useForm } from '../parts/form.ts'
import { tagTyped } from '../parts/known-fields.tsx'
import { MenuButton } from '../parts/menu-button.tsx'
import { actByKey, keyOf } from '../parts/page-actions.ts'
import { integrationsOf } from '../run.ts'
import { now } from '../window-state.ts'
import { tags } from './board-state.ts'
import {
  type BulkAsk,
  bulkActions,
  bulkAsk,
  chosen,
  clearSelection,
  endWords,
  outcomeWords,
  pauseOrResume,
  startPauseOrResume,
  startWork,
  stopWork,
  tryAgain,
  undoOf,
  type Work,
  wordsOf,
  work,
} from './bulk-work.ts'
import { pinAction } from './row-keys.ts'

/** How a change of several checks goes, and what came of each; and what is selected, for which the keys are. */
export function BulkBar({ onLeave }: { readonly onLeave: () => void }) {
  const ask = bulkAsk.value
  const isSelected = chosen.value.length > 0
  const state = work.value?.state
  useLayoutEffect(() => {
    // The button that had the focus is gone.
    if (document.activeElement === document.body) onLeave()
  }, [isSelected, state])
  return (
    <>
      {work.value !== null && <Progress />}
      {isSelected && <Choices />}
      {ask !== null &&
        (ask.about === 'pause' ? (
          <PauseQuestion />
        ) : (
          <Question key={JSON.stringify(ask)} ask={ask} />
        ))}
    </>
  )
}

function Choices() {
  const checks = chosen.value
  const actions = bulkActions(checks)
  const press = (key: string) => () => actByKey(key, actions)
  const main = pauseOrResume(checks)
  const pin = pinAction(checks)
  const other = () => startPauseOrResume(main === 'pause' ? 'resume' : 'pause', checks)
  const ask = (question: BulkAsk) => () => {
    bulkAsk.value = question
  }
  const isWritable = someWritable(checks)
  const changes = [
    { label: main === 'pause' ? 'Resume' : 'Pause', act: other },
    { label: 'Add a tag…', act: ask({ about: 'tag', on: true }) },
    { label: 'Remove a tag…', act: ask({ about: 'tag', on: false }) },
    { label: 'Add an integration…', act: ask({ about: 'integration', on: true }) },
    { label: 'Remove an integration…', act: ask({ about: 'integration', on: false }) },
    { label: 'Delete…', act: ask({ about: 'delete' }) },
  ]
  return (
    <section
      class="bar bulk-bar"
      aria-label="Selected checks"
      onKeyDown={(key) => {
        // As in the list: the tooltips name these keys.
        if (key.defaultPrevented || key.ctrlKey || key.metaKey || key.altKey) return
        if (key.key === 'Escape') clearSelection()
        else if (!actByKey(keyOf(key), actions)) return
        key.preventDefault()
      }}
    >
      <span role="status">{numberWords(checks.length)} selected</span>
      {actions.flatMap(({ key, title }) =>
        key === 's' || key === 'a' || key === 'p'
          ? [
              <SmallButton key={key} title={`Key: ${key}`} onClick={press(key)}>
                {title.split(' ')[0]}
              </SmallButton>,
            ]
          : [],
      )}
      <MenuButton
        label="More for the selected checks"
        items={[{ label: pin.title, hint: 'f', act: pin.act }, ...(isWritable ? changes : [])]}
      />
      <IconButton icon="close" label="Clear the selection (Esc)" onClick={clearSelection} />
    </section>
  )
}

/** Listing thousands would hang the page for more than a second. */
const mostListed = 300

/** Those to list: what failed comes first, then what was not tried. */
function shownFirst(outcomes: Work['outcomes']): Work['outcomes'] {
  const failed = outcomes.filter(({ outcome }) => outcomeWords(outcome) !== null)
  const tried = failed.filter(({ outcome }) => outcome.is !== 'left')
  const left = failed.filter(({ outcome }) => outcome.is === 'left')
  const done = outcomes.filter(({ outcome }) => outcomeWords(outcome) === null)
  return [...tried, ...left, ...done].slice(0, mostListed)
}

function Progress() {
  const [open, setOpen] = useState(false)
  const shown = work.value
  if (shown === null) return null
  const { action, total, outcomes, state, waitsUntil } = shown
  const [doing, done] = wordsOf(action)
  const isOver = state === 'ended'
  const takeBack = undoOf(shown)
  const waitMs = waitsUntil - now.value
  const wait =
    !isOver && waitMs > 1_000 ? ` · next in ${durationWords(waitMs + 999)} (rate limit)` : ''
  const canRetry = outcomes.some(
    ({ outcome }) => outcome.is !== 'gone' && outcomeWords(outcome) !== null,
  )
  return (
    <section class="bar bulk-bar" aria-label="Several checks">
      <span role="status">
        {isOver
          ? endWords(shown)
          : `${doing}: ${numberWords(outcomes.length)} of ${numberWords(total)}${wait}`}
      </span>
      {!isOver && (
        <>
          <progress aria-label={doing} value={outcomes.length} max={total} />
          <SmallButton onClick={stopWork}>
            {state === 'stopping' ? 'Stopping…' : 'Stop'}
          </SmallButton>
        </>
      )}
      {isOver && (
        <>
          <SmallButton aria-expanded={open} onClick={() => setOpen(!open)}>
            Details
          </SmallButton>
          {canRetry && <SmallButton onClick={tryAgain}>Retry the rest</SmallButton>}
          {takeBack !== null && <SmallButton onClick={takeBack}>Undo</SmallButton>}
          <IconButton
            icon="close"
            label="Dismiss"
            onClick={() => {
              work.value = null
              clearSelection()
            }}
          />
        </>
      )}
      {isOver && open && (
        <ul class="bulk-each">
          {shownFirst(outcomes).map(({ target, outcome }) => (
            <li key={`${target.accountId}/${target.checkId}`}>
              <bdi>{target.name}</bdi>:{' '}
              {outcomeWords(outcome) ??
                (outcome.is === 'done' ? done.toLowerCase() : 'nothing to do')}
            </li>
          ))}
          {outcomes.length > mostListed && (
            <li>and {numberWords(outcomes.length - mostListed)} more</li>
          )}
        </ul>
      )}
    </section>
  )
}

function closeQuestion(): void {
  bulkAsk.value = null
}

function selectedWords(checks: readonly Named[]): string {
  const names = checks.map(({ check }) => checkName(check))
  return `You selected ${firstOf(names, 5)}.`
}

function PauseQuestion() {
  const checks = chosen.value
  const begin = () => {
    closeQuestion()
    void startWork({ do: 'pause' }, checks)
  }
  return (
    <Dialog title={`Pause ${counted(checks.length, 'check')}?`} onClose={closeQuestion}>
      <p>Nobody is alerted while a check is paused. {selectedWords(checks)}</p>
      <form {...submits(begin)}>
        <FormFoot onCancel={closeQuestion}>
          <Button type="submit" kind="primary">
            Pause
          </Button>
        </FormFoot>
      </form>
    </Dialog>
  )
}

function Question({ ask }: { readonly ask: AskForText }) {
  const checks = chosen.value
  const names = useIntegrationNames(ask.about === 'integration')
  const isDelete = ask.about === 'delete'
  const many = counted(checks.length, 'check')
  const title = isDelete
    ? `Delete ${many}?`
    : `${ask.on ? 'Add' : 'Remove'} ${ask.about === 'tag' ? 'a tag' : 'an integration'}`
  const form = useForm({
    title,
    start: { value: '' },
    check({ value }) {
      const why = problemWith(ask, tagTyped(value), checks.length)
      return why === null ? {} : { value: why }
    },
    async send({ value }) {
      closeQuestion()
      void startWork(actionOf(ask, tagTyped(value)), checks)
      return { ok: true, value: null }
    },
  })
  return (
    <Dialog title={title} onClose={closeQuestion}>
      {isDelete && (
        <p>
          This can’t be undone: their logs, their history and their ping addresses are lost.{' '}
          {selectedWords(checks)}
        </p>
      )}
      <form {...form.attributes}>
        <Field
          label={isDelete ? `Type ${checks.length} to delete them` : labels[ask.about]}
          {...draftField(form, 'value')}
          {...(isDelete
            ? {}
            : {
                help: `For ${many}, one after the other.`,
                suggestions: ask.about === 'tag' ? tags.value : names,
              })}
        />
        <FormFoot onCancel={closeQuestion}>
          <Button type="submit" kind={isDelete ? 'danger' : 'primary'}>
            {isDelete ? 'Delete' : ask.on ? 'Add' : 'Remove'}
          </Button>
        </FormFoot>
      </form>
    </Dialog>
  )
}

type AskForText = Exclude<BulkAsk, { readonly about: 'pause' }>

const labels = { tag: 'Tag', integration: 'Integration' } as const

function actionOf(ask: AskForText, text: string): BulkAction {
  if (ask.about === 'delete') return { do: 'delete' }
  return ask.about === 'tag'
    ? { do: 'tag', tag: text, on: ask.on }
    : { do: 'integration', name: text, on: ask.on }
}

function problemWith(ask: AskForText, text: string, count: number): string | null {
  if (ask.about === 'delete')
    return text === String(count) ? null : `Type ${count}, the number of checks.`
  if (text === '') return ask.about === 'tag' ? 'Type a tag.' : 'Type the name of an integration.'
  return ask.about === 'tag' && /\s/.test(text) ? 'A tag has no spaces.' : null
}

/** Of all projects that have a selected check. */
function useIntegrationNames(wanted: boolean): readonly string[] {
  const [names, setNames] = useState<readonly string[]>([])
  useEffect(() => {
    if (!wanted) return
    const projects = new Set(chosen.peek().map(({ accountId }) => accountId))
    void Promise.all([...projects].map(integrationsOf)).then((all) => {
      const found = all.flatMap((one) => (one.ok ? one.value : []))
      setNames([...new Set(found.map(integrationName))].sort())
    })
  }, [wanted])
  return names
}
