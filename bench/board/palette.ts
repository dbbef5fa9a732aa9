import assert from 'node:assert/strict'
import { paletteShown } from '../../src/shared/core/views/palette-search.ts'
import { median } from '../judge.ts'
import type { Measurement } from '../measurement.ts'
import { servePages } from '../pages.ts'
import type {} from './palette-page.tsx'

const word = 'etl-host12'

/**
 * The palette over 10,000 checks and all operations. The bound is one pass of `includes` over the
 * same labels, which finds but does not rank; what a user feels is the time from a keystroke to its
 * results.
 */
export const palette: Measurement = {
  name: 'palette',
  rounds: 5,
  targets: [
    {
      goal: 'a keystroke',
      isGuard: true,
      what: 'one search of 10,000 items, median of the letters of a word',
      of: { contender: 'app', number: 'searchMs' },
      against: { contender: 'app', number: 'includesMs' },
      atMost: 3,
      unit: 'ms',
    },
    {
      goal: 'a keystroke',
      what: 'keystroke to the layout of the results, median of the letters of a word',
      of: { contender: 'app', number: 'strokeMs' },
      atMost: 16,
      unit: 'ms',
    },
  ],
  async open(size) {
    const pages = await servePages({ palette: new URL('palette-page.tsx', import.meta.url) })
    const count = size === 'full' ? 10_000 : 200
    return {
      contenders: {
        app: async () => {
          const page = await pages.open('palette')
          const openMs = await page.evaluate((n) => window.palette.open(n), count)
          const strokes = await page.evaluate((text) => window.palette.type(text), word)
          const rows = await page.evaluate(() => window.palette.rows())
          const { search, bound } = await page.evaluate((text) => window.palette.search(text), word)
          const { holding, leading } = await page.evaluate(
            (text) => window.palette.found(text),
            word,
          )
          await page.context().close()
          assert.ok(holding > 0)
          assert.equal(leading, Math.min(paletteShown, holding))
          assert.ok(rows.slice(0, leading).every((title) => title.includes(word)))
          return {
            openMs,
            searchMs: median(search),
            includesMs: median(bound),
            strokeMs: median(strokes),
          }
        },
      },
      close: () => pages.close(),
    }
  },
}
