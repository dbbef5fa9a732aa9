import type { ComponentChildren } from 'preact'
import { call } from '../bridge.ts'
import { sayIfFailed } from '../toast.ts'
import { goBack } from '../window-state.ts'
import { IconButton } from './button.tsx'

/** One step back; where there is none, the window hides. What Esc does. */
export function stepBack(): void {
  if (!goBack()) sayIfFailed(call.hideWindow({}))
}

interface Props {
  readonly title: string
  readonly children?: ComponentChildren
}

/** The head of a page that one came to from elsewhere. */
export function PageBar({ title, children }: Props) {
  return (
    <div class="page-bar">
      <IconButton icon="back" label="Back (Esc)" onClick={stepBack} />
      <h1 dir="auto" title={title}>
        {title}
      </h1>
      {children}
    </div>
  )
}
