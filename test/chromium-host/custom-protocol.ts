import { fromPage, toPageAddresses } from './addresses.ts'
import type { PausedRequest } from './cdp.ts'
import { standInObject } from './refuse.ts'
import { chromium, running, type SchemeHandler } from './running.ts'

/** Electron's `protocol`: the app's own scheme, answered by the app. */
export const protocol = standInObject('protocol', {
  registerSchemesAsPrivileged(list: readonly { scheme: string }[]) {
    if (running.ready) throw new Error('protocol.registerSchemesAsPrivileged is for before ready')
    for (const { scheme } of list) running.schemes.add(scheme)
  },
  handle(scheme: string, handler: SchemeHandler) {
    if (!running.schemes.has(scheme)) {
      throw new Error(`chromium host: register '${scheme}' as privileged first`)
    }
    running.handlers.set(scheme, handler)
  },
})

/** The address of a request as the app knows it, fragment included. */
export function requestedUrl({ request }: PausedRequest): string {
  return fromPage(request.url + (request.urlFragment ?? ''))
}

/** Lets the scheme's handler answer, or the network where the address is not the app's own. */
export async function answerRequest(paused: PausedRequest, sessionId: string): Promise<void> {
  const url = requestedUrl(paused)
  const handler = running.handlers.get(new URL(url).protocol.slice(0, -1))
  const ours = running.schemes.has(new URL(url).protocol.slice(0, -1))
  if (!ours || paused.responseStatusCode !== undefined) {
    await reply('Fetch.continueRequest', paused, sessionId)
  } else if (handler === undefined || url.endsWith('/favicon.ico')) {
    await refuse(paused, sessionId)
  } else {
    await fulfil(handler, url, paused, sessionId)
  }
}

export async function refuse(paused: PausedRequest, sessionId: string): Promise<void> {
  await reply('Fetch.failRequest', paused, sessionId, { errorReason: 'Aborted' })
}

async function fulfil(
  handler: SchemeHandler,
  url: string,
  paused: PausedRequest,
  sessionId: string,
): Promise<void> {
  try {
    const { method, headers } = paused.request
    const response = await handler(new Request(url, { method, headers }))
    const body = Buffer.from(await response.arrayBuffer())
    const isPage = response.headers.get('content-type')?.startsWith('text/html') === true
    await reply('Fetch.fulfillRequest', paused, sessionId, {
      responseCode: response.status,
      // A page and its policy name the app's scheme, which this browser doesn't know.
      responseHeaders: Array.from(response.headers, ([name, value]) => ({
        name,
        value: name === 'content-security-policy' ? toPageAddresses(value) : value,
      })),
      body: (isPage ? Buffer.from(toPageAddresses(body.toString())) : body).toString('base64'),
    })
  } catch (error) {
    console.error(`[chromium host] the handler of ${url} failed:`, error)
    await refuse(paused, sessionId)
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
    // The page went away meanwhile, and the request with it.
  }
}
