import { createHash } from 'node:crypto'
import type { HttpReply } from '../../main/http/transport.ts'
import { answer, jsonAnswer, notFound, withHeaders } from '../answers.ts'
import { type StoredCheck, shownStatus } from './project-check.ts'
import type { ProjectTable } from './project-table.ts'

type States = 2 | 3

/** Badge addresses by tag, `*` for the whole project. Tags are percent-encoded twice in them. */
export function badgeList(table: ProjectTable): Record<string, Record<string, string>> {
  const tags = new Set(['*'])
  for (const { fields } of table.checks.values())
    for (const tag of fields.tags.split(' ')) if (tag !== '') tags.add(tag)
  return Object.fromEntries([...tags].map((tag) => [tag, badgeAddresses(table, tag)]))
}

function badgeAddresses(table: ProjectTable, tag: string): Record<string, string> {
  const address = (states: States, format: string) => {
    const signed = `${signature(table, tag)}${states === 2 ? '-2' : ''}`
    const name = tag === '*' ? '' : `/${encodeURIComponent(encodeURIComponent(tag))}`
    return `${table.baseUrl}/badge/${table.badgeKey}/${signed}${name}.${format}`
  }
  return {
    svg: address(2, 'svg'),
    svg3: address(3, 'svg'),
    json: address(2, 'json'),
    json3: address(3, 'json'),
    shields: address(2, 'shields'),
    shields3: address(3, 'shields'),
  }
}

function signature(table: ProjectTable, tag: string): string {
  return createHash('sha1').update(`${table.badgeKey}/${tag}`).digest('hex').slice(0, 8)
}

const tagBadge = /^badge\/([0-9a-f-]{36})\/([0-9a-f]{8})(-2)?(?:\/(.+))?\.(svg|json|shields)$/
const checkBadge = /^b\/([23])\/([0-9a-f-]{36})\.(svg|json|shields)$/

/** What is behind a badge's address: no key needed. Null when the path is none. */
export function answerBadge(table: ProjectTable, path: string): HttpReply | null {
  if (!path.startsWith('badge/') && !path.startsWith('b/')) return null
  const [, ofCheck, badgeKey, checkFormat] = checkBadge.exec(path) ?? []
  if (ofCheck !== undefined && checkFormat !== undefined) {
    const check = [...table.checks.values()].find((one) => one.badgeKey === badgeKey)
    if (check === undefined) return notFound()
    const label = check.fields.name || check.uuid
    return drawn(table, [check], ofCheck === '2' ? 2 : 3, checkFormat, label)
  }
  const [, projectKey, signed, two, encodedTag, format] = tagBadge.exec(path) ?? []
  if (format === undefined || projectKey !== table.badgeKey) return notFound()
  const tag = encodedTag === undefined ? '*' : decodeURIComponent(decodeURIComponent(encodedTag))
  if (signed !== signature(table, tag)) return notFound()
  const checks = [...table.checks.values()].filter(
    ({ fields }) => tag === '*' || fields.tags.split(' ').includes(tag),
  )
  return drawn(table, checks, two === undefined ? 3 : 2, format, tag === '*' ? table.name : tag)
}

const colours = { up: 'success', late: 'important', down: 'critical' } as const

/** New and paused checks count as up; with two states a late one does too. */
function drawn(
  table: ProjectTable,
  checks: readonly StoredCheck[],
  states: States,
  format: string,
  label: string,
): HttpReply {
  const statuses = checks.map((check) => shownStatus(check, table.now(), 3))
  const down = statuses.filter((status) => status === 'down').length
  const grace = statuses.filter((status) => status === 'grace').length
  const message = down > 0 ? 'down' : grace > 0 && states === 3 ? 'late' : 'up'
  const body = { status: message, total: checks.length, grace, down }
  const shields = { schemaVersion: 1, label, message, color: colours[message] }
  const reply =
    format === 'json'
      ? jsonAnswer(200, body)
      : format === 'shields'
        ? jsonAnswer(200, shields)
        : answer(200, 'image/svg+xml', picture(label, message))
  return withHeaders(reply, { 'cache-control': 'max-age=0, no-cache, no-store, must-revalidate' })
}

function picture(label: string, message: string): string {
  const text = `${label}: ${message}`.replace(/[<>&"']/g, (char) => `&#${char.charCodeAt(0)};`)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="20"><text x="4" y="14">${text}</text></svg>`
}
