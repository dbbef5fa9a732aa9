import { promises } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as v from 'valibot'
import { invalid } from '../../shared/core/failure.ts'
import { jsonIn } from '../../shared/core/schemas.ts'
import type { KeptFiles, LocalFile } from '../ports.ts'

const fileSchema = v.object({ path: v.string(), name: v.string(), size: v.number() })

/** Stores the content of pasted or dropped files, and the path of others, in its own folder. */
export function openKeptFiles(folder: string): KeptFiles {
  const pathOf = (id: string, ending: string): string => join(folder, `${id}.${ending}`)

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
    keep: (id, file) =>
      write(() => promises.writeFile(pathOf(id, 'json'), JSON.stringify(file), { mode: 0o600 })),
    async find(id) {
      const text = await promises.readFile(pathOf(id, 'json'), 'utf8').catch(() => 'null')
      // It may be half written if the program was killed.
      const file: LocalFile | null = v.parse(v.fallback(v.nullable(fileSchema), null), jsonIn(text))
      const found = file && (await promises.stat(file.path).catch(() => null))
      // A file of another size is no longer the one that was chosen.
      return found?.size === file?.size ? file : null
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
