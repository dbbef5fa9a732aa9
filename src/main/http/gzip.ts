/** A byte of deflate unpacks to no more than these. */
const mostPacked = 1_032
/** Of the fixed head, and of the sum and the size at the end (RFC 1952). */
const headBytes = 10
const endBytes = 8
/** Bits of the head that say what follows it. */
const flags = { headerSum: 2, extra: 4, name: 8, comment: 16 } as const

/** Room beyond what is unpacked: zlib that has filled all of it makes as much again, to go on. */
export const spareBytes = 1

/** As gzip says at its end ("ISIZE"), as far as that is possible; a guess for other encodings. */
export function unpackedBytes(raw: Buffer): number {
  return isGzip(raw)
    ? Math.min(raw.readUInt32LE(raw.length - 4), raw.length * mostPacked)
    : Math.min(raw.length * 8, 1 << 20)
}

/**
 * Whether two packed bodies unpack to the same. Only what says so for certain: the same bytes but
 * for the head, into which Django writes a file name of random length (against BREACH).
 */
export function isSamePacked(one: Uint8Array, other: Uint8Array): boolean {
  const [a, b] = [one, other].map((bytes) => afterHead(bufferOf(bytes)))
  return a !== undefined && b !== undefined && a.equals(b)
}

export function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

function isGzip(raw: Buffer): boolean {
  return raw.length >= headBytes + endBytes && raw[0] === 0x1f && raw[1] === 0x8b
}

/** All of it where there is no such head. */
function afterHead(raw: Buffer): Buffer {
  if (!isGzip(raw)) return raw
  const set = raw[3] ?? 0
  let at: number = headBytes
  if ((set & flags.extra) !== 0) at += 2 + raw.readUInt16LE(at)
  for (const flag of [flags.name, flags.comment])
    if ((set & flag) !== 0) at = raw.indexOf(0, at) + 1
  if ((set & flags.headerSum) !== 0) at += 2
  return raw.subarray(at)
}
