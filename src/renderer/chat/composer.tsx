import { useEffect, useState } from 'preact/hooks'
import type { AccountId } from '#shared/core/account.ts'
import { conversationKey } from '#shared/core/chat/conversation.ts'
import type { Place } from '#shared/core/chat/places.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import type { Settings } from '#shared/core/settings.ts'
import { sentText } from '#shared/core/text-length.ts'
import { counted, numberWords } from '#shared/core/wording.ts'
import { Button, IconButton, LinkButton } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { FormFoot } from '../parts/field.tsx'
import { submits } from '../parts/form.ts'
import { MenuButton } from '../parts/menu-button.tsx'
import { keyOf, usePageActions } from '../parts/page-actions.ts'
import { ScrollRegion } from '../parts/page-bar.tsx'
import { askWhen } from '../parts/when-dialog.tsx'
import { run, useRested, useRun } from '../run.ts'
import { appState, go, visible } from '../window-state.ts'
import { UploadRows, useAttach } from './attachments.tsx'
import { useCompletion } from './completion-list.tsx'
import { useSnippets } from './later-forms.tsx'
import { offerEmoji } from './message-actions.tsx'
import type { MessageContext } from './message-context.ts'
import { MessageHtml } from './message-html.tsx'
import { useSending, type Written } from './use-sending.ts'

/** The character count appears from this fraction of the limit on. */
const nearLimit = 0.9

interface Props extends Written {
  readonly title: string
  /** Whether there are messages; null as long as that is unknown. */
  readonly isBegun: boolean | null
  /** For drawing the preview. */
  readonly context: MessageContext
  /** Takes back a message whose sending can still be undone; returns false if there is none. */
  readonly onUndo: () => boolean
}

/** Who reads what is written here, as the label of the field. */
export function composerLabel({
  target: { conversation },
  title,
  isBegun,
  context,
}: Pick<Props, 'target' | 'title' | 'isBegun' | 'context'>): string {
  const isNote =
    conversation.kind === 'direct' &&
    conversation.userIds.every((userId) => userId === context.myId)
  const deed = { true: 'Reply to', false: 'Start', null: 'Write in' } as const
  const verb = deed[`${conversation.kind === 'direct' || isBegun}`]
  return isNote ? 'Write a note to yourself' : `${verb} ${title}`
}

/** The ways to send what is written and to put more into it: by key, from the menu, the palette. */
function useWays(
  { target, draft, blocked, input }: Props,
  sending: ReturnType<typeof useSending>,
  attach: ReturnType<typeof useAttach>,
) {
  const [isPreviewed, setPreviewed] = useState(false)
  const snippets = useSnippets(target, draft, input, sending.say)
  const send = async (at: number | null = null, isAsked = false): Promise<void> => {
    if (!(await sending.send(at, isAsked))) return
    setPreviewed(false)
    input.current?.focus()
  }
  const sendLater = (): void => {
    if (!sending.maySchedule()) return
    askWhen({
      title: 'Send later',
      note: 'The server sends it, even if this computer is off.',
      use: 'at',
      onChoose: (at) => void send(at),
    })
  }
  const preview = (): void => {
    setPreviewed((isOn) => !isOn)
    input.current?.focus()
  }
  usePageActions(() => [
    ...(blocked === null ? [{ key: '', title: 'Attach files…', act: attach.choose } as const] : []),
    {
      key: '',
      title: 'Insert an emoji…',
      act: () => offerEmoji(target.accountId, ({ name }) => snippets.insert(`:${name}: `)),
    },
    { key: 'Alt+S', title: 'Send later…', act: sendLater },
    { key: 'Alt+I', title: 'Insert a saved snippet…', act: snippets.choose },
    { key: 'Alt+P', title: 'Preview the message', act: preview },
  ])
  return {
    send,
    snippets,
    isPreviewed: isPreviewed && draft.text.value.trim() !== '',
    closePreview: () => setPreviewed(false),
    byAlt: { s: sendLater, i: snippets.choose, p: preview },
    menu: [
      {
        label: isPreviewed ? 'Close the preview' : 'Preview the message',
        hint: 'Alt+P',
        act: preview,
      },
      { label: 'Send later…', hint: 'Alt+S', act: sendLater },
      { label: 'Insert a saved snippet…', hint: 'Alt+I', act: snippets.choose },
      { label: 'Save as a snippet…', act: snippets.save },
      { label: 'Drafts & scheduled', act: () => go({ view: 'later' }) },
    ],
  }
}

