import type { ComponentChildren } from 'preact'

interface Props {
  readonly title: string
  readonly children?: ComponentChildren
}

/** What stands where a list would: why it is empty, and what to do about it. */
export function EmptyState({ title, children }: Props) {
  return (
    <div class="empty-state">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  )
}
