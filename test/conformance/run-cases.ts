import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type {
  Answer,
  CaseStep,
  ConformanceCase,
  ConformanceService,
  KeyKind,
  Keys,
  PretendServer,
  RequestStep,
  Saved,
  Survey,
  Taken,
} from './case.ts'
import { difference, filledText } from './difference.ts'
import { partOf } from './part-of.ts'

/** Where to run the cases. `world`: a new fake server for each case, over real HTTP. */
export type Target =
  | {
      readonly kind: 'world'
      /** One of the service's `levels`; default the newest. */
      readonly level?: string
    }
  | RealTarget

export interface RealTarget {
  readonly kind: 'real'
  /** Origin and path, without a trailing slash. */
  readonly address: string
  readonly keys: Keys
  readonly survey: Survey
  /** Resolves after that many ms, or earlier once `signal` is aborted. */
  readonly wait: (ms: number) => Promise<void>
  /** Resolves when the next request may be sent, for services with a rate limit. */
  readonly pace?: () => Promise<void>
  /** How many cases that wait for time to pass run at once; default 8. */
  readonly together?: number
  /** Once aborted, no further case starts, and the current one stops before its next step. */
  readonly signal?: AbortSignal
}

export type Outcome =
  | { readonly kind: 'held' }
  | { readonly kind: 'skipped'; readonly reason: string }
  /** Run only on a fake server, since it could never run on a real one. */
  | { readonly kind: 'pretend'; readonly reason: string }
  | { readonly kind: 'differs'; readonly difference: string }

/** The result of running a case, and what it left on a real server, in words. */
export interface Run {
  readonly outcome: Outcome
  /** What should have been removed. */
  readonly left: readonly string[]
  /** What no request can remove. */
  readonly stays: readonly string[]
}

/** Longer than any response takes; cases that poll ask not to wait. */
const deadlineMs = 30_000

/** A real server's background work is done well before this. */
const eventuallyMs = 20_000

/** The longest wait in one case: a little more than a chat's event queue lives unpolled. */
const longestWaitMs = 15 * 60_000

const clockReason = 'needs a clock that can be moved'

const stopped: Outcome = { kind: 'skipped', reason: 'stopped' }

type AnyCase<Controls, World> = ConformanceCase<Controls, World>

/** Runs one case on a target, and removes what it created on a real server. */
export async function runCase<Controls, World>(
  service: ConformanceService<Controls, World>,
  one: AnyCase<Controls, World>,
  target: Target,
): Promise<Run> {
  const outcome = unasked(service, one, target)
  if (outcome !== null) return { outcome, left: [], stays: [] }
  if (target.kind === 'real') {
    if (target.signal?.aborted) return { outcome: stopped, left: [], stays: [] }
    return walk(service, one, { ...target, server: null })
  }
  const opened = await serveCase(service, one, target.level)
  try {
    return await walk(service, one, opened)
  } finally {
    await opened.close()
  }
}

/** Why a case isn't run on a target; null if it is. */
function unasked<Controls, World>(
  { levels, needs }: ConformanceService<Controls, World>,
  one: AnyCase<Controls, World>,
  target: Target,
): Outcome | null {
  const real = target.kind === 'real' ? target : null
  const reason = real === null ? null : one.clock ? clockReason : (one.pretendOnly ?? null)
  if (reason !== null) return { kind: 'pretend', reason }
  const skipped = skipReason(levels, needs, one, target)
  return skipped === null ? null : { kind: 'skipped', reason: skipped }
}

function skipReason<Controls, World>(
  levels: readonly string[],
  needs: ConformanceService<Controls, World>['needs'],
  one: AnyCase<Controls, World>,
  target: Target,
): string | null {
  const real = target.kind === 'real' ? target : null
  const level = real === null ? levelOf(levels, target) : real.survey.level
  if (level === null && (one.since ?? one.before) !== undefined)
    return 'needs to know the version of the server, which it does not tell'
  if (level !== null && !isTrueFor(one, level)) return `only ${versionsOf(one)}; this is ${level}`
  return real === null ? null : realReason(one, real, needs)
}

