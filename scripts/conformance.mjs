/**
 * Checks the pretend servers against reality: runs the cases of test/conformance against a real
 * server.
 *
 *   npm run conformance -- monitoring https://healthchecks.example.org
 *
 * Keys come from the environment, never from the command line, which other users of the computer
 * can read. See docs/conformance.md.
 */
import { setTimeout } from 'node:timers/promises'
import { chatService } from '../test/conformance/chat-service.ts'
import { monitoring } from '../test/conformance/monitoring-cases.ts'
import { runAll } from '../test/conformance/run-all.ts'
import { surveyOf } from '../test/conformance/run-cases.ts'

const usage = `usage: npm run conformance -- monitoring|chat <address>
  BELFRY_KEY            the key; of a project in which checks may exist for a moment
  BELFRY_READ_ONLY_KEY  monitoring: a read-only key of the same project
  BELFRY_PING_KEY       monitoring: the project's ping key
  BELFRY_EMAIL          chat: the owner of the key
  BELFRY_OTHER_KEY      a key of another project, or (with BELFRY_OTHER_EMAIL) of another person
  BELFRY_LEVEL          the server's version or feature level, if it does not report it
  BELFRY_PACE_MS        time between two requests, for services that limit them
Cases that need something that is not given are skipped.`

const [name, given] = process.argv.slice(2)
const key = process.env['BELFRY_KEY'] ?? ''
const address = readAddress(given)
const problem =
  name !== 'monitoring' && name !== 'chat'
    ? ''
    : address === null
      ? 'The address must begin with https:// (http:// only for this computer).\n'
      : key === ''
        ? 'BELFRY_KEY is not set.\n'
        : name === 'chat' && !process.env['BELFRY_EMAIL']
          ? 'BELFRY_EMAIL is not set.\n'
          : null
if (problem !== null || (name !== 'monitoring' && name !== 'chat') || address === null) {
  console.error(`${problem ?? ''}${usage}`)
  process.exit(2)
}

const stop = new AbortController()
process.once('SIGINT', () => {
  console.log('Stopping: removing what was created. Press Ctrl+C again to stop at once.')
  stop.abort()
})

const here = {
  kind: /** @type {const} */ ('real'),
  address,
  keys: {
    readWrite: key,
    readOnly: process.env['BELFRY_READ_ONLY_KEY'] || null,
    other: process.env['BELFRY_OTHER_KEY'] || null,
    ping: process.env['BELFRY_PING_KEY'] || null,
    email: process.env['BELFRY_EMAIL'] ?? '',
    otherEmail: process.env['BELFRY_OTHER_EMAIL'] ?? '',
  },
  /** @param {number} ms */
  wait: (ms) => setTimeout(ms, undefined, { signal: stop.signal }).catch(() => undefined),
  pace: createPace(Number(process.env['BELFRY_PACE_MS'] ?? 0) || 0),
  signal: stop.signal,
}
const { held, differs, skipped, pretend, left, stays } =
  name === 'monitoring' ? await ask(monitoring) : await ask(chatService)
for (const what of stays) console.log(`STAYS    ${what}`)
for (const what of left) console.log(`LEFT     ${what}`)
console.log(
  `${name}: ${held} held, ${differs} differ, ${skipped} skipped (and ${pretend} only for the pretend server)`,
)
process.exitCode = stop.signal.aborted ? 130 : differs === 0 && left.length === 0 ? 0 : 1

/**
 * @template Controls, World
 * @param {import('../test/conformance/case.ts').ConformanceService<Controls, World>} service
 */
async function ask(service) {
  const survey = await surveyOf(service, here)
  const level = process.env['BELFRY_LEVEL'] || survey.level
  console.log(
    `running ${service.cases.length} cases against a server of ${level ?? 'unknown version'}`,
  )
  return runAll(service, { ...here, survey: { ...survey, level } }, tell)
}

/**
 * Paces requests: resolves for one after the other, this many ms apart.
 *
 * @param {number} ms
 */
function createPace(ms) {
  let next = 0
  return async () => {
    const now = Date.now()
    next = Math.max(now, next + ms)
    if (next > now) await setTimeout(next - now)
  }
}

/**
 * @param {string} caseName
 * @param {import('../test/conformance/run-cases.ts').Outcome} outcome
 */
function tell(caseName, outcome) {
  if (outcome.kind === 'held') console.log(`held     ${caseName}`)
  else if (outcome.kind === 'differs')
    console.log(`DIFFERS  ${caseName}\n         ${outcome.difference}`)
  else console.log(`${outcome.kind}  ${caseName} (${outcome.reason})`)
}

/**
 * Accepts plain http only for this computer, since anyone on the network could read the key.
 *
 * @param {string | undefined} text
 * @returns {string | null}
 */
function readAddress(text) {
  if (text === undefined || !URL.canParse(text)) return null
  const { protocol, hostname, origin, pathname } = new URL(text)
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  if (protocol !== 'https:' && !(protocol === 'http:' && isHere)) return null
  return `${origin}${pathname.replace(/\/+$/, '')}`
}
