import { deepLink } from '#shared/core/deep-link.ts'
import type { Target } from '#shared/core/target.ts'
import { call } from './bridge.ts'
import { IconButton, LinkButton } from './parts/button.tsx'
import { toastResult } from './toast.ts'
import { appState } from './window-state.ts'

/** Copies the link that opens a place in Belfry, for colleagues and notes. */
export function copyLink(target: Target): void {
  const text = deepLink(appState.value, target)
  if (text !== null) toastResult(call.copyText({ text }), 'The link was copied.')
}

/** A button that copies the link; renders nothing for a place that has none. */
export function CopyLink({ target, look }: { target: Target; look: 'icon' | 'link' }) {
  if (deepLink(appState.value, target) === null) return null
  const label = 'Copy app link'
  const act = () => copyLink(target)
  if (look === 'icon') return <IconButton icon="link" label={label} onClick={act} />
  return <LinkButton onClick={act}>{label}</LinkButton>
}
