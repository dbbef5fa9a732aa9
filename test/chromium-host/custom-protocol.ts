import { fromPage, toPageAddresses } from './addresses.ts'
import type { PausedRequest } from './cdp.ts'
import { standInObject } from './refuse.ts'
import { chromium, running, type SchemeHandler } from './running.ts'

/** Electron's `protocol`: the app's own scheme, answered by the app. */
export const protocol = standInObject('protocol', {
  registerSchemesAsPrivileged(list: readonly { scheme: string }[]) {
    if (running.ready)
      throw new Error('protocol.registerSchemesAsPrivileged should be called before app is ready')
    for (const { scheme } of list) running.schemes.add(scheme)
  },
  handle(scheme: string, handler: SchemeHandler) {
    if (!running.ready) throw new TypeError('Session can only be received when app is ready')
    if (!running.schemes.has(scheme)) {
      throw new Error(`chromium host: register '${scheme}' as privileged first`)
    }
    if (running.handlers.has(scheme)) throw new Error(`Failed to register protocol: ${scheme}`)
    running.handlers.set(scheme, handler)
  },
})

/** The address of a request as the app knows it, fragment included. */
export function requestedUrl({ request }: PausedRequest): string {
  return fromPage(request.url + (request.urlFragment ?? ''))
}

/**
 * Lets the scheme's handler answer, or the network if the address isn't the app's own. Calls
 * `onFailure` before the page learns that the handler failed.
 */
export async function answerRequest(
  paused: PausedRequest,
  sessionId: string,
  onFailure: () => void,
): Promise<void> {
  const url = requestedUrl(paused)
  const handler = running.handlers.get(new URL(url).protocol.slice(0, -1))
  const ours = running.schemes.has(new URL(url).protocol.slice(0, -1))
  if (!ours || paused.responseStatusCode !== undefined) {
    await reply('Fetch.continueRequest', paused, sessionId)
  } else if (handler === undefined || url.endsWith('/favicon.ico')) {
    await refuse(paused, sessionId)
  } else {
    const answer = await answerOf(handler, url, paused).catch((error: unknown) => {
      console.error(`[chromium host] the handler of ${url} failed:`, error)
      onFailure()
      return null
    })
    if (answer === null) await refuse(paused, sessionId, 'Failed')
    else await reply('Fetch.fulfillRequest', paused, sessionId, answer)
  }
}

export async function refuse(
  paused: PausedRequest,
  sessionId: string,
  errorReason = 'Aborted',
): Promise<void> {
  await reply('Fetch.failRequest', paused, sessionId, { errorReason })
}

/** Headers with the app's addresses, which this browser doesn't know. */
const withAddresses = new Set(['content-security-policy', 'location'])

/**
 * The answer for DevTools; null if the handler returned an error response. Rejects if it failed.
 */
async function answerOf(
  handler: SchemeHandler,
  url: string,
  { request: { method, headers } }: PausedRequest,
): Promise<object | null> {
  const request = new Request(url, { method, headers })
  request.headers.delete('user-agent')
  const response = await handler(request)
  if (response.type === 'error') return null
  const body = Buffer.from(await response.arrayBuffer())
  const isPage = response.headers.get('content-type')?.startsWith('text/html') === true
  return {
    responseCode: response.status,
    responseHeaders: Array.from(response.headers, ([name, value]) => ({
      name,
      value: withAddresses.has(name) ? toPageAddresses(value) : value,
    })),
    body: (isPage ? Buffer.from(toPageAddresses(body.toString())) : body).toString('base64'),
  }
}

async function reply(
  method: string,
  { requestId }: PausedRequest,
  sessionId: string,
  params: object = {},
): Promise<void> {
  try {
    await chromium().send(method, { requestId, ...params }, sessionId)
  } catch {
    // The page has gone meanwhile, and the request with it.
  }
}
