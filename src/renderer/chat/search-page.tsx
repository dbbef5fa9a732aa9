import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { SearchHit } from '#shared/contract.ts'
import type { AccountId } from '#shared/core/account.ts'
import { conversationTitle } from '#shared/core/chat/conversation.ts'
import type { Realm } from '#shared/core/chat/realm.ts'
import { parseSearch, searchHints } from '#shared/core/chat/search-query.ts'
import type { Failure } from '#shared/core/failure.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import { recentSearchLimit } from '#shared/core/settings.ts'
import { withRecent } from '#shared/core/views/palette-search.ts'
import { call } from '../bridge.ts'
import { SmallButton } from '../parts/button.tsx'
import { stepInList } from '../parts/page-actions.ts'
import { EmptyPage, PageBar } from '../parts/page-bar.tsx'
import { Timestamp } from '../parts/time-ago.tsx'
import { appState, go, now, place } from '../window-state.ts'
import { shortTime } from './chat-time.ts'

interface Props {
  readonly accountId: AccountId | null
  /** What was searched for; empty while nothing was. */
  readonly query: string
}

/** Finds messages of one account: words and the service's operators, newest first. */
export function SearchPage({ accountId, query }: Props) {
  const { accounts, realms } = appState.value
  const chats = accounts.filter(({ kind }) => kind === 'chat')
  const account = chats.find(({ id }) => id === accountId) ?? chats[0]
  const realm = realms.get(account?.id ?? '')
  if (account === undefined || realm === undefined)
    return <EmptyPage title="Search messages" why="There is no chat account yet." />
  const search = (asked: string, of = account.id): void => {
    // The same page: what was searched for comes back with Esc from a hit, not each step to it.
    place.value = { view: 'search', accountId: of, query: asked }
  }
  return (
    <section class="page search-page" aria-label="Search messages">
      <PageBar title="Search messages">
        {chats.length > 1 && (
          <select
            aria-label="Account"
            value={account.id}
            onChange={(choice) => search(query, choice.currentTarget.value)}
          >
            {chats.map(({ id, label }) => (
              <option key={id} value={id}>
                {label}
              </option>
            ))}
          </select>
        )}
      </PageBar>
      <Search key={account.id} realm={realm} query={query} onSearch={search} />
    </section>
  )
}

interface SearchProps {
  readonly realm: Realm
  readonly query: string
  readonly onSearch: (query: string) => void
}

function Search({ realm, query, onSearch }: SearchProps) {
  const [typed, setTyped] = useState(query)
  const [at, setAt] = useState(-1)
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLUListElement>(null)
  const { recentSearches } = appState.value.settings
  const hints = typed === '' ? recentSearches : searchHints(typed, realm)
  const isAsked = typed === query && query !== ''
  const shown = isAsked ? [] : hints
  // Before the first paint: what is typed at once must not go elsewhere.
  useLayoutEffect(() => {
    input.current?.focus()
    input.current?.select()
  }, [])
  const ask = (asked: string): void => {
    const text = asked.trim()
    setTyped(text)
    setAt(-1)
    if (text === '') return
    onSearch(text)
    void call.updateSettings({
      recentSearches: [...withRecent(recentSearches, text, recentSearchLimit)],
    })
  }
  const take = (hint: string): void => {
    // A whole operator waits for its value; a recent search is asked at once.
    if (typed === '') ask(hint)
    else {
      setTyped(hint.endsWith(':') ? hint : `${hint} `)
      setAt(-1)
      input.current?.focus()
    }
  }
  const onKeyDown = (key: KeyboardEvent): void => {
    if (key.isComposing) return
    const hint = shown[key.key === 'Tab' ? Math.max(0, at) : at]
    const to = shown.length === 0 ? null : stepInList(key.key, at, shown.length)
    if (key.key === 'Enter' && hint === undefined) ask(typed)
    else if ((key.key === 'Enter' || (key.key === 'Tab' && !key.shiftKey)) && hint !== undefined)
      take(hint)
    else if (key.key.startsWith('Arrow') && to !== null) setAt(to)
    else if (key.key === 'ArrowDown') list.current?.querySelector('button')?.focus()
    else return
    key.preventDefault()
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
          onInput={(change) => {
            setTyped(change.currentTarget.value)
            setAt(-1)
          }}
          onKeyDown={onKeyDown}
        />
        <div class="search-hints" id={`${id}-hints`} role="listbox" aria-label="Suggestions">
          {shown.map((hint, position) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus.
            // biome-ignore lint/a11y/useKeyWithClickEvents: Enter in the field takes the active one.
            <div
              key={hint}
              id={`${id}-${position}`}
              class="search-hint"
              role="option"
              aria-selected={position === at}
              onClick={() => take(hint)}
              onMouseDown={(press) => press.preventDefault()}
            >
              {hint}
            </div>
          ))}
        </div>
      </div>
      {isAsked && <Hits key={query} realm={realm} query={query} list={list} input={input} />}
    </>
  )
}

