import * as v from 'valibot'
import type { Failure } from '../failure.ts'
import type { Immutable } from '../schemas.ts'
import { conversationSchema } from './conversation.ts'

export const uploadSchema = v.object({
  id: v.string(),
  accountId: v.string(),
  /** Of the file on this computer. */
  fileId: v.fallback(v.string(), ''),
  /** Whose draft gets the link; null for an upload without a draft. */
  conversation: v.nullable(conversationSchema),
  name: v.string(),
  /** Bytes sent so far, of `total`. */
  sent: v.number(),
  total: v.number(),
  /** `waiting`: for the connection, after a restart. */
  state: v.picklist(['sending', 'waiting', 'done', 'failed', 'cancelled']),
  /** When it was first started, epoch ms. */
  startedAt: v.fallback(v.number(), 0),
  /** Root-relative; null until done. */
  url: v.nullable(v.string()),
})

/** An upload to a chat server. One that belongs to a draft survives restarts. */
export interface Upload extends Immutable<v.InferOutput<typeof uploadSchema>> {
  readonly failure: Failure | null
}

/** The uploads as a part of the app's state. */
export interface UploadsSlice {
  /** In the order they were started. */
  readonly uploads: readonly Upload[]
}

/** Uploads in flight when the program ended continue once there is a connection. */
export function uploadsAfterRestart(uploads: readonly Upload[]): readonly Upload[] {
  return uploads.flatMap((upload) => {
    if (upload.conversation === null || upload.state === 'done' || upload.state === 'cancelled')
      return []
    return upload.state === 'sending' ? { ...upload, state: 'waiting' as const, sent: 0 } : upload
  })
}

/** Ended uploads that stay listed. */
const maxEnded = 20

export function withUpload(
  uploads: readonly Upload[],
  id: string,
  change: Partial<Upload>,
): readonly Upload[] {
  return uploads.map((upload) => (upload.id === id ? { ...upload, ...change } : upload))
}

/** Adds an upload at the end, and drops the oldest ended ones above the limit. */
export function withNewUpload(uploads: readonly Upload[], upload: Upload): readonly Upload[] {
  const ended = uploads.filter(({ state }) => state !== 'sending' && state !== 'waiting')
  const tooMany = new Set(ended.slice(0, Math.max(0, ended.length - maxEnded + 1)))
  return [...uploads.filter((one) => !tooMany.has(one)), upload]
}

/**
 * A Markdown link to an upload. Brackets in the name would end the link's text (chat API, "Upload a
 * file"), and neither name nor URL may begin a line, a mention or code in the user's message.
 */
export function uploadLink(name: string, url: string): string {
  const text = name.replace(/[\p{C}\u2028\u2029]/gu, ' ').replace(/[[\]*`\\]/g, '')
  const address = url.replace(/[\s<>[\]`\\]|\p{C}/gu, '')
  return `[${text.trim()}](${address.replace(/[()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`)})`
}

/** Appends a link to a draft. */
export function withLink(text: string, link: string): string {
  return text === '' || /\s$/.test(text) ? `${text}${link}` : `${text}\n${link}`
}

/** Links to uploads at the end of `value` that `before` lacks. */
export function addedLinks(before: string, value: string): readonly string[] {
  const links: string[] = []
  for (let end = value.length; ; ) {
    const from = value.lastIndexOf('[', end - 1)
    const link = from === -1 ? '' : value.slice(from, end)
    if (!/^\[[^[\]]*\]\(\/user_uploads\/[^\s)]+\)$/.test(link)) break
    links.unshift(link)
    end = /\s/.test(value.charAt(from - 1)) ? from - 1 : from
  }
  return links.filter((link) => !before.includes(link))
}
