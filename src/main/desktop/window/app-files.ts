import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'

/** Where the windows' page is served: a custom scheme, since `file:` could read the whole disk. */
export const appScheme = 'app'
export const appHome = 'app://main/'

/**
 * Sent with every file; `frame-ancestors` works only as a header, the rest is also in index.html.
 * It names the folder of the built scripts rather than `'self'`, which would allow everything we
 * serve.
 */
export const contentSecurityPolicy = [
  "default-src 'none'",
  `script-src ${appHome}assets/`,
  `style-src ${appHome}assets/`,
  `img-src ${appHome} data:`,
  `font-src ${appHome}assets/`,
  "connect-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "object-src 'none'",
  "frame-src 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

interface AppFile {
  readonly type: string
  readonly content: Uint8Array<ArrayBuffer>
}

/** The built page, by requested path. Other kinds of file, such as source maps, are not in it. */
export function readAppFiles(folder: string): ReadonlyMap<string, AppFile> {
  const files = new Map<string, AppFile>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = types[extname(entry.name)]
    if (!entry.isFile() || type === undefined) continue
    const path = join(entry.parentPath, entry.name)
    const name = `/${relative(folder, path).split(sep).join('/')}`
    files.set(name, { type, content: new Uint8Array(readFileSync(path)) })
  }
  return files
}

/** Answers only from the map, so that no spelling of a path leads out of it. */
export function answerAppRequest(
  files: ReadonlyMap<string, AppFile>,
  method: string,
  address: string,
): Response {
  const headers = {
    'content-security-policy': contentSecurityPolicy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  }
  const url = URL.canParse(address) ? new URL(address) : null
  const ours = url !== null && url.protocol === `${appScheme}:` && url.host === 'main'
  const file = ours && method === 'GET' ? files.get(url.pathname) : undefined
  if (file === undefined) return new Response(null, { status: 404, headers })
  return new Response(file.content, { headers: { ...headers, 'content-type': file.type } })
}

export const safePagePath = '/safe.html'

const text = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="color-scheme" content="light dark">
    <title>Belfry</title>
  </head>
  <body>
    <main>
      <h1>This window stopped working several times</h1>
      <p>
        Belfry itself is still running: your checks and messages are being read, the tray icon and the
        notifications work, and what you typed is kept.
      </p>
      <p><a href="index.html" autofocus>Open the window again</a></p>
    </main>
  </body>
</html>
`

/** Shown instead of a page that keeps crashing: no script, nothing that could crash. */
export function safePage(): AppFile {
  return { type: 'text/html; charset=utf-8', content: new TextEncoder().encode(text) }
}
