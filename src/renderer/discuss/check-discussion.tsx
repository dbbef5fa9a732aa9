import './discuss.css'
import { useState } from 'preact/hooks'
import type { MonitoringAccount } from '#shared/core/account.ts'
import { conversationKey } from '#shared/core/chat/conversation.ts'
import type { Message } from '#shared/core/chat/message.ts'
import { allMessages, noMessages } from '#shared/core/chat/message-list.ts'
import { hasCause } from '#shared/core/checks/cause.ts'
import { type Check, checkName } from '#shared/core/checks/check.ts'
import type { Outage } from '#shared/core/checks/past.ts'
import {
  type DiscussPlace,
  type DiscussRule,
  discussedAt,
  placeFor,
  ruleFor,
  suggestedPlaces,
} from '#shared/core/outages/discuss.ts'
import { earlierReport, incidentOf } from '#shared/core/outages/incident.ts'
import { clockWords, durationWords } from '#shared/core/time.ts'
import { firstOf } from '#shared/core/wording.ts'
import { discussActions } from '../board/row-keys.ts'
import { call } from '../bridge.ts'
import { useConversation } from '../chat/conversation-frame.tsx'
import { Button, LinkButton } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { FormFoot } from '../parts/field.tsx'
import { useForm } from '../parts/form.ts'
import { useSingleKeys } from '../parts/page-actions.ts'
import { Timestamp } from '../parts/time-ago.tsx'
import { run, useAsk } from '../run.ts'
import { toast, toastFailure } from '../toast.ts'
import { appState, go, now } from '../window-state.ts'
import { UpdateOffer } from './conversation-checks.tsx'
import {
  type PickedPlace,
  PlacePicker,
  pickedOf,
  placePicked,
  placeWords,
  ruleOf,
} from './place-picker.tsx'

interface Props {
  readonly account: MonitoringAccount
  readonly check: Check
}

interface Past {
  /** Newest first. */
  readonly outages: readonly Outage[]
}

/** What people say about the check, and the ways to join in. */
export function CheckDiscussion({ account, check, outages }: Props & Past) {
  const [linking, setLinking] = useState(false)
  const state = appState.value
  const hasChat = state.accounts.some(({ kind }) => kind === 'chat')
  const place = discussedAt(state, account.id, check)
  useSingleKeys(discussActions(account.id, check))
  return (
    <section class="discussion" aria-label="Linked chat">
      <header class="section-head">
        <h2>Linked chat</h2>
        {hasChat && (
          <LinkButton onClick={() => setLinking(true)}>
            {place === null ? 'Link a chat…' : 'Change link…'}
          </LinkButton>
        )}
      </header>
      <UpdateOffer accountId={account.id} check={check} />
      <TwinNote account={account} check={check} />
      <LastTime {...{ check, outages, place }} />
      {place !== null && <LastMessages place={place} />}
      {linking && <LinkDialog account={account} check={check} onClose={() => setLinking(false)} />}
    </section>
  )
}

/** Two people reported at once: the later report is redundant. */
function TwinNote({ account, check }: Props) {
  const [busy, ask] = useAsk()
  const incident = incidentOf(appState.value, account.id, check.id)
  const twin = incident === null ? null : earlierReport(appState.value, incident, 'down')
  if (incident === null || twin === null) return null
  const remove = async () => {
    const { chatId, conversation, messageId } = incident
    if (messageId === null) return
    const result = await run(chatId, 'deleteMessage', { message_id: messageId })
    if (!result.ok) return toastFailure(result.failure)
    const place = { accountId: chatId, conversation }
    const ids = { accountId: account.id, checkId: check.id }
    await call.joinReport({ ...ids, place, messageId: twin.id })
    toast('Your message was deleted.')
  }
  return (
    <p class="note" role="status">
      {twin.senderName} shared it just before you.{' '}
      <LinkButton aria-disabled={busy} onClick={() => void ask(remove)}>
        Delete your message
      </LinkButton>
    </p>
  )
}

interface LastTimeProps extends Past {
  readonly check: Check
  readonly place: DiscussPlace | null
}

/** When the check was last down, who was on it, and what they wrote. */
function LastTime({ check, outages, place }: LastTimeProps) {
  const last = hasCause(check) ? outages.find(({ isOver }) => isOver) : undefined
  if (last === undefined) return null
  const { from, to, kind, by } = last
  const messages =
    place === null
      ? []
      : messagesIn(place, ({ sentAt }) => sentAt >= from && sentAt <= to + afterwardsMs)
  const names = [...new Set([...by, ...messages.map(({ name }) => name)])]
  return (
    <div class="linked">
      <p class="note">
        Last {kind === 'down' ? 'outage' : 'possible outage'}: {clockWords(from, now.value)}, for{' '}
        {durationWords(to - from)}
        {names.length > 0 && `; ${firstOf(names, 3)} ${names.length === 1 ? 'was' : 'were'} on it`}.
      </p>
      {place !== null && <Messages place={place} messages={messages.slice(-lastShown)} />}
    </div>
  )
}