interface Found {
  readonly hits: readonly SearchHit[]
  readonly isComplete: boolean
  readonly failure: Failure | null
  readonly isLoading: boolean
}

const nothing: Found = { hits: [], isComplete: false, failure: null, isLoading: true }

/** So near to the end the older ones are fetched. */
const olderPx = 200

function Hits(props: {
  readonly realm: Realm
  readonly query: string
  readonly list: { current: HTMLUListElement | null }
  readonly input: { readonly current: HTMLInputElement | null }
}) {
  const { realm, query, list, input } = props
  const { terms, near, problems } = parseSearch(query, realm)
  const [found, setFound] = useState(nothing)
  const waiting = useRef(false)
  const load = async (before: number | null): Promise<void> => {
    if (waiting.current) return
    waiting.current = true
    setFound((known) => ({ ...known, isLoading: true, failure: null }))
    const { accountId } = realm
    const result = await call.searchMessages({ accountId, terms: [...terms], near, before })
    waiting.current = false
    setFound((known) =>
      result.ok
        ? {
            hits: [...known.hits, ...[...result.value.hits].reverse()],
            isComplete: result.value.isComplete,
            failure: null,
            isLoading: false,
          }
        : { ...known, failure: result.failure, isLoading: false },
    )
  }
  const { hits, isComplete, failure, isLoading } = found
  const oldest = hits.at(-1)?.messageId ?? null
  const isBlocked = problems.length > 0
  useEffect(() => {
    if (!isBlocked) void load(null)
  }, [])
  const onKeyDown = (key: KeyboardEvent): void => {
    if (key.ctrlKey || key.metaKey || key.altKey) return
    const rows = [...(list.current?.querySelectorAll('button') ?? [])]
    const focused = rows.indexOf(document.activeElement as HTMLButtonElement)
    const to = stepInList(key.key, focused, rows.length)
    if (to === null || focused === -1) return
    if (key.key === 'ArrowUp' && focused === 0) input.current?.focus()
    else rows[to]?.focus()
    key.preventDefault()
  }
  if (isBlocked)
    return (
      <p class="column-note" role="alert">
        {problems.join(' ')}
      </p>
    )
  return (
    <>
      <ul
        ref={list}
        class="search-hits"
        aria-label="Messages found"
        onKeyDown={onKeyDown}
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
          const isNear = scrollTop + clientHeight > scrollHeight - olderPx
          if (isNear && oldest !== null && !isComplete && failure === null) void load(oldest)
        }}
      >
        {hits.map((hit) => (
          <li key={hit.messageId}>
            <HitRow hit={hit} realm={realm} />
          </li>
        ))}
      </ul>
      <p class="column-note" role="status">
        {isLoading && 'Searching…'}
        {!isLoading && failure === null && hits.length === 0 && 'No message matches.'}
        {failure !== null && `${failureSentence(failure)} `}
        {!isLoading && (failure !== null || (!isComplete && hits.length > 0)) && (
          <SmallButton onClick={() => void load(oldest)}>
            {failure === null ? 'Older messages' : 'Try again'}
          </SmallButton>
        )}
      </p>
    </>
  )
}

function HitRow({ hit, realm }: { readonly hit: SearchHit; readonly realm: Realm }) {
  const { accountId } = realm
  const { conversation, messageId, parts } = hit
  const open = () => go({ view: 'conversation', accountId, conversation, messageId })
  const sender = realm.users.get(hit.senderId)?.name ?? hit.senderName
  return (
    <button type="button" class="search-hit" onClick={open}>
      <span class="row-title">{conversationTitle(realm, conversation)}</span>
      <Timestamp class="row-time" at={hit.sentAt}>
        {shortTime(hit.sentAt, now.peek())}
      </Timestamp>
      <span class="search-text" dir="auto">
        {hit.senderId === realm.me?.id ? 'You' : sender}:{' '}
        {parts.map((part, at) => (part.hit ? <mark key={at}>{part.text}</mark> : part.text))}
      </span>
    </button>
  )
}
