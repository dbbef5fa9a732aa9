import type { RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import type { AccountId } from '#shared/core/account.ts'
import { channelName, conversationTitle, userName } from '#shared/core/chat/chat-names.ts'
import { joinTexts } from '#shared/core/chat/drafts.ts'
import {
  filledSnippet,
  lackOf,
  type ScheduledMessage,
  type Snippet,
  snippetFields,
} from '#shared/core/chat/kept-for-later.ts'
import type { Place } from '#shared/core/chat/places.ts'
import { isBeingSent } from '#shared/core/chat/scheduled.ts'
import { unsavedFields, unsavedKey } from '#shared/core/chat/unsaved-forms.ts'
import type { Failure, Result } from '#shared/core/failure.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import { codePointLength } from '#shared/core/text-length.ts'
import { clockWords } from '#shared/core/time.ts'
import { momentProblem, readMoment } from '#shared/core/typed-time.ts'
import { fieldTime } from '#shared/core/views/until-choices.ts'
import { dateWords } from '#shared/core/wording.ts'
import { call } from '../bridge.ts'
import { hereItem, offerActions } from '../palette-shown.ts'
import { Button, SmallButton } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field, FormError, FormFoot, LongField } from '../parts/field.tsx'
import { draftField, type Errors, useForm } from '../parts/form.ts'
import { askWhen } from '../parts/when-dialog.tsx'
import { failedWords, run } from '../run.ts'
import { toast, toastFailure, toastIfFailed, undo } from '../toast.ts'
import { appState, now } from '../window-state.ts'
import { type DraftText, typedSince, useUnsaved } from './draft-text.ts'

/** Snippets for the composer: choose one, fill it in, insert it at the cursor; or save one. */
export function useSnippets(
  target: Place,
  draft: DraftText,
  input: RefObject<HTMLTextAreaElement | null>,
  onProblem: (words: string) => void,
) {
  const [filling, setFilling] = useState<Snippet | null>(null)
  const [saving, setSaving] = useState(false)
  const { accountId } = target
  const realm = () => appState.peek().realms.get(accountId)
  const insert = (text: string): void => {
    setFilling(null)
    const { selectionStart: from = 0, selectionEnd: to = 0 } = input.current ?? {}
    const typed = draft.text.peek()
    draft.edit(typed.slice(0, from) + text + typed.slice(to))
    requestAnimationFrame(() => {
      input.current?.focus()
      input.current?.setSelectionRange(from + text.length, from + text.length)
    })
  }
  const choose = (): void => {
    const now = realm()
    const lack = now === undefined ? '' : lackOf(now, 'snippets')
    const snippets = now?.later.snippets ?? []
    if (lack !== null || snippets.length === 0) {
      onProblem(
        lack ?? 'There are no saved snippets yet: write a text, then choose “Save as a snippet…”.',
      )
      return
    }
    const items = snippets.map((snippet) => {
      const { id, title, content } = snippet
      const act = () => {
        if (snippetFields(content).length === 0) insert(content)
        else setFilling(snippet)
      }
      const hint = content.replace(/\s+/g, ' ').slice(0, 60)
      return hereItem(`snippet/${id}`, title, act, { hint, keywords: content.slice(0, 200) })
    })
    offerActions(items, 'Saved snippets')
  }
  const dialog = (
    <>
      {filling !== null && (
        <FillForm
          snippet={filling}
          target={target}
          onFilled={insert}
          onClose={() => setFilling(null)}
        />
      )}
      {saving && (
        <SnippetForm
          accountId={accountId}
          snippet={{ id: null, title: '', content: draft.text.peek() }}
          onClose={() => setSaving(false)}
        />
      )}
    </>
  )
  const save = (): void => {
    const now = realm()
    const lack = now === undefined ? '' : lackOf(now, 'snippets')
    if (lack === null) setSaving(true)
    else onProblem(lack)
  }
  return { choose, save, insert, dialog }
}

