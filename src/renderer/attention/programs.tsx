import { useRef, useState } from 'preact/hooks'
import { offInDemo, type ProgramTrial } from '#shared/core/attention/programs/program.ts'
import type { Rule } from '#shared/core/attention/rules.ts'
import { showsDemo } from '#shared/core/state.ts'
import { ranWords } from '#shared/core/time.ts'
import { call } from '../bridge.ts'
import { Button, SmallButton } from '../parts/button.tsx'
import { PickField } from '../parts/known-fields.tsx'
import { TimeAgo } from '../parts/time-ago.tsx'
import { useBusy } from '../run.ts'
import { dismissToast, toast, toastFailure } from '../toast.ts'
import { appState } from '../window-state.ts'

interface FieldProps {
  readonly rule: Rule
  readonly onChange: (change: Partial<Rule>) => void
}

/** The program that a rule runs: one of those that were chosen in main’s own dialog. */
export function ProgramField({ rule: { programId = null, way }, onChange }: FieldProps) {
  const [busy, during] = useBusy()
  const { programs } = appState.value
  const isSilent = way === 'tray' || way === 'nothing'
  const choose = async () => {
    dismissToast()
    const chosen = await during(call.chooseProgram({}))
    if (!chosen.ok) toastFailure(chosen.failure)
    else if (chosen.value !== null) onChange({ programId: chosen.value.id })
  }
  return (
    <>
      <PickField
        label="Run my program"
        any="None"
        choices={[
          ...[...programs].map(([id, { name }]) => [id, name] as const),
          ...(programId === null || programs.has(programId)
            ? []
            : [[programId, 'A program that is not there any more'] as const]),
        ]}
        value={programId}
        onValue={(id) => onChange({ programId: id })}
      />
      <p class="field-help">
        {showsDemo(appState.value)
          ? offInDemo
          : isSilent
            ? 'It runs with a notification, and this rule shows none.'
            : 'It runs once with each notification, for 30 s at most, and reads what happened as JSON on its standard input.'}
      </p>
      <div class="button-row rule-program">
        <Button busy={busy} onClick={() => void choose()}>
          Choose a program…
        </Button>
      </div>
    </>
  )
}

/** The programs that rules can run, and how each ended. Takes effect at once, unlike the rules. */
export function ProgramSection() {
  const { programs } = appState.value
  const section = useRef<HTMLElement>(null)
  if (programs.size === 0) return null
  const remove = async (id: string, name: string) => {
    const result = await call.forgetProgram({ id })
    if (!result.ok) return toastFailure(result.failure)
    // Its button is gone.
    section.current?.focus()
    toast(`Belfry forgot ${name}. The program itself is where it was; no rule runs it any more.`)
  }
  return (
    <section class="attention-section" aria-label="Programs" tabIndex={-1} ref={section}>
      <h2 class="group-label">Programs</h2>
      <p class="field-help">
        {showsDemo(appState.value)
          ? offInDemo
          : 'What rules can run. “Why?” of a notification says how its program ended.'}
      </p>
      <ul class="programs">
        {[...programs.keys()].map((id) => (
          <li key={id}>
            <ProgramRow id={id} onRemove={remove} />
          </li>
        ))}
      </ul>
    </section>
  )
}

interface RowProps {
  readonly id: string
  readonly onRemove: (id: string, name: string) => Promise<unknown>
}

function ProgramRow({ id, onRemove }: RowProps) {
  const [busy, during] = useBusy()
  const [tried, setTried] = useState<ProgramTrial | null>(null)
  const program = appState.value.programs.get(id)
  if (program === undefined) return null
  const { name, last } = program
  const attempt = async () => {
    dismissToast()
    setTried(null)
    const answer = await during(call.tryProgram({ id }))
    if (answer.ok) setTried(answer.value)
    else toastFailure(answer.failure)
  }
  return (
    <fieldset class="program" aria-label={`Program: ${name}`}>
      <div class="row program-line">
        <div class="program-words">
          <bdi>{name}</bdi>
          <span class={last?.failure == null ? 'field-help' : 'field-error'}>
            {last === null ? (
              'It has not run yet.'
            ) : (
              <>
                {last.failure === null ? 'Last run: exit 0' : `Last run failed: ${last.failure}`}
                {' · '}
                <TimeAgo at={last.at} />
              </>
            )}
          </span>
        </div>
        <div class="button-row">
          <SmallButton aria-disabled={busy} onClick={() => !busy && void attempt()}>
            {busy ? 'Running…' : 'Try it'}
          </SmallButton>
          <SmallButton onClick={() => void onRemove(id, name)}>Remove</SmallButton>
        </div>
      </div>
      {tried !== null && (
        <div role="status">
          {`It ${tried.failure === null ? 'ran well' : `failed: ${tried.failure}`}, after ${ranWords(tried.ms)}. `}
          {tried.output === '' ? 'It printed nothing.' : 'It printed:'}
          {tried.output !== '' && (
            <pre class="printed" dir="auto">
              {tried.output}
            </pre>
          )}
        </div>
      )}
    </fieldset>
  )
}
