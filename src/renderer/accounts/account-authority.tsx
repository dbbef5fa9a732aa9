import type { Account } from '#shared/core/account.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import { call } from '../bridge.ts'
import { Button } from '../parts/button.tsx'
import { say, sayIfFailed } from '../toast.ts'

const month = new Intl.DateTimeFormat('en', { year: 'numeric', month: 'short', timeZone: 'UTC' })

/** Asks for a certificate file by the system's dialog; null when none was chosen. */
async function chooseCertificate(): Promise<ChosenAuthority | null> {
  const chosen = await call.chooseFile({})
  if (chosen.ok) return chosen.value
  say(failureSentence(chosen.failure), 'failed')
  return null
}

/** Whose certificates an account trusts beside the system's, for its own server alone. */
export function AccountAuthority({ account }: { readonly account: Account }) {
  const { authority } = account
  if (!account.baseUrl.startsWith('https:') || account.demo) return null
  const set = (fileId: string | null) =>
    sayIfFailed(call.setAuthority({ accountId: account.id, fileId }))
  if (authority === undefined)
    return (
      <p class="account-authority">
        <Button
          kind="quiet"
          onClick={() =>
            void chooseCertificate().then((file) => {
              if (file !== null) set(file.fileId)
            })
          }
        >
          Trust a certificate file
        </Button>
      </p>
    )
  return (
    <p class="account-authority">
      <span dir="auto">
        {`Trusts its own authority: ${authority.name}, until ${month.format(authority.until)}`}
      </span>
      <Button kind="quiet" onClick={() => set(null)}>
        Trust it no more
      </Button>
    </p>
  )
}

/** A certificate file chosen for an account that is still to be added. */
export interface ChosenAuthority {
  readonly fileId: string
  readonly name: string
}

interface ChoiceProps {
  readonly chosen: ChosenAuthority | null
  readonly onChange: (chosen: ChosenAuthority | null) => void
}

/** For a server whose certificate comes from an authority that this computer does not know. */
export function AuthorityChoice({ chosen, onChange }: ChoiceProps) {
  return (
    <p class="account-authority">
      {chosen === null ? (
        <Button
          kind="quiet"
          title="For a server whose certificate comes from an authority of its own"
          onClick={() =>
            void chooseCertificate().then((file) => {
              if (file !== null) onChange(file)
            })
          }
        >
          Trust a certificate file
        </Button>
      ) : (
        <>
          <span dir="auto">{`Trusts the certificates in ${chosen.name}`}</span>
          <Button kind="quiet" onClick={() => onChange(null)}>
            Trust them no more
          </Button>
        </>
      )}
    </p>
  )
}
