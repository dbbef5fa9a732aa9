import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { SearchHit } from '#shared/contract.ts'
import type { AccountId } from '#shared/core/account.ts'
import { conversationTitle } from '#shared/core/chat/chat-names.ts'
import { mutedWords } from '#shared/core/chat/interruption.ts'
import type { MessageFlag } from '#shared/core/chat/message.ts'
import { type MessageList, messageOf, messagesBetween } from '#shared/core/chat/message-list.ts'
import type { Realm } from '#shared/core/chat/realm.ts'
import { parseSearch, type SearchQuery, searchHints } from '#shared/core/chat/search-query.ts'
import type { Failure } from '#shared/core/failure.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import { recentSearchLimit } from '#shared/core/settings.ts'
import { cut } from '#shared/core/text-length.ts'
import { withRecent } from '#shared/core/views/palette-search.ts'
import { lineDirection } from '#shared/core/visible-text.ts'
import { call } from '../bridge.ts'
import { SmallButton } from '../parts/button.tsx'
import { Select } from '../parts/field.tsx'
import { stepInList } from '../parts/page-actions.ts'
import { EmptyPage, PageBar } from '../parts/page-bar.tsx'
import { Timestamp } from '../parts/time-ago.tsx'
import { type SelectedRow, useSelected } from '../selected-conversation.ts'
import { appState, go, now, place } from '../window-state.ts'
import { shortTime } from './chat-time.ts'
import { AccountMark } from './conversation-actions.tsx'

interface Props {
  readonly accountId: AccountId | null
  /** What to search for, or ''. */
  readonly query: string
}

/** Searches the messages of one account by words and the service's operators, newest first. */
export function SearchPage({ accountId, query }: Props) {
  const { accounts, realms } = appState.value
  /** The place that this page shows, and how often it was opened at another than its own. */
  const shown = useRef({ at: place.value, times: 0 })
  if (shown.current.at !== place.value)
    shown.current = { at: place.value, times: shown.current.times + 1 }
  const chats = accounts.filter(({ kind }) => kind === 'chat')
  const account = chats.find(({ id }) => id === accountId) ?? chats[0]
  const realm = realms.get(account?.id ?? '')
  if (account === undefined || realm === undefined)
    return <EmptyPage title="Search messages" why="There is no chat account yet." />
  const search = (asked: string, of = account.id): void => {
    // Replaces the page: Esc from a hit returns to the last search, not through all earlier ones.
    const at = { view: 'search', accountId: of, query: asked } as const
    shown.current = { ...shown.current, at }
    place.value = at
  }
  return (
    <section class="page" aria-label="Search messages">
      <PageBar title="Search messages">
        {chats.length > 1 && (
          <Select
            aria-label="Account"
            value={account.id}
            options={chats.map(({ id, label }) => [id, label])}
            onChange={(id) => search(query, id)}
          />
        )}
      </PageBar>
      <Search
        key={`${account.id} ${shown.current.times}`}
        realm={realm}
        query={query}
        onSearch={search}
      />
    </section>
  )
}

interface SearchProps {
  readonly realm: Realm
  readonly query: string
  readonly onSearch: (query: string) => void
}

/** What is typed into the field, what is suggested for it, and what was asked for. */
function useSearch({ realm, query, onSearch }: SearchProps) {
  const [typed, setTyped] = useState(query)
  const [at, setAt] = useState(-1)
  const [times, setTimes] = useState(0)
  /** The text whose suggestions Esc closed. */
  const [closed, setClosed] = useState('')
  const { recentSearches } = appState.value.settings
  const hints = typed === '' ? recentSearches : searchHints(typed, realm)
  const isAsked = typed === query && query !== ''
  const shown = isAsked || (typed !== '' && typed === closed) ? [] : hints
  const type = (text: string): void => {
    setTyped(text)
    setAt(-1)
  }
  const ask = (asked: string): void => {
    const text = asked.trim()
    type(text)
    if (text === '') return
    // The same query is run again, since messages may have arrived.
    setTimes(times + 1)
    onSearch(text)
    void call.updateSettings({
      recentSearches: [...withRecent(recentSearches, text, recentSearchLimit)],
    })
  }
  const take = (hint: string): void => {
    // A recent search is run at once; an operator waits for its value.
    if (typed === '') ask(hint)
    else type(hint.endsWith(':') ? hint : `${hint} `)
  }
  /** Returns false if the key means nothing here. */
  const onKey = (key: KeyboardEvent): boolean => {
    const hint = shown[key.key === 'Tab' ? Math.max(0, at) : at]
    const to = shown.length === 0 ? null : stepInList(key.key, at, shown.length)
    if (takesHint(key) && hint !== undefined) take(hint)
    else if (key.key === 'Enter') ask(typed)
    else if (key.key === 'Escape' && typed !== '' && shown.length > 0) setClosed(typed)
    else if (key.key.startsWith('Arrow') && to !== null) setAt(to)
    else return false
    return true
  }
  return { typed, at, times, shown, isAsked, type, take, onKey }
}

