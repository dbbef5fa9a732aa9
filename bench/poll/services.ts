import { type Server, serveAlone } from '../child.ts'

/** The lists of a service, and what happens from one to the next. */
export interface Lists {
  readonly kind: 'steps' | 'storm'
  readonly checks: number
  readonly lists: number
  readonly pings: number
  readonly flips: number
}

/** Starts `list-server.ts`; its `ready` is its port. */
export function serveLists({ kind, checks, lists, pings, flips }: Lists): Promise<Server<number>> {
  const args = [kind, ...[checks, lists, pings, flips].map(String)]
  return serveAlone<number>(new URL('list-server.ts', import.meta.url), args)
}

/** The usual changes of a board of this size within half a minute. */
export function usual(checks: number, lists: number): Lists {
  return { kind: 'steps', checks, lists, pings: checks / 10, flips: Math.min(10, checks / 250) }
}
