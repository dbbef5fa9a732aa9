import type { Account } from '#shared/core/account.ts'
import { dateWords } from '#shared/core/wording.ts'
import { call } from '../bridge.ts'
import { LinkButton } from '../parts/button.tsx'
import { toastFailure, toastIfFailed } from '../toast.ts'

export interface ChosenAuthority {
  readonly fileId: string
  readonly name: string
}

interface Props {
  /** What is trusted, in words; null if nothing is yet. */
  readonly words: string | null
  readonly title?: string
  readonly onChange: (chosen: ChosenAuthority | null) => void
}

/** For a server whose certificate comes from an authority that this computer does not know. */
export function AuthorityChoice({ words, title, onChange }: Props) {
  const choose = async () => {
    const chosen = await call.chooseFile({})
    if (!chosen.ok) toastFailure(chosen.failure)
    else if (chosen.value !== null) onChange(chosen.value)
  }
  return (
    <p class="raw account-authority">
      {words === null ? (
        <LinkButton title={title} onClick={() => void choose()}>
          Trust a certificate file
        </LinkButton>
      ) : (
        <>
          <span dir="auto">{words}</span>
          <LinkButton onClick={() => onChange(null)}>Stop trusting it</LinkButton>
        </>
      )}
    </p>
  )
}

/** The authority that an account trusts besides the system's, only for its own server. */
export function AccountAuthority({ account }: { readonly account: Account }) {
  const { id, authority } = account
  if (!account.baseUrl.startsWith('https:') || account.demo) return null
  return (
    <AuthorityChoice
      words={
        authority === undefined
          ? null
          : `Also trusts the certificate authority ${authority.name}, until ${dateWords(authority.until, { year: 'numeric', month: 'short' }, 'UTC')}`
      }
      onChange={(chosen) =>
        toastIfFailed(call.setAuthority({ accountId: id, fileId: chosen?.fileId ?? null }))
      }
    />
  )
}
