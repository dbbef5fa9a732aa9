import type { ComponentChildren } from 'preact'

/** Shown in place of a list: why it is empty, and what to do about it. */
export function EmptyState({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty-state">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  )
}