function Search(props: SearchProps) {
  const { realm, query } = props
  const { typed, at, times, shown, isAsked, type, take, onKey } = useSearch(props)
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLUListElement>(null)
  const { terms, near, problems } = parseSearch(query, realm)
  // Before the first paint, since what is typed at once must not go elsewhere.
  useLayoutEffect(() => {
    input.current?.focus()
    input.current?.select()
  }, [])
  const onKeyDown = (key: KeyboardEvent): void => {
    if (onKey(key)) key.preventDefault()
    else if (key.key === 'ArrowDown') {
      key.preventDefault()
      list.current?.querySelector('button')?.focus()
    }
  }
  return (
    <>
      <div class="search-line">
        <input
          ref={input}
          type="text"
          role="combobox"
          aria-label="Search messages"
          aria-expanded={shown.length > 0}
          aria-controls={`${id}-hints`}
          aria-autocomplete="list"
          {...(shown[at] === undefined ? {} : { 'aria-activedescendant': `${id}-${at}` })}
          placeholder="Words, or channel: topic: sender: dm: is: has:"
          autocomplete="off"
          spellcheck={false}
          value={typed}
          onInput={(change) => type(change.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <div class="search-hints" id={`${id}-hints`} role="listbox" aria-label="Suggestions">
          {shown.map((hint, position) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus.
            // biome-ignore lint/a11y/useKeyWithClickEvents: Enter in the field takes the active one.
            <div
              key={hint}
              id={`${id}-${position}`}
              class="one-line search-hint"
              role="option"
              aria-selected={position === at}
              onClick={() => {
                take(hint)
                input.current?.focus()
              }}
              onMouseDown={(press) => press.preventDefault()}
            >
              {hint}
            </div>
          ))}
        </div>
      </div>
      {typed === '' && shown.length === 0 && (
        <p class="column-note">
          Words, and where to look for them: “replica channel:ops”, “sender:ana is:starred”. Enter
          searches.
        </p>
      )}
      {isAsked &&
        (problems.length > 0 ? (
          <p class="field-error search-problem" role="alert">
            {problems.join(' ')}
          </p>
        ) : (
          <Hits
            key={`${times} ${query}`}
            sources={[{ realm, terms, near }]}
            list={list}
            input={input}
          />
        ))}
    </>
  )
}

function takesHint({ key, shiftKey }: KeyboardEvent): boolean {
  return key === 'Enter' || (key === 'Tab' && !shiftKey)
}

interface Source {
  readonly realm: Realm
  readonly terms: SearchQuery['terms']
  /** The message to search around first; null for the newest. */
  readonly near: number | null
}

interface Found {
  readonly hits: readonly SearchHit[]
  readonly isComplete: boolean
  readonly failure: Failure | null
  readonly isLoading: boolean
}

const nothing: Found = { hits: [], isComplete: false, failure: null, isLoading: true }

/** How near the end older messages are fetched. */
const olderPx = 200

interface HitsProps {
  readonly sources: readonly Source[]
  readonly list: { current: HTMLUListElement | null }
  /** Gets the focus by ↑ from the first hit. */
  readonly input?: { readonly current: HTMLInputElement | null }
  /** Shown if nothing matches. */
  readonly none?: string
  /** If given, messages that get or lose one of these flags appear or disappear. */
  readonly flags?: readonly MessageFlag[]
  readonly onSelect?: (hit: SelectedRow) => void
  readonly onMove?: () => void
}

/** The matching messages of these accounts, newest first; scrolling loads older ones. */
function Hits(props: HitsProps) {
  const { sources, list, input, none = 'No message matches.', flags = [], onSelect } = props
  const [found, setFound] = useState<ReadonlyMap<AccountId, Found>>(
    () => new Map(sources.map(({ realm }) => [realm.accountId, nothing])),
  )
  const waiting = useRef(false)
  const load = async (): Promise<void> => {
    if (waiting.current) return
    waiting.current = true
    await Promise.all(
      sources.map(async ({ realm: { accountId }, terms, near }) => {
        const known = found.get(accountId) ?? nothing
        if (known.isComplete) return
        const put = (change: Partial<Found>): void =>
          setFound((all) => new Map(all).set(accountId, { ...known, ...change }))
        put({ isLoading: true, failure: null })
        const before = known.hits.at(-1)?.messageId ?? null
        const result = await call.searchMessages({ accountId, terms: [...terms], near, before })
        if (!result.ok) return put({ failure: result.failure, isLoading: false })
        const { hits, isComplete } = result.value
        const all = [...known.hits, ...[...hits].reverse()]
        put({ hits: all, isComplete, failure: null, isLoading: false })
      }),
    )
    waiting.current = false
  }
  useEffect(() => void load(), [])
  const all = [...found.values()]
  const failed = all.filter(({ failure }) => failure !== null)
  const isLoading = all.some((one) => one.isLoading)
  const canGoOn = !isLoading && all.some(({ isComplete }) => !isComplete)
  const changes = useChanges(flags.length === 0 ? [] : sources, flags)
  const shown = merged(found, changes).filter(({ hit, accountId }) => {
    const realm = appState.value.realms.get(accountId)
    const isQuiet = flags.includes('mentioned') && realm?.mutedUsers.includes(hit.senderId) === true
    return realm?.deleted.includes(hit.messageId) !== true && !isQuiet
  })
  const isFilled = shown.length > 0
  useLayoutEffect(() => {
    // If nothing else has the focus, such as the search field, the first hit gets it.
    const hasNone = document.activeElement === document.body
    if (isFilled && hasNone) list.current?.querySelector('button')?.focus()
  }, [isFilled])
  const onKeyDown = (key: KeyboardEvent): void => {
    if (key.ctrlKey || key.metaKey || key.altKey) return
    const rows = [...(list.current?.querySelectorAll('button') ?? [])]
    const focused = rows.indexOf(document.activeElement as HTMLButtonElement)
    const to = stepInList(key.key, focused, rows.length)
    if (to === null || focused === -1) return
    if (to !== focused) props.onMove?.()
    if (key.key === 'ArrowUp' && focused === 0) input?.current?.focus()
    else rows[to]?.focus()
    key.preventDefault()
  }
  return (
    <>
      <ul
        ref={list}
        class="search-hits"
        aria-label="Messages found"
        onKeyDown={onKeyDown}
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
          const isNear = scrollTop + clientHeight > scrollHeight - olderPx
          if (isNear && canGoOn && failed.length === 0) void load()
        }}
      >
        {shown.map(({ hit, accountId }) => (
          <li
            key={`${accountId}/${hit.messageId}`}
            onFocusIn={() => onSelect?.({ ...hit, accountId })}
          >
            <HitRow hit={hit} accountId={accountId} />
          </li>
        ))}
      </ul>
      <p class="column-note" role="status">
        {isLoading && 'Searching…'}
        {!isLoading && failed.length === 0 && shown.length === 0 && none}
        {failed.map(({ failure }) => failure !== null && `${failureSentence(failure)} `)}
        {canGoOn && (failed.length > 0 || shown.length > 0) && (
          <SmallButton onClick={() => void load()}>
            {failed.length === 0 ? 'Older messages' : 'Try again'}
          </SmallButton>
        )}
      </p>
    </>
  )
}

