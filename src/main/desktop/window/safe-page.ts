import type { AppFile } from './app-files.ts'

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
        Belfry itself goes on: your checks and messages are read, the tray icon and the notifications
        work, and what you typed is kept.
      </p>
      <p><a href="index.html" autofocus>Open the window again</a></p>
    </main>
  </body>
</html>
`

/** What is shown instead of a page that crashes again and again: no script, nothing that could crash. */
export function safePage(): AppFile {
  return { type: 'text/html; charset=utf-8', content: new TextEncoder().encode(text) }
}
