import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Saved } from '../ports.ts'
import {
  backupOf,
  type Envelope,
  enveloped,
  prepareFolder,
  readDocument,
  readEnvelope,
  writeDocument,
} from './atomic-file.ts'

/** A document that electron-store keeps. Opened only after its file was found to be sound. */
interface StoredDocument {
  set(envelope: Envelope): void
}

/** Sentences for the user about a file that could not be read. */
export type TellTrouble = (trouble: { readonly id: string; readonly text: string }) => void

interface Options {
  readonly folder: string
  readonly onTrouble: TellTrouble
  /** Opens electron-store's document of this name; null for the names that it does not keep. */
  readonly openStored: (name: string) => StoredDocument | null
  readonly now: () => number
}

/**
 * The documents of this user on this computer. What people choose (settings, accounts) goes through
 * electron-store, whose writes are synchronous and rare; what the app keeps while it works (unsent
 * text, marks, keys) through asynchronous atomic files, which never hold up the main process. The
 * shape on disk is the same, and so is the care: checked before it is opened, backed up before it is
 * replaced, put aside when it is broken.
 */
export function createSaved({ folder, onTrouble, openStored, now }: Options): Saved {
  prepareFolder(folder)
  const stores = new Map<string, StoredDocument | null>()
  const lines = new Map<string, Promise<void>>()
  const pathOf = (name: string): string => join(folder, `${name}.json`)

  const read = (name: string): unknown => {
    const content = readDocument(pathOf(name), now(), ({ why, asideAs }) =>
      onTrouble({ id: `file-${name}`, text: troubleWords(name, why, asideAs) }),
    )
    return content.kind === 'document' ? content.value : null
  }

  const writeOne = async (name: string, value: unknown): Promise<void> => {
    const stored = stores.get(name) ?? openSound(name)
    stores.set(name, stored)
    if (stored === null) await writeDocument(pathOf(name), value)
    else {
      backUp(pathOf(name))
      stored.set(enveloped(value))
    }
  }

  /** electron-store throws on a file that is no JSON, so that one is put aside first. */
  const openSound = (name: string): StoredDocument | null => {
    if (readEnvelope(pathOf(name)).kind === 'bad') read(name)
    return openStored(name)
  }

  return {
    read,
    write: (name, value) => {
      const before = lines.get(name) ?? Promise.resolve()
      const done = before.then(() => writeOne(name, value))
      // The line goes on after a refusal; whoever asked for this write hears of it.
      lines.set(
        name,
        done.catch(() => undefined),
      )
      return done
    },
  }
}

/** A sound file becomes the backup; a broken one must not replace the last good one. */
function backUp(path: string): void {
  if (readEnvelope(path).kind === 'document') copyFileSync(path, backupOf(path))
}

const reasons = {
  unreadable: 'could not be read',
  corrupt: 'is damaged',
  newer: 'was written by a newer version of Belfry',
}

function troubleWords(name: string, why: keyof typeof reasons, asideAs: string | null): string {
  const kept =
    asideAs === null ? 'It was left where it is.' : `It was kept as ${asideAs} in Belfry's folder.`
  return `The file ${name}.json ${reasons[why]}. ${kept} Belfry goes on with the last good copy, if there is one.`
}

/** Documents that live as long as the process: for the demo. */
export function memorySaved(): Saved {
  const documents = new Map<string, unknown>()
  return {
    read: (name) => structuredClone(documents.get(name) ?? null),
    write: async (name, value) => {
      documents.set(name, structuredClone(value))
    },
  }
}
