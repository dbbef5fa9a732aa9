import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type AccountId, accountById } from '#shared/core/account.ts'
import { conversationTitle } from '#shared/core/chat/chat-names.ts'
import { type Conversation, conversationKey } from '#shared/core/chat/conversation.ts'
import { draftConversation } from '#shared/core/chat/drafts.ts'
import {
  lackOf,
  type ScheduledMessage,
  type ServerDraft,
  type Snippet,
} from '#shared/core/chat/kept-for-later.ts'
import { allMessages } from '#shared/core/chat/message-list.ts'
import type { Place } from '#shared/core/chat/places.ts'
import type { Realm } from '#shared/core/chat/realm.ts'
import type { Scheduling } from '#shared/core/chat/scheduled.ts'
import {
  type KeptForm,
  keptForms,
  type UnsavedForm,
  unsavedKey,
} from '#shared/core/chat/unsaved-forms.ts'
import { unreadableWords } from '#shared/core/checks/status-counts.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import type { AppState } from '#shared/core/state.ts'
import { clockWords } from '#shared/core/time.ts'
import { Reminders } from '../attention/reminder-list.tsx'
import { call } from '../bridge.ts'
import { beginMessage } from '../palette-shown.ts'
import { SmallButton } from '../parts/button.tsx'
import { Group, Row } from '../parts/later-rows.tsx'
import { keyOf, stepInList, useSingleKeys } from '../parts/page-actions.ts'
import { EmptyPage, PageBar } from '../parts/page-bar.tsx'
import { run } from '../run.ts'
import { toast, toastFailure, toastIfFailed, toastResult, undo } from '../toast.ts'
import { appState, go, now } from '../window-state.ts'
import { chatActions } from './conversation-actions.tsx'
import { unsavedText } from './draft-text.ts'
import { cancel, ScheduledForm, SnippetForm } from './later-forms.tsx'

/** Drafts here and on the server, scheduled messages, reminders and saved snippets. */
export function LaterPage() {
  const state = appState.value
  const page = useRef<HTMLElement>(null)
  useSingleKeys(chatActions)
  useLayoutEffect(() => {
    page.current?.querySelector<HTMLElement>('.search-hit, .later-none button')?.focus()
  }, [])
  const rowsNow = () => [...(page.current?.querySelectorAll<HTMLElement>('.search-hit') ?? [])]
  /** The index of the row that had the focus last. */
  const lastAt = useRef<number | null>(null)
  // When a row disappears, even while its form is open, the row in its place gets the focus.
  const keepFocus = (): void => {
    if (lastAt.current === null || document.activeElement !== document.body) return
    const rows = rowsNow()
    const row = rows[Math.min(lastAt.current, rows.length - 1)]
    ;(row ?? page.current?.querySelector('button'))?.focus({ preventScroll: true })
  }
  const realms = [...state.realms.values()]
  if (realms.length === 0)
    return <EmptyPage title="Drafts & scheduled" why="There is no chat account yet." />
  const onKeyDown = (key: KeyboardEvent): void => {
    if (key.ctrlKey || key.metaKey || key.altKey) return
    const rows = rowsNow()
    const at = rows.findIndex((row) => row.parentElement?.matches(':focus-within'))
    // Keys in the fields of a form do what they usually do.
    if (at === -1) return
    const to = stepInList(keyOf(key), at, rows.length)
    if (key.key === 'Delete')
      rows[at]?.parentElement?.querySelector<HTMLElement>('.tool-button')?.click()
    else if (to === null) return
    else rows[to]?.focus()
    key.preventDefault()
  }
  return (
    <section class="page" aria-label="Drafts & scheduled" ref={page}>
      <PageBar title="Drafts & scheduled" />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: handles keys of the buttons in it. */}
      <div
        class="page-scroll"
        onKeyDown={onKeyDown}
        onFocusIn={({ target }) => {
          const at = rowsNow().findIndex((row) => row.parentElement?.contains(target as Node))
          if (at !== -1) lastAt.current = at
        }}
      >
        {realms.map((realm) => (
          <OfAccount key={realm.accountId} realm={realm} onDrawn={keepFocus} />
        ))}
      </div>
    </section>
  )
}

