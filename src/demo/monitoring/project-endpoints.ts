import type { HttpReply } from '../../main/http/transport.ts'
import {
  bytesAnswer,
  emptyAnswer,
  errorAnswer,
  htmlAnswer,
  jsonAnswer,
  notFound,
  textAnswer,
} from '../answers.ts'
import { pauseCheck, resumeCheck, type StoredCheck } from './project-check.ts'
import { checkRecord, isoSeconds, pingRecords, type RecordView } from './project-record.ts'
import { findUnique, type Verdict, validate } from './project-rules.ts'
import { type ProjectTable, writeCheck } from './project-table.ts'

/** A request that has passed method, body and key, and whose check, if its path names one, was found. */
export interface ApiCall {
  readonly table: ProjectTable
  readonly query: URLSearchParams
  readonly body: Readonly<Record<string, unknown>>
  readonly view: RecordView
  readonly check: StoredCheck | null
  /** The ping that the path names, else 0. */
  readonly n: number
}

/** An answer about the check in the path. */
function onCheck(answer: (check: StoredCheck, call: ApiCall) => HttpReply) {
  return (call: ApiCall): HttpReply => (call.check === null ? notFound() : answer(call.check, call))
}

export function listChecks({ table, query, view }: ApiCall): HttpReply {
  const tags = query.getAll('tag')
  const slug = query.get('slug') ?? ''
  const checks = [...table.checks.values()].filter((check) => {
    const own = check.fields.tags.split(' ').filter((tag) => tag !== '')
    return tags.every((tag) => own.includes(tag)) && (slug === '' || check.fields.slug === slug)
  })
  return jsonAnswer(200, { checks: checks.map((check) => checkRecord(check, view)) })
}

export const getCheck = onCheck((check, { view }) => jsonAnswer(200, checkRecord(check, view)))

export function createCheck(call: ApiCall): HttpReply {
  const { table, body, view } = call
  const verdict = validate(body, view.apiVersion)
  if (!('written' in verdict)) return refusal(verdict)
  const existing = findUnique(table.checks.values(), verdict.written)
  if (existing === null && table.checks.size >= table.checkLimit) return emptyAnswer(403)
  const check = writeCheck(table, verdict.written, existing)
  if ('error' in check) return errorAnswer(400, check.error)
  return jsonAnswer(existing === null ? 201 : 200, checkRecord(check, view))
}

export const updateCheck = onCheck((check, { table, body, view }) => {
  const verdict = validate(body, view.apiVersion)
  if (!('written' in verdict)) return refusal(verdict)
  const written = writeCheck(table, verdict.written, check)
  if ('error' in written) return errorAnswer(400, written.error)
  return jsonAnswer(200, checkRecord(check, view))
})

function refusal(verdict: Exclude<Verdict, { written: unknown }>): HttpReply {
  return 'error' in verdict
    ? errorAnswer(400, verdict.error)
    : htmlAnswer(500, 'Server Error (500)')
}

export const pause = onCheck((check, { view }) => {
  pauseCheck(check, view.now)
  return jsonAnswer(200, checkRecord(check, view))
})

/** Looks at the stored status: a paused check that an overdue start shows as down can be resumed. */
export const resume = onCheck((check, { view }) => {
  if (check.status !== 'paused') return textAnswer(409, 'check is not paused')
  resumeCheck(check, view.now)
  return jsonAnswer(200, checkRecord(check, view))
})

/** The record as it was, but its integrations are gone already. */
export const deleteCheck = onCheck((check, { table, view }) => {
  table.checks.delete(check.uuid)
  return jsonAnswer(200, { ...checkRecord(check, view), channels: '' })
})

export const listPings = onCheck((check, { view }) =>
  jsonAnswer(200, { pings: pingRecords(check, view) }),
)

export const getPingBody = onCheck((check, { n }) => {
  const body = check.pings.find((ping) => ping.n === n)?.body ?? null
  return body === null ? notFound() : bytesAnswer(200, 'text/plain', body)
})

export const listFlips = onCheck((check, { query, view }) => {
  const range = flipRange(query, view.now)
  if (range === null) return emptyAnswer(400)
  const flips = check.flips
    .filter(({ at }) => at >= range.from && at < range.until)
    .map(({ at, to }) => ({ timestamp: isoSeconds(at), up: to === 'up' ? 1 : 0 }))
  return jsonAnswer(200, { flips: flips.reverse() })
})

/** Null for a value that the server refuses. An empty `seconds` is no filter, an empty `start` an error. */
function flipRange(query: URLSearchParams, now: number): { from: number; until: number } | null {
  const seconds = query.get('seconds') ?? ''
  const start = query.get('start')
  const end = query.get('end')
  if (seconds !== '' && !(/^\d+(\.0+)?$/.test(seconds) && Number(seconds) <= 31_536_000))
    return null
  const isTime = (text: string | null) =>
    text === null || (/^\d+$/.test(text) && Number(text) <= 10_000_000_000)
  if (!isTime(start) || !isTime(end)) return null
  const window = Number(seconds) === 0 ? 0 : now - Number(seconds) * 1000
  return {
    from: Math.max(window, Number(start ?? 0) * 1000),
    until: end === null ? Number.POSITIVE_INFINITY : Number(end) * 1000,
  }
}

export function listIntegrations({ table }: ApiCall): HttpReply {
  return jsonAnswer(200, { channels: table.integrations })
}