/** Messages written this soon after an outage are taken to be about it. */
const afterwardsMs = 60 * 60_000

function messagesIn(
  { accountId, conversation }: DiscussPlace,
  fits: (message: Message) => boolean,
) {
  const realm = appState.value.realms.get(accountId)
  const key = conversationKey(conversation)
  return [...allMessages(realm?.messages ?? noMessages)]
    .filter((message) => message.key === key && fits(message))
    .map((message) => ({ ...message, name: message.isMe ? 'you' : message.senderName }))
    .filter(
      ({ senderId }) =>
        realm?.users.get(senderId)?.isBot !== true && realm?.mutedUsers.includes(senderId) !== true,
    )
    .sort((one, other) => one.id - other.id)
}

const lastShown = 4

/** The newest messages of the linked conversation, read once when the check is opened. */
function LastMessages({ place }: { readonly place: DiscussPlace }) {
  const { info, messages } = useConversation(place)
  return (
    <div class="linked">
      <LinkButton
        class="one-line linked-title"
        dir="auto"
        onClick={() => go({ view: 'conversation', ...place, messageId: null })}
      >
        {placeWords(appState.value, place)}
      </LinkButton>
      {messages.length === 0 && info?.lastMessageId == null && (
        <p class="note">
          {info?.history === 'loading' ? 'Loading messages…' : 'No messages there yet.'}
        </p>
      )}
      <Messages place={place} messages={messages.slice(-lastShown)} />
    </div>
  )
}

function Messages({ place, messages }: { place: DiscussPlace; messages: readonly Message[] }) {
  return (
    <ul>
      {messages.map((message) => (
        <li key={message.id}>
          <button
            type="button"
            class="linked-message"
            onClick={() => go({ view: 'conversation', ...place, messageId: message.id })}
          >
            <span class="one-line linked-who" dir="auto">
              {message.isMe ? 'You' : message.senderName}
            </span>
            <Timestamp class="note" at={message.sentAt}>
              {clockWords(message.sentAt, now.value)}
            </Timestamp>
            <span class="linked-text" dir="auto">
              {message.text}
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}

const toChoose = 'Choose a channel and a topic'

/** Links one check to a topic. Rules for many checks are in the settings. */
function LinkDialog({ account, check, onClose }: Props & { readonly onClose: () => void }) {
  const state = appState.value
  const isOwn = ruleFor(state, account.id, check)?.checkId === check.id
  const others = state.settings.discuss.filter(
    (rule) => rule.checkId !== check.id || rule.accountId !== account.id,
  )
  const keep = async (discuss: readonly DiscussRule[], words: string) => {
    const result = await call.updateSettings({ discuss })
    return result.ok ? ({ ok: true, value: words } as const) : result
  }
  const done = (words: string, isHere: () => boolean): undefined => {
    if (isHere()) onClose()
    toast(words)
  }
  const form = useForm({
    title: 'Linked chat',
    start: pickedOf(placeFor(state, account.id, check), checkName(check)),
    check: (picked) => (placePicked(picked) === null ? { form: `${toChoose}.` } : {}),
    send(picked) {
      const [place, which] = [placePicked(picked), { accountId: account.id, tag: null }]
      const rule = ruleOf(picked, { ...which, checkId: check.id })
      const to = place === null ? '' : placeWords(state, place)
      return keep(rule === null ? others : [rule, ...others], `Linked to ${to}.`)
    },
    done,
  })
  const place = placePicked(form.draft)
  return (
    <Dialog title="Linked chat" onClose={onClose}>
      <form class="stack discuss-form" {...form.attributes}>
        <Suggestions check={check} onPick={form.onChange} />
        <PlacePicker value={form.draft} onChange={form.onChange} />
        <FormFoot error={form.errors.form} onCancel={onClose}>
          {isOwn && (
            <Button
              busy={form.busy}
              onClick={() => void form.ask({ send: () => keep(others, 'Link removed.'), done })}
            >
              Remove link
            </Button>
          )}
          <Button
            kind="primary"
            type="submit"
            busy={form.busy}
            disabled={place === null}
            title={place === null ? toChoose : undefined}
          >
            Link
          </Button>
        </FormFoot>
      </form>
    </Dialog>
  )
}

function Suggestions(props: { check: Check; onPick: (picked: PickedPlace) => void }) {
  const { check, onPick } = props
  const suggested = suggestedPlaces(appState.value, check).slice(0, 4)
  if (suggested.length === 0) return null
  return (
    <ul class="suggestions" aria-label="Suggested conversations">
      {suggested.map((place) => (
        <li key={placeWords(appState.value, place)}>
          <LinkButton onClick={() => onPick(pickedOf(place))}>
            {placeWords(appState.value, place)}
          </LinkButton>{' '}
          <span class="raw">{place.why === 'bot' ? 'the bot’s topic' : 'same name'}</span>
        </li>
      ))}
    </ul>
  )
}