function OfAccount({ realm, onDrawn }: { readonly realm: Realm; readonly onDrawn: () => void }) {
  const state = appState.value
  const { accountId } = realm
  const [opened, setOpened] = useState<Opened | null>(null)
  const close = () => setOpened(null)
  useLayoutEffect(onDrawn)
  return (
    <>
      {state.realms.size > 1 && (
        <h2 class="chat-group group-label">{accountById(state, accountId)?.label}</h2>
      )}
      <Drafts realm={realm} />
      <ScheduledMessages realm={realm} onOpen={setOpened} />
      <Reminders realm={realm} />
      <Snippets realm={realm} onOpen={setOpened} />
      {opened !== null &&
        ('message' in opened ? (
          <ScheduledForm accountId={accountId} message={opened.message} onClose={close} />
        ) : (
          <SnippetForm accountId={accountId} snippet={opened.snippet} onClose={close} />
        ))}
    </>
  )
}

/** Why a list is not what the server has, or null. */
function noteOf(realm: Realm, list: Parameters<typeof lackOf>[1], one: string): string | null {
  const { length } = realm.later.unreadable[list]
  return lackOf(realm, list) ?? (length > 0 ? `${unreadableWords(length, one)}.` : null)
}

function unsavedNote(accountId: AccountId, form: UnsavedForm): string {
  const isUnsaved = appState.value.drafts.has(unsavedKey(accountId, form))
  return isUnsaved ? 'Changed here, and not saved yet.' : ''
}

function Drafts({ realm }: { readonly realm: Realm }) {
  const state = appState.value
  const { syncsDrafts } = realm.settings
  const sync = () =>
    toastIfFailed(run(realm.accountId, 'updateSettings', { enable_drafts_synchronization: true }))
  return (
    <Group
      title="Drafts"
      note={
        syncsDrafts
          ? noteOf(realm, 'drafts', 'draft')
          : 'Draft sync is turned off in your account, so drafts stay on this computer.'
      }
      empty="Nothing unsent."
      rows={[
        ...draftsOf(state, realm).map((draft) => (
          <DraftRow key={draft.key} draft={draft} realm={realm} />
        )),
        ...leftForms(state, realm).map((left) => (
          <LeftRow key={left.form} left={left} realm={realm} />
        )),
      ]}
    >
      {!syncsDrafts && <SmallButton onClick={sync}>Turn on</SmallButton>}
    </Group>
  )
}

type ListProps = { readonly realm: Realm; readonly onOpen: (opened: Opened) => void }

function ScheduledMessages({ realm, onOpen }: ListProps) {
  const { accountId } = realm
  const scheduling = appState.value.scheduling.filter((entry) => entry.accountId === accountId)
  const scheduled = [...(realm.later.scheduled ?? [])].sort((a, b) => a.at - b.at)
  return (
    <Group
      title="Scheduled"
      note={noteOf(realm, 'scheduled', 'scheduled message')}
      empty="Nothing is scheduled. In a conversation, Alt+S sends later."
      rows={[
        ...scheduling.map((entry) => <UnsureRow key={entry.id} entry={entry} realm={realm} />),
        ...scheduled.map((message) => {
          const title = conversationTitle(realm, message.conversation)
          const at = clockWords(message.at, now.value)
          return (
            <Row
              key={message.id}
              title={title}
              text={message.content}
              side={message.failed ? `could not be sent (${at})` : at}
              note={unsavedNote(accountId, `scheduled/${message.id}`)}
              onOpen={() => onOpen({ message })}
              remove={[
                `Cancel the message to ${title} and turn it back into a draft`,
                () => void cancel(accountId, message),
              ]}
            />
          )
        }),
      ]}
    />
  )
}