/** The values of a snippet's fields that are known without asking. */
function knownFields({ accountId, conversation }: Place): ReadonlyMap<string, string> {
  const realm = appState.peek().realms.get(accountId)
  if (realm === undefined) return new Map()
  const now = Date.now()
  const isTopic = conversation.kind === 'topic'
  return new Map([
    ['me', realm.me?.name ?? ''],
    ['date', dateWords(now, { day: 'numeric', month: 'long', year: 'numeric' })],
    ['time', dateWords(now, { timeStyle: 'short' })],
    ['channel', isTopic ? channelName(realm, conversation.channelId) : ''],
    ['topic', isTopic ? conversation.topic || realm.emptyTopicName : ''],
    ['name', isTopic ? '' : conversation.userIds.map((id) => userName(realm, id)).join(', ')],
  ])
}

function FillForm(props: {
  readonly snippet: Snippet
  readonly target: Place
  readonly onFilled: (text: string) => void
  readonly onClose: () => void
}) {
  const { snippet, target, onFilled, onClose } = props
  const names = snippetFields(snippet.content)
  const [known] = useState(() => knownFields(target))
  const start = Object.fromEntries(names.map((name) => [name, known.get(name) ?? '']))
  const form = useForm({
    title: `Fill in “${snippet.title}”`,
    start,
    async send(values) {
      onFilled(filledSnippet(snippet.content, new Map(Object.entries(values))))
      return { ok: true, value: null }
    },
  })
  return (
    <Dialog title={`Fill in “${snippet.title}”`} onClose={onClose}>
      <form {...form.attributes}>
        {names.map((name) => (
          <Field
            key={name}
            label={name}
            name={name}
            value={form.draft[name] ?? ''}
            onInput={(typed) => form.onChange({ [name]: typed })}
          />
        ))}
        <FormFoot onCancel={onClose}>
          <Button kind="primary" type="submit">
            Insert
          </Button>
        </FormFoot>
      </form>
    </Dialog>
  )
}

type Draft = Omit<Snippet, 'id'> & { readonly id: number | null }

/** Shown only if edits were kept from before the form was opened. Esc keeps new ones, too. */
function Discard(props: {
  readonly unsaved: { readonly wasKept: boolean; readonly done: () => void }
  readonly busy: boolean
  readonly onDone: () => void
}) {
  const { unsaved, busy, onDone } = props
  const discard = (): void => {
    unsaved.done()
    onDone()
  }
  return unsaved.wasKept && !busy ? <Button onClick={discard}>Discard</Button> : null
}

