import type { ComponentChildren } from 'preact'

interface Props {
  readonly name: string
  readonly children: ComponentChildren
}

/** Text with lines of any length, that scrolls within its frame, by keyboard too. */
export function Scrolled({ name, children }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section class="scrolled" tabIndex={0} aria-label={name}>
      <pre>{children}</pre>
    </section>
  )
}
