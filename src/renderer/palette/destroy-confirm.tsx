import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { formFields } from '#shared/api/form-fields.ts'
import type { Operation } from '#shared/api/operation.ts'
import type { Account } from '#shared/core/account.ts'
import { Button } from '../parts/button.tsx'
import { usePickOptions } from './pick-options.ts'

interface Props {
  readonly operation: Operation
  readonly account: Account
  readonly params: Readonly<Record<string, unknown>>
  readonly onYes: () => void
  readonly onNo: () => void
}

/** A name that can be typed without hunting for its characters. */
const typeable = /^[\x20-\x7e]{1,32}$/

/** The service can't undo this, so it is named and typed before it happens. */
export function DestroyConfirm({ operation, account, params, onYes, onNo }: Props) {
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
    <fieldset class="destroy" aria-labelledby={`${id}-what`}>
      <p id={`${id}-what`}>
        {sentence(operation, params, name)} In {account.label}, for good: this can't be undone.
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
          Keep it
        </Button>
      </div>
    </fieldset>
  )
}

/** "This deletes the check db-backup, its pings and flips.", its id replaced by its name. */
function sentence(
  { title, destroys }: Operation,
  params: Props['params'],
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

/** What will be gone, by the name that its picker has for it, or by its id. */
function useSubject(
  operation: Operation,
  account: Account,
  params: Props['params'],
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
  return options?.find((option) => option.value === String(value))?.label ?? String(value)
}