/** The field for a message, with what can be put into it, and the ways to send it. */
export function Composer(props: Props) {
  const { target, draft, limits, blocked, input } = props
  const { sendKey } = appState.value.settings
  const label = composerLabel(props)
  const attach = useAttach(target, blocked !== null, draft, input)
  const sending = useSending(props, label, attach)
  const ways = useWays(props, sending, attach)
  const { question } = sending
  // Saves when the window is hidden: it may be the last chance to.
  useEffect(() => visible.subscribe((isVisible) => void (!isVisible && draft.flush())), [draft])
  useEffect(() => draft.text.subscribe((next) => appendBehindCaret(input.current, next)), [draft])
  const text = draft.text.value
  const completion = useCompletion(target, text, input, draft.edit)
  const onKeyDown = (key: KeyboardEvent): void => {
    if (completion.onKey(key)) return
    const byAlt: Readonly<Record<string, () => void>> = key.altKey ? ways.byAlt : {}
    const extra = byAlt[keyOf(key).toLowerCase()]
    const isUndo = (key.ctrlKey || key.metaKey) && !key.shiftKey && keyOf(key) === 'z'
    // Held down, it is still meant for what was typed.
    if (isUndo && !key.repeat && draft.text.peek() === '' && props.onUndo()) key.preventDefault()
    if (key.key === 'Escape' && ways.isPreviewed) ways.closePreview()
    else if (extra !== undefined) extra()
    else if (isSendKey(key, sendKey)) void (!key.repeat && ways.send())
    else return
    key.preventDefault()
  }
  return (
    <>
      {question !== null && (
        <Question
          {...question}
          onYes={async () => {
            question.close()
            await ways.send(question.at, true)
          }}
        />
      )}
      {ways.snippets.dialog}
      <form class="composer" {...submits(() => ways.send())}>
        {ways.isPreviewed && (
          <Preview accountId={target.accountId} text={text} context={props.context} />
        )}
        <UploadRows target={target} input={input} draft={draft} />
        {attach.reading !== null && (
          <p class="quiet" role="status">
            Reading {attach.reading}…
          </p>
        )}
        <IconButton
          class="composer-attach"
          icon="add"
          label="Attach files"
          aria-disabled={blocked !== null || attach.isBusy}
          onClick={() => {
            if (blocked === null) void attach.choose()
          }}
        />
        <textarea
          ref={input}
          class="composer-text"
          rows={1}
          value={text}
          aria-label={label}
          aria-describedby="composer-words"
          placeholder={label}
          {...completion.attributes}
          onInput={(typed) => {
            draft.edit(typed.currentTarget.value)
            completion.onTyped(typed.currentTarget)
          }}
          onKeyDown={onKeyDown}
          onPaste={(paste) => {
            if (attach.take(paste.clipboardData)) paste.preventDefault()
          }}
          onBlur={() => {
            completion.close()
            void draft.flush()
          }}
        />
        {completion.list}
        <MenuButton label="More ways to write" items={ways.menu} />
        <SendButton sendKey={sendKey} isOff={!sending.canSend || draft.isSending.value} />
        <div class="composer-foot">
          <span id="composer-words" class="note composer-words" role="status">
            {sending.words}
          </span>
          <OtherDrafts target={target} />
          <Count over={sending.over} limit={limits.messageLength} />
        </div>
      </form>
    </>
  )
}

