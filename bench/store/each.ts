import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median } from '../judge.ts'

/** The median time of one call, in ms. Awaits what `act` returns only if it is a promise. */
export async function each(times: number, act: (n: number) => unknown): Promise<number> {
  const spans: number[] = []
  for (let n = 0; n < times; n += 1) {
    const from = performance.now()
    const done = act(n)
    if (done instanceof Promise) await done
    spans.push(performance.now() - from)
  }
  return median(spans)
}

/** Runs `act` in a temporary folder, which is removed afterwards. */
export async function inFolder<T>(act: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'belfry-bench-'))
  try {
    return await act(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
