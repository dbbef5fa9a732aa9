import { signal } from '@preact/signals'
import { readStatus } from '#shared/api/chat/read-later.ts'
import type { AccountId } from '#shared/core/account.ts'
import { userName } from '#shared/core/chat/chat-names.ts'
import { conversationKey } from '#shared/core/chat/conversation.ts'
import { noStatus } from '#shared/core/chat/own-status.ts'
import type { Place } from '#shared/core/chat/places.ts'
import type { Realm } from '#shared/core/chat/realm.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import { relativeWords } from '#shared/core/time.ts'
import { isKnownZone } from '#shared/core/wall-clock.ts'
import { dateWords, listWords } from '#shared/core/wording.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { submits } from '../parts/form.ts'
import { run, useRun } from '../run.ts'
import { appState, go, now, visible } from '../window-state.ts'
import { askForStatus, ownStatusWords, statusWords } from './asked-status.ts'
import { personMute } from './conversation-actions.tsx'

/** How often clients report presence (API, `server_presence_ping_interval_seconds`). */
const presenceEveryMs = 60_000
/** A user silent for longer is away (API, `server_presence_offline_threshold_seconds`). */
const awayAfterMs = 200_000
/**
 * How long somebody counts as typing, as not every stop is sent
 * (API, `server_typing_started_expiry_period_milliseconds`).
 */
const typingForMs = 45_000

interface Person {
  readonly accountId: AccountId
  readonly userId: number
}

/** "active now", "idle" or "last here 2 h ago"; '' if the service doesn't know. */
function usePresence({ accountId, userId }: Person, isOn: boolean): string {
  const turn = Math.floor(now.value / presenceEveryMs)
  const { value, failure } = useRun(
    isOn && visible.value ? `${accountId}/${userId}/${turn}` : null,
    () => run(accountId, 'getUserPresence', { user_id: userId }),
    ({ presence }) => presence.aggregated ?? null,
  )
  if (value === null || failure !== null) return ''
  const at = value.timestamp * 1_000
  if (now.value - at > awayAfterMs) return `last here ${relativeWords(at, now.value)}`
  return value.status === 'active' ? 'active now' : 'idle'
}

/** Who is typing in a direct conversation, or else the other person's presence. */
export function PresenceLine(props: {
  readonly target: Place
  readonly realm: Realm
  /** Whether the service may be asked for the presence. */
  readonly isAsked: boolean
}) {
  const { target, realm, isAsked } = props
  const { accountId, conversation } = target
  const ids = conversation.kind === 'direct' ? conversation.userIds : []
  const [userId = -1, ...others] = ids.filter((id) => id !== realm.me?.id)
  const isPerson = others.length === 0 && realm.users.get(userId)?.isBot === false
  const presence = usePresence({ accountId, userId }, isPerson && isAsked)
  if (userId === -1) return null
  const typing = [...(realm.typing.get(conversationKey(conversation)) ?? [])].flatMap(([id, at]) =>
    now.value - at < typingForMs && !realm.mutedUsers.includes(id) ? userName(realm, id) : [],
  )
  const words =
    typing.length > 0
      ? `${listWords(typing)} ${typing.length === 1 ? 'is' : 'are'} typing…`
      : realm.mutedUsers.includes(userId)
        ? 'Muted in the chat, everywhere'
        : presence
  return <p class="raw presence-line">{words}</p>
}

const activeNow = { status: 'active', new_user_input: true, ping_only: true } as const

/** Reports the user as active on input in the focused window, if they chose to show that. */
export function followPresence(): () => void {
  let reportedAt = 0
  const reportActive = (): void => {
    const { settings, realms } = appState.peek()
    const isDue = Date.now() - reportedAt >= presenceEveryMs
    if (!settings.showAsActive || !isDue || !document.hasFocus()) return
    reportedAt = Date.now()
    // Failures are ignored: later input sends another report.
    for (const { accountId, phase } of realms.values())
      if (phase === 'live') void run(accountId, 'updatePresence', activeNow)
  }
  // On the window: `page-actions.ts` keeps the keys of an input method from the document.
  window.addEventListener('keydown', reportActive, true)
  document.addEventListener('pointerdown', reportActive)
  return () => {
    window.removeEventListener('keydown', reportActive, true)
    document.removeEventListener('pointerdown', reportActive)
  }
}

const shown = signal<Person | null>(null)

export function aboutPerson(accountId: AccountId, userId: number): void {
  shown.value = { accountId, userId }
}

const close = (): void => {
  shown.value = null
}

/** The card of the person that `aboutPerson` was called for, if any. */
export function PersonCard() {
  const person = shown.value
  const realm = appState.value.realms.get(person?.accountId ?? '')
  return person === null || realm === undefined ? null : (
    <Card key={`${person.accountId}/${person.userId}`} person={person} realm={realm} />
  )
}

const roles: Readonly<Record<number, string>> = {
  100: 'Owner',
  200: 'Administrator',
  300: 'Moderator',
  400: 'Member',
  600: 'Guest',
}

function Card({ person, realm }: { readonly person: Person; readonly realm: Realm }) {
  const { accountId, userId } = person
  const key = `${accountId}/${userId}`
  const user = useRun(
    key,
    () => run(accountId, 'getUser', { user_id: userId }),
    (reply) => reply.user,
  )
  const status = useRun(
    key,
    () => run(accountId, 'getUserStatus', { user_id: userId }),
    (reply) => statusWords({ ...noStatus, ...readStatus(reply.status) }),
  )
  const presence = usePresence(person, user.value?.is_bot === false)
  const { role, timezone = '', is_bot: isBot, is_active: isActive } = user.value ?? {}
  const mute = personMute(realm, userId)
  const isMuted = realm.mutedUsers.includes(userId)
  const isMe = userId === realm.me?.id
  const facts: readonly (readonly [string, string])[] = [
    ['Role', isBot === true ? 'Bot' : (roles[role ?? 0] ?? '')],
    ['Status', isMe ? ownStatusWords(realm) : (status.value ?? '')],
    ['Muted', isMuted ? 'In the chat, everywhere: what they write counts as read' : ''],
    ['Presence', isActive === false ? 'Deactivated' : presence],
    [
      'Local time',
      isKnownZone(timezone)
        ? `${dateWords(now.value, { weekday: 'short' }, timezone)} ${dateWords(now.value, { timeStyle: 'short' }, timezone)} (${timezone})`
        : '',
    ],
    ['E-mail', user.value?.delivery_email ?? ''],
  ]
  const write = (): void => {
    close()
    const conversation = { kind: 'direct', userIds: [userId] } as const
    go({ view: 'conversation', accountId, conversation, messageId: null })
  }
  return (
    <Dialog title={userName(realm, userId)} onClose={close}>
      <form {...submits(write)}>
        {user.failure !== null && <p role="alert">{failureSentence(user.failure)}</p>}
        <dl class="stack person-facts">
          {facts
            .filter(([, words]) => words !== '')
            .map(([name, words]) => (
              <div key={name}>
                <dt class="note">{name}</dt>
                <dd dir="auto">{words}</dd>
              </div>
            ))}
        </dl>
        <div class="button-row">
          <Button kind="primary" type="submit">
            Direct messages
          </Button>
          {isMe ? (
            <Button
              onClick={() => {
                close()
                askForStatus(realm)
              }}
            >
              Your status…
            </Button>
          ) : (
            <Button onClick={mute.act}>
              {isMuted ? 'Unmute this person' : 'Mute this person'}
            </Button>
          )}
        </div>
      </form>
    </Dialog>
  )
}
