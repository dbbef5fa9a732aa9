import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../scripts/programs.mjs'
import type { Suite } from '../../scripts/security-line.mjs'

/** Writes a suite’s results to where `npm run security` sums them up: its host’s folder. */
export function reportSecurity(
  suite: Suite,
  counts: Readonly<Record<string, number>>,
  folder = join(projectRoot, 'test-results'),
): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `security-${suite}.json`), `${JSON.stringify(counts)}\n`)
}
