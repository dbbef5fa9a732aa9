import { constants, promises } from 'node:fs'
import { invalid } from '../../shared/core/failure.ts'
import type { LocalFile } from '../base/ports.ts'
import type { FileLook } from './file-look.ts'

/** Bytes: minutes of any sound. */
const mostBytes = 10 * 1024 * 1024
/** A drive of the network may hang. The user who chooses a file waits for it; no alarm waits for its sound. */
const longestLookMs = { choosing: 5_000, playing: 500 } as const

/** The file as one that notifications can play; throws what is wrong with it. */
export async function demandSound({ path, name, size }: LocalFile, look: FileLook): Promise<void> {
  if (size > mostBytes) throw invalid('file', `${name} is too large for a sound: 10 MB at most.`)
  const start = await look(() => beginningOf(path), longestLookMs.choosing).catch(() => {
    throw invalid('file', `${name} could not be read.`)
  })
  if (!isWave(start) && !isVorbis(start))
    throw invalid(
      'file',
      `${name} can’t be played with a notification: desktops play WAV files (.wav) and Ogg Vorbis files (.ogg, .oga).`,
    )
}

async function beginningOf(path: string): Promise<string> {
  // To open a pipe would wait for somebody who writes to it.
  if (!(await promises.stat(path)).isFile()) throw new Error('not a plain file')
  const file = await promises.open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(35), 0, 35, 0)
    return buffer.toString('latin1', 0, bytesRead)
  } finally {
    await file.close()
  }
}

function isWave(start: string): boolean {
  return start.startsWith('RIFF') && start.slice(8, 12) === 'WAVE'
}

/** Ogg has a header of 28 bytes before the first packet, which says what it is. */
function isVorbis(start: string): boolean {
  return start.startsWith('OggS') && start.slice(28) === '\u0001vorbis'
}

/** Whether a file can be read, as far as that is known in time. */
export function canReadSound(path: string, look: FileLook): Promise<boolean> {
  return look(() => promises.access(path, constants.R_OK), longestLookMs.playing).then(
    () => true,
    () => false,
  )
}
