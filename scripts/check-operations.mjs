/**
 * Compares the catalogue with the operations of the two API documents, the palette, the conformance
 * cases and docs/operations.md. `--write` regenerates that page.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compare, operationsTable } from '../test/operations/compare.ts'
import { projectRoot } from './programs.mjs'

const page = join(projectRoot, 'docs', 'operations.md')
if (process.argv.includes('--write')) writeFileSync(page, operationsTable())
const { operations, fields, missing } = compare()
const stale = readFileSync(page, 'utf8') !== operationsTable()
const wrong = stale
  ? [...missing, 'docs/operations.md differs from the catalogue; run with -- --write']
  : missing
for (const line of wrong) console.log(line)
console.log(
  `operations: ${operations.held} of ${operations.all} (fields ${fields.held} of ${fields.all})`,
)
process.exitCode = wrong.length === 0 ? 0 : 1
