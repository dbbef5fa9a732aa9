import { pipe, string, transform } from 'valibot'

/**
 * Text of at most `limit` UTF-16 units, its end replaced by "…". The limits are several times those
 * of the services, so that nothing honest is cut: one name of a megabyte must not hang a window.
 */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text
  const end = limit - 1
  const halvesPair = /[\uD800-\uDBFF]/.test(text.charAt(end - 1))
  return `${text.slice(0, halvesPair ? end - 1 : end)}…`
}

/** A string that is cut where it is longer. */
export function textCut(limit: number) {
  return pipe(
    string(),
    transform((text) => cut(text, limit)),
  )
}