/** Creates, changes or deletes a snippet. */
export function SnippetForm(props: {
  readonly accountId: AccountId
  readonly snippet: Draft
  readonly onClose: () => void
}) {
  const { accountId, onClose } = props
  const { later } = appState.value.realms.get(accountId) ?? {}
  // It may be changed elsewhere while this form is open.
  const snippet = later?.snippets?.find(({ id }) => id === props.snippet.id) ?? props.snippet
  const saved = { title: snippet.title, content: snippet.content }
  const unsaved = useUnsaved(accountId, `snippet/${snippet.id ?? 'new'}`, saved)
  const heading = snippet.id === null ? 'New snippet' : 'Saved snippet'
  useLayoutEffect(() => {
    const { id, content: given } = snippet
    const { content } = unsaved.fields
    // An earlier unsaved snippet is kept in front of the text that is to be saved now.
    if (id === null && !content.includes(given))
      unsaved.edit({ content: joinTexts(content, given) })
  }, [])
  const failed = (failure: Failure) => ({ form: failedWords(failure, maybeChanged) })
  const leave = (isHere: () => boolean): void => {
    unsaved.done()
    if (isHere()) onClose()
  }
  const form = useForm({
    title: heading,
    key: unsavedKey(accountId, `snippet/${snippet.id ?? 'new'}`),
    draft: unsaved.fields,
    edit: unsaved.edit,
    check: snippetErrors,
    send: (texts) => storeSnippet(accountId, snippet, texts),
    failed,
    done(title, isHere) {
      toast(`“${title}” is saved.`)
      if (!unsaved.isAll()) return { form: typedSince }
      leave(isHere)
      return undefined
    },
  })
  const remove = (id: number): void => {
    const back = () => toastIfFailed(run(accountId, 'createSavedSnippet', saved), failedWords)
    void form.ask({
      send: () => run(accountId, 'deleteSavedSnippet', { saved_snippet_id: id }),
      failed,
      done(_done, isHere) {
        toast(`“${saved.title}” was deleted.`, 'done', undo(back))
        leave(isHere)
      },
    })
  }
  return (
    <Dialog title={heading} onClose={onClose}>
      <form {...form.attributes}>
        <Field label="Title" {...draftField(form, 'title')} />
        <LongField
          label="Text"
          rows={5}
          {...draftField(form, 'content')}
          help="When you insert it, Belfry asks for words in braces, such as {customer}, and fills in {name}, {channel}, {topic}, {date}, {time} and {me}."
          error={form.errors.content ?? unsaved.problem}
        />
        <FormError error={form.errors.form} />
        <div class="button-row button-row-end">
          {snippet.id !== null && (
            <Button kind="quiet" onClick={() => snippet.id !== null && remove(snippet.id)}>
              Delete
            </Button>
          )}
          <Discard unsaved={unsaved} busy={form.busy} onDone={onClose} />
          <Button kind="primary" type="submit" busy={form.busy}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const maybeChanged = 'It may have been changed: look at the list before you try again.'

function snippetErrors({ title, content }: Omit<Snippet, 'id'>): Errors<'title' | 'content'> {
  return {
    ...(title.trim() === '' ? { title: 'A snippet needs a title.' } : {}),
    ...(content.trim() === '' ? { content: 'A snippet needs a text.' } : {}),
  }
}

/** Saves a snippet and resolves to its title. */
async function storeSnippet(
  accountId: AccountId,
  { id, ...saved }: Draft,
  { title: typed, content }: Omit<Snippet, 'id'>,
): Promise<Result<string>> {
  const title = typed.trim()
  const change = {
    ...(title === saved.title ? {} : { title }),
    ...(content === saved.content ? {} : { content }),
  }
  // The server refuses a request that changes nothing.
  if (id !== null && Object.keys(change).length === 0) return { ok: true, value: title }
  const result =
    id === null
      ? await run(accountId, 'createSavedSnippet', { title, content })
      : await run(accountId, 'editSavedSnippet', { saved_snippet_id: id, ...change })
  return result.ok ? { ok: true, value: title } : result
}

interface ScheduledProps {
  readonly accountId: AccountId
  readonly message: ScheduledMessage
  readonly onClose: () => void
}

/** What is typed into the form of a scheduled message, and what can be done with it. */
function useScheduled({ accountId, onClose, ...props }: ScheduledProps) {
  const realm = appState.value.realms.get(accountId)
  // It may be changed elsewhere while this form is open.
  const message = realm?.later.scheduled?.find(({ id }) => id === props.message.id) ?? props.message
  const { id } = message
  const saved = { content: message.content, when: fieldTime(message.at) }
  const unsaved = useUnsaved(accountId, `scheduled/${id}`, saved)
  const limit = realm?.limits.messageLength ?? 0
  const textErrors = (content: string): Errors<'content'> => {
    if (isBeingSent(message, Date.now()))
      return { form: 'It will be sent within a minute. To change it, cancel it first.' }
    return content.trim() === '' || codePointLength(content) > limit
      ? { content: 'Empty, or longer than this server allows.' }
      : {}
  }
  const timeOf = (when: string) =>
    when === saved.when && !message.failed ? message.at : readMoment(when, Date.now())
  // A refusal by main itself already states the outcome.
  const failed = (unsure: string) => (failure: Failure) => ({
    form: failure.kind === 'invalid' ? failureSentence(failure) : failedWords(failure, unsure),
  })
  /** The message is gone from the list: what was typed since then stays under “Drafts”. */
  const gone = (words: string) => (_done: unknown, isHere: () => boolean) => {
    const isAll = unsaved.isAll()
    if (isAll) unsaved.done()
    toast(isAll ? words : `${words} What you typed since then is under “Drafts”.`)
    if (isHere()) onClose()
    return undefined
  }
  const form = useForm({
    title: 'Scheduled message',
    key: unsavedKey(accountId, `scheduled/${id}`),
    draft: unsaved.fields,
    edit: unsaved.edit,
    check({ content, when }): Errors<'content' | 'when'> {
      const errors = textErrors(content)
      const at = timeOf(when)
      if (Object.keys(errors).length > 0 || (at !== null && at > Date.now())) return errors
      return { form: momentProblem(when, Date.now()) || 'Choose a time in the future.' }
    },
    async send({ content, when }) {
      const at = timeOf(when) ?? message.at
      const result = await run(accountId, 'editScheduledMessage', {
        scheduled_message_id: id,
        ...(content === message.content ? {} : { content }),
        scheduled_delivery_timestamp: Math.ceil(at / 1_000),
      })
      return result.ok ? { ok: true, value: at } : result
    },
    failed: failed('It may have been changed: save it again to be sure.'),
    done(at, isHere) {
      const isAll = unsaved.isAll()
      if (isAll) unsaved.done()
      toast(`Scheduled for ${clockWords(at, Date.now())}.`)
      if (!isAll) return { form: typedSince }
      if (isHere()) onClose()
      return undefined
    },
  })
  const sendNow = (): void =>
    form.submit({
      check: ({ content }) => textErrors(content),
      send: ({ content }) => call.cancelScheduled({ accountId, id, text: content, send: true }),
      failed: failed(
        'Belfry can’t tell whether it is still scheduled, so it was not sent now. Its text is also in the conversation’s draft.',
      ),
      done: gone('Sending now.'),
    })
  const cancelIt = (): void =>
    void form.ask({
      send: ({ content }) => call.cancelScheduled({ accountId, id, text: content }),
      failed: failed(
        'Belfry can’t tell whether it is still scheduled. Its text is also in the conversation’s draft.',
      ),
      done: gone(cancelled),
    })
  return { realm, message, unsaved, form, sendNow, cancelIt }
}

/** Changes a scheduled message, sends it now or cancels it. */
export function ScheduledForm(props: ScheduledProps) {
  const { realm, message, unsaved, form, sendNow, cancelIt } = useScheduled(props)
  const askAgain = (): void =>
    askWhen({
      title: 'Send later',
      note: '',
      use: 'at',
      onChoose: (at) => form.onChange({ when: fieldTime(at) }),
    })
  return (
    <Dialog title="Scheduled message" onClose={props.onClose}>
      <form {...form.attributes}>
        <p class="note" dir="auto">
          To {realm && conversationTitle(realm, message.conversation)}
        </p>
        <LongField
          label="Text"
          rows={5}
          {...draftField(form, 'content')}
          error={form.errors.content ?? unsaved.problem}
        />
        <p class="row later-when">
          <span>Send at {clockWords(new Date(form.draft.when).getTime(), now.value)}</span>
          <SmallButton aria-haspopup="dialog" onClick={askAgain}>
            Another time…
          </SmallButton>
        </p>
        <FormError error={form.errors.form} />
        <div class="button-row button-row-end">
          <Button kind="quiet" onClick={cancelIt}>
            Cancel the message
          </Button>
          <Discard unsaved={unsaved} busy={form.busy} onDone={props.onClose} />
          <Button onClick={sendNow}>Send now</Button>
          <Button kind="primary" type="submit" busy={form.busy}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const cancelled = 'Cancelled. The text is in the conversation’s draft.'

/** Cancels a scheduled message; the text with any unsaved edits becomes a draft. */
export async function cancel(
  accountId: AccountId,
  { id, content }: Pick<ScheduledMessage, 'id' | 'content'>,
): Promise<void> {
  const form = `scheduled/${id}` as const
  const kept = appState.peek().drafts.get(unsavedKey(accountId, form)) ?? ''
  const text = unsavedFields(kept)['content'] ?? content
  const result = await call.cancelScheduled({ accountId, id, text })
  if (result.ok && kept !== '') toastIfFailed(call.saveForm({ accountId, form, text: '' }))
  if (result.ok) toast(cancelled)
  else toastFailure(result.failure)
}
