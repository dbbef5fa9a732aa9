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
]

/**
 * The bound puts the markup on the page as it came, all rows in one go, with the app's own style:
 * nothing is made safe, nothing can be answered. Layouts are counted by the browser.
 */
export const conversation: Measurement = {
  name: 'conversation',
  rounds: 5,
  targets,
  async open(size) {
    const pages = await servePages({ page: new URL('conversation-page.tsx', import.meta.url) })
    const held = size === 'smoke' ? 60 : 200
    const take = async (contender: ConversationContender): Promise<Numbers> => {
      const page = await pages.open('page')
      const browser = await page.context().newCDPSession(page)
      await browser.send('Performance.enable')
      const layouts = async (): Promise<number> => {
        const { metrics } = await browser.send('Performance.getMetrics')
        return metrics.find(({ name }) => name === 'LayoutCount')?.value ?? Number.NaN
      }
      const opened = await page.evaluate(([name, count]) => window.conversation.open(name, count), [
        contender,
        held,
      ] as const)
      const before = await layouts()
      const burstMs = await page.evaluate(() => window.conversation.burst(100))
      const burstLayouts = (await layouts()) - before
      await page.context().close()
      return { ...opened, burstMs, burstLayouts }
    }
    return {
      contenders: {
        'unsafe innerHTML': () => take('unsafe innerHTML'),
        app: () => take('app'),
        'a layout each': () => take('a layout each'),
      },
      close: pages.close,
    }
  },
}