/** Asks whether to notify that many. */
function Question(props: {
  readonly words: string
  readonly typeOn: (key: KeyboardEvent) => void
  readonly close: () => void
  readonly onYes: () => Promise<void>
}) {
  const { words, typeOn, close, onYes } = props
  return (
    <Dialog title="Notify this many people?" onClose={close}>
      <form {...submits(onYes)}>
        {/* Focused instead of the button: Space or Enter may still be part of the message. */}
        <p tabIndex={-1} onKeyDown={typeOn}>
          {words}
        </p>
        <FormFoot onCancel={close}>
          <Button kind="primary" type="submit" title="Key: Ctrl+Enter">
            Send
          </Button>
        </FormFoot>
      </form>
    </Dialog>
  )
}

function SendButton({ sendKey, isOff }: { sendKey: Settings['sendKey']; isOff: boolean }) {
  const words = sendKey === 'enter' ? '⏎ Send' : 'Ctrl+⏎ Send'
  return (
    <button type="submit" class="composer-send" disabled={isOff} title={words} aria-label="Send">
      {words}
    </button>
  )
}

/** How long the text is, once it gets near the limit. `over`: how much longer than that, or less. */
function Count({ over, limit }: { readonly over: number; readonly limit: number }) {
  const length = limit + over
  if (length < limit * nearLimit) return null
  return (
    <span class={over > 0 ? 'composer-count composer-over' : 'composer-count'}>
      {numberWords(length)} / {numberWords(limit)}
    </span>
  )
}

/**
 * Adds what `next` appends, such as the link of an upload, to a field in which the user is typing.
 * Setting its value would move the caret to the end, out of the word being typed.
 */
function appendBehindCaret(field: HTMLTextAreaElement | null, next: string): void {
  if (field === null || field !== document.activeElement) return
  const { value, selectionEnd } = field
  const { length } = value
  const isBetweenWords = selectionEnd === length && /(?:^|\s)$/.test(value)
  if (isBetweenWords || !next.startsWith(value)) return
  field.setRangeText(next.slice(length), length, length, 'preserve')
}

/** How many more drafts the server has for this conversation, written on other devices. */
function OtherDrafts({ target: { accountId, conversation } }: { readonly target: Place }) {
  const { realms, draftLinks } = appState.value
  const key = conversationKey(conversation)
  const linked = new Set([...draftLinks.values()].map(({ id }) => id))
  const count = (realms.get(accountId)?.later.drafts ?? []).filter(
    (draft) =>
      draft.conversation !== null &&
      conversationKey(draft.conversation) === key &&
      !linked.has(draft.id),
  ).length
  return count === 0 ? null : (
    <LinkButton onClick={() => go({ view: 'later' })}>{counted(count, 'other draft')}</LinkButton>
  )
}

/** How long typing pauses before the preview is updated. */
const previewPauseMs = 400

/** The text as the server renders it, without sending it. */
function Preview(props: {
  readonly accountId: AccountId
  readonly text: string
  readonly context: MessageContext
}) {
  const { accountId, text, context } = props
  const wanted = useRested(text, previewPauseMs)
  const { value, failure } = useRun(
    wanted,
    () => run(accountId, 'renderMessage', { content: sentText(wanted) }),
    ({ rendered }) => rendered,
  )
  return (
    <ScrollRegion class="composer-preview" label="Preview">
      {failure !== null && <p role="status">No preview: {failureSentence(failure)}</p>}
      {value !== null && failure === null && (
        <MessageHtml html={value} text={text} isAction={false} context={context} />
      )}
    </ScrollRegion>
  )
}

function isSendKey(key: KeyboardEvent, sendKey: Settings['sendKey']): boolean {
  if (key.key !== 'Enter') return false
  if (key.ctrlKey || key.metaKey) return true
  return sendKey === 'enter' && !key.shiftKey && !key.altKey
}
