import { isLargePatch, type Patch } from '../../../shared/core/patch.ts'
import { partsOf } from './patch-parts.ts'

/** Patches on their way to a window, in order. */
export interface PatchLine {
  push(patch: Patch): void
  /** The page that they were for is gone. */
  clear(): void
}

/**
 * Hands patches over one after the other: a small one at once, a large one in parts with turns of the
 * event loop between them, and what comes meanwhile behind it.
 */
export function createPatchLine(parts: {
  /** `isLast`: with this part its patch is whole. */
  readonly send: (part: Patch, isLast: boolean) => void
  /** The page gets much to draw. */
  readonly onLarge: () => void
}): PatchLine {
  let line: { readonly part: Patch; readonly isLast: boolean }[] = []
  let next: NodeJS.Immediate | null = null

  const sendNext = (): void => {
    next = null
    const one = line.shift()
    if (one === undefined) return
    parts.send(one.part, one.isLast)
    if (line.length > 0) next = setImmediate(sendNext)
  }

  return {
    push(patch) {
      const isLarge = isLargePatch(patch)
      if (isLarge) parts.onLarge()
      const pieces = isLarge ? partsOf(patch) : [patch]
      line.push(...pieces.map((part, n) => ({ part, isLast: n === pieces.length - 1 })))
      if (next === null) sendNext()
    },
    clear() {
      if (next !== null) clearImmediate(next)
      next = null
      line = []
    },
  }
}
