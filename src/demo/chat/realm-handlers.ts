import type { ChatOperationId, chatOperations } from '../../shared/api/chat/chat-operations.ts'
import type { ReplyOf } from '../../shared/api/operation.ts'
import type { RawRequest } from '../answers.ts'
import type { Params } from './realm-http.ts'

/** One request that found its operation and was let in. */
export interface Call {
  /** Parts of the path by the catalogue's names, decoded. */
  readonly path: Readonly<Record<string, string>>
  readonly params: Params
  /** For what is no form: an uploaded file. */
  readonly request: RawRequest
  readonly signal: AbortSignal
  /** What the client calls itself: its user agent up to the version. */
  readonly client: string
}

type Answer<Id extends ChatOperationId> = ReplyOf<(typeof chatOperations)[Id]>

/** All but tus, which is a protocol of its own: `realm-tus.ts`. */
export type HandledId = Exclude<ChatOperationId, 'resumableUpload'>

/**
 * What answers each operation. Typed by the catalogue, so that the pretend server and the
 * declarations can't drift apart without the compiler saying so.
 */
export type Handlers = {
  readonly [Id in HandledId]: (call: Call) => Answer<Id> | Promise<Answer<Id>>
}

export function pathId(call: Call, name: string): number {
  return Number(call.path[name])
}
