import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type {
  Answer,
  CaseStep,
  ConformanceCase,
  ConformanceService,
  Keys,
  PretendServer,
  RequestStep,
  Saved,
  Taken,
} from './case.ts'
import { difference, filledText } from './difference.ts'
import { partOf } from './part-of.ts'

/** Whom the cases are asked of. `world`: a fresh pretend server for each case, over real HTTP. */
export type Target =
  | { readonly kind: 'world' }
  | {
      readonly kind: 'real'
      /** Origin and path, without a slash at its end. */
      readonly address: string
      readonly keys: Keys
      /** Ms between two requests, for services that limit them. */
      readonly paceMs?: number
    }

export type Outcome =
  | { readonly kind: 'held' }
  | { readonly kind: 'skipped'; readonly reason: string }
  | { readonly kind: 'differs'; readonly difference: string }

/** Longer than any answer takes, long polls included, which cases ask not to wait. */
const deadlineMs = 30_000

type AnyCase<Controls, World> = ConformanceCase<Controls, World>

/** Asks one case of a target, and takes away what it made on a real server. */
export async function runCase<Controls, World>(
  service: ConformanceService<Controls, World>,
  one: AnyCase<Controls, World>,
  target: Target,
): Promise<Outcome> {
  if (target.kind === 'real') {
    const reason = skipReason(one, target.keys)
    if (reason !== null) return { kind: 'skipped', reason }
    const { address, keys, paceMs = 0 } = target
    return walk(service, one, { address, keys, paceMs, server: null })
  }
  const opened = await serveCase(service, one)
  try {
    return await walk(service, one, opened)
  } finally {
    await opened.close()
  }
}

/** Why a case can't be asked of a real server; null when it can. */
function skipReason<Controls, World>(one: AnyCase<Controls, World>, keys: Keys): string | null {
  if (one.clock) return 'needs a clock that can be moved'
  if (one.worldOnly !== undefined) return one.worldOnly
  const needsReadOnly = one.steps.some((step) => 'method' in step && step.key === 'readOnly')
  return needsReadOnly && keys.readOnly === null ? 'needs a read-only key' : null
}

interface Opened<Controls> {
  readonly address: string
  readonly keys: Keys
  readonly paceMs: number
  readonly server: PretendServer<Controls> | null
}

interface Walk<Controls, World> extends Opened<Controls> {
  readonly service: ConformanceService<Controls, World>
  readonly saved: Record<string, string>
  readonly taken: Taken[]
}

async function walk<Controls, World>(
  service: ConformanceService<Controls, World>,
  one: AnyCase<Controls, World>,
  opened: Opened<Controls>,
): Promise<Outcome> {
  const saved = {
    prefix: `bf${randomBytes(4).toString('hex')}`,
    address: opened.address,
    origin: new URL(opened.address).origin,
  }
  const here: Walk<Controls, World> = { ...opened, service, saved, taken: [] }
  try {
    for (const [n, step] of one.steps.entries()) {
      const wrong = await take(here, step)
      if (wrong !== null) return { kind: 'differs', difference: `step ${n + 1}: ${wrong}` }
    }
    return { kind: 'held' }
  } finally {
    if (opened.server === null)
      for (const step of service.cleanUp(here.taken, saved.prefix)) await exchange(here, step)
  }
}

/** Null when the step went as expected. */
async function take<Controls, World>(
  here: Walk<Controls, World>,
  step: CaseStep<Controls>,
): Promise<string | null> {
  if ('passMs' in step) {
    demandServer(here.server).pass(step.passMs)
    return null
  }
  if ('control' in step) {
    step.control(demandServer(here.server).controls, here.saved)
    return null
  }
  for (let n = 0; n < (step.times ?? 1); n += 1) {
    const answer = await exchange(here, step)
    const wrong = difference(answer, step.expect, here.saved)
    if (wrong !== null) return `${step.method} ${step.path}: ${wrong}`
    for (const [name, from] of Object.entries(step.save ?? {}))
      here.saved[name] = typeof from === 'string' ? valueAt(answer, from) : from(answer)
  }
  return null
}

function demandServer<Controls>(server: PretendServer<Controls> | null): PretendServer<Controls> {
  if (server === null) throw new Error('a case for any server moves the clock or uses controls')
  return server
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
  if (here.paceMs > 0) await new Promise((resolve) => setTimeout(resolve, here.paceMs))
  const url = addressOf(here, step)
  const isOwn = url.origin === new URL(here.address).origin
  const { body, type } = encoded(step, here.saved)
  const headers = {
    ...(isOwn ? here.service.credentials(step.key ?? 'readWrite', here.keys) : {}),
    ...(type === null ? {} : { 'content-type': type }),
    ...Object.fromEntries(
      Object.entries(step.headers ?? {}).map(([name, value]) => [
        name,
        filledText(value, here.saved),
      ]),
    ),
  }
  const ask = () =>
    fetch(url, {
      method: step.method,
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(deadlineMs),
      ...(body === null ? {} : { body }),
    })
  let response = await ask()
  if (response.status === 429 && step.expect?.status !== 429 && here.server === null) {
    // A real server's limit is no difference in what it answers.
    const seconds = Number(response.headers.get('retry-after') ?? 10) || 10
    await new Promise((resolve) => setTimeout(resolve, Math.min(seconds, 120) * 1000))
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
  here.taken.push({ method: step.method, url: url.href, answer })
  return answer
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
): { body: string | Uint8Array<ArrayBuffer> | null; type: string | null } {
  if (step.form !== undefined) {
    const fields = Object.entries(step.form).map(([name, value]): [string, string] => [
      name,
      filledText(typeof value === 'string' ? value : JSON.stringify(value), saved),
    ])
    return {
      body: new URLSearchParams(fields).toString(),
      type: 'application/x-www-form-urlencoded',
    }
  }
  if (step.json !== undefined)
    return { body: filledText(JSON.stringify(step.json), saved), type: 'application/json' }
  if (step.raw === undefined) return { body: null, type: null }
  return {
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
  pretend = service.createServer(origin, one.world)
  const address = `${origin}${service.basePath?.(one.world) ?? ''}`
  return { address, keys: pretend.keys, paceMs: 0, server: pretend, close: () => closed(http) }
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
    // Asked for nothing but the head, an answer has the length of what it would have been.
    response.writeHead(reply.status, { ...headers, 'content-length': reply.body.length })
    response.end(request.method === 'HEAD' ? undefined : reply.body)
  } catch {
    // The case sees a connection that ends, which is never what it expects.
    response.destroy()
  }
}
