import { useEffect, useState } from 'preact/hooks'
import { call } from '../bridge.ts'
import { LinkButton } from '../parts/button.tsx'
import { toast, toastFailure, toastIfFailed } from '../toast.ts'
import { appState } from '../window-state.ts'

/**
 * Whether Belfry is to start at login, asked once. Whoever just connected something has enough to look
 * at: it is asked when a window opens that has an account already.
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
  const answer = async (yes: boolean) => {
    toastIfFailed(call.updateSettings({ loginAsked: true }))
    if (!yes) return
    const result = await call.setStartsAtLogin({ on: true })
    if (result.ok) toast('Belfry starts when you log in. Settings can change that.')
    else toastFailure(result.failure)
  }
  return (
    <section class="quiet-line" aria-label="Start at login">
      <span class="line-text">Start Belfry when you log in?</span>
      <LinkButton onClick={() => void answer(true)}>Yes</LinkButton>
      <LinkButton onClick={() => void answer(false)}>No</LinkButton>
    </section>
  )
}
