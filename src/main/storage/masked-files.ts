import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chatKinds } from '../../shared/core/attention/notice.ts'
import { jsonIn } from '../../shared/core/schemas.ts'
import { withoutSecrets } from '../../shared/core/secrets.ts'
import { enveloped, temporaryOf } from './atomic-file.ts'

/** The documents with texts of jobs, their backups, and copies that were set aside. */
const withJobTexts = /^(?:notices|marks)\..*json(?:\.bak)?$/
const ofPeople: ReadonlySet<unknown> = chatKinds
const doneFile = 'masked.json'

/**
 * Versions before this one kept the texts of jobs as they were: once, masks the secrets in the
 * files of this folder. Before anything reads them; what can't be written is tried again at the
 * next start.
 */
export function maskStoredOnce(folder: string): void {
  try {
    const names = readdirSync(folder)
    if (names.includes(doneFile)) return
    for (const name of names.filter((one) => withJobTexts.test(one))) {
      const path = join(folder, name)
      const text = readFileSync(path, 'utf8')
      const masked = maskedJson(text)
      if (masked !== text) replace(path, masked)
    }
    replace(join(folder, doneFile), JSON.stringify(enveloped(true)))
  } catch {
    // A read-only or full disk, which the first write reports.
  }
}

function replace(path: string, text: string): void {
  const temporary = temporaryOf(path)
  writeFileSync(temporary, text, { mode: 0o600 })
  renameSync(temporary, path)
}

/** JSON with the secrets in its texts masked; what is no JSON is masked as it is. */
export function maskedJson(text: string): string {
  const value = jsonIn(text)
  if (value === null) return withoutSecrets(text)
  const masked = maskedTexts(value)
  return masked === value ? text : JSON.stringify(masked)
}

/** The same value if nothing in it is masked. What people wrote is left alone. */
function maskedTexts(value: unknown): unknown {
  if (typeof value === 'string') return withoutSecrets(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value.map(maskedTexts)
    return items.some((item, at) => item !== value[at]) ? items : value
  }
  if ('kind' in value && ofPeople.has(value.kind)) return value
  const entries = Object.entries(value).map(([key, one]) => [key, one, maskedTexts(one)] as const)
  return entries.some(([, one, masked]) => one !== masked)
    ? Object.fromEntries(entries.map(([key, , masked]) => [key, masked]))
    : value
}
