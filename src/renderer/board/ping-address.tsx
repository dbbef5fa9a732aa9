import { useState } from 'preact/hooks'
import type { MonitoringAccount } from '#shared/core/account.ts'
import { type Check, type CheckDetails, checkName } from '#shared/core/checks/check.ts'
import { statusWord } from '#shared/core/checks/check-words.ts'
import {
  type PingForm,
  type PingOutcome,
  type PingSignal,
  pingAddressText,
  pingOutcomeText,
  signalLabels,
} from '#shared/core/checks/ping.ts'
import { wordsInMarkdown } from '#shared/core/markdown.ts'
import { periodWords } from '#shared/core/time.ts'
import { call } from '../bridge.ts'
import { Button, CopyButton, useForAWhile } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { CheckField, Field, FormFoot, LongField, SelectField } from '../parts/field.tsx'
import { draftField, useForm } from '../parts/form.ts'
import { MenuButton } from '../parts/menu-button.tsx'
import { failedWords, run, useRun } from '../run.ts'
import { toast, toastResult } from '../toast.ts'

const forms: readonly (readonly [PingForm, label: string])[] = [
  ['url', 'URL'],
  ['curl', 'curl command'],
  ['wget', 'wget command'],
  ['shell', 'Shell line'],
  ['cron', 'Cron line'],
  ['systemd', 'systemd unit'],
]

// `Object.entries` widens the keys to `string`.
const signals = Object.entries(signalLabels) as readonly [PingSignal, string][]

/** A revealed address is hidden again after this many ms: screens are shared or left alone. */
const revealedMs = 30_000

/**
 * Where the job pings. Anyone who has the address can ping, so it is hidden at first and never a
 * link: even opening it counts (monitoring API, trap 13).
 */
