import { effect, type ReadonlySignal, signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import type { AccountId } from '#shared/core/account.ts'
import { draftDelayMs, draftKey, joinTexts } from '#shared/core/chat/drafts.ts'
import type { Place } from '#shared/core/chat/places.ts'
import { type UnsavedForm, unsavedFields, unsavedKey } from '#shared/core/chat/unsaved-forms.ts'
import { addedLinks, withLink } from '#shared/core/chat/upload.ts'
import type { Failure, Result } from '#shared/core/failure.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import { call } from '../bridge.ts'
import { appState } from '../window-state.ts'

/** The delay before a failed save is retried, so that its error goes away once the disk works. */
const saveAgainMs = 5_000

/**
 * Texts by key, also of fields that were left: an answer that arrives late, and whoever comes back,
 * must not overwrite what was typed in the meantime.
 */
const texts = new Map<string, () => DraftText>()

/** Saves what each text waits to save. */
const flushes = new Set<() => Promise<void>>()
// Timers of a hidden page come late, and the program may be about to end.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') for (const flush of flushes) void flush()
})

/** While an input method composes, a change to its field would end that, and leave its text twice. */
const isComposing = signal(false)
for (const type of ['compositionstart', 'compositionend', 'focusin'])
  addEventListener(type, () => {
    isComposing.value = type === 'compositionstart'
  })

/** Main's drafts, as they were before what is being composed. */
const drafts = signal(appState.peek().drafts)
effect(() => {
  if (!isComposing.value) drafts.value = appState.value.drafts
})

/** An unsent text, kept here at once, and in main and on disk soon after. */
export interface DraftText {
  readonly text: ReadonlySignal<string>
  /** Why the text is not on disk; null while it is, or soon will be. */
  readonly failure: ReadonlySignal<Failure | null>
  /** True between `hold` and `release`, whichever field began it. */
  readonly isSending: ReadonlySignal<boolean>
  edit(text: string): void
  /** Saves what was typed to main now, if it is still to be saved. */
  flush(): Promise<void>
  /** Begins a send and returns the text. Until `release`, nothing is saved or taken from main. */
  hold(): string
  /** Ends the send: keeps only what was typed since if it was `sent`, or else the whole text. */
  release(sent: boolean): void
  /**
   * True lets main's next change replace what is typed now, since a message comes back for editing;
   * what is typed until then is kept after it. False ends that.
   */
  takeNext(on: boolean): void
  /** Called when its field is left: saves what was typed. */
  stop(): void
}

export function createDraftText(place: Place): DraftText {
  const key = draftKey(place.accountId, place.conversation)
  return createKeptText(key, (text, over) => call.saveDraft({ ...place, text, over }))
}

/**
 * The text with this key, for one field at a time.
 *
 * Follows main's draft with this key, but what is typed wins: main's is taken only while the field
 * is empty or shows main's own text, and never while a save is pending. Links of files that main
 * adds are appended in any case. `over`: main's text that the saved one is based on.
 */
export function createKeptText(
  key: string,
  send: (text: string, over: string) => Promise<Result<unknown>>,
): DraftText {
  const reopened = texts.get(key)?.()
  if (reopened !== undefined) return reopened
  let known = drafts.peek().get(key) ?? ''
  /** Main's text that the one in the field is based on. */
  let over = known
  const text = signal(known)
  const failure = signal<Failure | null>(null)
  const isSending = signal(false)
  let timer: ReturnType<typeof setTimeout> | null = null
  let again: ReturnType<typeof setTimeout> | undefined
  /** Whether a field shows it. */
  let isOpen = true
  let saving = 0
  let sending: string | null = null
  /** The text that main's next change replaces; null if it may replace none. */
  let replaced: string | null = null

  const save = async (): Promise<void> => {
    const saved = text.peek()
    clearTimeout(again)
    saving += 1
    const result = await send(saved, over)
    if (result.ok) over = saved
    saving -= 1
    failure.value = result.ok ? null : result.failure
    if (!result.ok && isOpen && sending === null) again = setTimeout(() => void save(), saveAgainMs)
  }
  const flush = async (): Promise<void> => {
    if (timer === null) return
    clearTimeout(timer)
    timer = null
    flushes.delete(flush)
    await save()
  }
  const edit = (next: string): void => {
    text.value = next
    if (sending !== null) return
    // Not restarted by further typing: continuous typing is saved five times a second.
    timer ??= setTimeout(() => void flush(), draftDelayMs)
    flushes.add(flush)
  }
  effect(() => {
    const value = drafts.value.get(key) ?? ''
    const before = known
    known = value
    if (value === before || value === text.peek() || sending !== null) return
    const links = addedLinks(before, value)
    const untouched = text.peek() === '' || text.peek() === before
    if (replaced !== null || (untouched && saving === 0 && timer === null)) {
      const typed = replaced === null ? '' : typedInto(replaced, text.peek())
      replaced = null
      text.value = value
      over = value
      if (typed !== '') edit(joinTexts(value, typed))
    } else {
      const missing = links.filter((link) => !text.peek().includes(link))
      if (missing.length > 0) edit(missing.reduce(withLink, text.peek()))
    }
  })

  const reopen = (): DraftText => {
    isOpen = true
    if (failure.peek() !== null) void save()
    else if (saving === 0 && timer === null && sending === null) text.value = over = known
    return draft
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
        failure.value = null
        if (typed !== '') edit(joinTexts(over, typed))
      } else {
        void save()
      }
      isSending.value = false
      if (!isOpen) void flush()
    },
    takeNext(on) {
      replaced = on ? text.peek() : null
    },
    stop() {
      isOpen = false
      clearTimeout(again)
      void flush()
    },
  }
  texts.set(key, reopen)
  return draft
}

/** Unsaved edits of a form, kept on disk so that neither leaving it nor a crash loses them. */
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
    /** There were edits before the form was opened. */
    wasKept,
    /** Why the edits are not on disk, or null. */
    problem: kept.failure.value && failureSentence(kept.failure.value),
    /** Keeps only the edited fields: the others go on following the server. */
    edit: (change: Partial<Fields>) =>
      kept.edit(JSON.stringify({ ...unsavedFields(kept.text.peek()), ...change })),
    flush: kept.flush,
    /** False once something was typed after `fields` was read. */
    isAll: () => kept.text.peek() === typed,
    done() {
      kept.edit('')
      void kept.flush()
    },
  }
}

/** The text in a form's edits; empty if only a time was changed. */
export function unsavedText(kept: string): string {
  const { content, title = '' } = unsavedFields(kept)
  return content ?? title
}

export const typedSince = 'Saved, but not what you typed since then.'

/** What was typed since `before`: the rest of `after` without their common start and end. */
function typedInto(before: string, after: string): string {
  // By code points: half of an emoji may be the same as half of another.
  const [old, now] = [[...before], [...after]]
  const most = Math.min(old.length, now.length)
  let start = 0
  while (start < most && old[start] === now[start]) start += 1
  let end = 0
  while (end < most - start && old.at(-1 - end) === now.at(-1 - end)) end += 1
  return now.slice(start, now.length - end).join('')
}
