import { signal } from '@preact/signals'
import { useRef, useState } from 'preact/hooks'
import type { Failure, Result } from '#shared/core/failure.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import { useIsHere } from '../run.ts'
import { toast } from '../toast.ts'

/** What is wrong, by the name of the field; `form`: what concerns none of them, or all. */
export type Errors<Name extends string = string> = Readonly<Partial<Record<Name | 'form', string>>>

type Wrong<Name extends string> = Errors<Name> | undefined

/** A way to send a form. Its own is its submit button's; other buttons have others. */
interface Sending<Draft, Name extends string, T> {
  /** What is wrong that can be known without a request; by default what the form's own says. */
  readonly check?: (draft: Draft) => Errors<Name>
  readonly send: (draft: Draft) => Promise<Result<T>>
  /** What is wrong if it failed; by default the failure, in words, concerns the whole form. */
  readonly failed?: ((failure: Failure, isHere: boolean) => Errors<Name>) | undefined
  /**
   * What follows once it was sent. `isHere`: whether the form is still open. What is returned is shown
   * as after a failure.
   */
  readonly done?: (value: T, isHere: () => boolean) => Wrong<Name> | Promise<Wrong<Name>>
}

/** What is typed: from `start` on in the form, or kept where it outlives the form. */
type Typed<Draft> =
  | { readonly start: Draft }
  | { readonly draft: Draft; readonly edit: (part: Partial<Draft>) => void }

type FormParts<Draft, Name extends string, T> = Typed<Draft> &
  Sending<Draft, Name, T> & {
    /** Says what failed, if the form was left meanwhile. */
    readonly title: string
    /** Forms with the same key are one: left and opened again, it can't be sent a second time. */
    readonly key?: string
    /** The fields whose errors no longer hold after a change; by default those that it names. */
    readonly touched?: (part: Partial<Draft>) => readonly string[]
  }

/** The forms that are being sent, by their keys. */
const sent = signal<ReadonlySet<unknown>>(new Set())

function setSent(key: unknown, on: boolean): void {
  const others = [...sent.peek()].filter((one) => one !== key)
  sent.value = new Set(on ? [...others, key] : others)
}

/**
 * A form: what is typed, what is wrong with it, and how it is sent, once at a time. Nothing that is
 * typed is lost by a failure; the first field with an error gets the focus. Whoever has left the
 * form is told in a toast, and led nowhere.
 */
export function useForm<Draft extends object, T, More extends string = never>(
  parts: FormParts<Draft, (keyof Draft & string) | NoInfer<More>, T>,
) {
  type Name = (keyof Draft & string) | More
  // Of a generic type, the compiler does not see that all fields are optional.
  const none = {} as Errors<Name>
  const { title, touched = Object.keys } = parts
  const [own, setOwn] = useState(() => ('start' in parts ? parts.start : parts.draft))
  const { draft, edit } =
    'start' in parts
      ? {
          draft: own,
          edit: (part: Partial<Draft>) => setOwn((before) => ({ ...before, ...part })),
        }
      : parts
  const [mine] = useState(() => Symbol())
  const key = parts.key ?? mine
  const element = useRef<HTMLElement>(null)
  const [ref] = useState(() => (box: HTMLElement | null) => {
    element.current = box
  })
  const [errors, setErrors] = useState(none)
  const isHere = useIsHere()

  const point = (wrong: Errors<Name>): void => {
    if (isHere()) {
      setErrors(wrong)
      focusFirstError(element.current)
    } else toast(`${title}: ${Object.values(wrong).join(' ')}`, 'failed')
  }
  /** Sends it without checking it first. */
  const ask = async <Value>(deed: Sending<Draft, Name, Value>): Promise<void> => {
    // Not the state of this render: a second Enter may come before the next.
    if (sent.peek().has(key)) return
    setErrors(none)
    setSent(key, true)
    const result = await deed.send(draft).finally(() => setSent(key, false))
    const wrong = result.ok
      ? await deed.done?.(result.value, isHere)
      : (deed.failed?.(result.failure, isHere()) ??
        ({ form: failureSentence(result.failure) } as const))
    if (wrong !== undefined) point(wrong as Errors<Name>)
  }
  const submit = async <Value>(deed: Sending<Draft, Name, Value>): Promise<void> => {
    const wrong = (deed.check ?? parts.check)?.(draft) ?? none
    if (Object.keys(wrong).length > 0) point(wrong)
    else await ask(deed)
  }
  return {
    draft,
    errors,
    busy: sent.value.has(key),
    /** Changes what is typed, and drops the errors that were about it. */
    onChange: (part: Partial<Draft>): void => {
      edit(part)
      setErrors((before) => withoutErrors(before, ['form', ...touched(part)]))
    },
    /** Shows what is wrong. */
    point,
    ask,
    /** Checks it and sends it; in another way than its own if one is given. */
    submit: <Value = T>(deed?: Sending<Draft, Name, Value>): void =>
      void (deed === undefined ? submit(parts) : submit(deed)),
    /** What its fields are in. */
    element,
    /** For its `form`. */
    attributes: { ref, ...submits(() => submit(parts)) },
  }
}

/** For a `form`: calls `send` when it is submitted, also by Ctrl+Enter from any of its fields. */
export function submits(send: () => unknown) {
  return {
    noValidate: true,
    onSubmit: (submitted: Event): void => {
      // Keeps the browser from navigating.
      submitted.preventDefault()
      send()
    },
    onKeyDown: submitByKey,
  }
}

/** On Ctrl+Enter, clicks the submit button inside, even from a text area. */
export function submitByKey(key: KeyboardEvent): void {
  const { target, currentTarget: box } = key
  if (key.defaultPrevented || key.key !== 'Enter' || !(key.ctrlKey || key.metaKey)) return
  key.preventDefault()
  if (!(box instanceof Element)) return
  const submit = () => box.querySelector<HTMLElement>('[type=submit]')?.click()
  if (target instanceof HTMLInputElement && ['number', 'time'].includes(target.type)) {
    // Such a value counts once its field is left; the form is rendered with it first.
    target.blur()
    target.focus()
    queueMicrotask(submit)
  } else submit()
}

/** The props of a form's text field, except for its label. */
export function draftField<Name extends string>(
  form: {
    readonly draft: Readonly<Record<NoInfer<Name>, string>>
    readonly errors: Readonly<Partial<Record<NoInfer<Name>, string>>>
    readonly onChange: (part: Partial<Record<NoInfer<Name>, string>>) => void
  },
  name: Name,
) {
  return {
    name,
    value: form.draft[name],
    error: form.errors[name],
    // TypeScript widens the type of a computed key to `string`.
    onInput: (text: string) => form.onChange({ [name]: text } as Partial<Record<Name, string>>),
  }
}

/** The errors without those of the fields with these names. */
function withoutErrors<Of extends object>(errors: Of, names: readonly string[]): Of {
  const left = Object.entries(errors).filter(([name]) => !names.includes(name))
  // A subset of the entries of `errors`.
  return Object.fromEntries(left) as Of
}

/** Focuses the first field with an error, after the errors are rendered and before the next key. */
function focusFirstError(form: HTMLElement | null): void {
  queueMicrotask(() => {
    form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  })
}
