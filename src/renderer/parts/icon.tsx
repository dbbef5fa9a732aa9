import type { ComponentChildren, JSX } from 'preact'

/** Functions, since a shared element would retain the whole page that it was last part of. */
const drawings = {
  acknowledged: () => (
    <>
      <path d="M1.5 8C3 5 5.3 3.5 8 3.5S13 5 14.5 8C13 11 10.7 12.5 8 12.5S3 11 1.5 8Z" />
      <circle cx="8" cy="8" r="2" fill="currentColor" stroke="none" />
    </>
  ),
  back: () => <path d="M10 3 5 8l5 5" />,
  bell: () => (
    <path d="M3.2 11.5c1-1 1.3-2 1.3-4.6a3.5 3.5 0 0 1 7 0c0 2.6.3 3.6 1.3 4.6ZM6.8 13.6h2.4" />
  ),
  close: () => <path d="m4 4 8 8M12 4l-8 8" />,
  copy: () => (
    <>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
      <path d="M10.5 5.5v-2a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h2" />
    </>
  ),
  done: () => <path d="m3 8.6 3.2 3.2L13 4.6" />,
  fold: () => <path d="m6 4 4 4-4 4" />,
  add: () => <path d="M8 3v10M3 8h10" />,
  remove: () => <path d="M3 8h10" />,
  unfold: () => <path d="m4 6 4 4 4-4" />,
  external: () => (
    <path d="M9.5 2.5h4v4M13.2 2.8 7.5 8.5M11.5 9.5v3a1 1 0 0 1-1 1h-7a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1h3" />
  ),
  link: () => (
    <path d="M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2.2-2.2A2.6 2.6 0 0 0 9 3.3l-.9.9M9.2 6.8a2.6 2.6 0 0 0-3.7 0L3.3 9A2.6 2.6 0 0 0 7 12.7l.9-.9" />
  ),
  muted: () => (
    <path d="M4.6 6.8A3.5 3.5 0 0 1 11 5M11.4 8.4c.2 1.7 1.1 2.6 1.1 2.6H4.6M6.8 13.2h2.4M2.5 2.5l11 11" />
  ),
  snoozed: () => <path d="M2.5 7.5h4.2l-4.2 5.5h4.2M9 3h4.5L9 8.5h4.5" />,
  history: () => <path d="M2.8 3v3.2H6M3.1 6.1A5.2 5.2 0 1 1 2.9 9M8 5v3.2l2.2 1.3" />,
  maintenance: () => (
    <path d="M13.2 5.2a3.4 3.4 0 0 1-4.5 3.9l-4.4 4.4a1.3 1.3 0 0 1-1.8-1.8l4.4-4.4a3.4 3.4 0 0 1 4.4-4.4L9.2 5l.4 1.4 1.4.4Z" />
  ),
  moon: () => <path d="M13.2 9.6A5.8 5.8 0 0 1 6.4 2.8a5.8 5.8 0 1 0 6.8 6.8Z" />,
  more: () => (
    <g fill="currentColor" stroke="none">
      <circle cx="3" cy="8" r="1.4" />
      <circle cx="8" cy="8" r="1.4" />
      <circle cx="13" cy="8" r="1.4" />
    </g>
  ),
  pin: () => <path d="M5.5 2.5h5l-.6 4 2.1 2.5H4l2.1-2.5ZM8 9v4.5" />,
  refresh: () => <path d="M13 3v3.5H9.5M12.8 6.2A5.2 5.2 0 1 0 13.2 9" />,
  search: () => (
    <>
      <circle cx="7" cy="7" r="4.2" />
      <path d="m10.2 10.2 3.3 3.3" />
    </>
  ),
  view: () => <path d="M2.5 4.5h11M4.5 8h7M6.5 11.5h3" />,
  warning: () => <path d="M8 2.5 14.3 13.5H1.7ZM8 6.5v3M8 11.6v.2" />,
} satisfies Record<string, () => JSX.Element>

/** A small line drawing beside a word or on a named button; it never carries meaning alone. */
export function Icon({ name }: { readonly name: keyof typeof drawings }) {
  return (
    <Drawing class="icon" size={16} stroke={1.5}>
      {drawings[name]()}
    </Drawing>
  )
}

interface DrawingProps {
  readonly class?: string
  /** Width and height in px; the coordinates inside go from 0 to 16. */
  readonly size: number
  readonly stroke: number
  readonly children: ComponentChildren
}

/** A line drawing in the text colour, hidden from screen readers, since words stand beside it. */
export function Drawing({ class: look, size, stroke, children }: DrawingProps) {
  return (
    <svg
      class={look}
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width={stroke}
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  )
}
