import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDesktop } from '../support/session-bus.ts'
import { type Life, startLife } from './life.ts'

/** Far more than a batch takes on a busy machine; an app that hangs is counted as alive. */
const waitMs = 120_000

/**
 * Starts many apps at once on a new folder, then again on the one that the killed survivor left.
 * Each time, one must live on and the others must exit. The lock is the stand-in's own, so this
 * checks that the app obeys it before it opens anything.
 */
export async function startTogether(appFolder: string, starts: number): Promise<string[]> {
  const userData = mkdtempSync(join(tmpdir(), 'belfry-kill-'))
  const bus = await startDesktop()
  const wrong: string[] = []
  try {
    for (const lot of ['a new folder', 'a stale lock']) {
      const lives = Array.from({ length: starts }, () =>
        startLife({ appFolder, userData, busAddress: bus.address }),
      )
      const living = await survivors(lives)
      if (living.length !== 1) wrong.push(`${living.length} of ${starts} live on ${lot}`)
      await Promise.all(living.map((life) => life.end('SIGKILL')))
      const said = lives.map((life) => life.errors()).join('')
      if (said !== '') wrong.push(`they wrote: ${said}`)
    }
  } finally {
    await bus.stop()
    rmSync(userData, { recursive: true, force: true })
  }
  return wrong
}

async function survivors(lives: readonly Life[]): Promise<Life[]> {
  const late = new Promise<'late'>((resolve) => {
    setTimeout(resolve, waitMs, 'late').unref()
  })
  // Each is decided once it has a window or has ended.
  const fates = await Promise.all(
    lives.map(async (life) => ({ life, fate: await Promise.race([life.ready, late]) })),
  )
  return fates.filter(({ fate }) => fate !== false).map(({ life }) => life)
}
