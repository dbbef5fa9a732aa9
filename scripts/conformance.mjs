/**
 * Holds the pretence against the truth: asks the cases of test/conformance of a real server.
 *
 *   npm run conformance -- monitoring https://healthchecks.example.org
 *
 * Keys come from the environment, never from the command line, where other users of the computer
 * can read them. See docs/conformance.md.
 */
import { chatService } from '../test/conformance/chat-service.ts'
import { monitoring } from '../test/conformance/monitoring-cases.ts'
import { runAll } from '../test/conformance/run-all.ts'

const usage = `usage: npm run conformance -- monitoring|chat <address>
  BELFRY_KEY            the key; of a project that may hold checks for a moment
  BELFRY_READ_ONLY_KEY  monitoring: a read-only key of the same project, or its cases are skipped
  BELFRY_EMAIL          chat: whose key it is
  BELFRY_PACE_MS        time between two requests, for services that limit them`

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

/** @type {import('../test/conformance/run-cases.ts').Target} */
const target = {
  kind: 'real',
  address,
  keys: {
    readWrite: key,
    readOnly: process.env['BELFRY_READ_ONLY_KEY'] || null,
    email: process.env['BELFRY_EMAIL'] ?? '',
  },
  paceMs: Number(process.env['BELFRY_PACE_MS'] ?? 0) || 0,
}
const { held, differs, skipped } =
  name === 'monitoring'
    ? await runAll(monitoring, target, tell)
    : await runAll(chatService, target, tell)
console.log(`${name}: ${held} held, ${differs} differ, ${skipped} skipped`)
process.exitCode = differs === 0 ? 0 : 1

/**
 * @param {string} caseName
 * @param {import('../test/conformance/run-cases.ts').Outcome} outcome
 */
function tell(caseName, outcome) {
  if (outcome.kind === 'held') console.log(`held     ${caseName}`)
  else if (outcome.kind === 'skipped') console.log(`skipped  ${caseName} (${outcome.reason})`)
  else console.log(`DIFFERS  ${caseName}\n         ${outcome.difference}`)
}

/**
 * Plain http would show the key to everybody on the way, so it is for this computer only.
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
