import type { Commands } from '../../shared/contract.ts'
import {
  type Account,
  type AccountId,
  accountById,
  type ChatAccount,
} from '../../shared/core/account.ts'
import type { Emoji } from '../../shared/core/chat/message.ts'
import { picturePath } from '../../shared/core/chat/picture-path.ts'
import { invalid, malformed } from '../../shared/core/failure.ts'
import { jsonIn } from '../../shared/core/schemas.ts'
import type { HttpReply } from '../../shared/http.ts'
import type { Transport } from '../base/ports.ts'
import type { Client } from '../http/client.ts'
import { type Budget, createBudget } from '../http/rate-limit.ts'
import type { LiveState } from '../state/store.ts'

/** Thumbnails have 50 kB; an original that is larger than this is opened in the browser. */
const maxBytes = 8 * 1024 * 1024
const deadlineMs = 20_000
/** For each account, so that a topic full of pictures leaves room for sending. */
const picturesAMinute = 60

/**
 * Pictures in messages: off for each account until the user turns them on. Only main fetches them,
 * only from the account's own realm, and with the key only where the realm requires it.
 */
export function createImageCommands(parts: {
  live: LiveState
  client: (accountId: AccountId) => Client
  transport: (account: Account) => Transport
  version: string
}) {
  const { live } = parts
  const budgets = new Map<AccountId, Budget>()
  const never = new AbortController().signal
  /** By URL, which changes with the content. */
  const emojiLists = new Map<string, Promise<readonly Emoji[]>>()

  function budgetOf(id: AccountId): Budget {
    const budget = budgets.get(id) ?? createBudget({ limit: picturesAMinute })
    budgets.set(id, budget)
    return budget
  }

  function chatAccount(id: AccountId): ChatAccount {
    const account = accountById(live.get(), id)
    if (account?.kind !== 'chat') throw invalid('account', 'This account is gone.')
    return account
  }

  function fetchPicture(account: ChatAccount, path: string, needsKey: boolean): Promise<HttpReply> {
    const headers = { accept: 'image/*', 'user-agent': `Belfry/${parts.version}` }
    const request = { method: 'GET', headers, body: null, deadlineMs } as const
    if (needsKey) return parts.client(account.id).send({ ...request, url: path }, never)
    const url = `${account.baseUrl}${path}`
    return parts.transport(account)({ ...request, url, maxBytes }, never)
  }

  /** Without the key: servers keep their static files on public hosts of their own. */
  async function fetchEmojiNames(account: ChatAccount, url: URL): Promise<readonly Emoji[]> {
    const isOwn = url.origin === new URL(account.baseUrl).origin
    if (!isOwn && url.protocol !== 'https:') throw malformed('shape', 'server_emoji_data_url')
    const reply = await parts.transport(account)(
      {
        method: 'GET',
        url: url.href,
        headers: { accept: 'application/json', 'user-agent': `Belfry/${parts.version}` },
        body: null,
        deadlineMs,
        maxBytes,
        publicOnly: !isOwn,
      },
      never,
    )
    const { readEmojiNames } = await import('../../shared/api/chat/read-realm.ts')
    const names =
      reply.status === 200 ? readEmojiNames(jsonIn(Buffer.from(reply.body).toString('utf8'))) : null
    if (names === null) throw malformed('shape', 'server_emoji_data_url')
    return names
  }

  return {
    async emojiNames({ accountId }) {
      const account = chatAccount(accountId)
      const address = live.get().realms.get(accountId)?.emojiNamesUrl ?? null
      const url = address === null ? null : URL.parse(address, account.baseUrl)
      if (url === null) return []
      const known = emojiLists.get(url.href) ?? fetchEmojiNames(account, url)
      emojiLists.set(url.href, known)
      // The next call tries again.
      known.catch(() => emojiLists.delete(url.href))
      return known
    },

    async setImages({ accountId, images }) {
      chatAccount(accountId)
      live.update((state) => ({
        ...state,
        accounts: state.accounts.map((one) =>
          one.id === accountId && one.kind === 'chat' ? { ...one, images } : one,
        ),
      }))
      // If the disk refuses, it holds for this run, and a separate warning says so.
      await live.persist('accounts').catch(() => undefined)
    },

    async loadImage({ accountId, path: wanted }) {
      const account = chatAccount(accountId)
      if (!account.images) throw invalid('account', 'Images are turned off for this account.')
      const found = picturePath(wanted, account.baseUrl)
      if (found === null) throw invalid('path', 'This image isn’t from this chat server.')
      await budgetOf(accountId).take('interactive')
      const reply = await fetchPicture(account, found.path, found.needsKey)
      return reply.status === 200 ? dataImage(reply.body) : null
    },
  } satisfies Partial<Commands>
}

interface Kind {
  readonly type: string
  readonly signature: RegExp
  readonly area: (bytes: Buffer) => PictureArea
}

