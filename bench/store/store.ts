import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defaultBounds } from '../../src/main/storage/history-database.ts'
import { runAlone } from '../child.ts'
import type { Measurement } from '../measurement.ts'

const run = (name: string, ...args: readonly string[]) =>
  runAlone(new URL(`./${name}-run.ts`, import.meta.url), args)

/**
 * The history on real files, compared with the least that stores the same entries, and with reading
 * without an index when it is as full as the app lets it be. All contenders write the same entries
 * and check that themselves.
 */
export const store: Measurement = {
  name: 'store',
  rounds: 7,
  targets: [
    {
      goal: 'history',
      what: 'one entry kept',
      of: { contender: 'history', number: 'oneMs' },
      against: { contender: 'lines', number: 'oneMs' },
      atMost: 0.3,
      unit: 'ms',
    },
    {
      goal: 'history',
      what: '100,000 entries kept',
      of: { contender: 'history', number: 'bulkMs' },
      against: { contender: 'lines', number: 'bulkMs' },
      atMost: 5,
      unit: 'ms',
    },
    {
      goal: 'history',
      what: 'last 100 entries of a check, of 200,000',
      of: { contender: 'read', number: 'lastMs' },
      against: { contender: 'scan', number: 'scanMs' },
      atMost: 0.01,
      unit: 'ms',
    },
    {
      goal: 'history',
      what: 'main stands still for a changed setting',
      of: { contender: 'settings', number: 'blockedMs' },
      unit: 'ms',
    },
  ],
  async open(size) {
    const count = size === 'full' ? '100000' : '2000'
    const most = size === 'full' ? `${defaultBounds.entries}` : '2000'
    const folder = mkdtempSync(join(tmpdir(), 'belfry-bench-'))
    const filled = join(folder, 'history.db')
    await run('fill', filled, most)
    return {
      contenders: {
        history: () => run('history', count),
        lines: () => run('lines', count),
        read: () => run('read', filled, most),
        scan: () => run('scan', filled, most),
        settings: () => run('settings'),
      },
      close: async () => rmSync(folder, { recursive: true, force: true }),
    }
  },
}
