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
import type { Result } from '#shared/core/failure.ts'
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
import { Field, FormFoot, LongField, submits } from '../parts/field.tsx'
import { askWhen } from '../parts/when-dialog.tsx'
import { failedWords, run, useAskingForm } from '../run.ts'
import { type ToastAction, toast, toastFailure, toastIfFailed, undo } from '../toast.ts'
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
  const [values, setValues] = useState(() => knownFields(target))
  return (
    <Dialog title={`Fill in “${snippet.title}”`} onClose={onClose}>
      <form onSubmit={submits(() => onFilled(filledSnippet(snippet.content, values)))}>
        {snippetFields(snippet.content).map((name) => (
          <Field
            key={name}
            label={name}
            name={name}
            value={values.get(name) ?? ''}
            error={null}
            onInput={(typed) => setValues(new Map(values).set(name, typed))}
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
  const { title, content } = unsaved.fields
  const heading = snippet.id === null ? 'New snippet' : 'Saved snippet'
  const { busy, ask, error, setError, isHere, report } = useAskingForm(heading)
  useLayoutEffect(() => {
    const { id, content: given } = snippet
    // An earlier unsaved snippet is kept in front of the text that is to be saved now.
    if (id === null && !content.includes(given))
      unsaved.edit({ content: joinTexts(content, given) })
  }, [])
  const finish = async (
    change: () => Promise<Result<unknown>>,
    words: string,
    wayBack: ToastAction | null = null,
  ): Promise<void> => {
    const result = await ask(change)
    if (result === undefined) return
    if (!result.ok)
      return report(
        failedWords(
          result.failure,
          'It may have been changed: look at the list before you try again.',
          'Nothing was changed.',
        ),
      )
    toast(words, 'done', wayBack)
    if (wayBack === null && !unsaved.isAll()) return report(typedSince)
    unsaved.done()
    if (isHere()) onClose()
  }
  const save = () => {
    if (title.trim() === '' || content.trim() === '')
      return setError('A snippet needs a title and a text.')
    const texts = { title: title.trim(), content }
    const { id } = snippet
    const change = {
      ...(texts.title === saved.title ? {} : { title: texts.title }),
      ...(content === saved.content ? {} : { content }),
    }
    const store = async (): Promise<Result<unknown>> => {
      if (id === null) return run(accountId, 'createSavedSnippet', texts)
      // The server refuses a request that changes nothing.
      if (Object.keys(change).length === 0) return { ok: true, value: null }
      return run(accountId, 'editSavedSnippet', { saved_snippet_id: id, ...change })
    }
    void finish(store, `“${texts.title}” is saved.`)
  }
  const remove = (id: number): void => {
    const back = () => toastIfFailed(run(accountId, 'createSavedSnippet', saved), failedWords)
    const change = () => run(accountId, 'deleteSavedSnippet', { saved_snippet_id: id })
    void finish(change, `“${saved.title}” was deleted.`, undo(back))
  }
  return (
    <Dialog title={heading} onClose={onClose}>
      <form onSubmit={submits(save)}>
        <Field
          label="Title"
          name="title"
          value={title}
          error={null}
          onInput={(typed) => unsaved.edit({ title: typed })}
        />
        <LongField
          label="Text"
          name="content"
          rows={5}
          value={content}
          help="When you insert it, Belfry asks for words in braces, such as {customer}, and fills in {name}, {channel}, {topic}, {date}, {time} and {me}."
          error={error ?? unsaved.problem}
          onInput={(typed) => unsaved.edit({ content: typed })}
        />
        <div class="button-row button-row-end">
          {snippet.id !== null && (
            <Button kind="quiet" onClick={() => snippet.id !== null && remove(snippet.id)}>
              Delete
            </Button>
          )}
          <Discard unsaved={unsaved} busy={busy} onDone={onClose} />
          <Button kind="primary" type="submit" busy={busy}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** Changes a scheduled message, sends it now or cancels it. */
export function ScheduledForm(props: {
  readonly accountId: AccountId
  readonly message: ScheduledMessage
  readonly onClose: () => void
}) {
  const { accountId, onClose } = props
  const realm = appState.value.realms.get(accountId)
  // It may be changed elsewhere while this form is open.
  const message = realm?.later.scheduled?.find(({ id }) => id === props.message.id) ?? props.message
  const saved = { content: message.content, when: fieldTime(message.at) }
  const unsaved = useUnsaved(accountId, `scheduled/${message.id}`, saved)
  const { content, when } = unsaved.fields
  const { busy, ask, error, setError, isHere, report } = useAskingForm('Scheduled message')
  const limit = realm?.limits.messageLength ?? 0
  const change = async (
    request: () => Promise<Result<unknown>>,
    done: string,
    unsure: string,
    isScheduled = false,
  ): Promise<void> => {
    const result = await ask(request)
    if (result === undefined) return
    if (!result.ok) {
      // A refusal by main itself already states the outcome.
      const { failure } = result
      return report(
        failure.kind === 'invalid'
          ? failureSentence(failure)
          : failedWords(failure, unsure, 'Nothing was changed.'),
      )
    }
    const isAll = unsaved.isAll()
    if (isAll) unsaved.done()
    toast(isAll || isScheduled ? done : `${done} What you typed since then is under “Drafts”.`)
    if (isScheduled && !isAll) return report(typedSince)
    if (isHere()) onClose()
  }
  const refusal = (): string | null => {
    if (isBeingSent(message, Date.now()))
      return 'It will be sent within a minute. To change it, cancel it first.'
    return content.trim() === '' || codePointLength(content) > limit
      ? 'Empty, or longer than this server allows.'
      : null
  }
  const save = () => {
    const isSame = when === saved.when && !message.failed
    const at = isSame ? message.at : readMoment(when, Date.now())
    const why = refusal()
    setError(why)
    if (why !== null) return
    if (at === null || at <= Date.now())
      return setError(momentProblem(when, Date.now()) || 'Choose a time in the future.')
    void change(
      () =>
        run(accountId, 'editScheduledMessage', {
          scheduled_message_id: message.id,
          ...(content === message.content ? {} : { content }),
          scheduled_delivery_timestamp: Math.ceil(at / 1_000),
        }),
      `Scheduled for ${clockWords(at, Date.now())}.`,
      'It may have been changed: save it again to be sure.',
      true,
    )
  }
  const askAgain = (): void =>
    askWhen({
      title: 'Send later',
      note: '',
      use: 'at',
      onChoose: (at) => unsaved.edit({ when: fieldTime(at) }),
    })
  const sendNow = (): void => {
    const why = refusal()
    setError(why)
    if (why !== null) return
    void change(
      () => call.cancelScheduled({ accountId, id: message.id, text: content, send: true }),
      'Sending now.',
      'Belfry can’t tell whether it is still scheduled, so it was not sent now. Its text is also in the conversation’s draft.',
    )
  }
  return (
    <Dialog title="Scheduled message" onClose={onClose}>
      <form onSubmit={submits(save)}>
        <p class="note" dir="auto">
          To {realm && conversationTitle(realm, message.conversation)}
        </p>
        <LongField
          label="Text"
          name="text"
          rows={5}
          value={content}
          error={error ?? unsaved.problem}
          onInput={(typed) => unsaved.edit({ content: typed })}
        />
        <p class="later-when">
          <span>Send at {clockWords(new Date(when).getTime(), now.value)}</span>
          <SmallButton aria-haspopup="dialog" onClick={askAgain}>
            Another time…
          </SmallButton>
        </p>
        <div class="button-row button-row-end">
          <Button
            kind="quiet"
            onClick={() =>
              void change(
                () => call.cancelScheduled({ accountId, id: message.id, text: content }),
                cancelled,
                'Belfry can’t tell whether it is still scheduled. Its text is also in the conversation’s draft.',
              )
            }
          >
            Cancel the message
          </Button>
          <Discard unsaved={unsaved} busy={busy} onDone={onClose} />
          <Button onClick={sendNow}>Send now</Button>
          <Button kind="primary" type="submit" busy={busy}>
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
