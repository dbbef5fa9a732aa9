import { useState } from 'preact/hooks'
import type { MonitoringAccount } from '#shared/core/account.ts'
import { type CheckDetails, checkName } from '#shared/core/checks/check.ts'
import { call } from '../bridge.ts'
import { CopyButton } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { CheckField, SelectField } from '../parts/field.tsx'
import { run, useRun } from '../run.ts'

interface Props {
  readonly account: MonitoringAccount
  readonly details: CheckDetails
  readonly onClose: () => void
}

/** The badges of a check, of its tags and of its project: the picture, its Markdown and its address. */
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
            <CopyButton label="Copy Markdown" text={`![${plain(words)}](${url})`} />
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

/** A name as the text of a picture in Markdown. */
function plain(name: string): string {
  return name.replace(/[\\[\]]/g, '\\$&')
}

function Picture(props: {
  readonly accountId: string
  readonly url: string
  readonly words: string
}) {
  const { accountId, url, words } = props
  const { value, loading } = useRun(
    url,
    () => call.loadBadge({ accountId, url }),
    (picture) => picture,
  )
  if (value !== null) return <img class="badge" src={value} alt={`Badge: ${words}`} />
  return (
    <p class="note">
      {loading ? 'Loading its picture…' : 'Its picture isn’t available from the account’s server.'}
    </p>
  )
}
