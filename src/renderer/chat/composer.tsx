import { useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { AccountId } from '#shared/core/account.ts'
import { conversationKey } from '#shared/core/chat/conversation.ts'
import { lackOf } from '#shared/core/chat/kept-for-later.ts'
import type { Place } from '#shared/core/chat/places.ts'
import {
  isWide,
  manyRefusal,
  reachWords,
  type WideMention,
  wideMentions,
} from '#shared/core/chat/writing-rules.ts'
import type { Failure } from '#shared/core/failure.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import type { Settings } from '#shared/core/settings.ts'
import {
  type ChatLimits,
  codePointLength,
  fitsMessage,
  sentText,
} from '#shared/core/text-length.ts'
import { clockWords } from '#shared/core/time.ts'
import { counted, numberWords } from '#shared/core/wording.ts'
import { call } from '../bridge.ts'
import { Button, IconButton, LinkButton } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { FormFoot } from '../parts/field.tsx'
import { submits } from '../parts/form.ts'
import { MenuButton } from '../parts/menu-button.tsx'
import { keyOf, usePageActions } from '../parts/page-actions.ts'
import { ScrollRegion } from '../parts/page-bar.tsx'
import { askWhen } from '../parts/when-dialog.tsx'
import { failedWords, run, useAnswer, useRested, useRun } from '../run.ts'
import { toast, undo } from '../toast.ts'
import { appState, go, visible } from '../window-state.ts'
import { UploadRows, useAttach } from './attachments.tsx'
import { useCompletion } from './completion-list.tsx'
import type { DraftText } from './draft-text.ts'
import { cancel, useSnippets } from './later-forms.tsx'
import { offerEmoji } from './message-actions.tsx'
import type { MessageContext } from './message-context.ts'
import { MessageHtml } from './message-html.tsx'

/** The character count appears from this fraction of the limit on. */
const nearLimit = 0.9

interface Props {
  readonly target: Place
  readonly title: string
  readonly draft: DraftText
  readonly limits: ChatLimits
  /** Whether there are messages; null as long as that is unknown. */
  readonly isBegun: boolean | null
  /** Why nothing can be sent now, in words; null when it can. */
  readonly blocked: string | null
  /** For drawing the preview. */
  readonly context: MessageContext
  readonly input: RefObject<HTMLTextAreaElement | null>
  /** Takes back a message whose sending can still be undone; returns false if there is none. */
  readonly onUndo: () => boolean
}

const uploadWords = 'A file is still on its way. Wait for it, or cancel it, then send.'

/** Keeps the text until main has the message on disk, and what was typed meanwhile after that. */
export function Composer(props: Props) {
  const { target, title, draft, limits, blocked, input } = props
  const { sendKey } = appState.value.settings
  const { conversation } = target
  const isNote =
    conversation.kind === 'direct' &&
    conversation.userIds.every((userId) => userId === props.context.myId)
  const deed = { true: 'Reply to', false: 'Start', null: 'Write in' } as const
  const verb = deed[`${conversation.kind === 'direct' || props.isBegun}`]
  const label = isNote ? 'Write a note to yourself' : `${verb} ${title}`
  const [problem, setProblem] = useState('')
  const { isHere, report } = useAnswer(label, setProblem)
  const [isPreviewed, setPreviewed] = useState(false)
  /** Set while asking whether to notify that many; `at`: when to send (epoch ms), null for now. */
  const [asks, setAsks] = useState<{ readonly at: number | null } | null>(null)
  // Saves when the window is hidden: it may be the last chance to.
  useEffect(() => visible.subscribe((isVisible) => void (!isVisible && draft.flush())), [draft])
  useEffect(() => draft.text.subscribe((next) => appendBehindCaret(input.current, next)), [draft])

  const text = draft.text.value
  const length = codePointLength(sentText(text))
  const over = length - limits.messageLength
  const limitWords = over > 0 ? tooLong(over, limits) : null
  const reach = useReach(target, text)
  const reason = blocked ?? limitWords ?? reach.refusal()
  const canSend = reason === null && fitsMessage(text, limits)

  const notSent = () => `Not sent yet. ${reach.refusal() ?? reach.words}`
  /** `at`: the time to schedule the message for (epoch ms); null sends it now. */
  const send = async (at: number | null = null, isAsked = false): Promise<void> => {
    // The disabled button isn't enough: Enter can come twice before the next render.
    if (draft.isSending.peek() || !canSend) return
    // The file's link would come too late and end up in the next message.
    if (attach.isUnderWay()) return setProblem(uploadWords)
    const message = { ...target, text: draft.hold() }
    await reach.known()
    if (reach.refusal() !== null || (!isAsked && reach.wide().length > 0)) {
      setAsks(reach.refusal() === null ? { at } : null)
      draft.release(false)
      if (!isHere()) report(notSent())
      return
    }
    const result =
      at === null
        ? await call.sendMessage(message)
        : await call
            .scheduleMessage({ ...message, at })
            .then((result) => scheduledWords(result, message))
    draft.release(result.ok)
    if (!result.ok) return report(refusedWords(result.failure, at !== null))
    setProblem('')
    setPreviewed(false)
    input.current?.focus()
  }
  const closeQuestion = () => setAsks(null)
  /** Typing goes on in the message: the field gets the focus back before this key is inserted. */
  const typeOn = (key: KeyboardEvent): void => {
    if (key.key.length !== 1 || key.ctrlKey || key.metaKey || key.altKey) return
    closeQuestion()
    setProblem(notSent())
    queueMicrotask(() => input.current?.focus())
  }
  const sendLater = (): void => {
    const realm = appState.peek().realms.get(target.accountId)
    const lack = realm === undefined ? null : lackOf(realm, 'scheduled')
    const why = lack ?? (canSend ? '' : (reason ?? 'There is nothing to send yet.'))
    setProblem(why)
    if (why !== '') return
    askWhen({
      title: 'Send later',
      note: 'The server sends it, even if this computer is off.',
      use: 'at',
      onChoose: (at) => void send(at),
    })
  }
  const snippets = useSnippets(target, draft, input, setProblem)
  const attach = useAttach(target, blocked !== null, draft, input)
  const completion = useCompletion(target, text, input, draft.edit)
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
  const onKeyDown = (key: KeyboardEvent): void => {
    if (completion.onKey(key)) return
    if (key.key === 'Escape' && isPreviewed && text.trim() !== '') {
      setPreviewed(false)
      key.preventDefault()
      return
    }
    const extra = key.altKey
      ? { s: sendLater, i: snippets.choose, p: preview }[keyOf(key).toLowerCase()]
      : undefined
    if (extra !== undefined) {
      key.preventDefault()
      extra()
      return
    }
    const isUndo = (key.ctrlKey || key.metaKey) && !key.shiftKey && keyOf(key) === 'z'
    // Held down, it is still meant for what was typed.
    if (isUndo && !key.repeat && draft.text.peek() === '' && props.onUndo()) key.preventDefault()
    if (!isSendKey(key, sendKey)) return
    key.preventDefault()
    if (!key.repeat) void send()
  }
  const saveFailure = draft.failure.value
  const isOver = problem === uploadWords && !attach.isUnderWay()
  const words =
    (isOver ? '' : problem) ||
    reason ||
    (saveFailure === null ? reach.words : failureSentence(saveFailure))
  const keyHint = sendKey === 'enter' ? '⏎ Send' : 'Ctrl+⏎ Send'
  return (
    <>
      {asks !== null && (
        <Dialog title="Notify this many people?" onClose={closeQuestion}>
          <form
            {...submits(async () => {
              closeQuestion()
              await send(asks.at, true)
            })}
          >
            {/* Focused instead of the button: Space or Enter may still be part of the message. */}
            <p tabIndex={-1} onKeyDown={typeOn}>
              {reach.words}
            </p>
            <FormFoot onCancel={closeQuestion}>
              <Button kind="primary" type="submit" title="Key: Ctrl+Enter">
                Send
              </Button>
            </FormFoot>
          </form>
        </Dialog>
      )}
      {snippets.dialog}
      <form class="composer" {...submits(() => send())}>
        {isPreviewed && text.trim() !== '' && (
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
        <MenuButton
          label="More ways to write"
          items={[
            {
              label: isPreviewed ? 'Close the preview' : 'Preview the message',
              hint: 'Alt+P',
              act: preview,
            },
            { label: 'Send later…', hint: 'Alt+S', act: sendLater },
            { label: 'Insert a saved snippet…', hint: 'Alt+I', act: snippets.choose },
            { label: 'Save as a snippet…', act: snippets.save },
            { label: 'Drafts & scheduled', act: () => go({ view: 'later' }) },
          ]}
        />
        <button
          type="submit"
          class="composer-send"
          disabled={!canSend || draft.isSending.value}
          title={keyHint}
          aria-label="Send"
        >
          {keyHint}
        </button>
        <div class="composer-foot">
          <span id="composer-words" class="note composer-words" role="status">
            {words}
          </span>
          <OtherDrafts target={target} />
          {length >= limits.messageLength * nearLimit && (
            <span class={over > 0 ? 'composer-count composer-over' : 'composer-count'}>
              {numberWords(length)} / {numberWords(limits.messageLength)}
            </span>
          )}
        </div>
      </form>
    </>
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

type Scheduled = Awaited<ReturnType<typeof call.scheduleMessage>>

function scheduledWords(
  result: Scheduled,
  { accountId, text }: Place & { text: string },
): Scheduled {
  if (!result.ok) return result
  const { id, at } = result.value
  const words = `Scheduled for ${clockWords(at, Date.now())}.`
  toast(
    words,
    'done',
    undo(() => void cancel(accountId, { id, content: text })),
  )
  return result
}

function refusedWords(failure: Failure, isScheduled: boolean): string {
  if (!isScheduled) return failureSentence(failure)
  return failedWords(
    failure,
    'It may have been scheduled: Belfry checks the server’s list and never schedules it twice.',
    'Nothing was scheduled.',
  )
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

/** How many people the wide mentions in a text, such as @all, notify, and whether they may. */
function useReach({ accountId, conversation }: Place, text: string) {
  const realm = appState.value.realms.get(accountId)
  const subscribers = useSignal<number | null>(null)
  const asked = useRef<Promise<void> | null>(null)
  const channelId = conversation.kind === 'topic' ? conversation.channelId : null
  const mentions = realm === undefined ? [] : wideMentions(realm, conversation, text)
  const isOfChannel = mentions.some(({ of }) => of === 'channel')
  const ask = (): Promise<void> => {
    if (!isOfChannel || channelId === null) return Promise.resolve()
    asked.current ??= run(accountId, 'listSubscribers', { stream_id: channelId }).then((result) => {
      // On failure the number stays unknown, and the user is asked before sending.
      if (result.ok) subscribers.value = result.value.subscribers.length
    })
    return asked.current
  }
  useEffect(() => void ask(), [isOfChannel])
  const counted = (): readonly WideMention[] =>
    mentions.map((one) => (one.of === 'channel' ? { ...one, people: subscribers.peek() } : one))
  void subscribers.value
  return {
    words:
      realm === undefined || conversation.kind === 'direct'
        ? ''
        : counted()
            .map((one) => reachWords(realm, conversation, one))
            .join(' '),
    /** Resolves once the number of people is known or its request has failed. */
    known: ask,
    wide: () => counted().filter(isWide),
    refusal: (): string | null =>
      realm === undefined
        ? null
        : (counted()
            .map((one) => manyRefusal(realm, one))
            .find((words) => words !== null) ?? null),
  }
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

function tooLong(over: number, limits: ChatLimits): string {
  return `${numberWords(over)} over the limit: this server allows ${numberWords(limits.messageLength)} characters.`
}
