import type { Account } from '#shared/core/account.ts'
import { dateWords } from '#shared/core/wording.ts'
import { call } from '../bridge.ts'
import { Button } from '../parts/button.tsx'
import { toastFailure, toastIfFailed } from '../toast.ts'

function ChooseCertificate(props: {
  readonly title?: string
  readonly onChosen: (chosen: ChosenAuthority) => void
}) {
  const choose = async () => {
    const chosen = await call.chooseFile({})
    if (!chosen.ok) toastFailure(chosen.failure)
    else if (chosen.value !== null) props.onChosen(chosen.value)
  }
  return (
    <Button kind="quiet" title={props.title} onClick={() => void choose()}>
      Trust a certificate file
    </Button>
  )
}

/** Whose certificates an account trusts beside the system's, for its own server alone. */
export function AccountAuthority({ account }: { readonly account: Account }) {
  const { authority } = account
  if (!account.baseUrl.startsWith('https:') || account.demo) return null
  const set = (fileId: string | null) =>
    toastIfFailed(call.setAuthority({ accountId: account.id, fileId }))
  if (authority === undefined)
    return (
      <p class="account-authority">
        <ChooseCertificate onChosen={({ fileId }) => set(fileId)} />
      </p>
    )
  return (
    <p class="account-authority">
      <span dir="auto">
        {`Also trusts the certificate authority ${authority.name}, until ${dateWords(authority.until, { year: 'numeric', month: 'short' }, 'UTC')}`}
      </span>
      <Button kind="quiet" onClick={() => set(null)}>
        Stop trusting it
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
        <ChooseCertificate
          title="For a server whose certificate comes from a private authority"
          onChosen={onChange}
        />
      ) : (
        <>
          <span dir="auto">{`Trusts the certificates in ${chosen.name}`}</span>
          <Button kind="quiet" onClick={() => onChange(null)}>
            Stop trusting them
          </Button>
        </>
      )}
    </p>
  )
}
