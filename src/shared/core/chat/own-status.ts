/** A user's status, shown to others beside the name. */
export interface OwnStatus {
  readonly text: string
  /** `type`: absent for a Unicode emoji. */
  readonly emoji: { readonly name: string; readonly code: string; readonly type?: string } | null
}

export const noStatus: OwnStatus = { text: '', emoji: null }

/** In code points; the server refuses longer ones. */
export const statusLimit = 60

export function hasStatus({ text, emoji }: OwnStatus): boolean {
  return text !== '' || emoji !== null
}
