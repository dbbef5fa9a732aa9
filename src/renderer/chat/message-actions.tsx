import { signal } from '@preact/signals'
import { useLayoutEffect, useState } from 'preact/hooks'
import type { AccountId } from '#shared/core/account.ts'
import { permalink } from '#shared/core/chat/conversation.ts'
import type { Message } from '#shared/core/chat/message.ts'
import type { Place } from '#shared/core/chat/places.ts'
import type { Realm } from '#shared/core/chat/realm.ts'
import { type UnsavedForm, unsavedKey } from '#shared/core/chat/unsaved-forms.ts'
import type { Result } from '#shared/core/failure.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import { fieldsOf } from '#shared/core/schemas.ts'
import { fitsMessage } from '#shared/core/text-length.ts'
import type { PaletteItem } from '#shared/core/views/palette-search.ts'
import { askToRemind } from '../attention/ask-to-remind.ts'
import { call } from '../bridge.ts'
import { hereItem, offerLater } from '../palette-shown.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { FormError, FormFoot, LongField } from '../parts/field.tsx'
import { draftField, useForm } from '../parts/form.ts'
import { failedWords, run, useRun } from '../run.ts'
import { toastFailure, toastIfFailed, toastResult } from '../toast.ts'
import { appState, go } from '../window-state.ts'
import { isResolved, resolve } from './conversation-actions.tsx'
import { typedSince, useUnsaved } from './draft-text.ts'
import { allEmoji, type NamedEmoji } from './emoji-character.ts'
import { aboutPerson } from './presence.tsx'
import { hasOwn } from './reaction-chips.tsx'

interface Parts {
  readonly place: Place
  readonly realm: Realm
  readonly baseUrl: string
  /** Appends a text to what is in the composer. */
  readonly insert: (text: string) => void
}

/** A message's actions for the palette, opened by `m` on the message or by its last button. */
export function messageActions(message: Message, parts: Parts): readonly PaletteItem[] {
  const { place, realm } = parts
  const { accountId, conversation } = place
  const isStarred = message.flags.includes('starred')
  const topic = conversation.kind === 'topic' ? conversation.topic : null
  const sender = message.isMe
    ? 'you'
    : (realm.users.get(message.senderId)?.name ?? message.senderName)
  const actions: readonly (readonly [title: string, act: () => unknown])[] = [
    ['React…', () => chooseReaction(place, message)],
    ['Quote and reply', () => quote(message, parts)],
    ['Copy text', () => toastResult(call.copyText({ text: message.text }), 'The text was copied.')],
    [
      'Copy web link',
      () => toastResult(call.copyText({ text: linkTo(message, parts) }), 'The link was copied.'),
    ],
    [isStarred ? 'Remove the star' : 'Star', () => star(place, message, !isStarred)],
    [`About ${sender}`, () => aboutPerson(accountId, message.senderId)],
    ['Mark unread from here', () => markUnread(place, message)],
    ['Remind me…', () => askToRemind(place, message)],
    ...(message.isMe
      ? ([
          ['Edit', () => ask({ does: 'edit', place, message })],
          ['Delete…', () => ask({ does: 'delete', place, message })],
        ] as const)
      : []),
    ...(topic === null || topic === ''
      ? []
      : [
          [
            isResolved(topic) ? 'Reopen the topic' : 'Resolve the topic',
            () => resolve(accountId, message.id, topic),
          ] as const,
        ]),
  ]
  return actions.map(([title, act]) => hereItem(`message/${title}`, title, act))
}

/** Offers every emoji that the server takes, to be found by any of its names. */
export function offerEmoji(
  accountId: AccountId,
  onChoose: (one: NamedEmoji) => unknown,
  hintOf: (one: NamedEmoji) => string = () => '',
): void {
  const items = allEmoji(accountId).then((found) => {
    if (found.ok)
      return found.value.map((one) => {
        const title = `${one.face} ${one.name.replaceAll('_', ' ')}`.trim()
        return hereItem(`message/${title}`, title, () => onChoose(one), { hint: hintOf(one) })
      })
    toastFailure(found.failure)
    return null
  })
  void offerLater(items, 'Emoji')
}

export function chooseReaction({ accountId }: Place, { id, reactions }: Message): void {
  const me = appState.peek().realms.get(accountId)?.me?.id ?? null
  const isMine = ({ code }: NamedEmoji) => hasOwn(reactions, code, me)
  const react = (one: NamedEmoji): void => {
    const { name, code, type } = one
    const change = { accountId, messageId: id, name, code, type, present: !isMine(one) }
    toastIfFailed(call.setReaction(change), failedWords)
  }
  offerEmoji(accountId, react, (one) => (isMine(one) ? 'remove' : ''))
}

function linkTo({ id, conversation }: Message, { baseUrl, realm }: Parts): string {
  return permalink(
    baseUrl,
    (channel) => realm.channels.get(channel)?.name ?? null,
    conversation,
    id,
  )
}

/** The message as it was written, or its plain text if the server doesn't return the source. */
async function sourceOf({ accountId }: Place, message: Message): Promise<Result<string>> {
  const { id, text } = message
  const result = await run(accountId, 'getMessage', { message_id: id, apply_markdown: false })
  if (!result.ok) return result
  const { raw_content: source, message: fetched } = result.value
  const { content } = fieldsOf(fetched)
  return { ok: true, value: source ?? (typeof content === 'string' ? content : text) }
}

