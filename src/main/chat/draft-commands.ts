import type { Commands } from '../../shared/contract.ts'
import { type AccountId, accountById } from '../../shared/core/account.ts'
import {
  draftKey,
  draftOf,
  joinTexts,
  withDraft,
  withEndTyped,
} from '../../shared/core/chat/drafts.ts'
import { followed, type Place } from '../../shared/core/chat/places.ts'
import { unsavedKey } from '../../shared/core/chat/unsaved-forms.ts'
import { addedLinks, withLink } from '../../shared/core/chat/upload.ts'
import { invalid } from '../../shared/core/failure.ts'
import { withEntry } from '../../shared/core/identity.ts'
import type { AppState } from '../../shared/core/state.ts'
import type { LiveState } from '../state/store.ts'
import { refuseUnsaved } from './chat-commands.ts'

/** Far more than anyone leaves unsent; otherwise a compromised window could fill the disk. */
const mostDrafts = { count: 500, characters: 1_000_000 }

/** Commands for unsent text: drafts of other devices, and forms about the chat. */
export function createDraftCommands({ live }: { readonly live: LiveState }) {
  return {
    async saveDraft({ accountId, conversation, text, over, isBack }) {
      // A composer's last keystrokes may arrive after its account was removed.
      if (accountById(live.get(), accountId) === null) return
      refuseTooMuch(live.get().drafts, draftKey(accountId, conversation), text)
      const field = { accountId, conversation }
      live.update((state) => {
        const place = followed(state, field)
        return isBack === true
          ? withDraft(state, place, joinTexts(text, draftOf(state, place)))
          : withTyped(state, field, text, over)
      })
      await live.persist('drafts').catch(refuseUnsaved)
    },

    async takeDraft({ accountId, id, to }) {
      const draft = live
        .get()
        .realms.get(accountId)
        ?.later.drafts?.find((one) => one.id === id)
      const at = draft?.conversation ?? to
      if (draft === undefined || at === undefined)
        throw invalid('draft', 'This draft has been sent or deleted in the meantime.')
      const place = followed(live.get(), { accountId, conversation: at })
      const { conversation } = place
      live.update((state) => {
        const typed = draftOf(state, place)
        const next = withDraft(state, place, joinTexts(typed, draft.content))
        // Another draft on the server that is still linked gets this text, or would come back.
        const linked = state.draftLinks.get(draftKey(accountId, conversation))?.id ?? null
        if (typed !== '' || linked !== null) return next
        const link = { conversation, id, base: draft.content, sent: null }
        return {
          ...next,
          draftLinks: new Map(next.draftLinks).set(draftKey(accountId, conversation), link),
        }
      })
      await live.persist('drafts').catch(refuseUnsaved)
    },

    saveForm: ({ accountId, form, text }) =>
      saveText(live, accountId, { key: unsavedKey(accountId, form), text }),
  } satisfies Partial<Commands>
}

/**
 * Saves what was typed over the text that the field had (`over`). If a draft from the server has
 * come in between, which the field has not shown, that one stays a separate draft.
 */
function withTyped(state: AppState, field: Place, typed: string, over?: string): AppState {
  const place = followed(state, field)
  if (place !== field)
    return withDraft(state, place, withEndTyped(draftOf(state, place), over ?? '', typed))
  const key = draftKey(place.accountId, place.conversation)
  const link = state.draftLinks.get(key)
  const now = draftOf(state, place)
  // Uploads that have ended since the field last got the draft.
  const links = over === undefined ? [] : addedLinks(`${over} ${typed}`, now)
  const text = links.reduce(withLink, typed)
  const isUnseen = over !== undefined && over !== now && text !== now && link?.base === now
  if (!isUnseen || link.id === null) return withDraft(state, place, text)
  const draftLinks = withEntry(state.draftLinks, key, null)
  return withDraft({ ...state, draftLinks }, place, text)
}

/** Throws `RequestFailed` of kind `invalid`. Accepts any text that has become shorter. */
function refuseTooMuch(drafts: AppState['drafts'], key: string, text: string): void {
  const before = drafts.get(key)
  if (text.length <= (before?.length ?? 0)) return
  const lengths = [...drafts.values()].map(({ length }) => length)
  const all = lengths.reduce((sum, one) => sum + one, text.length - (before?.length ?? 0))
  const isFull = before === undefined && drafts.size >= mostDrafts.count
  if (isFull || all > mostDrafts.characters)
    throw invalid(
      'text',
      'There are too many unsent texts to save this one. Send or empty some of them first.',
    )
}

/** Keeps a form's text until it is saved or sent. */
export async function saveText(
  live: LiveState,
  accountId: AccountId,
  { key, text }: { readonly key: string; readonly text: string },
): Promise<void> {
  // The last keystrokes may arrive after the account was removed.
  if (accountById(live.get(), accountId) === null) return
  refuseTooMuch(live.get().drafts, key, text)
  live.update((state) => withUnsent(state, key, text))
  await live.persist('drafts').catch(() => {
    throw invalid('disk', 'The text could not be saved on this computer (disk full or read-only).')
  })
}

export function withUnsent(state: AppState, key: string, text: string): AppState {
  if ((state.drafts.get(key) ?? '') === text) return state
  return { ...state, drafts: withEntry(state.drafts, key, text || null) }
}
