import { useEffect, useState } from 'preact/hooks'
import type { catalogue, OperationId } from '#shared/api/catalogue.ts'
import type { ParamsOf, ReplyOf } from '#shared/api/operation.ts'
import type { AccountId } from '#shared/core/account.ts'
import type { Failure, Result } from '#shared/core/failure.ts'
import { call } from './bridge.ts'

type Params<Id extends OperationId> = ParamsOf<(typeof catalogue)[Id]>
type Reply<Id extends OperationId> = ReplyOf<(typeof catalogue)[Id]>

/** Runs an operation of the catalogue, typed by its declaration. */
export async function run<Id extends OperationId>(
  accountId: AccountId,
  operation: Id,
  params: Params<Id>,
): Promise<Result<Reply<Id>>> {
  // Main holds the answer against this operation's own schema before it passes it on.
  return (await call.run({ accountId, operation, params })) as Result<Reply<Id>>
}

/** Something asked for. `value` stays while it is asked for again, so that nothing jumps. */
export interface Asked<T> {
  readonly value: T | null
  readonly failure: Failure | null
  readonly loading: boolean
}

/**
 * Asks when `key` changes and at the first drawing; null asks nothing. `read` makes ours of the
 * reply. An answer that arrives after a newer question is dropped.
 */
export function useRun<R, T>(
  key: string | null,
  ask: () => Promise<Result<R>>,
  read: (reply: R) => T,
): Asked<T> {
  const [asked, setAsked] = useState<Asked<T>>({
    value: null,
    failure: null,
    loading: key !== null,
  })
  // `key` names everything that `ask` and `read` close over.
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
