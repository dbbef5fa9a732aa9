import { decodePng, isPng, type Pixels } from './png.ts'
import { standIn, standInObject } from './refuse.ts'

interface Representation {
  readonly scaleFactor?: number
  readonly buffer?: Buffer
}

/** Takes PNG bytes, and gives pixels for the tray. */
export class NativeImage extends standIn('NativeImage') {
  readonly #sizes = new Map<number, Buffer>()

  addRepresentation({ scaleFactor = 1, buffer }: Representation): void {
    if (buffer === undefined) throw new Error('chromium host: an image is given as PNG bytes')
    // Unreadable data leaves the image unchanged.
    if (isPng(buffer)) this.#sizes.set(scaleFactor, buffer)
  }

  isEmpty(): boolean {
    return this.#sizes.size === 0
  }

  toPNG(): Buffer {
    return this.#sizes.get(1) ?? Buffer.alloc(0)
  }

  /** The pixels of the largest size, the only one that a Linux tray gets. */
  pixels(): Pixels {
    const [[, png] = []] = Array.from(this.#sizes).sort(([one], [other]) => other - one)
    return png === undefined ? { width: 0, height: 0, argb: Buffer.alloc(0) } : decodePng(png)
  }
}

export const nativeImage = standInObject('nativeImage', {
  createFromBuffer(buffer: Buffer, options: { scaleFactor?: number } = {}): NativeImage {
    const image = new NativeImage()
    image.addRepresentation({ buffer, ...options })
    return image
  },
})
