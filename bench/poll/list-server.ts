/**
 * A monitoring service that returns prepared lists of checks, in its own process: `list-server.ts
 * steps|storm <checks> <lists> <pings> <flips>`. `/list/3` selects the fourth for all further
 * requests; `/changes/3` returns what differs between it and the third.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync, gzipSync } from 'node:zlib'
import { bodyOf, type ListedCheck, pretendLists, stormLists } from './pretend-checks.ts'

const [kind = 'steps', ...numbers] = process.argv.slice(2)
const [size = 0, count = 0, pings = 0, flips = 0] = numbers.map(Number)
const lists = (
  kind === 'storm' ? stormLists(size) : pretendLists(size, count, { pings, flips })
).map((list) => ({ at: list.at, body: gzipSync(bodyOf(list), { level: 6 }) }))
const changes = new Map<number, string>()
let current = 0
/** When the current list was selected, by the service's clock and by ours. */
let chosen = { at: Date.now(), since: performance.now() }

const server = createServer((request, response) => answer(request, response))
server.keepAliveTimeout = 120_000
server.listen(0, '127.0.0.1', () => {
  // A server that listens on a port has one.
  process.send?.((server.address() as AddressInfo).port)
})
process.on('disconnect', () => process.exit())

function answer({ url = '' }: IncomingMessage, response: ServerResponse): void {
  const [, path, name] = url.split('/')
  if (path === 'list') {
    chosen = { at: Math.max(now(), lists[Number(name)]?.at ?? 0), since: performance.now() }
    current = Number(name)
    response.end()
  } else if (path === 'changes') response.end(changesIn(Number(name)))
  else if (url === '/api/v3/checks/') answerList(response)
  // Warming up goes back and forth between two lists, which is enough to make the app ask for
  // flips.
  else if (url.includes('/flips/')) response.end('{"flips":[]}')
  // The app asks why checks in the lists went down.
  else if (url.endsWith('/pings/')) response.end('{"pings":[]}')
  else throw new Error(`nothing but lists should be asked for: ${url}`)
}

/** The service's clock jumps from list to list by the time between polls, and never goes back. */
function now(): number {
  return chosen.at + performance.now() - chosen.since
}

function answerList(response: ServerResponse): void {
  const list = lists[current]
  if (list === undefined) throw new Error(`there is no list ${current}`)
  response.writeHead(200, {
    date: new Date(now()).toUTCString(),
    'content-type': 'application/json',
    'content-encoding': 'gzip',
    'content-length': list.body.length,
  })
  response.end(list.body)
}

/**
 * All checks that differ in any field, in their new form, found with a Map of whole parsed checks.
 */
function changesIn(number: number): string {
  const known = changes.get(number) ?? JSON.stringify(changedChecks(number))
  changes.set(number, known)
  return known
}

function changedChecks(number: number): ListedCheck[] {
  const before = new Map(parsed(number - 1).map((check) => [check['uuid'], JSON.stringify(check)]))
  return parsed(number).filter((check) => before.get(check['uuid']) !== JSON.stringify(check))
}

function parsed(number: number): readonly ListedCheck[] {
  const list = lists[number]
  if (list === undefined) throw new Error(`there is no list ${number}`)
  // What `bodyOf` wrote.
  const { checks } = JSON.parse(gunzipSync(list.body).toString()) as { checks: ListedCheck[] }
  return checks
}