type Changes = ReadonlyMap<AccountId, ReadonlyMap<number, SearchHit | null>>

/**
 * The messages loaded that changed since the first call, by account and id; null for one that has
 * none of the flags. Those that haven't changed may be older than what a search returned.
 */
function useChanges(sources: readonly Source[], flags: readonly MessageFlag[]): Changes {
  const known = useRef(new Map<AccountId, MessageList>())
  const changes = useRef(new Map<AccountId, Map<number, SearchHit | null>>())
  for (const { realm } of sources) {
    const { accountId, messages } = realm
    const before = known.current.get(accountId) ?? messages
    const changed = changes.current.get(accountId) ?? new Map<number, SearchHit | null>()
    for (const id of messagesBetween(before, messages).changed) {
      const message = messageOf(messages, id)
      if (message === undefined) continue
      const text = cut(message.text.replace(/\s+/g, ' ').trim(), 240)
      const isFlagged = message.flags.some((flag) => flags.includes(flag))
      const hit = { ...message, messageId: id, parts: [{ text, hit: false }] }
      changed.set(id, isFlagged ? hit : null)
    }
    known.current.set(accountId, messages)
    changes.current.set(accountId, changed)
  }
  return changes.current
}

const flagsOf = {
  mentioned: ['mentioned', 'wildcardMentioned'],
  starred: ['starred'],
} as const satisfies Record<string, readonly MessageFlag[]>