function versionsOf({ since, before }: Pick<AnyCase<never, unknown>, 'since' | 'before'>): string {
  return since === undefined ? `before ${before}` : `since ${since}`
}

function realReason<Controls, World>(
  one: AnyCase<Controls, World>,
  { keys, survey }: RealTarget,
  needs: Readonly<Record<string, string>> = {},
): string | null {
  if (one.worldOnly !== undefined) return one.worldOnly
  if (waitOf(one) > longestWaitMs) return clockReason
  if (one.needs !== undefined && !Object.hasOwn(survey.saved, one.needs))
    return needs[one.needs] ?? `needs ${one.needs}`
  const asksWith = (key: KeyKind) => one.steps.some((step) => 'method' in step && step.key === key)
  if (asksWith('readOnly') && keys.readOnly === null) return 'needs a read-only key'
  return asksWith('other') && keys.other === null ? 'needs a second key, of somebody else' : null
}

/** Whether it must hold for a server of this version or feature level. */
export function isTrueFor(
  { since, before }: Pick<AnyCase<never, unknown>, 'since' | 'before'>,
  level: string,
): boolean {
  if (since !== undefined && compareLevels(level, since) < 0) return false
  return before === undefined || compareLevels(level, before) < 0
}

function levelOf(levels: readonly string[], target: Target): string | null {
  return (target.kind === 'world' ? target.level : undefined) ?? levels.at(-1) ?? null
}

