import type { GenericSchema, InferInput, InferOutput, ObjectEntries, ObjectSchema } from 'valibot'
import type { AccountKind } from '../core/account.ts'

/**
 * A REST operation, declared once as data. The schemas validate requests and responses, and the
 * TypeScript types and the generated forms are derived from them.
 */
export interface Operation<
  Params extends ObjectSchema<ObjectEntries, undefined> = ObjectSchema<ObjectEntries, undefined>,
  Reply extends GenericSchema = GenericSchema,
> {
  readonly service: AccountKind
  /** As in the API document: "List existing checks". */
  readonly title: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Relative to the base URL; `{name}` is replaced by that parameter, percent-encoded. */
  readonly path: string
  readonly params: Params
  readonly reply: Reply
  /** `text`: the body as lenient UTF-8, for ping bodies and the status probe. Default `json`. */
  readonly replyAs?: 'json' | 'text'
  /** A `write` is never retried when its outcome is unknown; `destroy` asks the user first. */
  readonly effect: 'read' | 'write' | 'destroy'
  /** For `destroy`: completes "This deletes …"; `{name}` is replaced by that parameter. */
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
  /** Validates fields against each other; null if valid. */
  readonly refuses?: (
    params: Readonly<Record<string, unknown>>,
  ) => { readonly field: string; readonly message: string } | null
  /** Chat: the feature level that introduced it, if above the minimum (`server-level.ts`). */
  readonly since?: number
  /** With `since`: the equivalent request for older servers; null if there is none. */
  readonly older?: (
    params: Readonly<Record<string, unknown>>,
    me: number | null,
  ) => { readonly operation: Operation; readonly params: Readonly<Record<string, unknown>> } | null
  /** Sent without credentials. */
  readonly anonymous?: boolean
  /** Maximum size of a response in decoded bytes; default 8 MiB. */
  readonly maxBytes?: number
  /** Most items in any list of a response; default 100,000. More is a failure, never truncated. */
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
