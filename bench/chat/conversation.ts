import assert from 'node:assert/strict'
import { median } from '../judge.ts'
import type { Measurement, Numbers, Target } from '../measurement.ts'
import { servePages } from '../pages.ts'
import type { ConversationContender } from './conversation-page.tsx'

const targets: readonly Target[] = [
  {
    goal: 'a conversation opens',
    what: 'a conversation of 200 messages opened, the newest in sight and laid out',
    of: { contender: 'app', number: 'openMs' },
    against: { contender: 'unsafe innerHTML', number: 'openMs' },
    atMost: 1.3,
    unit: 'ms',
  },
  {
    goal: 'a conversation opens',
    what: 'the same until all 200 are there, the older ones while nothing else is to do (no target)',
    of: { contender: 'app', number: 'wholeMs' },
    against: { contender: 'unsafe innerHTML', number: 'wholeMs' },
    unit: 'ms',
  },
  {
    goal: 'a conversation opens',
    what: 'layouts that a burst of 100 messages costs, each in a task of its own',
    of: { contender: 'app', number: 'burstLayouts' },
    atMost: 1,
    unit: 'layouts',
  },
  {
    goal: 'a conversation opens',
    isGuard: true,
    what: 'the same on a page that lays out for each: the control of the count',
    of: { contender: 'a layout each', number: 'burstLayouts' },
    atLeast: 50,
    unit: 'layouts',
  },
  {
    goal: 'a conversation opens',
    what: 'the same in a realm of 50,000 people and 2,000 channels, against a small one',
    of: { contender: 'large realm', number: 'openMs' },
    against: { contender: 'app', number: 'openMs' },
    atMost: 1.3,
    unit: 'ms',
  },
  {
    goal: 'a keystroke',
    what: 'keystroke after @ to the layout of the names, 20,000 people, median of the letters of a name',
    of: { contender: 'many people', number: 'strokeMs' },
    atMost: 16,
    unit: 'ms',
  },
]

const name = '@nora kovac'

/**
 * The bound inserts the raw markup of all rows at once, with the app's own styles: nothing is
 * sanitised or interactive. The browser counts the layouts.
 */
export const conversation: Measurement = {
  name: 'conversation',
  rounds: 5,
  targets,
  async open(size) {
    const pages = await servePages({ page: new URL('conversation-page.tsx', import.meta.url) })
    const held = size === 'smoke' ? 60 : 200
    const take = async (contender: ConversationContender, people = 0): Promise<Numbers> => {
      const page = await pages.open('page')
      const browser = await page.context().newCDPSession(page)
      await browser.send('Performance.enable')
      const layouts = async (): Promise<number> => {
        const { metrics } = await browser.send('Performance.getMetrics')
        return metrics.find(({ name }) => name === 'LayoutCount')?.value ?? Number.NaN
      }
      const opened = await page.evaluate(
        ([name, count, inRealm]) => window.conversation.open(name, count, inRealm),
        [contender, held, people] as const,
      )
      const before = await layouts()
      const burstMs = await page.evaluate(() => window.conversation.burst(100))
      const burstLayouts = (await layouts()) - before
      if (people === 0) {
        await page.context().close()
        return { ...opened, burstMs, burstLayouts }
      }
      const strokes = await page.evaluate((text) => window.conversation.complete(text), name)
      const found = await page.evaluate(() => window.conversation.completions())
      await page.context().close()
      assert.ok(found.length > 0)
      assert.ok(found.every((one) => one.startsWith('Nora Kovač')))
      // The first stroke is the @ alone, the others are the letters.
      return { ...opened, strokeMs: median(strokes.slice(1)), atMs: strokes[0] ?? Number.NaN }
    }
    return {
      contenders: {
        'unsafe innerHTML': () => take('unsafe innerHTML'),
        app: () => take('app'),
        'a layout each': () => take('a layout each'),
        'large realm': () => take('app', size === 'smoke' ? 500 : 50_000),
        'many people': () => take('app', size === 'smoke' ? 500 : 20_000),
      },
      close: pages.close,
    }
  },
}
