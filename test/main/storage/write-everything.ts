import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SavedFiles } from '../../../src/main/storage/saved-files.ts'
import { openVault } from '../../../src/main/storage/vault.ts'

/*
 * Runs in a process of its own, under the umask in its second argument: makes every kind of file
 * that Belfry makes (documents, backups, copies set aside, files beside a newer version's), and
 * leaves a half-written one as a killed process would.
 */
const [folder = '', mask = ''] = process.argv.slice(2)
process.umask(Number.parseInt(mask, 8))

function open() {
  return new SavedFiles({
    folder,
    now: Date.now,
    onTrouble: () => undefined,
    openStored: (name, fileName) =>
      name === 'settings'
        ? {
            set: (envelope) => {
              // Like conf: a file with mode 0600 replaces the old one.
              const path = join(folder, `${fileName}.json`)
              writeFileSync(`${path}.tmp-1234567890abcdef`, JSON.stringify(envelope), {
                mode: 0o600,
              })
              renameSync(`${path}.tmp-1234567890abcdef`, path)
            },
          }
        : null,
  })
}

const saved = open()
for (const name of ['settings', 'drafts', 'outbox', 'marks'])
  for (const value of [1, 2]) await saved.write(name, value)
const vault = await openVault({
  secure: {
    available: async () => true,
    encrypt: async (text) => Buffer.from(`v11${text}`),
    decrypt: async (bytes) => ({ text: Buffer.from(bytes).toString().slice(3), stale: false }),
  },
  saved,
  platform: 'linux',
})
await vault.put('a', 'key')
await vault.put('b', 'key')
saved.files.keepCopy('keys', '')
writeFileSync(join(folder, 'marks.json'), '{"version":9,"value":{}}')
writeFileSync(join(folder, 'drafts.json'), '')
writeFileSync(join(folder, 'drafts.json.bak'), '')
const again = open()
for (const name of ['drafts', 'marks']) {
  again.read(name)
  await again.write(name, 3)
  await again.write(name, 4)
}
writeFileSync(join(folder, 'outbox.json.tmp-deadbeef'), readFileSync(join(folder, 'outbox.json')))
