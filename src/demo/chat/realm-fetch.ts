import type { DemoMessage, RealmData } from './realm-data.ts'
import { type Params, Refusal, shapes } from './realm-http.ts'
import { narrowFilter, searchWords } from './realm-narrow.ts'

/** How the real server writes `newest`: larger than any id, and no safe integer. */
const newestAnchor = 10_000_000_000_000_000

/** Most messages that one request may ask for (chat-api, "GET /messages"). */
const maxWindow = 5_000

export interface Window {
  readonly messages: readonly DemoMessage[]
  readonly anchor: number
  readonly foundAnchor: boolean
  readonly foundOldest: boolean
  readonly foundNewest: boolean
  /** What was searched for; empty when the narrow has no search. */
  readonly words: readonly string[]
}

/** The messages around an anchor in a narrow. `clamp`: too large counts are cut instead of refused. */
export function readWindow(data: RealmData, params: Params, clamp: boolean): Window {
  const given = params.text('anchor')
  const before = readCount(params, 'num_before')
  const after = readCount(params, 'num_after')
  const includeAnchor = params.maybe('include_anchor', shapes.boolean) ?? true
  const narrow = params.maybe('narrow', shapes.list) ?? []
  const filter = narrowFilter(data, narrow)
  if (!includeAnchor && before > 0 && after > 0) {
    throw new Refusal('The anchor can only be excluded at an end of the range')
  }
  if (!clamp && before + after > maxWindow) {
    throw new Refusal(`Too many messages requested (maximum ${maxWindow}).`)
  }
  const all = [...data.messages.values()].filter(filter)
  const anchor = anchorId(given, all)
  const numBefore = Math.min(before, maxWindow)
  const numAfter = Math.min(after, maxWindow)
  const older = all.filter(({ id }) => id < anchor)
  const newer = all.filter(({ id }) => id > anchor)
  const at = includeAnchor ? all.filter(({ id }) => id === anchor) : []
  return {
    messages: [
      ...older.slice(Math.max(0, older.length - numBefore)),
      ...at,
      ...newer.slice(0, numAfter),
    ],
    anchor,
    foundAnchor: at.length > 0,
    foundOldest: anchor === 0 || older.length < numBefore,
    foundNewest: anchor === newestAnchor || newer.length < numAfter,
    words: searchWords(narrow),
  }
}

function readCount(params: Params, name: string): number {
  const count = params.json(name, shapes.whole)
  if (count < 0) throw new Refusal(`${name} must be non-negative`)
  return count
}

function anchorId(given: string, all: readonly DemoMessage[]): number {
  if (given === 'newest') return newestAnchor
  if (given === 'oldest') return 0
  if (given === 'first_unread') {
    return all.find(({ flags }) => !flags.has('read'))?.id ?? newestAnchor
  }
  if (!/^-?\d+$/.test(given)) throw new Refusal('Invalid anchor')
  return Math.min(Math.max(Number(given), 0), newestAnchor)
}
