import { useEffect, useState } from 'preact/hooks'
import type { MonitoringAccount } from '#shared/core/account.ts'
import type { CheckDetails } from '#shared/core/checks/check.ts'
import { type PingForm, pingAddressText } from '#shared/core/checks/ping-address.ts'
import type { PingSignal } from '#shared/core/checks/ping-outcome.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import { call } from '../bridge.ts'
import { Button } from '../parts/button.tsx'
import { MenuButton } from '../parts/menu-button.tsx'
import { say } from '../toast.ts'
import { SendPing } from './send-ping.tsx'

interface Props {
  readonly account: MonitoringAccount
  readonly check: CheckDetails
}

const forms: readonly (readonly [PingForm, label: string])[] = [
  ['url', 'URL'],
  ['curl', 'curl command'],
  ['wget', 'wget command'],
  ['cron', 'Cron line'],
]

const signals: readonly (readonly [PingSignal, label: string])[] = [
  ['success', 'Success'],
  ['start', 'Start'],
  ['fail', 'Failure'],
  ['log', 'Log entry'],
  ['exitStatus', 'Exit status'],
]

/** A revealed address hides itself again after this many ms: screens are shared and left. */
const revealedMs = 30_000

/**
 * Where the job pings. Whoever has the address can ping, so it is hidden until asked for and is
 * never a link: even opening it counts (monitoring API, trap 13).
 */
export function PingAddress({ account, check }: Props) {
  const [revealed, setRevealed] = useState(false)
  const [sending, setSending] = useState<PingSignal | null>(null)
  const { pingUrl } = check
  useEffect(() => {
    if (!revealed) return
    const timer = setTimeout(() => setRevealed(false), revealedMs)
    return () => clearTimeout(timer)
  }, [revealed])
  if (pingUrl === null) return null
  const why = account.key === 'present' ? null : `${account.label} needs its key first.`
  return (
    <section class="ping-address" aria-label="Ping address">
      <header class="section-head">
        <h3>Ping address</h3>
      </header>
      <code>{revealed ? pingUrl : masked(pingUrl)}</code>
      <div class="button-row">
        <Button onClick={() => setRevealed(!revealed)}>{revealed ? 'Hide' : 'Reveal'}</Button>
        <MenuButton
          label="Copy as"
          face="button"
          items={forms
            .filter(([form]) => pingAddressText(check, form) !== null)
            .map(([form, label]) => ({ label, act: () => copy(account, check, form, label) }))}
        />
        <MenuButton
          label="Ping now"
          face="button"
          why={why}
          items={signals.map(([signal, label]) => ({ label, act: () => setSending(signal) }))}
        />
      </div>
      {sending !== null && (
        <SendPing
          account={account}
          check={check}
          signal={sending}
          onClose={() => setSending(null)}
        />
      )}
    </section>
  )
}

/** Where it goes, without what makes it this check's. */
function masked(pingUrl: string): string {
  return pingUrl.replace(/[^/]+$/, '••••••••-••••-••••-••••-••••••••••••')
}

function copy(
  account: MonitoringAccount,
  check: CheckDetails,
  form: PingForm,
  label: string,
): void {
  void call
    .copyPingAddress({ accountId: account.id, checkId: check.id, form })
    .then((result) =>
      result.ok
        ? say(`${label} is copied. Whoever has it can ping this check.`)
        : say(failureSentence(result.failure), 'failed'),
    )
}
