import { app, protocol } from 'electron'
import { home } from './probe.ts'

/** Like the app's own policy. */
const policy = [
  "default-src 'none'",
  `script-src ${home}assets/`,
  `style-src ${home}assets/`,
  `img-src ${home} data:`,
  "connect-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-src 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const html = (body: string, headers: Record<string, string> = {}): Response =>
  new Response(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Probe</title></head><body>${body}</body></html>`,
    { headers: { 'content-type': 'text/html; charset=utf-8', ...headers } },
  )

const script = (text: string): Response =>
  new Response(text, { headers: { 'content-type': 'text/javascript' } })

const guarded = { 'content-security-policy': policy }

const pages: Readonly<Record<string, (request: Request) => Response | Promise<Response>>> = {
  '/index.html': () =>
    html('<p id="text">hello</p><a id="link" href="other.html">other</a>', guarded),
  '/other.html': () => html('other'),
  '/free.html': () =>
    html('<a id="link" href="other.html">other</a><form id="form" action="other.html"></form>'),
  '/script.html': () =>
    html(
      '<script>window.inline = 1</script><script src="assets/own.js"></script><img src="picture.png" alt=""><script src="elsewhere/own.js"></script>',
      guarded,
    ),
  '/assets/own.js': () => script('window.own = 1'),
  '/elsewhere/own.js': () => script('window.elsewhere = 1'),
  '/titled.html': () => html('<script>document.title = "Another"</script>'),
  '/framed.html': () => html('<iframe src="app://main/other.html"></iframe>'),
  '/closing.html': () => html(''),
  '/missing.html': () => new Response('missing', { status: 404 }),
  '/broken.html': () => new Response('broken', { status: 500 }),
  '/nothing.html': () => new Response(null, { status: 204 }),
  '/error.html': () => Response.error(),
  '/throwing.html': () => {
    throw new Error('the handler throws')
  },
  '/rejecting.html': () => Promise.reject(new Error('the handler rejects')),
  '/not-a-response.html': () => 'text' as unknown as Response,
  '/redirecting.html': () =>
    new Response(null, { status: 302, headers: { location: `${home}other.html` } }),
  '/slow.html': () => new Promise<Response>(() => undefined),
  '/type-guarded.html': () =>
    html('<script src="guessed"></script>', { 'x-content-type-options': 'nosniff' }),
  '/guessed': () =>
    new Response('window.guessed = 1', {
      headers: { 'content-type': 'text/plain', 'x-content-type-options': 'nosniff' },
    }),
}

/** The requests, in order: method, address. */
export const asked: string[] = []
/** The headers of the last request. */
export const lastHeaders = new Map<string, string>()

export function registerScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: 'app', privileges: { standard: true, secure: true } },
  ])
}

export function serve(): void {
  protocol.handle('app', (request) => {
    asked.push(`${request.method} ${request.url}`)
    lastHeaders.clear()
    for (const [name, value] of request.headers) lastHeaders.set(name, value)
    const page = pages[new URL(request.url).pathname]
    return page === undefined ? new Response(null, { status: 404 }) : page(request)
  })
  app.on('window-all-closed', () => undefined)
}
