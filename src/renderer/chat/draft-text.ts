import { effect, type ReadonlySignal, signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import type { Place } from '#shared/contract.ts'
import type { AccountId } from '#shared/core/account.ts'
import { draftDelayMs, draftKey, joinTexts } from '#shared/core/chat/conversation.ts'
import { type UnsavedForm, unsavedFields, unsavedKey } from '#shared/core/chat/later.ts'
import { addedLinks, withLink } from '#shared/core/chat/upload.ts'
import type { Failure, Result } from '#shared/core/failure.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import { call } from '../bridge.ts'
import { appState } from '../window-state.ts'

/** A disk that refused is asked again after this, so that the words about it go when it works. */
const saveAgainMs = 5_000

/** Texts that main has not confirmed yet: they outlive the field that they were typed in. */
const unconfirmed = new Map<string, string>()

/** Texts being sent: whoever comes back meanwhile gets the same one, so that it can't be sent twice. */
const underWay = new Map<string, () => DraftText>()

/** An unsent text, kept for good: here at once, in main and on disk soon after. */
export interface DraftText {
  readonly text: ReadonlySignal<string>
  /** Why the text is not on disk; null while it is, or soon will be. */
  readonly failure: ReadonlySignal<Failure | null>
  /** Between `hold` and `release`, whichever field began it. */
  readonly isSending: ReadonlySignal<boolean>
  edit(text: string): void
  /** Hands what was typed to main now. */
  flush(): Promise<void>
  /** Begins a send of this text: until its answer nothing is saved, and main changes nothing. */
  hold(): string
  /** The message is main's now (`sent`), but not what was typed since; or all of it still is ours. */
  release(sent: boolean): void
  /** While true, main's next change replaces the text, whatever was typed: a rejected message comes back. */
  takeNext(on: boolean): void
  /** Flushes and stops following main, once nothing is being sent. */
  stop(): void
}

/** Of one conversation. */
export function createDraftText(place: Place): DraftText {
  const key = draftKey(place.accountId, place.conversation)
  return createKeptText(key, (text, over) => call.saveDraft({ ...place, text, over }))
}

/**
 * Follows main's draft with this key, but what is typed wins: main's is taken only while the field is
 * empty or shows main's own text, and never while a save of ours is on its way.
 */
export function createKeptText(
  key: string,
  send: (text: string, over: string) => Promise<Result<unknown>>,
): DraftText {
  const taken = underWay.get(key)
  if (taken !== undefined) return taken()
  let known = appState.peek().drafts.get(key) ?? ''
  /** Main's text that the one in the field was made from. */
  let over = known
  const text = signal(unconfirmed.get(key) ?? known)
  const failure = signal<Failure | null>(null)
  const isSending = signal(false)
  let timer: ReturnType<typeof setTimeout> | null = null
  let again: ReturnType<typeof setTimeout> | undefined
  let stopped = false
  let saving = 0
  /** What is being sent. */
  let sending: string | null = null
  let taking = false

  const save = async (): Promise<void> => {
    const saved = text.peek()
    clearTimeout(again)
    saving += 1
    const result = await send(saved, over)
    if (result.ok) over = saved
    saving -= 1
    failure.value = result.ok ? null : result.failure
    if (result.ok && unconfirmed.get(key) === saved) unconfirmed.delete(key)
    if (!result.ok && !stopped && sending === null)
      again = setTimeout(() => void save(), saveAgainMs)
  }
  const flush = async (): Promise<void> => {
    if (timer === null) return
    clearTimeout(timer)
    timer = null
    await save()
  }
  const edit = (next: string): void => {
    text.value = next
    unconfirmed.set(key, next)
    if (sending !== null) return
    // Not moved by further typing: a fast writer is saved five times a second, not at the end.
    timer ??= setTimeout(() => void flush(), draftDelayMs)
  }
  const stopFollowing = effect(() => {
    const value = appState.value.drafts.get(key) ?? ''
    const before = known
    known = value
    if (value === before || value === text.peek() || sending !== null) return
    const links = addedLinks(before, value)
    const untouched = text.peek() === '' || text.peek() === before
    if (taking || (untouched && saving === 0 && timer === null)) {
      taking = false
      text.value = value
      over = value
    } else {
      const missing = links.filter((link) => !text.peek().includes(link))
      if (missing.length > 0) edit(missing.reduce(withLink, text.peek()))
    }
  })

  const end = (): void => {
    clearTimeout(again)
    stopFollowing()
    void flush()
  }
  const draft: DraftText = {
    text,
    failure,
    isSending,
    edit,
    flush,
    hold() {
      sending = text.peek()
      isSending.value = true
      underWay.set(key, () => {
        stopped = false
        return draft
      })
      clearTimeout(again)
      if (timer !== null) clearTimeout(timer)
      timer = null
      return sending
    },
    release(sent) {
      const before = sending ?? text.peek()
      sending = null
      if (sent) {
        const typed = typedInto(before, text.peek())
        over = addedLinks(before, known).reduce(withLink, '')
        text.value = over
        unconfirmed.delete(key)
        if (typed !== '') edit(joinTexts(over, typed))
      } else {
        void save()
      }
      isSending.value = false
      underWay.delete(key)
      if (stopped) end()
    },
    takeNext(on) {
      taking = on
    },
    stop() {
      stopped = true
      if (sending === null) end()
    },
  }
  return draft
}

/** What was typed in a form and not saved: on disk, so that neither leaving it nor a crash loses it. */
export function useUnsaved<Fields extends Readonly<Record<string, string>>>(
  accountId: AccountId,
  form: UnsavedForm,
  saved: Fields,
) {
  const [kept] = useState(() =>
    createKeptText(unsavedKey(accountId, form), (text) => call.saveForm({ accountId, form, text })),
  )
  const [wasKept] = useState(kept.text.peek() !== '')
  useEffect(() => kept.stop, [])
  const typed = kept.text.value
  const fields = { ...saved, ...unsavedFields(typed) }
  return {
    fields,
    /** From before the form was opened. */
    wasKept,
    /** Why it is not on disk. */
    problem: kept.failure.value && failureSentence(kept.failure.value),
    /** The others stay free to follow the server. */
    edit: (change: Partial<Fields>) =>
      kept.edit(JSON.stringify({ ...unsavedFields(kept.text.peek()), ...change })),
    flush: kept.flush,
    /** False once more was typed than these fields. */
    isAll: () => kept.text.peek() === typed,
    done() {
      kept.edit('')
      void kept.flush()
    },
  }
}

/** Nothing where only a time was changed. */
export function unsavedText(kept: string): string {
  const { content, title = '' } = unsavedFields(kept)
  return content ?? title
}

export const typedSince = 'Saved, but not what you typed since then.'

/** What was typed into a text, by what it is now. */
function typedInto(before: string, after: string): string {
  const most = Math.min(before.length, after.length)
  let start = 0
  while (start < most && before[start] === after[start]) start += 1
  let end = 0
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end += 1
  return after.slice(start, after.length - end)
}