export function PingAddress(props: { account: MonitoringAccount; check: CheckDetails }) {
  const { account, check } = props
  const [revealed, setRevealed] = useForAWhile<true>(revealedMs)
  const [sending, setSending] = useState<PingSignal | null>(null)
  const { pingUrl } = check
  const ids = { accountId: account.id, checkId: check.id }
  const copy = (form: PingForm, label: string) =>
    toastResult(
      call.copyPingAddress({ ...ids, form }),
      `${label} copied. Anyone who has it can ping this check.`,
    )
  if (pingUrl === null) return null
  const why = account.key === 'present' ? null : `${account.label} needs a working key first.`
  return (
    <section class="stack ping-address" aria-label="Ping address">
      <header class="section-head">
        <h2>Ping address</h2>
      </header>
      <code>{revealed ? pingUrl : masked(pingUrl)}</code>
      <div class="button-row">
        <Button onClick={() => setRevealed(revealed ? null : true)}>
          {revealed ? 'Hide' : 'Reveal'}
        </Button>
        <MenuButton
          label="Copy as"
          face="button"
          items={forms
            .filter(([form]) => pingAddressText(check, form) !== null)
            .map(([form, label]) => ({ label, act: () => copy(form, label) }))}
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

function masked(pingUrl: string): string {
  return `${pingUrl.slice(0, pingUrl.lastIndexOf('/') + 1)}••••••••-••••-••••-••••-••••••••••••`
}

interface SendPingProps {
  readonly account: MonitoringAccount
  readonly check: Check
  readonly signal: PingSignal
  readonly onClose: () => void
}

const titles: Readonly<Record<PingSignal, string>> = {
  success: 'Send a success signal',
  start: 'Send a start signal',
  fail: 'Send a failure signal',
  log: 'Send a log entry',
  exitStatus: 'Send an exit status',
}

/** Explains beforehand what the ping will do: the service can't tell it from the job's own. */
function SendPing({ account, check, signal, onClose }: SendPingProps) {
  const title = `${titles[signal]} to ${checkName(check)}`
  const hasStatus = signal === 'exitStatus'
  const form = useForm({
    title,
    start: { exitStatus: '0', body: '' },
    check: ({ exitStatus }) =>
      hasStatus && readExitStatus(exitStatus) === null
        ? { exitStatus: 'A whole number from 0 to 255.' }
        : {},
    send({ exitStatus, body }) {
      const status = hasStatus ? readExitStatus(exitStatus) : null
      const ids = { accountId: account.id, checkId: check.id }
      return call.pingCheck({ ...ids, signal, exitStatus: status, runId: null, body })
    },
    failed: (failure) => ({ form: failedWords(failure, maybeSent, 'Nothing was sent.') }),
    done(outcome, isHere) {
      if (isHere()) onClose()
      toast(outcomeWords(check, outcome), outcome.kind === 'recorded' ? 'done' : 'failed')
    },
  })
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{effectWords(check, signal)}</p>
      <form {...form.attributes}>
        {hasStatus && (
          <Field
            label="Exit status"
            help="0 is a success, 1 to 255 a failure."
            {...draftField(form, 'exitStatus')}
          />
        )}
        <LongField
          label={signal === 'log' ? 'Text' : 'Text to log (optional)'}
          rows={2}
          {...draftField(form, 'body')}
        />
        <FormFoot error={form.errors.form} onCancel={onClose}>
          <Button kind="primary" type="submit" busy={form.busy}>
            {form.busy ? 'Sending' : 'Send'}
          </Button>
        </FormFoot>
      </form>
    </Dialog>
  )
}

function readExitStatus(text: string): number | null {
  const status = /^\d{1,3}$/.test(text.trim()) ? Number(text) : 256
  return status <= 255 ? status : null
}

const maybeSent = 'It may have arrived anyway: check the log before you send it again.'

/** Monitoring API, "Transitions". */
function effectWords(check: Check, signal: PingSignal): string {
  if (check.status === 'paused' && check.manualResume)
    return 'It is paused until somebody resumes it: the ping will be logged and ignored.'
  const ends = check.status === 'paused' ? ' and ends its pause' : ''
  const grace = periodWords(check.graceSeconds)
  switch (signal) {
    case 'success':
      return `It counts as a real run${ends}: the check goes up, and starts to wait for its next ping.`
    case 'fail':
      return `It counts as a real failure${ends}: the check goes down, and its integrations notify people.`
    case 'start':
      return `It counts as the start of a run: unless that ends within ${grace}, the check goes down.`
    case 'log':
      return 'It is added to the log and changes nothing else.'
    case 'exitStatus':
      return `It counts as the end of a real run${ends}: up with 0, down with anything else.`
  }
}

function outcomeWords(check: Check, outcome: PingOutcome): string {
  const text = `${checkName(check)}: ${pingOutcomeText(outcome)}`
  return outcome.kind === 'recorded' ? `${text} It is ${statusWord(outcome.status)}.` : text
}

interface Props {
  readonly account: MonitoringAccount
  readonly details: CheckDetails
  readonly onClose: () => void
}

/** The badges of a check, its tags and its project: the image, its Markdown and its address. */
export function BadgeDialog({ account, details, onClose }: Props) {
  const [chosen, setChosen] = useState('check')
  const [hasLate, setHasLate] = useState(true)
  const { value: all } = useRun(
    account.id,
    () => run(account.id, 'listBadges', {}),
    ({ badges }) => new Map(Object.entries(badges)),
  )
  const own = details.badgeUrl
  const choices = [
    ...(own === null ? [] : [['check', checkName(details)] as const]),
    ...details.tags.filter((tag) => all?.has(tag)).map((tag) => [`#${tag}`, `#${tag}`] as const),
    ...(all?.has('*') ? [['*', `All of ${account.label}`] as const] : []),
  ]
  const [of, words] = choices.find(([choice]) => choice === chosen) ?? choices[0] ?? [null, '']
  const ofTag = all?.get(of === '*' ? '*' : (of?.slice(1) ?? ''))
  const url =
    of === 'check'
      ? (own?.replace('/b/2/', hasLate ? '/b/3/' : '/b/2/') ?? null)
      : addressIn(ofTag, hasLate ? 'svg3' : 'svg')
  return (
    <Dialog title="Badge" onClose={onClose}>
      {choices.length > 0 && (
        <SelectField label="Badge for" value={of ?? ''} options={choices} onChange={setChosen} />
      )}
      <CheckField
        help="Otherwise a late check counts as up."
        checked={hasLate}
        onChange={setHasLate}
      >
        Show when it is late
      </CheckField>
      {url === null ? (
        <p class="note">{all === null ? 'Loading badges…' : 'The service has no badge for it.'}</p>
      ) : (
        <>
          <Picture key={url} accountId={account.id} url={url} words={words} />
          <p class="badge-address">
            <code>{url}</code>
          </p>
          <p class="note">Anyone who has this address can see the status.</p>
          <div class="button-row">
            <CopyButton label="Copy Markdown" text={`![${wordsInMarkdown(words)}](${url})`} />
            <CopyButton label="Copy address" text={url} />
          </div>
        </>
      )}
    </Dialog>
  )
}

function addressIn(badges: unknown, format: string): string | null {
  const found = new Map<string, unknown>(Object.entries(badges ?? {})).get(format)
  return typeof found === 'string' ? found : null
}

function Picture(props: {
  readonly accountId: string
  readonly url: string
  readonly words: string
}) {
  const { accountId, url, words } = props
  const { value, loading } = useRun(url, () => call.loadBadge({ accountId, url }))
  if (value !== null) return <img class="badge" src={value} alt={`Badge: ${words}`} />
  return (
    <p class="note">
      {loading ? 'Loading its image…' : 'Its image isn’t available from the account’s server.'}
    </p>
  )
}
