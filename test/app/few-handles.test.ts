import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import type { FewHandlesReport } from '../support/few-handles.ts'
import { serveWorld } from '../support/world-server.ts'

const program = fileURLToPath(new URL('../support/few-handles.ts', import.meta.url))

test.skipIf(process.platform === 'win32')(
  'an app that runs out of file handles says so, keeps its files, and recovers with the first free one',
  async () => {
    const server = await serveWorld({ now: Date.now, seed: 1, lively: false })
    const folder = await mkdtemp(join(tmpdir(), 'belfry-'))
    try {
      const { stdout } = await promisify(execFile)(
        'sh',
        [
          '-c',
          'ulimit -n 64; exec "$@"',
          'sh',
          process.execPath,
          program,
          folder,
          server.urls.ops,
          server.world.newAccounts.ops.key,
        ],
        { timeout: 150_000 },
      )
      // Written by our own program.
      const report = JSON.parse(stdout) as FewHandlesReport
      expect(report.takenHandles).toBeGreaterThan(0)
      expect(report).toMatchObject({ troubleAfter: [], readAgain: true, bugs: 0 })
      expect(report.troubleWithout).toContain('disk')
      expect(report.filesWithout).toContain('accounts.json')
      expect(report.filesWithout.filter((name) => name.includes('.corrupt-'))).toEqual([])
      expect(await readFile(join(folder, 'settings.json'), 'utf8')).toContain('"pollSeconds":50')
    } finally {
      await server.close()
      await rm(folder, { recursive: true, force: true })
    }
  },
)
