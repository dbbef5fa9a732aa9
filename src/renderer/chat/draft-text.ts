import { effect, type ReadonlySignal, type Signal, signal } from '@preact/signals'
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
const texts = new Map<string, KeptText>()

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
  readonly edit: (text: string) => void
  /** Saves what was typed to main now, if it is still to be saved. */
  readonly flush: () => Promise<void>
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
  readonly stop: () => void
}

export function createDraftText(place: Place): DraftText {
  const key = draftKey(place.accountId, place.conversation)
  return createKeptText(key, (text, over) => call.saveDraft({ ...place, text, over }))
}

/** The text with this key, for one field at a time. `over`: main's text that the saved one is based on. */
export function createKeptText(key: string, send: Send): DraftText {
  const known = texts.get(key)
  if (known !== undefined) return known.reopened()
  const text = new KeptText(key, send)
  texts.set(key, text)
  return text
}

type Send = (text: string, over: string) => Promise<Result<unknown>>

/**
 * Follows main's draft with this key, but what is typed wins: main's is taken only while the field
 * is empty or shows main's own text, and never while a save is pending. Links of files that main
 * adds are appended in any case.
 */
class KeptText implements DraftText {
  readonly #key: string
  readonly #send: Send
  readonly text: Signal<string>
  readonly failure = signal<Failure | null>(null)
  readonly isSending = signal(false)
  /** Main's text as it was last seen. */
  #known: string
  /** Main's text that the one in the field is based on. */
  #over: string
  /** Whether a field shows it. */
  #isOpen = true
  /** Until what was typed is saved. */
  #timer: ReturnType<typeof setTimeout> | null = null
  /** Until a failed save is retried. */
  #again: ReturnType<typeof setTimeout> | undefined
  /** Saves under way. */
  #saving = 0
  /** The text that is being sent. */
  #sending: string | null = null
  /** The text that main's next change replaces; null if it may replace none. */
  #replaced: string | null = null

  constructor(key: string, send: Send) {
    this.#key = key
    this.#send = send
    this.#known = drafts.peek().get(key) ?? ''
    this.#over = this.#known
    this.text = signal(this.#known)
    effect(() => this.#follow(drafts.value.get(this.#key) ?? ''))
  }

  /** A field shows it again. */
  reopened(): this {
    this.#isOpen = true
    if (this.failure.peek() !== null) void this.#save()
    else if (this.#saving === 0 && this.#timer === null && this.#sending === null)
      this.text.value = this.#over = this.#known
    return this
  }

  readonly edit = (next: string): void => {
    this.text.value = next
    if (this.#sending !== null) return
    // Not restarted by further typing: continuous typing is saved five times a second.
    this.#timer ??= setTimeout(() => void this.flush(), draftDelayMs)
    flushes.add(this.flush)
  }

  readonly flush = async (): Promise<void> => {
    if (this.#timer === null) return
    clearTimeout(this.#timer)
    this.#timer = null
    flushes.delete(this.flush)
    await this.#save()
  }

  hold(): string {
    this.#sending = this.text.peek()
    this.isSending.value = true
    clearTimeout(this.#again)
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    return this.#sending
  }

  release(sent: boolean): void {
    const before = this.#sending ?? this.text.peek()
    this.#sending = null
    if (sent) {
      const typed = typedInto(before, this.text.peek())
      this.#over = addedLinks(before, this.#known).reduce(withLink, '')
      this.text.value = this.#over
      this.failure.value = null
      if (typed !== '') this.edit(joinTexts(this.#over, typed))
    } else {
      void this.#save()
    }
    this.isSending.value = false
    if (!this.#isOpen) void this.flush()
  }

  takeNext(on: boolean): void {
    this.#replaced = on ? this.text.peek() : null
  }

  readonly stop = (): void => {
    this.#isOpen = false
    clearTimeout(this.#again)
    void this.flush()
  }

  async #save(): Promise<void> {
    const saved = this.text.peek()
    clearTimeout(this.#again)
    this.#saving += 1
    const result = await this.#send(saved, this.#over)
    if (result.ok) this.#over = saved
    this.#saving -= 1
    this.failure.value = result.ok ? null : result.failure
    if (!result.ok && this.#isOpen && this.#sending === null)
      this.#again = setTimeout(() => void this.#save(), saveAgainMs)
  }

  /** Main's text is this now. */
  #follow(value: string): void {
    const before = this.#known
    this.#known = value
    if (value === before || value === this.text.peek() || this.#sending !== null) return
    const links = addedLinks(before, value)
    const untouched = this.text.peek() === '' || this.text.peek() === before
    const isIdle = this.#saving === 0 && this.#timer === null
    if (this.#replaced !== null || (untouched && isIdle)) {
      const typed = this.#replaced === null ? '' : typedInto(this.#replaced, this.text.peek())
      this.#replaced = null
      this.text.value = value
      this.#over = value
      if (typed !== '') this.edit(joinTexts(value, typed))
    } else {
      const missing = links.filter((link) => !this.text.peek().includes(link))
      if (missing.length > 0) this.edit(missing.reduce(withLink, this.text.peek()))
    }
  }
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
  const fields: Fields = { ...saved, ...unsavedFields(typed) }
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
