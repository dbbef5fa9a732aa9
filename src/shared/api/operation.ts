import type { GenericSchema, InferInput, InferOutput, ObjectEntries, ObjectSchema } from 'valibot'
import type { AccountKind } from '../core/account.ts'

/**
 * One REST operation, declared once as data. The schemas check what goes out and what comes back,
 * give the TypeScript types, and draw the generated form.
 */
export interface Operation<
  Params extends ObjectSchema<ObjectEntries, undefined> = ObjectSchema<ObjectEntries, undefined>,
  Reply extends GenericSchema = GenericSchema,
> {
  readonly service: AccountKind
  /** As in the API document: "List existing checks". */
  readonly title: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below the base address; `{name}` is filled from `params`, percent-encoded. */
  readonly path: string
  readonly params: Params
  readonly reply: Reply
  /** `text`: the body as lenient UTF-8, for ping bodies and the status probe. Default `json`. */
  readonly replyAs?: 'json' | 'text'
  /** A `write` is never repeated when its outcome is unknown; `destroy` asks the user first. */
  readonly effect: 'read' | 'write' | 'destroy'
  /** With `destroy`: completes "This deletes …"; `{name}` is a param. */
  readonly destroys?: string
  /**
   * Chat: the body is the file named by the parameter `file` instead of form fields. With `tus`,
   * `method` and `path` are those of the first of several requests.
   */
  readonly sends?: 'multipart' | 'tus'
  /** Sent to the check's own ping address, which may be on another host, without the key. */
  readonly to?: 'pingAddress'
  /** Monitoring: refused with 401 for a read-only key. */
  readonly needsReadWriteKey?: boolean
  /** Checks fields against each other; null if valid. */
  readonly refuses?: (
    params: Readonly<Record<string, unknown>>,
  ) => { readonly field: string; readonly message: string } | null
  /** Chat: the feature level that brought it, where that is above the floor (`server-level.ts`). */
  readonly since?: number
  /** With `since`: the request that does the same on servers before it; null if none does. */
  readonly older?: (
    params: Readonly<Record<string, unknown>>,
    me: number | null,
  ) => { readonly operation: Operation; readonly params: Readonly<Record<string, unknown>> } | null
  /** Sent without credentials. */
  readonly anonymous?: boolean
  /** Decoded bytes an answer may have; default 8 MiB. */
  readonly maxBytes?: number
  /** Items that any list of an answer may have, default 100,000. More is a failure, never truncated. */
  readonly maxItems?: number
  /** Total deadline of the request in ms; default 20 s. */
  readonly deadlineMs?: number
}

/** What only some operations specify. */
export type OperationExtras = Omit<Partial<Operation>, 'params' | 'reply'>

/** Declares an operation and keeps its exact types. */
export function operation<
  const Params extends ObjectSchema<ObjectEntries, undefined>,
  const Reply extends GenericSchema,
>(declaration: Operation<Params, Reply>): Operation<Params, Reply> {
  return declaration
}

export type ParamsOf<O> = O extends Operation<infer P, GenericSchema> ? InferInput<P> : never
export type ReplyOf<O> =
  O extends Operation<ObjectSchema<ObjectEntries, undefined>, infer R> ? InferOutput<R> : never
