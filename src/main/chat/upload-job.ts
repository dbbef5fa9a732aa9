import { extname } from 'node:path'
import { invalid } from '../../shared/core/failure.ts'
import type { LocalFile } from '../base/ports.ts'
import type { Client } from '../http/client.ts'

/** How long sending a file may stall: at 2 kB/s, a slice takes half of this. */
export const stallMs = 60_000

export interface UploadJob {
  readonly client: Pick<Client, 'baseUrl' | 'send' | 'read'>
  readonly file: LocalFile
  /** Default by size: in one piece below 25 MB. */
  readonly how?: 'multipart' | 'tus'
  /** The server's limit, if it reported one. */
  readonly maxMib?: number | undefined
  /** Called with the bytes of the file sent so far. */
  readonly onProgress: (sent: number) => void
  readonly signal: AbortSignal
  /** Delays in ms between attempts to resume a tus upload. */
  readonly retryDelays?: readonly number[]
}

/** Where the file is now. */
export interface Uploaded {
  /** Root-relative. */
  readonly url: string
  readonly filename: string
}

/** Refuses a file that the server would refuse, before any of it is sent. */
export function demandSize({ size }: Pick<LocalFile, 'size'>, maxMib: number | undefined): void {
  if (maxMib === undefined || size <= maxMib * 1024 * 1024) return
  throw invalid(
    'file',
    maxMib === 0
      ? 'This server doesn’t accept files.'
      : `This file is larger than the ${maxMib} MiB that this server accepts.`,
  )
}

const mediaTypes: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.gif': 'image/gif',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.log': 'text/plain',
  '.md': 'text/markdown',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.webm': 'video/webm',
  '.webp': 'image/webp',
  '.zip': 'application/zip',
}

/** The server goes by this type to display a file or to offer it as a download. */
export function mediaType(name: string): string {
  return mediaTypes[extname(name).toLowerCase()] ?? 'application/octet-stream'
}
