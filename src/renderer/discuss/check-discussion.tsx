import { useEffect, useMemo, useState } from 'preact/hooks'
import type { MonitoringAccount } from '#shared/core/account.ts'
import { conversationKey } from '#shared/core/chat/conversation.ts'
import type { Message } from '#shared/core/chat/message.ts'
import { allMessages, type MessageList, noMessages } from '#shared/core/chat/message-list.ts'
import type { Check } from '#shared/core/checks/check.ts'
import { clockWords } from '#shared/core/clock-words.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import { type DiscussPlace, discussedAt } from '#shared/core/outages/discuss.ts'
import { earlierReport, incidentOf } from '#shared/core/outages/incident.ts'
import { call } from '../bridge.ts'
import { Button } from '../parts/button.tsx'
import { useSingleKeys } from '../parts/single-keys.ts'
import { run } from '../run.ts'
import { say } from '../toast.ts'
import { appState, go, now } from '../window-state.ts'
import { discussActs } from './discuss-actions.ts'
import { LinkDialog } from './link-dialog.tsx'
import { placeWords } from './place-words.ts'
import { UpdateOffer } from './update-offer.tsx'
import './discuss.css'

interface Props {
  readonly account: MonitoringAccount
  readonly check: Check
}

/** What people say about the check, and the ways to say something. */
export function CheckDiscussion({ account, check }: Props) {
  const [linking, setLinking] = useState(false)
  const state = appState.value
  const hasChat = state.accounts.some(({ kind }) => kind === 'chat')
  const place = discussedAt(state, account.id, check)
  useSingleKeys(discussActs(account.id, check))
  const here = { accountId: account.id, checkId: check.id }
  return (
    <section class="discussion" aria-label="Discussion">
      <header class="section-head">
        <h3>Discussion</h3>
      </header>
      <div class="button-row">
        <Button title="Key: d" onClick={() => go({ view: 'discuss', ...here })}>
          Discuss
        </Button>
        <Button title="Key: t" onClick={() => go({ view: 'timeline', ...here })}>
          Timeline
        </Button>
        {hasChat && (
          <Button kind="quiet" onClick={() => setLinking(true)}>
            {place === null ? 'Link to a conversation…' : 'Change link…'}
          </Button>
        )}
      </div>
      <UpdateOffer accountId={account.id} check={check} />
      <TwinNote account={account} check={check} />
      {place !== null && <LastMessages place={place} />}
      {linking && <LinkDialog account={account} check={check} onClose={() => setLinking(false)} />}
    </section>
  )
}

/** Two people pressed at once: the later report is one too many. */
function TwinNote({ account, check }: Props) {
  const incident = incidentOf(appState.value, account.id, check.id)
  const twin = incident === null ? null : earlierReport(appState.value, incident, 'down')
  if (incident === null || twin === null) return null
  const remove = async () => {
    const { chatId, conversation, messageId } = incident
    if (messageId === null) return
    const result = await run(chatId, 'deleteMessage', { message_id: messageId })
    if (!result.ok) return say(failureSentence(result.failure), 'failed')
    const place = { accountId: chatId, conversation }
    await call.joinReport({ ...ids(account, check), place, messageId: twin.id })
    say('Your report is deleted.')
  }
  return (
    <p class="note twin-note" role="status">
      {twin.senderName} reported it just before you.{' '}
      <button type="button" class="link" onClick={() => void remove()}>
        Delete your report
      </button>
    </p>
  )
}

function ids(account: MonitoringAccount, check: Check) {
  return { accountId: account.id, checkId: check.id }
}

const lastShown = 4

/** The newest messages of the linked conversation, read once when the check is opened. */
function LastMessages({ place }: { readonly place: DiscussPlace }) {
  const { accountId, conversation } = place
  const state = appState.value
  const realm = state.realms.get(accountId)
  const key = conversationKey(conversation)
  const info = realm?.conversations.get(key)
  const wanted = realm?.phase === 'live' && info?.history !== 'recent'
  useEffect(() => {
    if (wanted) void call.loadConversation({ ...place, older: false })
  }, [accountId, key, realm?.phase])
  const messages = useMemo(() => lastOf(realm?.messages, key), [realm?.messages, key])
  return (
    <div class="linked">
      <button
        type="button"
        class="link linked-title"
        dir="auto"
        onClick={() => go({ view: 'conversation', ...place, messageId: null })}
      >
        {placeWords(state, place)}
      </button>
      {messages.length === 0 && (
        <p class="note">
          {info?.history === 'loading' ? 'Reading the messages' : 'Nothing is written there yet.'}
        </p>
      )}
      <ul>
        {messages.map((message) => (
          <li key={message.id}>
            <button
              type="button"
              class="linked-message"
              onClick={() => go({ view: 'conversation', ...place, messageId: message.id })}
            >
              <span class="linked-who" dir="auto">
                {message.senderId === realm?.me?.id ? 'You' : message.senderName}
              </span>
              <time dateTime={new Date(message.sentAt).toISOString()}>
                {clockWords(message.sentAt, now.value)}
              </time>
              <span class="linked-text" dir="auto">
                {message.text}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}

function lastOf(messages: MessageList | undefined, key: string): readonly Message[] {
  return allMessages(messages ?? noMessages)
    .filter((message) => message.key === key)
    .sort((one, other) => one.id - other.id)
    .slice(-lastShown)
}
