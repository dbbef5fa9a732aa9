import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright'
import { build } from 'vite'
import { chromiumLaunch } from '../test/support/browser.ts'

/** A browser, and pages built like the app's own: one minified script each. */
export interface Pages {
  /** Opens a fresh page in its own browser context, with the entry of this name loaded. */
  open(entry: string): Promise<Page>
  /** Bytes of the built script of an entry. */
  scriptOf(entry: string): Uint8Array
  readonly browser: Browser
  close(): Promise<void>
}

/** `entries`: TypeScript files by name. */
export async function servePages(entries: Readonly<Record<string, URL>>): Promise<Pages> {
  const scripts = new Map<string, Uint8Array>()
  const styles = new Map<string, string>()
  for (const [name, file] of Object.entries(entries)) {
    const built = await bundle(file)
    scripts.set(name, built.script)
    styles.set(name, built.style)
  }
  const server = createServer((request, response) => {
    const [, kind, name = ''] = (request.url ?? '').split('/')
    const script = scripts.get(name)
    if (kind === 'script' && script !== undefined) {
      response.setHeader('content-type', 'text/javascript')
      response.end(script)
    } else {
      response.setHeader('content-type', 'text/html')
      response.end(pageOf(name, styles.get(name) ?? ''))
    }
  })
  const port = await listening(server)
  const browser = await chromium.launch({
    // The full browser, like Electron's: in the headless shell, pages cost less and vary more.
    ...chromiumLaunch('headed'),
    args: ['--js-flags=--expose-gc'],
  })
  return {
    browser,
    async open(entry) {
      const context = await browser.newContext({ viewport: { width: 460, height: 680 } })
      const page = await context.newPage()
      await page.goto(`http://127.0.0.1:${port}/page/${entry}`)
      return page
    },
    scriptOf: (entry) => scripts.get(entry) ?? new Uint8Array(),
    async close() {
      await browser.close()
      server.close()
    },
  }
}

async function bundle(file: URL): Promise<{ script: Uint8Array; style: string }> {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    resolve: { alias: { '#shared': fileURLToPath(new URL('../src/shared', import.meta.url)) } },
    build: {
      write: false,
      minify: true,
      cssCodeSplit: false,
      rolldownOptions: {
        input: fileURLToPath(file),
        output: { format: 'es', codeSplitting: false },
      },
    },
  })
  const outputs = [result].flat().flatMap((one) => ('output' in one ? one.output : []))
  const script = outputs.find((one) => one.type === 'chunk')
  if (script === undefined) throw new Error(`nothing was built of ${file.pathname}`)
  const style = outputs.find((one) => one.type === 'asset' && one.fileName.endsWith('.css'))
  return {
    script: Buffer.from(script.code),
    style: style?.type === 'asset' ? String(style.source) : '',
  }
}

function pageOf(name: string, style: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${name}</title>
<style>${style}</style><body><div id="app"></div>
<script type="module" src="/script/${name}"></script></body></html>`
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a port has one.
  return (server.address() as AddressInfo).port
}
