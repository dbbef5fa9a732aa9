import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Random } from '../../src/demo/answers.ts'
import { readEnvelope } from '../../src/main/storage/atomic-file.ts'
import { pause } from './work.ts'

const writer = fileURLToPath(new URL('./naive-writer.ts', import.meta.url))
const longestMs = 30

/**
 * The positive control: how many of so many kills cost a writer in place its document. If none did,
 * this machine would be too kind for the rest of the run to mean anything.
 */
export async function naiveLosses(kills: number, random: Random): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'belfry-kill-'))
  let lost = 0
  try {
    for (let kill = 0; kill < kills; kill += 1) {
      const file = join(folder, `${kill}.json`)
      await killWriter(file, random() * longestMs)
      if (readEnvelope(file).kind !== 'document') lost += 1
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return lost
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