/** Quotes like the web app: a silent mention, the link, and a fence longer than any in the text. */
async function quote(message: Message, parts: Parts): Promise<void> {
  const asked = await sourceOf(parts.place, message)
  const source = asked.ok ? asked.value : message.text
  const longest = Math.max(2, ...[...source.matchAll(/`{3,}/g)].map(([fence]) => fence.length))
  const fence = '`'.repeat(longest + 1)
  const who = `@_**${message.senderName}|${message.senderId}**`
  parts.insert(`${who} [said](${linkTo(message, parts)}):\n${fence}quote\n${source}\n${fence}\n`)
}

function star({ accountId }: Place, { id }: Message, isStarred: boolean): void {
  toastIfFailed(
    run(accountId, 'updateMessageFlags', {
      messages: [id],
      op: isStarred ? 'add' : 'remove',
      flag: 'starred',
    }),
    failedWords,
  )
}

/** Leaves first: an open conversation is marked as read, and the event may precede the response. */
async function markUnread({ accountId, conversation }: Place, { id }: Message): Promise<void> {
  go({ view: 'chat' })
  const result = await run(accountId, 'updateMessageFlagsForNarrow', {
    anchor: id,
    num_before: 0,
    num_after: 5_000,
    include_anchor: true,
    narrow:
      conversation.kind === 'topic'
        ? [
            { operator: 'channel', operand: conversation.channelId },
            { operator: 'topic', operand: conversation.topic },
          ]
        : [{ operator: 'dm', operand: [...conversation.userIds] }],
    op: 'remove',
    flag: 'read',
  })
  if (!result.ok) toastFailure(result.failure, failedWords)
}

interface Question {
  readonly does: 'edit' | 'delete'
  readonly place: Place
  readonly message: Message
}

const asked = signal<Question | null>(null)

function ask(question: Question): void {
  asked.value = question
}

const close = (): void => {
  asked.value = null
}

const formOf = ({ id }: Message): UnsavedForm => `message/${id}`

/** The form to edit a message, or the question whether to delete it, if one was asked for. */
export function MessageQuestion({ realm }: { readonly realm: Realm }) {
  // It goes with its conversation, and must not come back with the next one. Edits are kept on disk.
  useLayoutEffect(() => close, [])
  const question = asked.value
  if (question === null || question.place.accountId !== realm.accountId) return null
  const props = { key: question.message.id, question, realm }
  return question.does === 'edit' ? <EditDialog {...props} /> : <DeleteForm {...props} />
}

interface QuestionProps {
  readonly question: Question
  readonly realm: Realm
}

/** Opens before the text has been fetched, so that Esc cancels it and it can't pop up later. */
function EditDialog({ question, realm }: QuestionProps) {
  const { place, message } = question
  const [isKept] = useState(() =>
    appState.peek().drafts.has(unsavedKey(place.accountId, formOf(message))),
  )
  const { value: source, failure } = useRun(isKept ? null : String(message.id), () =>
    sourceOf(place, message),
  )
  return (
    <Dialog title="Edit message" onClose={close}>
      {isKept || source !== null ? (
        <EditForm question={question} realm={realm} source={source} />
      ) : (
        // Saving the plain text would strip the message of its formatting.
        <p role="status">{failure === null ? 'Reading its text…' : failureSentence(failure)}</p>
      )}
    </Dialog>
  )
}

/** `source`: the text to edit; null to go on with unsaved edits from before. */
function EditForm({ question, realm, source }: QuestionProps & { readonly source: string | null }) {
  const { place, message } = question
  const unsaved = useUnsaved(place.accountId, formOf(message), { content: source ?? '' })
  const wasKept = source === null
  const discard = (): void => {
    unsaved.done()
    // Also if the form was closed and opened again while it was being saved.
    if (asked.peek()?.message.id === message.id) close()
  }
  const form = useForm({
    title: 'Edit message',
    key: unsavedKey(place.accountId, formOf(message)),
    draft: unsaved.fields,
    edit: unsaved.edit,
    check: ({ content }) =>
      fitsMessage(content, realm.limits)
        ? {}
        : { content: 'Empty, or longer than this server allows.' },
    send: ({ content }) => run(place.accountId, 'editMessage', { message_id: message.id, content }),
    done() {
      if (!unsaved.isAll()) return { form: typedSince }
      discard()
      return undefined
    },
  })
  // The form may appear after the dialog has set the focus.
  useLayoutEffect(() => form.element.current?.querySelector('textarea')?.focus(), [])
  return (
    <form {...form.attributes}>
      <LongField
        label="Message"
        rows={6}
        {...(wasKept ? { help: 'This is what you typed before and did not save.' } : {})}
        {...draftField(form, 'content')}
        error={form.errors.content ?? unsaved.problem}
      />
      <FormError error={form.errors.form} />
      <div class="button-row button-row-end">
        {wasKept && <Button onClick={discard}>Discard</Button>}
        <Button kind="primary" type="submit" busy={form.busy}>
          Save
        </Button>
      </div>
    </form>
  )
}

function DeleteForm({ question }: QuestionProps) {
  const { place, message } = question
  const form = useForm({
    title: 'Delete message',
    start: {},
    send: () => run(place.accountId, 'deleteMessage', { message_id: message.id }),
    done(_done, isHere) {
      if (isHere()) close()
    },
  })
  return (
    <Dialog title="Delete this message?" onClose={close}>
      <p>
        It will be deleted for everyone, permanently: “{[...message.text].slice(0, 120).join('')}”
      </p>
      <FormFoot error={form.errors.form} onCancel={close}>
        <Button kind="danger" busy={form.busy} onClick={() => form.submit()}>
          Delete
        </Button>
      </FormFoot>
    </Dialog>
  )
}