/** No SVG: that is a document, which may have scripts and load other files. */
const kinds: readonly Kind[] = [
  { type: 'image/png', signature: /^\x89PNG\r\n/, area: pngArea },
  { type: 'image/jpeg', signature: /^\xff\xd8\xff/, area: jpegArea },
  { type: 'image/gif', signature: /^GIF8[79]a/, area: gifArea },
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the length field may hold any bytes.
  { type: 'image/webp', signature: /^RIFF[\x00-\xff]{4}WEBP/, area: webpArea },
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the box's size may be any bytes.
  { type: 'image/avif', signature: /^[\x00-\xff]{4}ftypavi[fs]/, area: avifArea },
]

/**
 * Decoded, each pixel takes four bytes of the window's memory, however few bytes the file has:
 * 40 megapixels are 160 MB, and more than any camera picture that a realm makes thumbnails of.
 */
const mostPixels = 40_000_000

/**
 * A picture as a `data:` URL, or null if it isn't one, has no readable size, or is too large when
 * decoded. The bytes decide its type: the decoder would not go by a header either.
 */
export function dataImage(body: Uint8Array): string | null {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const start = bytes.subarray(0, 16).toString('latin1')
  const kind = kinds.find(({ signature }) => signature.test(start))
  const area = kind?.area(bytes) ?? null
  if (kind === undefined || area === null || area > mostPixels) return null
  return `data:${kind.type};base64,${bytes.toString('base64')}`
}

/** Width times height of the decoded picture, or null if the bytes don't say. */
type PictureArea = number | null

/** PNG specification, 11.2.1: IHDR is the first chunk. An animation's frames lie inside it. */
function pngArea(bytes: Buffer): PictureArea {
  if (bytes.length < 24 || bytes.toString('latin1', 12, 16) !== 'IHDR') return null
  return area(bytes.readUInt32BE(16), bytes.readUInt32BE(20))
}

/** JPEG, ITU T.81, B.1.1.3 and B.2.2: segments up to the frame header, which has the size. */
function jpegArea(bytes: Buffer): PictureArea {
  let at = 2
  while (at + 9 <= bytes.length) {
    if (bytes[at] !== 0xff) return null
    const marker = bytes[at + 1] ?? 0
    if (marker === 0xff) {
      // Fill bytes may stand before any marker.
      at += 1
      continue
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return area(bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5))
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  return null
}

/** GIF89a, 18 and 20: the screen and each image, since one that exceeds the screen enlarges it. */
function gifArea(bytes: Buffer): PictureArea {
  if (bytes.length < 13) return null
  let width = bytes.readUInt16LE(6)
  let height = bytes.readUInt16LE(8)
  let at = 13 + colorsBytes(bytes[10] ?? 0)
  while (at < bytes.length) {
    if (bytes[at] === 0x2c && at + 10 <= bytes.length) {
      width = Math.max(width, bytes.readUInt16LE(at + 1) + bytes.readUInt16LE(at + 5))
      height = Math.max(height, bytes.readUInt16LE(at + 3) + bytes.readUInt16LE(at + 7))
      at = afterBlocks(bytes, at + 11 + colorsBytes(bytes[at + 9] ?? 0))
    } else if (bytes[at] === 0x21) {
      at = afterBlocks(bytes, at + 2)
    } else {
      break
    }
  }
  return area(width, height)
}

/** The first bit says whether a colour table follows; the last three give its size. */
function colorsBytes(packed: number): number {
  return (packed & 0x80) === 0 ? 0 : 3 * 2 ** ((packed & 7) + 1)
}

/** Each block begins with its length; an empty one is the last. */
function afterBlocks(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && bytes[at] !== 0) at += (bytes[at] ?? 0) + 1
  return at + 1
}

/** RFC 9649, 2.5 to 2.7: a lossy frame, a lossless one, or a canvas that images must fit. */
function webpArea(bytes: Buffer): PictureArea {
  if (bytes.length < 30) return null
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return area(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff)
    case 'VP8L': {
      const sizes = bytes.readUInt32LE(21)
      return area((sizes & 0x3fff) + 1, ((sizes >> 14) & 0x3fff) + 1)
    }
    case 'VP8X':
      return area(bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1)
    default:
      return null
  }
}

/** ISO/IEC 23008-12, 6.5.3: each item, even a grid, has an `ispe` box; the largest size counts. */
function avifArea(bytes: Buffer): PictureArea {
  let largest: PictureArea = null
  for (let at = bytes.indexOf('ispe'); at >= 0; at = bytes.indexOf('ispe', at + 4)) {
    if (at + 16 > bytes.length) break
    // After the box's name come its version and flags.
    const one = area(bytes.readUInt32BE(at + 8), bytes.readUInt32BE(at + 12))
    if (one !== null) largest = Math.max(largest ?? 0, one)
  }
  return largest
}

function area(width: number, height: number): PictureArea {
  return width === 0 || height === 0 ? null : width * height
}
