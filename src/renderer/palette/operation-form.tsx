import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { OperationId } from '#shared/api/catalogue.ts'
import { type FormField, formFields, isKnownAt } from '#shared/api/form-fields.ts'
import type { Operation } from '#shared/api/operation.ts'
import type { Account } from '#shared/core/account.ts'
import { lackWords } from '#shared/core/chat/server-level.ts'
import { closePalette, openPalette } from '../palette-shown.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { SelectField } from '../parts/field.tsx'
import { appState } from '../window-state.ts'
import { ParameterField } from './controls.tsx'
import {
  accountsFor,
  collect,
  type Outcome,
  orderedFields,
  rawOf,
  sendsFile,
  useFilling,
  whyNot,
} from './operation-state.ts'
import { operationOf } from './palette-state.ts'
import { usePickOptions } from './pick-options.ts'
import { CopyAsCurl, RequestView, ResultView, UploadForm } from './result-view.tsx'

export function OperationForm({ id }: { readonly id: OperationId }) {
  const operation = operationOf(id)
  const accounts = accountsFor(appState.value, operation)
  const [chosen, setChosen] = useState<string | null>(null)
  const account = accounts.find((one) => one.id === chosen) ?? accounts[0]
  const accountChoice = accounts.length > 1 && (
    <SelectField
      label="Account"
      value={account?.id ?? ''}
      options={accounts.map((one) => [one.id, one.label])}
      onChange={setChosen}
    />
  )
  return (
    <div class="operation">
      <header class="operation-head">
        <IconButton icon="back" label="Back to the list (Esc)" onClick={openPalette} />
        <div>
          <h2>{operation.title}</h2>
          <p class="one-line operation-path">
            {operation.method} {operation.path}
          </p>
        </div>
        <IconButton icon="close" label="Close" onClick={closePalette} />
      </header>
      {account === undefined ? (
        <p class="operation-note">No account can do this, or its key can only read.</p>
      ) : sendsFile(orderedFields(operation)) ? (
        <UploadForm
          id={id}
          accountId={account.id}
          by={operation.sends ?? 'multipart'}
          blocked={whyNot(appState.value, account, operation)}
        >
          {accountChoice}
        </UploadForm>
      ) : (
        <Fields key={account.id} id={id} operation={operation} account={account}>
          {accountChoice}
        </Fields>
      )}
    </div>
  )
}

interface Props {
  readonly id: OperationId
  readonly operation: Operation
  readonly account: Account
  /** The choice of the account, if there is one. */
  readonly children: ComponentChildren
}

function Fields({ id, operation, account, children }: Props) {
  const server = appState.value.realms.get(account.id)?.server
  const all = useMemo(() => orderedFields(operation), [operation])
  const lack = (field: FormField) => lackWords(server, field.since)
  const fields = all.filter((field) => isKnownAt(field, server?.featureLevel))
  const filling = useFilling(id, account, fields)
  const { form, outcome, blocked } = filling
  const { draft: raws, errors, element } = form
  useLayoutEffect(() => focusFirst(element.current), [])
  const keepIt = () => {
    filling.keepIt()
    element.current?.querySelector<HTMLElement>('.operation-foot .button:last-child')?.focus()
  }
  const startOver = () => {
    filling.startOver()
    focusFirst(element.current)
  }
  return (
    <form
      class="operation-form"
      {...form.attributes}
      onKeyDown={(key) => {
        form.attributes.onKeyDown(key)
        if (key.key !== 'Escape' || outcome.kind !== 'asking') return
        // Esc goes back to the form here, and the palette ignores one that was handled.
        key.preventDefault()
        key.stopPropagation()
        keepIt()
      }}
    >
      <div class="operation-scroll">
        {children}
        {blocked !== null && (
          <p class="operation-note" id="operation-blocked">
            {blocked}
          </p>
        )}
        {fields.length > 0 && (
          <p class="field-help operation-hint">
            Empty fields are not sent. Write "" to send an empty text.
          </p>
        )}
        {fields.map((field) => (
          <ParameterField
            key={field.name}
            field={field}
            accountId={account.id}
            raw={rawOf(field, raws)}
            error={errors[field.name] ?? null}
            onChange={(raw) => form.onChange({ [field.name]: raw })}
          />
        ))}
        {[...Map.groupBy(all, lack)].map(
          ([words, without]) =>
            words !== null && (
              <p key={words} class="field-help operation-hint">
                {`${without.map(({ label }) => label).join(', ')}: ${words}.`}
              </p>
            ),
        )}
        <RequestView
          request={{ accountId: account.id, operation: id }}
          collected={collect(fields, raws)}
        />
        <OutcomeView
          outcome={outcome}
          operation={operation}
          account={account}
          onYes={filling.run}
          onNo={keepIt}
        />
        {errors['form'] !== undefined && <Failed sentence={errors['form']} />}
      </div>
      <footer class="bar operation-foot">
        <CopyAsCurl
          request={{ accountId: account.id, operation: id }}
          collect={() => collect(fields, raws)}
          onWrong={filling.point}
        />
        {Object.keys(raws).length > 0 && (
          <Button kind="quiet" onClick={startOver}>
            Start over
          </Button>
        )}
        <Button
          kind={operation.effect === 'destroy' ? 'danger' : 'primary'}
          type="submit"
          busy={form.busy}
          disabled={blocked !== null || outcome.kind === 'asking'}
          {...(blocked === null ? {} : { describedBy: 'operation-blocked', title: blocked })}
        >
          {operation.effect === 'destroy' ? 'Run…' : 'Run'}
        </Button>
      </footer>
    </form>
  )
}

