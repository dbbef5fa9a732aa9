import { decodePng, isPng, type Pixels } from './png.ts'
import { standIn, standInObject } from './refuse.ts'

interface Representation {
  readonly scaleFactor?: number
  readonly buffer?: Buffer
}

/** PNG bytes in, pixels for the tray out. */
export class NativeImage extends standIn('NativeImage') {
  readonly #sizes = new Map<number, Buffer>()

  addRepresentation({ scaleFactor = 1, buffer }: Representation): void {
    if (buffer === undefined) throw new Error('chromium host: an image is given as PNG bytes')
    // What can't be read leaves the image as it was.
    if (isPng(buffer)) this.#sizes.set(scaleFactor, buffer)
  }

  isEmpty(): boolean {
    return this.#sizes.size === 0
  }

  toPNG(): Buffer {
    return this.#sizes.get(1) ?? Buffer.alloc(0)
  }

  /** Every size, smallest first; the tray's host picks one. */
  pixels(): Pixels[] {
    const byScale = Array.from(this.#sizes).sort(([one], [other]) => one - other)
    return byScale.map(([, png]) => decodePng(png))
  }
}

export const nativeImage = standInObject('nativeImage', {
  createFromBuffer(buffer: Buffer, options: { scaleFactor?: number } = {}): NativeImage {
    const image = new NativeImage()
    image.addRepresentation({ buffer, ...options })
    return image
  },
})
