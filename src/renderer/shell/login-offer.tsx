import { useEffect, useState } from 'preact/hooks'
import { call } from '../bridge.ts'
import { LinkButton } from '../parts/button.tsx'
import { toastIfFailed, toastResult } from '../toast.ts'
import { appState } from '../window-state.ts'

/**
 * Asks once whether Belfry should start at login, in a window that opens with a real account
 * already connected: a user who has just connected one has enough to look at.
 */
export function LoginOffer() {
  const { accounts, settings } = appState.value
  const [isTime] = useState(() => accounts.some(({ demo }) => !demo))
  const [startsAlready, setStartsAlready] = useState<boolean | null>(null)
  const isOpen = isTime && !settings.loginAsked
  useEffect(() => {
    if (!isOpen) return
    void call.startsAtLogin({}).then((result) => {
      if (result.ok) setStartsAlready(result.value)
    })
  }, [isOpen])
  if (!isOpen || startsAlready !== false) return null
  const done = 'Belfry starts when you log in. Settings can change that.'
  const answer = (yes: boolean) => {
    toastIfFailed(call.updateSettings({ loginAsked: true }))
    if (yes) toastResult(call.setStartsAtLogin({ on: true }), done)
  }
  return (
    <section class="row foot-line" aria-label="Start at login">
      <span class="line-text">Start Belfry when you log in?</span>
      <LinkButton onClick={() => answer(true)}>Yes</LinkButton>
      <LinkButton onClick={() => answer(false)}>No</LinkButton>
    </section>
  )
}
