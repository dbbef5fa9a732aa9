/** The most bytes that one byte of deflate can unpack to. */
const mostPacked = 1_032
/** Sizes of the header's fixed part and of the trailer: checksum and size (RFC 1952). */
const headBytes = 10
const endBytes = 8
/** Header flags for the optional fields that follow it. */
const flags = { headerSum: 2, extra: 4, name: 8, comment: 16 } as const

/** Spare room in the output buffer: if zlib fills it completely, it allocates another as large. */
export const spareBytes = 1

/** The size in gzip's trailer ("ISIZE"), up to what deflate can reach; else a guess. */
export function unpackedBytes(raw: Buffer): number {
  return isGzip(raw)
    ? Math.min(raw.readUInt32LE(raw.length - 4), raw.length * mostPacked)
    : Math.min(raw.length * 8, 1 << 20)
}

/**
 * Whether two compressed bodies certainly unpack to the same: their bytes are equal, apart from the
 * gzip header, into which Django writes a file name of random length (against BREACH).
 */
export function isSamePacked(one: Uint8Array, other: Uint8Array): boolean {
  const [a, b] = [one, other].map((bytes) => afterHeader(bufferOf(bytes)))
  return a !== undefined && b !== undefined && a.equals(b)
}

export function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

function isGzip(raw: Buffer): boolean {
  return raw.length >= headBytes + endBytes && raw[0] === 0x1f && raw[1] === 0x8b
}

/** What follows the gzip header; everything if there is none. */
function afterHeader(raw: Buffer): Buffer {
  if (!isGzip(raw)) return raw
  const set = raw[3] ?? 0
  let at: number = headBytes
  if ((set & flags.extra) !== 0) at += 2 + raw.readUInt16LE(at)
  for (const flag of [flags.name, flags.comment])
    if ((set & flag) !== 0) at = raw.indexOf(0, at) + 1
  if ((set & flags.headerSum) !== 0) at += 2
  return raw.subarray(at)
}
