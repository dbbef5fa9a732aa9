import { promises } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import * as v from 'valibot'
import { invalid } from '../../shared/core/failure.ts'
import { jsonIn } from '../../shared/core/schemas.ts'
import type { KeptFiles } from '../base/ports.ts'

const fileSchema = v.object({
  path: v.string(),
  name: v.string(),
  size: v.number(),
  /** Epoch ms; absent if an older version of Belfry wrote it. */
  modifiedAt: v.optional(v.number()),
})

/** Stores the content of pasted or dropped files, and the path of others, in its own folder. */
export function openKeptFiles(folder: string): KeptFiles {
  // Windows ask by id, and a compromised one could give a path out of the folder.
  const pathOf = (id: string, ending: string): string => join(folder, `${basename(id)}.${ending}`)

  async function write(work: () => Promise<void>): Promise<void> {
    try {
      await promises.mkdir(folder, { recursive: true, mode: 0o700 })
      await work()
    } catch {
      throw invalid('disk', 'The file could not be kept on this computer (disk full or read-only).')
    }
  }

  return {
    async append(id, name, bytes) {
      const path = pathOf(id, 'content')
      await write(() => promises.appendFile(path, bytes, { mode: 0o600 }))
      const { size } = await promises.stat(path)
      return { path, name, size }
    },
    async keep(id, file) {
      const modifiedAt = (await promises.stat(file.path).catch(() => null))?.mtimeMs
      const text = JSON.stringify({ ...file, modifiedAt })
      await write(() => promises.writeFile(pathOf(id, 'json'), text, { mode: 0o600 }))
    },
    async find(id) {
      const text = await promises.readFile(pathOf(id, 'json'), 'utf8').catch(() => 'null')
      // It may be half written if the program was killed.
      const kept = v.parse(v.fallback(v.nullable(fileSchema), null), jsonIn(text))
      if (kept === null) return null
      const { modifiedAt, ...file } = kept
      const found = await promises.stat(file.path).catch(() => null)
      const isSame = found?.size === file.size && found.mtimeMs === (modifiedAt ?? found.mtimeMs)
      return isSame ? file : null
    },
    content: (file) => promises.readFile(file.path).catch(() => null),
    async sweep(ids) {
      for (const entry of await promises.readdir(folder).catch(() => []))
        if (!ids.has(entry.split('.')[0] ?? '')) await promises.rm(join(folder, entry))
    },
  }
}

/** For this run only. */
export function temporaryFiles(): KeptFiles {
  return openKeptFiles(join(tmpdir(), `belfry-${crypto.randomUUID()}`))
}