/** Compares numerically, part by part: 3.13 is after 3.5. */
function compareLevels(one: string, other: string): number {
  const parts = [one, other].map((text) => text.split('.').map(Number))
  const [left = [], right = []] = parts
  for (let n = 0; n < Math.max(left.length, right.length); n += 1) {
    const difference = (left[n] ?? 0) - (right[n] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

/** The ms of real time that a case takes on a real server, apart from its requests. */
export function waitOf({ steps }: AnyCase<never, unknown>): number {
  return steps.reduce((sum, step) => sum + ('passMs' in step ? step.passMs : 0), 0)
}

type Opened<Controls> = Pick<
  RealTarget,
  'address' | 'keys' | 'survey' | 'wait' | 'pace' | 'signal'
> & {
  readonly server: PretendServer<Controls> | null
}

type Walk<Controls, World> = Opened<Controls> & {
  readonly service: ConformanceService<Controls, World>
  readonly saved: Record<string, string>
  readonly taken: Taken[]
}

async function walk<Controls, World>(
  service: ConformanceService<Controls, World>,
  one: AnyCase<Controls, World>,
  opened: Opened<Controls>,
): Promise<Run> {
  const here = begin(service, opened)
  const outcome = await takeAll(here, one.steps).catch(brokenOff)
  if (opened.server !== null) return { outcome, left: [], stays: [] }
  const left = await cleanUp(here).catch((error: unknown) => [
    `what "${one.name}" made, named ${here.saved['prefix']} (${wordsOf(error)})`,
  ])
  return { outcome, left, stays: service.stays?.(here.taken) ?? [] }
}

/** What could not be removed, in words. */
async function cleanUp<Controls, World>(here: Walk<Controls, World>): Promise<string[]> {
  const taken = [...here.taken]
  const ask = (step: RequestStep) => exchange(here, step)
  const left: string[] = []
  for (const step of await here.service.cleanUp(taken, here.saved['prefix'] ?? '', ask)) {
    const problem = await ask(step).then(
      ({ status }) => (status < 500 && status !== 429 ? null : String(status)),
      wordsOf,
    )
    if (problem !== null) left.push(`${step.path} (${problem})`)
  }
  return left
}

function begin<Controls, World>(
  service: ConformanceService<Controls, World>,
  opened: Opened<Controls>,
): Walk<Controls, World> {
  const saved = {
    ...opened.survey.saved,
    prefix: `bf${randomBytes(4).toString('hex')}`,
    address: opened.address,
    origin: new URL(opened.address).origin,
  }
  return { ...opened, service, saved, taken: [] }
}

async function takeAll<Controls, World>(
  here: Walk<Controls, World>,
  steps: readonly CaseStep<Controls>[],
): Promise<Outcome> {
  for (const [n, step] of steps.entries()) {
    if (here.signal?.aborted) return stopped
    const wrong = await take(here, step)
    if (wrong !== null) return { kind: 'differs', difference: `step ${n + 1}: ${wrong}` }
  }
  return { kind: 'held' }
}

/** No connection, or a response without what the next step needs. */
function brokenOff(error: unknown): Outcome {
  return { kind: 'differs', difference: wordsOf(error) }
}

function wordsOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  const reason = cause instanceof Error ? `: ${cause.message}` : ''
  return `${error instanceof Error ? error.message : String(error)}${reason}`
}

/** Null if the step went as expected. */
async function take<Controls, World>(
  here: Walk<Controls, World>,
  step: CaseStep<Controls>,
): Promise<string | null> {
  if ('passMs' in step) {
    await here.wait(step.passMs)
    return null
  }
  if ('control' in step) {
    step.control(demandServer(here.server).controls, here.saved)
    return null
  }
  for (let n = 0; n < (step.times ?? 1); n += 1) {
    const wrong = await answered(here, step)
    if (wrong !== null) return `${step.method} ${step.path}: ${wrong}`
  }
  return null
}

/** Returns null if the response was as expected, and saves values from it. */
async function answered<Controls, World>(
  here: Walk<Controls, World>,
  step: RequestStep,
): Promise<string | null> {
  const patience = step.eventually && here.server === null ? eventuallyMs : 0
  for (let waited = 0; ; waited += 500) {
    const answer = await exchange(here, step)
    const wrong = difference(answer, step.expect, here.saved)
    if (wrong === null) {
      for (const [name, from] of Object.entries(step.save ?? {}))
        here.saved[name] =
          typeof from === 'string' ? valueAt(answer, from) : from(answer, here.saved)
      return null
    }
    if (waited >= patience || here.signal?.aborted) return wrong
    await here.wait(500)
  }
}

function demandServer<Controls>(server: PretendServer<Controls> | null): PretendServer<Controls> {
  if (server === null) throw new Error('a case for any server uses controls')
  return server
}

/** Asks a real server for its version and values before the cases run. */
export function surveyOf<Controls, World>(
  service: ConformanceService<Controls, World>,
  target: Omit<RealTarget, 'survey'>,
): Promise<Survey> {
  const here = begin(service, { ...target, survey: { level: null, saved: {} }, server: null })
  return service.survey((step) => exchange(here, step), target.keys)
}

function valueAt(answer: Answer, path: string): string {
  const value = partOf(answer.json, ...path.split('.'))
  if (typeof value !== 'string' && typeof value !== 'number')
    throw new Error(`the answer has no ${path} to save: ${answer.text.slice(0, 200)}`)
  return String(value)
}

async function exchange<Controls, World>(
  here: Walk<Controls, World>,
  step: RequestStep,
): Promise<Answer> {
  const url = addressOf(here, step)
  const isOwn = url.origin === new URL(here.address).origin
  const key = step.key ?? 'readWrite'
  const { form, body, type } = encoded(step, here.saved)
  const headers = {
    ...(isOwn ? here.service.credentials(key, here.keys) : {}),
    ...(type === null ? {} : { 'content-type': type }),
    ...Object.fromEntries(
      Object.entries(step.headers ?? {}).map(([name, value]) => [
        name,
        filledText(value, here.saved),
      ]),
    ),
  }
  const request = { method: step.method, url: url.href, key, form }
  const meanwhile = whileWaiting(here, step)
  // Awaited below; if this request fails, its error is reported instead.
  meanwhile?.catch(() => undefined)
  const ask = async () => {
    await here.pace?.()
    return fetch(url, {
      method: step.method,
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(deadlineMs + (step.waitMs ?? 0)),
      ...(body === null ? {} : { body }),
    }).catch((error: unknown) => {
      here.taken.push({ ...request, answer: null })
      throw error
    })
  }
  let response = await ask()
  if (response.status === 429 && step.expect?.status !== 429 && here.server === null) {
    // A real server's rate limit is no difference in its responses.
    const seconds = Number(response.headers.get('retry-after') ?? 10) || 10
    await here.wait(Math.min(seconds, 120) * 1000)
    response = await ask()
  }
  const bytes = new Uint8Array(await response.arrayBuffer())
  const text = new TextDecoder().decode(bytes)
  const answer = {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    bytes,
    text,
    json: parsed(text),
  }
  here.taken.push({ ...request, answer })
  await meanwhile
  return answer
}

/** Sends what is to be sent, and lets time pass, while the step waits for its response. */
function whileWaiting<Controls, World>(
  here: Walk<Controls, World>,
  { waitMs, meanwhile }: RequestStep,
): Promise<unknown> | null {
  const { server } = here
  if (server !== null && waitMs !== undefined) server.whileWaiting?.(() => server.pass(waitMs))
  if (meanwhile === undefined) return null
  if (server === null) return here.wait(1_000).then(() => exchange(here, meanwhile))
  return new Promise((resolve) => {
    server.whileWaiting?.(() => resolve(exchange(here, meanwhile)))
  })
}

function addressOf<Controls, World>(here: Walk<Controls, World>, step: RequestStep): URL {
  const path = filledText(step.path, here.saved)
  const left = /\{\w+\}/.exec(path)
  if (left !== null) throw new Error(`nothing was saved as ${left[0]} for ${step.path}`)
  const url = new URL(/^https?:/.test(path) ? path : `${here.address}${path}`)
  for (const [name, value] of Object.entries(step.query ?? {}))
    for (const item of typeof value === 'string' ? [value] : value)
      url.searchParams.append(name, filledText(item, here.saved))
  return url
}

function encoded(
  step: RequestStep,
  saved: Saved,
): { form: Saved; body: string | Uint8Array<ArrayBuffer> | null; type: string | null } {
  const form = Object.fromEntries(
    Object.entries(step.form ?? {}).map(([name, value]) => [
      name,
      filledText(typeof value === 'string' ? value : JSON.stringify(value), saved),
    ]),
  )
  if (step.form !== undefined)
    return {
      form,
      body: new URLSearchParams(form).toString(),
      type: 'application/x-www-form-urlencoded',
    }
  if (step.json !== undefined)
    return { form, body: filledText(JSON.stringify(step.json), saved), type: 'application/json' }
  if (step.raw === undefined) return { form, body: null, type: null }
  return {
    form,
    body: typeof step.raw === 'string' ? filledText(step.raw, saved) : new Uint8Array(step.raw),
    type: null,
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return undefined
  }
}

async function serveCase<Controls, World>(
  service: ConformanceService<Controls, World>,
  one: AnyCase<Controls, World>,
  level: string | undefined,
): Promise<Opened<Controls> & { close(): Promise<void> }> {
  let pretend: PretendServer<Controls> | null = null
  let origin = ''
  const http = createServer((request, response) => {
    if (pretend === null) response.destroy()
    else void respond(pretend, origin, request, response)
  })
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject)
    http.listen(0, '127.0.0.1', resolve)
  })
  // A server that listens on a TCP port has an address of this kind.
  origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const server = service.createServer(origin, one.world, level)
  pretend = server
  const address = `${origin}${service.basePath?.(one.world) ?? ''}`
  return {
    address,
    keys: server.keys,
    survey: { level: null, saved: server.saved ?? {} },
    wait: (ms) => Promise.resolve(server.pass(ms)),
    server,
    close: () => closed(http),
  }
}

async function closed(http: Server): Promise<void> {
  const done = new Promise((resolve) => {
    http.close(resolve)
  })
  http.closeAllConnections()
  await done
}

async function respond<Controls>(
  server: PretendServer<Controls>,
  origin: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  try {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array))
    const reply = await server.handle(
      {
        method: request.method ?? 'GET',
        url: `${origin}${request.url ?? '/'}`,
        headers: Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
        ),
        body: Buffer.concat(chunks),
      },
      gone.signal,
    )
    const { 'content-length': _length, ...headers } = reply.headers
    // The response to HEAD has the length of what GET would return.
    response.writeHead(reply.status, { ...headers, 'content-length': reply.body.length })
    response.end(request.method === 'HEAD' ? undefined : reply.body)
  } catch {
    // The case sees a connection that ends, which it never expects.
    response.destroy()
  }
}
