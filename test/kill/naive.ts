import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Random } from '../../src/demo/answers.ts'
import { readEnvelope } from '../../src/main/storage/atomic-file.ts'

const writer = fileURLToPath(new URL('./naive-writer.ts', import.meta.url))
const longestMs = 30

/**
 * The positive control: the kill at which an in-place writer lost its document; null if it never
 * did, in which case this machine is too kind for the rest of the run to mean anything.
 */
export async function naiveLoss(mostKills: number, random: Random): Promise<number | null> {
  const folder = mkdtempSync(join(tmpdir(), 'belfry-kill-'))
  try {
    for (let kill = 1; kill <= mostKills; kill += 1) {
      const file = join(folder, `${kill}.json`)
      await killWriter(file, random() * longestMs)
      if (readEnvelope(file).kind !== 'document') return kill
    }
    return null
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function killWriter(file: string, ms: number): Promise<void> {
  const child = fork(writer, [file], { execArgv: ['--disable-warning=ExperimentalWarning'] })
  const ended = new Promise((resolve) => {
    child.once('close', resolve)
  })
  await new Promise((resolve) => {
    child.once('message', resolve)
  })
  await pause(ms)
  child.kill('SIGKILL')
  await ended
}
