import { effect, type ReadonlySignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { catalogue, OperationId } from '#shared/api/catalogue.ts'
import { readIntegrations } from '#shared/api/monitoring/read-history.ts'
import type { ParamsOf, ReplyOf } from '#shared/api/operation.ts'
import type { AccountId } from '#shared/core/account.ts'
import type { Integration } from '#shared/core/checks/check.ts'
import { type Failure, mayHaveHappened, type Result } from '#shared/core/failure.ts'
import { failureSentence, failureWords } from '#shared/core/failure-words.ts'
import { call } from './bridge.ts'
import { toast } from './toast.ts'
import { now } from './window-state.ts'

type Params<Id extends OperationId> = ParamsOf<(typeof catalogue)[Id]>
type Reply<Id extends OperationId> = ReplyOf<(typeof catalogue)[Id]>

/** Runs an operation of the catalogue, typed by its declaration. `glance`: of a check only selected. */
export async function run<Id extends OperationId>(
  accountId: AccountId,
  operation: Id,
  params: Params<Id>,
  options: { readonly glance?: boolean } = {},
): Promise<Result<Reply<Id>>> {
  // Main has validated the answer against this operation's schema.
  return (await call.run({ accountId, operation, params, ...options })) as Result<Reply<Id>>
}

/** Asks the service for the names of a channel's topics, newest first. */
export async function topicsOf(
  accountId: AccountId,
  channelId: number,
): Promise<Result<readonly string[]>> {
  const asked = { stream_id: channelId, allow_empty_topic_name: true }
  const listed = await run(accountId, 'listTopics', asked)
  if (!listed.ok) return listed
  const names = listed.value.topics.flatMap((wire) => {
    const isTopic = typeof wire === 'object' && wire !== null && 'name' in wire
    return isTopic && typeof wire.name === 'string' ? wire.name : []
  })
  return { ok: true, value: names }
}

/** Asks the service for a project's integrations. */
export async function integrationsOf(
  accountId: AccountId,
): Promise<Result<readonly Integration[]>> {
  const listed = await run(accountId, 'listIntegrations', {})
  return listed.ok ? { ok: true, value: readIntegrations(listed.value).items } : listed
}

/** The answer to a request. Keeps the last `value` while asking again, so the page doesn't jump. */
export interface Asked<T> {
  readonly value: T | null
  readonly failure: Failure | null
  readonly loading: boolean
}

/**
 * Calls `ask` on mount and whenever `key` changes, unless it is null; `read` converts the reply.
 * Drops an answer that arrives after `key` has changed.
 */
export function useRun<R, T = R>(
  key: string | null,
  ask: () => Promise<Result<R>>,
  // Without it, `T` is `R`.
  read = (reply: R): T => reply as unknown as T,
): Asked<T> {
  const loading = key !== null
  const [asked, setAsked] = useState<Asked<T>>({ value: null, failure: null, loading })
  // `key` covers everything that `ask` and `read` close over.
  useEffect(() => {
    if (key === null) return
    let current = true
    setAsked((before) => ({ ...before, loading: true }))
    void ask().then((result) => {
      if (!current) return
      setAsked((before) =>
        result.ok
          ? { value: read(result.value), failure: null, loading: false }
          : { value: before.value, failure: result.failure, loading: false },
      )
    })
    return () => {
      current = false
    }
  }, [key])
  return asked
}

/** Debounces a value: returns it once it has been the same for `ms`, but the first one at once. */
export function useRested<T extends string | null>(value: T, ms: number): T {
  const [rested, setRested] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), ms)
    return () => clearTimeout(timer)
  }, [value])
  return rested
}

/** Returns `[busy, during]`: `busy` is true while the promise passed to `during` is pending. */
export function useBusy() {
  const [busy, setBusy] = useState(false)
  const during = <T>(answer: Promise<T>): Promise<T> => {
    setBusy(true)
    return answer.finally(() => setBusy(false))
  }
  return [busy, during] as const
}

/** Returns a function that tells whether the component is still mounted when an answer comes. */
export function useIsHere(): () => boolean {
  const isHere = useRef(true)
  useLayoutEffect(
    () => () => {
      isHere.current = false
    },
    [],
  )
  return () => isHere.current
}

/**
 * For a form that may be left while it waits for an answer. `report` shows why it failed: with
 * `show` in the form or, once the form is gone, in a toast with the form's title.
 */
export function useAnswer(title: string, show: (words: string) => void) {
  const isHere = useIsHere()
  const report = (words: string) => (isHere() ? show(words) : toast(`${title}: ${words}`, 'failed'))
  return { isHere, report }
}

/**
 * Asks one thing at a time: while an answer is pending, `ask` does nothing and returns undefined. A
 * ref guards this, since a second Enter may come before the next render.
 */
export function useAsk() {
  const [busy, during] = useBusy()
  const underWay = useRef(false)
  const ask = async <T>(question: () => Promise<T>): Promise<T | undefined> => {
    if (underWay.current) return undefined
    underWay.current = true
    return during(question()).finally(() => {
      underWay.current = false
    })
  }
  return [busy, ask] as const
}

/** Why a change failed, in whole sentences, then `maybe` if it may have been made, else `not`. */
export function failedWords(
  failure: Failure,
  maybe = 'It may have been changed all the same: look before you try again.',
  not = 'Nothing was changed.',
): string {
  // Unlike a read, a change is never retried later, when the user may have forgotten it.
  if (failure.kind === 'network' && failure.reason === 'offline')
    return `${failureWords(failure).what} ${not} Try again once it is back online.`
  // An error text from the server may lack a full stop.
  const sentence = failureSentence(failure).replace(/[^.!?]$/, '$&.')
  return `${sentence} ${mayHaveHappened(failure) ? maybe : not}`
}

/** Waits for `ms`, but no longer than the signal's value passes `isOn`. */
export function waitWhile<T>(
  ms: number,
  signal: ReadonlySignal<T>,
  isOn: (value: T) => boolean,
): Promise<void> {
  return new Promise((resolve) => {
    const until = Date.now() + ms
    let stop = () => {}
    const end = () => {
      clearTimeout(timer)
      stop()
      resolve()
    }
    const timer = setTimeout(end, ms)
    // Timers stand still while the computer sleeps, so this checks the clock as well.
    stop = effect(() => {
      if (!isOn(signal.value) || now.value >= until) queueMicrotask(end)
    })
  })
}

/** Whether the service answered that it has no such thing, or no longer has it. */
export function isNotFound(failure: Failure): boolean {
  return failure.kind === 'refused' && failure.httpStatus === 404
}
