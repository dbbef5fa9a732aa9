import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { Measurement } from '../measurement.ts'
import { servePages } from '../pages.ts'

const built = new URL('../../out/renderer/', import.meta.url)
const text = (name: string): string => readFileSync(new URL(name, built), 'utf8')

/**
 * The first script of the window's page with everything it imports statically, compared with a
 * hello page of Preact and signals that is built the same way: the least that is possible.
 * `allBytes` includes the views that are loaded when they are shown.
 */
export const pageSize: Measurement = {
  name: 'page-size',
  rounds: 1,
  targets: [
    {
      goal: 'the start',
      isGuard: true,
      what: 'script of the page, gzip',
      of: { contender: 'page', number: 'bytes' },
      against: { contender: 'hello', number: 'bytes' },
      atMost: 3.5,
      unit: 'B',
    },
  ],
  async open() {
    const pages = await servePages({ hello: new URL('hello.tsx', import.meta.url) })
    return {
      contenders: {
        page: async () => {
          const first = entryOf(text('index.html'))
          const all = readdirSync(new URL('assets/', built)).filter((name) => name.endsWith('.js'))
          return { bytes: zipped(withImports(first)), allBytes: zipped(all) }
        },
        hello: async () => {
          const script = pages.scriptOf('hello')
          assert.match(Buffer.from(script).toString(), /Hello/)
          return { bytes: gzipSync(script).length }
        },
      },
      close: () => pages.close(),
    }
  },
}

/** The only script in the page; a preloaded one would count as well. */
function entryOf(html: string): string {
  const scripts = [...html.matchAll(/(?:src|href)="\.\/assets\/([^"]+\.js)"/g)]
  assert.equal(scripts.length, 1, 'one script in index.html')
  return scripts[0]?.[1] ?? ''
}

/** Includes static imports, but not what is loaded later with `import()`. */
function withImports(name: string, known: Set<string> = new Set()): string[] {
  if (!known.has(name)) {
    known.add(name)
    const imports = text(`assets/${name}`).matchAll(
      /(?:from|import)\s*["'`]\.\/([^"'`]+\.js)["'`]/g,
    )
    for (const [, other = ''] of imports) withImports(other, known)
  }
  return [...known]
}

function zipped(names: readonly string[]): number {
  return names.reduce((sum, name) => sum + gzipSync(text(`assets/${name}`)).length, 0)
}
