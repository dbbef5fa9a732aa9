import { dirname, join } from 'node:path'
import type { Measurement, Numbers, Target } from '../measurement.ts'
import { servePages } from '../pages.ts'
import { installPeers } from '../peers.ts'
import type { SanitizingContender } from './sanitizing-page.tsx'

const nodes = { contender: 'app', number: 'nodesMs' }
const mounted = { contender: 'app', number: 'mountedMs' }

const targets: readonly Target[] = [
  {
    goal: 'a conversation opens',
    isGuard: true,
    what: '2,000 messages sanitised, to nodes that nothing can happen in',
    of: nodes,
    against: { contender: 'unsafe innerHTML', number: 'nodesMs' },
    atMost: 2,
    unit: 'ms',
  },
  {
    goal: 'a conversation opens',
    what: 'the same against DOMPurify',
    of: nodes,
    against: { contender: 'DOMPurify', number: 'nodesMs' },
    atMost: 0.4,
    unit: 'ms',
  },
  {
    goal: 'a conversation opens',
    what: '2,000 messages sanitised, drawn anew and put on the page, against DOMPurify',
    of: mounted,
    against: { contender: 'DOMPurify', number: 'mountedMs' },
    atMost: 1,
    unit: 'ms',
  },
]

/**
 * Hostile HTML in, safe nodes out. The bound only parses, in a document where nothing loads: the
 * least that any sanitizer can do. The peer is what most pages use, with the app's own list.
 */
export const sanitizing: Measurement = {
  name: 'sanitizing',
  rounds: 5,
  targets,
  async open(size) {
    const purifier = join(dirname(installPeers()('dompurify')), 'purify.min.js')
    const pages = await servePages({ page: new URL('sanitizing-page.tsx', import.meta.url) })
    const count = size === 'smoke' ? 200 : 2_000
    const take = async (contender: SanitizingContender): Promise<Numbers> => {
      const page = await pages.open('page')
      await page.addScriptTag({ path: purifier })
      const numbers = await page.evaluate(([name, many]) => window.sanitizing.take(name, many), [
        contender,
        count,
      ] as const)
      await page.context().close()
      return numbers
    }
    return {
      contenders: {
        'unsafe innerHTML': () => take('unsafe innerHTML'),
        DOMPurify: () => take('DOMPurify'),
        app: () => take('app'),
      },
      close: pages.close,
    }
  },
}
