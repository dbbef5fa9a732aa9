import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../scripts/programs.mjs'
import type { Suite } from '../../scripts/security-line.mjs'

/** Leaves what a suite came to where `npm run security` adds it up: in the folder of its host. */
export function reportSecurity(
  suite: Suite,
  counts: Readonly<Record<string, number>>,
  folder = join(projectRoot, 'test-results'),
): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `security-${suite}.json`), `${JSON.stringify(counts)}\n`)
}
