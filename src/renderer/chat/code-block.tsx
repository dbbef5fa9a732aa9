import { CopyButton } from '../parts/copy-button.tsx'

interface Props {
  readonly code: string
  readonly language: string
}

/** Code, quiet: one colour, its language, and a button that copies it. */
export function CodeBlock({ code, language }: Props) {
  return (
    <div class="code-block">
      <div class="code-bar">
        <span class="code-language">{language}</span>
        <CopyButton text={code} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
    </div>
  )
}