function Snippets({ realm, onOpen }: ListProps) {
  const { snippets } = realm.later
  return (
    <Group
      title="Saved snippets"
      note={noteOf(realm, 'snippets', 'snippet')}
      empty="None yet. In a conversation, Alt+I inserts one."
      rows={(snippets ?? []).map((snippet) => (
        <Row
          key={snippet.id}
          title={snippet.title}
          text={snippet.content}
          note={unsavedNote(realm.accountId, `snippet/${snippet.id}`)}
          onOpen={() => onOpen({ snippet })}
        />
      ))}
    >
      {snippets !== null && (
        <SmallButton onClick={() => onOpen({ snippet: { id: null, title: '', content: '' } })}>
          New snippet
        </SmallButton>
      )}
    </Group>
  )
}

type Opened =
  | { readonly message: ScheduledMessage }
  | { readonly snippet: Omit<Snippet, 'id'> & { readonly id: number | null } }

interface DraftShown {
  readonly key: string
  /** Null if it has no recipient yet. */
  readonly conversation: Conversation | null
  readonly text: string
  /** The server's id of a draft that is only there, else null. */
  readonly id: number | null
  readonly note: string
}

/** The drafts typed here, then the server's drafts that aren't linked to them, newest first. */
function draftsOf(state: AppState, realm: Realm): readonly DraftShown[] {
  const { accountId, later } = realm
  const linked = new Set([...state.draftLinks.values()].map(({ id }) => id))
  const refused = new Map(later.refused.map(({ key, failure }) => [key, failure]))
  const local = [...state.drafts].flatMap(([key, text]): DraftShown[] => {
    const conversation =
      state.draftLinks.get(key)?.conversation ?? draftConversation(accountId, key)
    if (conversation === null || !key.startsWith(`${accountId}/`)) return []
    const failure = refused.get(key)
    const note = failure === undefined ? '' : `Only on this computer. ${failureSentence(failure)}`
    return [{ key, conversation, text, id: null, note }]
  })
  const texts = new Map(
    local.map(({ conversation }) => [conversation && conversationKey(conversation), true]),
  )
  const others = (later.drafts ?? []).filter(({ id }) => !linked.has(id))
  return [
    ...local,
    ...others
      .sort((a, b) => b.editedAt - a.editedAt)
      .map(({ id, conversation, content }: ServerDraft) => ({
        key: String(id),
        conversation,
        text: content,
        id,
        note:
          conversation !== null && texts.has(conversationKey(conversation))
            ? 'Also written on another device: opening it puts it below the text here.'
            : '',
      })),
  ]
}

function DraftRow({ draft, realm }: { readonly draft: DraftShown; readonly realm: Realm }) {
  const { accountId } = realm
  const { conversation, text, id, note } = draft
  const open = async (to: Place | null): Promise<void> => {
    // A recipient has to be chosen first.
    if (to === null) return beginMessage(undefined, (chosen) => void open(chosen))
    const there = { view: 'conversation', ...to, messageId: null } as const
    if (to.accountId !== accountId) {
      go(there)
      const words = 'Copied: paste it here. The draft stays with its own account.'
      return toastResult(call.copyText({ text }), words)
    }
    const given = conversation === null ? { to: to.conversation } : {}
    const result = id === null ? null : await call.takeDraft({ accountId, id, ...given })
    if (result?.ok === false) toastFailure(result.failure)
    else go(there)
  }
  const remove = async (): Promise<void> => {
    const place = conversation === null ? null : { accountId, conversation }
    const isLocal = id === null && place !== null
    const result = isLocal
      ? await call.saveDraft({ ...place, text: '' })
      : await run(accountId, 'deleteDraft', { draft_id: id ?? 0 })
    if (!result.ok) return toastFailure(result.failure)
    const back = () =>
      toastIfFailed(
        isLocal
          ? call.saveDraft({ ...place, text, isBack: true })
          : run(accountId, 'createDrafts', { drafts: [wireDraft(conversation, text)] }),
      )
    toast('The draft was deleted.', 'done', undo(back))
  }
  const title = conversation === null ? null : conversationTitle(realm, conversation)
  return (
    <Row
      title={title ?? 'No recipient yet'}
      text={text}
      note={note}
      onOpen={() => void open(conversation && { accountId, conversation })}
      remove={[
        `Delete the draft ${title === null ? 'without a recipient' : `to ${title}`}`,
        () => void remove(),
      ]}
    />
  )
}

