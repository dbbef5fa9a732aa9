import type { Failure } from '../../shared/core/failure.ts'

/** The server forgot the queue, as it does ten minutes after the last poll: the normal case after sleep. */
export function isQueueGone(failure: Failure): boolean {
  return failure.kind === 'refused' && failure.code === 'BAD_EVENT_QUEUE_ID'
}

/** Said by a network or another program, not by the server that has the queue. */
const inTheWay: ReadonlySet<string> = new Set(['html', 'redirect', 'login', 'unauthorized'])

/**
 * Any other refusal of a poll ("already been pruned", "was not in this queue") is final as well, and
 * an answer that can't be read would come again. A login page or redirect in the way leaves the
 * queue alone.
 */
export function losesQueue(failure: Failure): boolean {
  switch (failure.kind) {
    case 'refused':
    case 'invalid':
    case 'readOnlyKey':
      return true
    case 'malformed':
      return !inTheWay.has(failure.what)
    case 'network':
      return failure.reason === 'tooLarge'
    case 'serverFault':
    case 'rateLimited':
    case 'badKey':
      return false
  }
}
