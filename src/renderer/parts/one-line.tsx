import { lineDirection } from '#shared/core/visible-text.ts'

/** Text by others on one line, in its own direction. */
export function OneLine({ text }: { readonly text: string }) {
  return <bdi dir={lineDirection(text)}>{text.replace(/\s+/g, ' ')}</bdi>
}
