import { useLayoutEffect, useRef } from 'preact/hooks'
import type { AccountId } from '#shared/core/account.ts'
import { hasStatus, noStatus, type OwnStatus, statusLimit } from '#shared/core/chat/own-status.ts'
import type { Realm } from '#shared/core/chat/realm.ts'
import { codePointLength } from '#shared/core/text-length.ts'
import { clockUntilWords } from '#shared/core/time.ts'
import { usualStatuses } from '#shared/core/views/palette-items.ts'
import { call } from '../bridge.ts'
import { SmallButton } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { draftField, useForm } from '../parts/form.ts'
import { WhenChoices } from '../parts/when-dialog.tsx'
import { failedWords } from '../run.ts'
import { toastResult, undo } from '../toast.ts'
import { appState } from '../window-state.ts'
import {
  askedStatus,
  askForStatus,
  ownStatusWords,
  statusEnd,
  statusWords,
} from './asked-status.ts'

/** Sets the user's own status; `until`: when Belfry clears it (epoch ms), null: never. */
function setStatus(accountId: AccountId, status: OwnStatus, until: number | null): void {
  const before = appState.peek().realms.get(accountId)?.ownStatus ?? noStatus
  const end = statusEnd(accountId, before)
  const back = () => toastResult(send(accountId, before, end), 'Undone.', failedWords)
  const ends = until === null ? '' : ` ${clockUntilWords(until, Date.now())}`
  const words = hasStatus(status)
    ? `Your status is “${statusWords(status)}”${ends}.`
    : 'Your status was cleared.'
  toastResult(send(accountId, status, until), words, failedWords, undo(back))
}

function send(accountId: AccountId, { text, emoji }: OwnStatus, until: number | null) {
  return call.setStatus({ accountId, text, emoji, until })
}

export function clearStatus(accountId: AccountId): void {
  setStatus(accountId, noStatus, null)
}

/** The dialog that `askForStatus` opens: what to say, and until when. */
export function StatusDialog() {
  const asked = askedStatus.value
  return asked === null ? null : <StatusForm key={asked.accountId} {...asked} />
}

function StatusForm({ accountId, status }: NonNullable<typeof askedStatus.value>) {
  const box = useRef<HTMLDivElement>(null)
  const focusTimes = () => box.current?.querySelector<HTMLElement>('.quiet-choices button')?.focus()
  // What to say is already chosen.
  useLayoutEffect(() => {
    if (hasStatus(status)) focusTimes()
  }, [])
  const close = (): void => {
    askedStatus.value = null
  }
  const meant = ({ text }: Pick<OwnStatus, 'text'>): OwnStatus => {
    const said = text.trim()
    const usual = usualStatuses.find((one) => one.text === said)
    return { text: said, emoji: usual === undefined ? status.emoji : usual.emoji }
  }
  const form = useForm({
    title: 'Your status',
    start: { text: status.text },
    check: (typed) => statusErrors(meant(typed)),
    // What to say is chosen: until when is next.
    async send() {
      focusTimes()
      return { ok: true, value: null }
    },
  })
  const choose = (until: number | null): void =>
    form.submit({
      async send(typed) {
        close()
        setStatus(accountId, meant(typed), until)
        return { ok: true, value: null }
      },
    })
  const { emoji } = meant(form.draft)
  const { accounts } = appState.value
  const isOnly = accounts.filter(({ kind }) => kind === 'chat').length === 1
  const label = accounts.find(({ id }) => id === accountId)?.label ?? ''
  return (
    <Dialog title={isOnly ? 'Your status' : `Your status in ${label}`} onClose={close}>
      <div ref={box} class="quiet-question">
        <form {...form.attributes}>
          <Field
            label="What others see beside your name"
            {...draftField(form, 'text')}
            placeholder="Back at 3"
            suggestions={usualStatuses.map((one) => one.text)}
            help={emoji === null ? undefined : `With ${statusWords({ text: '', emoji })}`}
          />
        </form>
        <WhenChoices
          use="until"
          onChoose={choose}
          others={[{ label: 'Until I clear it', act: () => choose(null) }]}
        >
          <p class="note">
            The server can’t end a status by itself. Belfry clears it at that time, or the next time
            it runs, unless you have changed it elsewhere.
          </p>
        </WhenChoices>
      </div>
    </Dialog>
  )
}

function statusErrors(status: OwnStatus): { readonly text?: string } {
  if (!hasStatus(status)) return { text: 'Say something, or close this and clear your status.' }
  return codePointLength(status.text) > statusLimit
    ? { text: `At most ${statusLimit} characters.` }
    : {}
}

/** The user's own status in each chat, above the list: what others see, until when, and a way to end it. */
export function OwnStatuses() {
  const realms = [...appState.value.realms.values()].filter(({ ownStatus }) => hasStatus(ownStatus))
  return (
    <>
      {realms.map((realm) => (
        <OwnStatusLine
          key={realm.accountId}
          realm={realm}
          isOnly={appState.value.realms.size === 1}
        />
      ))}
    </>
  )
}

function OwnStatusLine({ realm, isOnly }: { readonly realm: Realm; readonly isOnly: boolean }) {
  const label = appState.value.accounts.find(({ id }) => id === realm.accountId)?.label ?? ''
  return (
    <section class="bar own-status" aria-label={isOnly ? 'Your status' : `Your status in ${label}`}>
      <span class="one-line" title={ownStatusWords(realm)}>
        <bdi>{ownStatusWords(realm)}</bdi>
        {!isOnly && <span class="raw"> {label}</span>}
      </span>
      <SmallButton onClick={() => askForStatus(realm)}>Change</SmallButton>
      <SmallButton onClick={() => clearStatus(realm.accountId)}>Clear</SmallButton>
    </section>
  )
}