/** The newest messages of all accounts that mention the user, or that the user starred. */
export function FlaggedMessages({ flag }: { readonly flag: keyof typeof flagsOf }) {
  const list = useRef<HTMLUListElement>(null)
  const [selected, onSelect] = useState<SelectedRow | null>(null)
  const onMove = useSelected(selected)
  /** The accounts that were connected since the page was opened: a short outage changes no list. */
  const connected = useRef(new Set<AccountId>())
  const all = [...appState.value.realms.values()]
  for (const { accountId, phase } of all) if (phase === 'live') connected.current.add(accountId)
  const realms = all.filter(({ accountId }) => connected.current.has(accountId))
  const terms = [{ operator: 'is', operand: flag, negated: false }]
  if (realms.length === 0) return <p class="column-note">Not connected yet.</p>
  return (
    <Hits
      none={
        flag === 'starred'
          ? 'You haven’t starred any messages yet.'
          : 'Nobody has mentioned you yet.'
      }
      key={realms.map(({ accountId }) => accountId).join()}
      sources={realms.map((realm) => ({ realm, terms, near: null }))}
      flags={flagsOf[flag]}
      {...{ list, onSelect, onMove }}
    />
  )
}

/** The hits, newest first, down to where an account may have more that haven't been fetched. */
function merged(found: ReadonlyMap<AccountId, Found>, changes: Changes) {
  const all = [...found].flatMap(([accountId, { hits }]) => {
    const byId = new Map([
      ...hits.map((hit) => [hit.messageId, hit] as const),
      ...(changes.get(accountId) ?? []),
    ])
    return [...byId.values()].flatMap((hit) => (hit === null ? [] : [{ hit, accountId }]))
  })
  const edges = [...found.values()].map(({ hits, isComplete, failure }) =>
    isComplete || failure !== null ? 0 : (hits.at(-1)?.sentAt ?? 0),
  )
  const edge = Math.max(0, ...edges)
  return all
    .filter(({ hit: { sentAt } }) => sentAt >= edge)
    .sort((a, b) => b.hit.sentAt - a.hit.sentAt || b.hit.messageId - a.hit.messageId)
}

function HitRow({ hit, accountId }: { readonly hit: SearchHit; readonly accountId: AccountId }) {
  const realm = appState.value.realms.get(accountId)
  if (realm === undefined) return null
  const { conversation, messageId, parts } = hit
  const open = () => go({ view: 'conversation', accountId, conversation, messageId })
  const sender = realm.users.get(hit.senderId)?.name ?? hit.senderName
  return (
    <button type="button" class="search-hit" onClick={open}>
      <span class="one-line row-title">
        <AccountMark accountId={accountId} />
        {conversationTitle(realm, conversation)}
      </span>
      <Timestamp class="raw row-time" at={hit.sentAt}>
        {shortTime(hit.sentAt, now.peek())}
      </Timestamp>
      {realm.mutedUsers.includes(hit.senderId) ? (
        <span class="search-text quiet">{mutedWords}</span>
      ) : (
        <span class="search-text" dir="auto">
          {hit.senderId === realm.me?.id ? 'You' : sender}:{' '}
          <bdi dir={lineDirection(parts.map(({ text }) => text).join(''))}>
            {parts.map((part, at) => (part.hit ? <mark key={at}>{part.text}</mark> : part.text))}
          </bdi>
        </span>
      )}
    </button>
  )
}
