import { lineDirection } from '#shared/core/visible-text.ts'

/** Text by others on one line, in its own direction. */
function OneLine({ text }: { readonly text: string }) {
  return <bdi dir={lineDirection(text)}>{text.replace(/\s+/g, ' ')}</bdi>
}

/** In characters: what a screen reader says of a row before one has moved on. */
const mostRead = 60

/** The same for a message in a row: only its beginning, in whole words, is part of the row's name. */
export function ShortlyRead({ text }: { readonly text: string }) {
  if (text.length <= mostRead) return <OneLine text={text} />
  return (
    <>
      <span aria-hidden="true">
        <OneLine text={text} />
      </span>
      <span class="visually-hidden">{text.slice(0, mostRead).replace(/\s+\S*$/, '')}…</span>
    </>
  )
}