/** Unsaved edits that no row above leads to: of messages, and of anything that is gone. */
function leftForms(state: AppState, { accountId, later }: Realm): readonly KeptForm[] {
  return keptForms(state, accountId).filter(({ of, id, kept }) => {
    if (unsavedText(kept) === '') return false
    if (of === 'message') return true
    const list = of === 'scheduled' ? later.scheduled : later.snippets
    return list?.every((one) => one.id !== id)
  })
}

const leftWords = {
  message: ['Edit to a message', 'The message is not loaded, or gone.'],
  scheduled: ['Change to a scheduled message', 'The message was sent or cancelled.'],
  snippet: ['Change to a saved snippet', 'The snippet was deleted.'],
} as const

function LeftRow({ left, realm }: { readonly left: KeptForm; readonly realm: Realm }) {
  const { accountId } = realm
  const { form, of, id, kept } = left
  const text = unsavedText(kept)
  const message = of === 'message' && allMessages(realm.messages).find((one) => one.id === id)
  const [what, why] = leftWords[of]
  const { scheduled, snippets } = realm.later.unreadable
  const unread: readonly (number | null)[] = { message: [], scheduled, snippet: snippets }[of]
  const isUnread = unread.includes(id) || unread.includes(null)
  const place = message && { accountId, conversation: message.conversation }
  const title = place ? `${what} in ${conversationTitle(realm, place.conversation)}` : what
  const putInto = async (chosen: Place): Promise<void> => {
    const to = { accountId: chosen.accountId, conversation: chosen.conversation }
    const put = await call.saveDraft({ ...to, text, isBack: true })
    if (!put.ok) return toastFailure(put.failure)
    go({ view: 'conversation', ...to, messageId: null })
    toastIfFailed(call.saveForm({ accountId, form, text: '' }))
  }
  const remove = async (): Promise<void> => {
    const result = await call.saveForm({ accountId, form, text: '' })
    if (!result.ok) return toastFailure(result.failure)
    const back = () => toastIfFailed(call.saveForm({ accountId, form, text: kept }))
    toast('The text was deleted.', 'done', undo(back))
  }
  return (
    <Row
      title={title}
      text={text}
      note={
        place
          ? 'Not saved yet: open the message and edit it to go on.'
          : `${isUnread ? 'It could not be read, and may still be there.' : why} Choose a conversation to put this text there.`
      }
      onOpen={() =>
        place
          ? go({ view: 'conversation', ...place, messageId: id })
          : beginMessage(undefined, (to) => void putInto(to))
      }
      remove={[`Delete the text: ${title}`, () => void remove()]}
    />
  )
}

function wireDraft(conversation: Conversation | null, content: string) {
  if (conversation === null) return { type: '' as const, to: [], topic: '', content }
  return conversation.kind === 'topic'
    ? { type: 'stream' as const, to: [conversation.channelId], topic: conversation.topic, content }
    : { type: 'private' as const, to: [...conversation.userIds], topic: '', content }
}

/** A message whose scheduling is uncertain: the response was lost, and no list has shown it yet. */
function UnsureRow({ entry, realm }: { readonly entry: Scheduling; readonly realm: Realm }) {
  const { id, accountId, conversation, at } = entry
  const place = { accountId, conversation }
  const title = conversationTitle(realm, conversation)
  return (
    <Row
      title={title}
      text={entry.text}
      side={clockWords(at, now.value)}
      note={
        at <= now.value
          ? 'It may have been sent: look at the conversation before you send it again.'
          : 'It may have been scheduled: the response was lost. Belfry checks the server’s list and never sends it twice.'
      }
      onOpen={() => go({ view: 'conversation', ...place, messageId: null })}
      remove={[
        `Dismiss the message to ${title}`,
        () => toastIfFailed(call.forgetScheduling({ id })),
      ]}
    />
  )
}