interface OutcomeProps extends Pick<Props, 'operation' | 'account'> {
  readonly outcome: Outcome
  readonly onYes: (params: Readonly<Record<string, unknown>>) => void
  readonly onNo: () => void
}

/** The result, the failure, or the question to be answered first. */
function OutcomeView({ outcome, operation, account, onYes, onNo }: OutcomeProps) {
  switch (outcome.kind) {
    case 'asking':
      return (
        <DestroyConfirm
          operation={operation}
          account={account}
          params={outcome.params}
          onYes={() => onYes(outcome.params)}
          onNo={onNo}
        />
      )
    case 'done':
      return <ResultView reply={outcome.reply} />
    case 'none':
      return null
  }
}

/** Scrolled to, since the form above it may fill the window. */
function Failed({ sentence }: { readonly sentence: string }) {
  const box = useRef<HTMLParagraphElement>(null)
  useEffect(() => box.current?.scrollIntoView({ block: 'nearest' }), [sentence])
  return (
    <p ref={box} class="operation-failed" role="alert">
      {sentence}
    </p>
  )
}

function focusFirst(form: HTMLElement | null): void {
  form
    ?.querySelector<HTMLElement>('.operation-scroll :is(input, select, textarea), [type="submit"]')
    ?.focus()
}

interface DestroyConfirmProps extends Pick<Props, 'operation' | 'account'> {
  readonly params: Readonly<Record<string, unknown>>
  readonly onYes: () => void
  readonly onNo: () => void
}

const typeable = /^[\x20-\x7e]{1,32}$/

/** The service can't undo this, so the user has to type the name of what will be deleted. */
function DestroyConfirm({ operation, account, params, onYes, onNo }: DestroyConfirmProps) {
  const [typed, setTyped] = useState('')
  const box = useRef<HTMLInputElement>(null)
  const id = useId()
  const name = useSubject(operation, account, params)
  const word = name !== null && typeable.test(name) ? name : 'delete'
  const sure = typed.trim().toLowerCase() === word.trim().toLowerCase()
  useLayoutEffect(() => {
    box.current?.focus()
    box.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  return (
    <fieldset class="stack destroy" aria-labelledby={`${id}-what`}>
      <p id={`${id}-what`}>
        {sentence(operation, params, name)} It is in {account.label}, and this can’t be undone.
      </p>
      <label for={id}>
        Type <b>{word}</b> to confirm
      </label>
      <input
        ref={box}
        id={id}
        type="text"
        autocomplete="off"
        spellcheck={false}
        value={typed}
        onInput={(input) => setTyped(input.currentTarget.value)}
        onKeyDown={(key) => {
          if (key.key !== 'Enter') return
          key.preventDefault()
          if (sure) onYes()
        }}
      />
      <div class="button-row">
        <Button kind="danger" disabled={!sure} onClick={onYes}>
          {operation.title}
        </Button>
        <Button kind="quiet" onClick={onNo}>
          Cancel
        </Button>
      </div>
    </fieldset>
  )
}

/** "This deletes the check db-backup, its pings and flips.", its id replaced by its name. */
function sentence(
  { title, destroys }: Operation,
  params: DestroyConfirmProps['params'],
  name: string | null,
): string {
  if (destroys === undefined) return name === null ? `${title}.` : `${title}: ${name}.`
  let first = true
  const what = destroys.replace(/\{(\w+)\}/g, (_all, param: string) => {
    const value = params[param]
    const known = first ? name : null
    first = false
    if (known !== null) return known
    return typeof value === 'string' ? value : JSON.stringify(value ?? null)
  })
  return `This deletes ${what}.`
}

/** What will be deleted: its name in its picker, or else its id. */
function useSubject(
  operation: Operation,
  account: Account,
  params: DestroyConfirmProps['params'],
): string | null {
  const field = formFields(operation).find(({ name }) => params[name] !== undefined)
  const input =
    field?.input.kind === 'pick'
      ? field.input
      : ({ kind: 'pick', picker: 'file', count: 'one', of: 'text' } as const)
  const options = usePickOptions(account.id, input)
  if (field === undefined) return null
  const value = params[field.name]
  if (typeof value !== 'string' && typeof value !== 'number') return null
  return options?.find(([option]) => option === String(value))?.[1] ?? String(value)
}
