import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../scripts/programs.mjs'

/** Leaves what a suite came to where `npm run security` adds it up. */
export function reportSecurity(
  suite: 'links' | 'scanner',
  counts: Readonly<Record<string, number>>,
): void {
  const folder = join(projectRoot, 'test-results')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `security-${suite}.json`), `${JSON.stringify(counts)}\n`)
}
