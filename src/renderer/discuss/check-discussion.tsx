import './discuss.css'
import { useState } from 'preact/hooks'
import type { MonitoringAccount } from '#shared/core/account.ts'
import { type Check, checkName } from '#shared/core/checks/check.ts'
import {
  type DiscussPlace,
  type DiscussRule,
  discussedAt,
  placeFor,
  ruleFor,
  suggestedPlaces,
} from '#shared/core/outages/discuss.ts'
import { earlierReport, incidentOf } from '#shared/core/outages/incident.ts'
import { clockWords } from '#shared/core/time.ts'
import { call } from '../bridge.ts'
import { useConversation } from '../chat/conversation-pane.tsx'
import { Button, LinkButton } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { submits } from '../parts/field.tsx'
import { useSingleKeys } from '../parts/page-actions.ts'
import { Timestamp } from '../parts/time-ago.tsx'
import { run } from '../run.ts'
import { toast, toastFailure } from '../toast.ts'
import { appState, go, now } from '../window-state.ts'
import { UpdateOffer } from './conversation-checks.tsx'
import { discussActions } from './discuss-actions.ts'
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

/** What people say about the check, and the ways to join in. */
export function CheckDiscussion({ account, check }: Props) {
  const [linking, setLinking] = useState(false)
  const state = appState.value
  const hasChat = state.accounts.some(({ kind }) => kind === 'chat')
  const place = discussedAt(state, account.id, check)
  useSingleKeys(discussActions(account.id, check))
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

/** Two people reported at once: the later report is redundant. */
function TwinNote({ account, check }: Props) {
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
    toast('Your report was deleted.')
  }
  return (
    <p class="note twin-note" role="status">
      {twin.senderName} reported it just before you.{' '}
      <LinkButton onClick={() => void remove()}>Delete your report</LinkButton>
    </p>
  )
}

const lastShown = 4

/** The newest messages of the linked conversation, read once when the check is opened. */
function LastMessages({ place }: { readonly place: DiscussPlace }) {
  const { realm, info, messages } = useConversation(place)
  return (
    <div class="linked">
      <LinkButton
        class="linked-title"
        dir="auto"
        onClick={() => go({ view: 'conversation', ...place, messageId: null })}
      >
        {placeWords(appState.value, place)}
      </LinkButton>
      {messages.length === 0 && (
        <p class="note">
          {info?.history === 'loading' ? 'Loading messages…' : 'No messages there yet.'}
        </p>
      )}
      <ul>
        {messages.slice(-lastShown).map((message) => (
          <li key={message.id}>
            <button
              type="button"
              class="linked-message"
              onClick={() => go({ view: 'conversation', ...place, messageId: message.id })}
            >
              <span class="linked-who" dir="auto">
                {message.senderId === realm?.me?.id ? 'You' : message.senderName}
              </span>
              <Timestamp at={message.sentAt}>{clockWords(message.sentAt, now.value)}</Timestamp>
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

/** Links one check to a topic. Rules for many checks are in the settings. */
function LinkDialog({ account, check, onClose }: Props & { readonly onClose: () => void }) {
  const state = appState.value
  const [picked, setPicked] = useState(() =>
    pickedOf(placeFor(state, account.id, check), checkName(check)),
  )
  const isOwn = ruleFor(state, account.id, check)?.checkId === check.id
  const place = placePicked(picked)
  const others = state.settings.discuss.filter(
    (rule) => rule.checkId !== check.id || rule.accountId !== account.id,
  )
  const keep = async (discuss: readonly DiscussRule[], done: string) => {
    const result = await call.updateSettings({ discuss })
    if (!result.ok) return toastFailure(result.failure)
    toast(done)
    onClose()
  }
  const link = () => {
    const rule = ruleOf(picked, { accountId: account.id, tag: null, checkId: check.id })
    if (rule === null || place === null) return
    void keep([rule, ...others], `Linked to ${placeWords(state, place)}.`)
  }
  return (
    <Dialog title="Link to a conversation" onClose={onClose}>
      <form class="discuss-form" onSubmit={submits(link)}>
        <Suggestions check={check} onPick={setPicked} />
        <PlacePicker value={picked} onChange={setPicked} />
        <div class="button-row">
          <Button
            kind="primary"
            type="submit"
            disabled={place === null}
            title={place === null ? 'Choose a channel and a topic' : undefined}
          >
            Link
          </Button>
          {isOwn && <Button onClick={() => void keep(others, 'Link removed.')}>Remove link</Button>}
        </div>
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
