import type { AccountId } from '../account.ts'
import type { Failure } from '../failure.ts'
import type { Conversation } from './conversation.ts'

/** A file on its way to a chat server, or done with. Not kept across restarts. */
export interface Upload {
  readonly id: string
  readonly accountId: AccountId
  /** Whose draft gets the link; null for an upload that was asked for by itself. */
  readonly conversation: Conversation | null
  readonly name: string
  /** Bytes that the network took so far, of `total`. */
  readonly sent: number
  readonly total: number
  readonly state: 'sending' | 'done' | 'failed' | 'cancelled'
  /** Root-relative; once done. */
  readonly url: string | null
  readonly failure: Failure | null
}

/** Ended ones that stay to be seen. */
const maxEnded = 20

export function withUpload(
  uploads: readonly Upload[],
  id: string,
  change: Partial<Upload>,
): readonly Upload[] {
  return uploads.map((upload) => (upload.id === id ? { ...upload, ...change } : upload))
}

/** Newest last; the oldest of those that ended fall off. */
export function withNewUpload(uploads: readonly Upload[], upload: Upload): readonly Upload[] {
  const ended = uploads.filter(({ state }) => state !== 'sending')
  const tooMany = new Set(ended.slice(0, Math.max(0, ended.length - maxEnded + 1)))
  return [...uploads.filter((one) => !tooMany.has(one)), upload]
}

/**
 * Chat API, "Upload a file": brackets in the name would end the link's text. Nor may the name or the
 * server's address begin a line, a mention or code in what the user is about to send.
 */
export function uploadLink(name: string, url: string): string {
  const text = name.replace(/[\p{C}\u2028\u2029]/gu, ' ').replace(/[[\]*`\\]/g, '')
  const address = url.replace(/[\s<>[\]`\\]|\p{C}/gu, '')
  return `[${text.trim()}](${address.replace(/[()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`)})`
}

/** A draft with a link after what was typed. */
export function withLink(text: string, link: string): string {
  return text === '' || /\s$/.test(text) ? `${text}${link}` : `${text}\n${link}`
}
