import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { showsDemo } from '#shared/core/state.ts'
import type { Target } from '#shared/core/target.ts'
import { statusLine } from '#shared/core/views/status-line.ts'
import { QuietLine } from '../attention/disturb.tsx'
import { asking, planning } from '../attention/quiet-menu.tsx'
import { followedCheck } from '../board/board-state.ts'
import { ChecksView } from '../board/check-board.tsx'
import { call } from '../bridge.ts'
import { askedStatus } from '../chat/asked-status.ts'
import { openNewCheck } from '../check-editor/editor-access.ts'
import { followPaletteKey } from '../palette/palette-button.tsx'
import { beginMessage, openPalette, palette } from '../palette-shown.ts'
import { Button, IconButton, LinkButton } from '../parts/button.tsx'
import { Drawing, Icon } from '../parts/icon.tsx'
import { isTyping, keyOf, Pane } from '../parts/page-actions.ts'
import { EmptyState, focusDetail, focusList, stepBack } from '../parts/page-bar.tsx'
import { StatusShape } from '../parts/status-shape.tsx'
import { useBusy } from '../run.ts'
import { previewed } from '../selected-conversation.ts'
import { dismissToast, shownToast, takeOffer, toastIfFailed } from '../toast.ts'
import {
  appState,
  chatPlace,
  go,
  goBack,
  type List,
  listOf,
  now,
  place,
  sideBySide,
  stateReceived,
} from '../window-state.ts'
import { isZoomKey } from './appearance.ts'
import { FirstHints } from './first-hints.tsx'
import { Head } from './head.tsx'
import { LoginOffer } from './login-offer.tsx'
import { leaveDemo, quit, refreshAll } from './more-menu.tsx'
import { rest } from './views.ts'

/** The window: two tabs and the pages beside them, with a header and a footer. */
export function BelfryWindow() {
  const [help, setHelp] = useState(false)
  // Before the first paint, so that no key is lost.
  useLayoutEffect(() => {
    const onKey = (key: KeyboardEvent) => onWindowKey(key, () => setHelp(true))
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  useLayoutEffect(followPaletteKey, [])
  const tab = listOf(place.value)
  const isFirstRun = stateReceived.value && appState.value.accounts.length === 0 && tab !== null
  return (
    <div class="window">
      {!isFirstRun && <Head onHelp={() => setHelp(true)} />}
      <Troubles />
      <main class="body">
        <div
          class="panel"
          id="tab-panel"
          {...(tab === null || isFirstRun
            ? {}
            : { role: 'tabpanel', 'aria-labelledby': `tab-${tab}` })}
        >
          {isFirstRun ? <FirstRun /> : <Known />}
        </div>
      </main>
      {!isFirstRun && <StatusFoot help={help} />}
      <Over help={help} onHelp={setHelp} />
    </div>
  )
}

function Over({
  help,
  onHelp,
}: {
  readonly help: boolean
  readonly onHelp: (shown: boolean) => void
}) {
  const loaded = rest.loaded.value
  const isQuieting = asking.value !== null || planning.value !== undefined
  const isAsked =
    help || isQuieting || askedStatus.value !== null || palette.value.shows !== 'nothing'
  useEffect(() => {
    if (isAsked) rest.load()
  }, [isAsked])
  return (
    loaded !== null && (
      <>
        <loaded.Palette onHelp={() => onHelp(true)} />
        <loaded.QuietDialog />
        <loaded.StatusDialog />
        <loaded.WhenDialog />
        <loaded.PersonCard />
        {help && <loaded.KeyboardShortcuts onClose={() => onHelp(false)} />}
      </>
    )
  )
}

function Known() {
  const list = listOf(place.value)
  if (!stateReceived.value) return <Skeleton />
  return list === null ? <Elsewhere /> : <Panes list={list} />
}

/** A list and what was opened from it: side by side or, if there is no room, one of them. */
function Panes({ list }: { readonly list: List }) {
  const both = sideBySide.value !== null
  const isHome = place.value.view === list
  const selected = list === 'checks' ? followedCheck : previewed
  const beside = isHome ? selected.value : place.value
  useLayoutEffect(() => {
    // The focused element is gone.
    if (document.activeElement !== document.body) return
    if (isHome) focusList()
    else focusDetail()
  }, [both, isHome])
  return (
    <div class={both ? 'panes' : 'pane'}>
      {(both || isHome) && (
        <PaneFrame key="list" pane="list" label={both ? paneNames[list].list : null}>
          {list === 'checks' ? <ChecksView /> : <Elsewhere at={chatPlace.value} />}
        </PaneFrame>
      )}
      {(both || !isHome) && (
        <PaneFrame key="detail" pane="detail" label={both ? 'Details beside the list' : null}>
          {beside === null ? (
            <EmptyState title={paneNames[list].nothing} />
          ) : (
            <Elsewhere at={beside} isPreview={isHome} />
          )}
        </PaneFrame>
      )}
    </div>
  )
}

const paneNames = {
  checks: { list: 'List of checks', nothing: 'The selected check is shown here' },
  chat: { list: 'List of conversations', nothing: 'The selected conversation is shown here' },
}

interface PaneProps {
  readonly pane: 'list' | 'detail'
  /** Null if this is the only pane. */
  readonly label: string | null
  readonly children: ComponentChildren
}

function PaneFrame({ pane, label, children }: PaneProps) {
  return (
    <div
      class="pane"
      data-pane={pane}
      {...(label === null ? {} : { role: 'region', 'aria-label': label })}
    >
      <Pane.Provider value={pane}>{children}</Pane.Provider>
    </div>
  )
}

interface ElsewhereProps {
  readonly at?: Target
  /** Only selected in the list beside it. */
  readonly isPreview?: boolean
}

function Elsewhere({ at = place.value, isPreview = false }: ElsewhereProps) {
  useEffect(rest.load, [])
  const views = rest.loaded.value
  return views === null ? <Skeleton /> : <views.PlaceView place={at} isPreview={isPreview} />
}

function Skeleton() {
  return (
    <div class="skeleton-list" role="status" aria-label="Loading">
      {[62, 48, 70, 40, 55, 66].map((width) => (
        <div key={width} class="skeleton-row">
          <span style={{ width: `${width}%` }} />
        </div>
      ))}
    </div>
  )
}

/** Keys that work everywhere, unless a component handled them and prevented the default. */
function onWindowKey(key: KeyboardEvent, onHelp: () => void): void {
  if (key.defaultPrevented || document.querySelector('dialog[open]') !== null) return
  const isCommand = (key.ctrlKey || key.metaKey) && !key.altKey && !key.shiftKey
  const command = isCommand ? commandKeys.get(keyOf(key)) : undefined
  if (command !== undefined) command()
  else if (isCommand && keyOf(key) === 'z' && !isTyping(key.target)) takeOffer()
  else if (key.key === 'F5') refreshAll()
  else if (key.altKey && key.key === 'ArrowLeft' && !isTyping(key.target)) goBack()
  else if (key.key === 'Escape') stepBack()
  else if (key.key === '?' && !isTyping(key.target)) onHelp()
  else if (!isZoomKey(key)) return
  key.preventDefault()
}

/** With Ctrl or Cmd, as in other programs. */
const commandKeys: ReadonlyMap<string, () => unknown> = new Map([
  ['1', () => goToTab('checks')],
  ['2', () => goToTab('chat')],
  [',', () => go({ view: 'settings' })],
  ['f', find],
  ['n', () => (listOf(place.value) === 'chat' ? beginMessage() : openNewCheck())],
  ['q', quit],
  ['r', refreshAll],
])

/** Goes to a tab. Focuses a list already shown, which takes the focus only when it is mounted. */
function goToTab(view: List): void {
  const isShown = place.value.view === view
  go({ view })
  if (isShown) focusList()
}

/** The search field of the page or, in the chat, the search for messages; else the palette. */
function find(): void {
  const box = document.querySelector<HTMLInputElement>('main input[type="search"]')
  if (box !== null) {
    box.focus()
    box.select()
  } else if (listOf(place.value) === 'chat') go({ view: 'search', accountId: null, query: '' })
  else openPalette()
}

function FirstRun() {
  const [busy, during] = useBusy()
  const explore = () => toastIfFailed(during(call.exploreDemo({})))
  const page = useRef<HTMLElement>(null)
  useLayoutEffect(() => page.current?.querySelector('button')?.focus({ preventScroll: true }), [])
  return (
    <section class="first-run" aria-label="Welcome" ref={page}>
      <Mark />
      <h1>Belfry</h1>
      <p>Watches your cron jobs, follows your team chat, and stays out of the way.</p>
      <div class="stack first-choices">
        <Button kind="primary" onClick={() => go({ view: 'addAccount', kind: 'monitoring' })}>
          Connect a monitoring project
        </Button>
        <Button onClick={() => go({ view: 'addAccount', kind: 'chat' })}>
          Connect a chat account
        </Button>
        <Button kind="quiet" busy={busy} onClick={explore}>
          Explore the demo
        </Button>
      </div>
      <p class="raw">The demo runs only on this computer: nothing is sent anywhere.</p>
    </section>
  )
}

/** The logo: the bell in its tower, as on the app's icon (`tray-image.ts` in main). */
function Mark() {
  return (
    <Drawing class="mark" size={72} stroke={0.7}>
      <path d="M8 .6 15 5.4v10H1v-10Z" class="mark-tower" />
      <g transform="translate(2.56 4.4) scale(.68)" fill="currentColor" stroke="none">
        <path d="M8 1.6 9.1 1.8 10.5 2.6 11.5 3.9 11.9 5.6 12.05 7.6 12.5 9.3 13.5 10.7 14.1 11.5V12.4H1.9V11.5L2.5 10.7 3.5 9.3 3.95 7.6 4.1 5.6 4.5 3.9 5.5 2.6 6.9 1.8Z" />
        <path d="M6.1 13.3a1.9 1.9 0 0 0 3.8 0Z" />
      </g>
    </Drawing>
  )
}

/** More than this would fill a small window: a full disk alone may cause five. */
const mostShown = 2

/** Problems on this computer, until they are dismissed. */
function Troubles() {
  const { troubles } = appState.value
  const [all, setAll] = useState(false)
  const more = troubles.length - mostShown
  if (troubles.length === 0) return null
  return (
    <section class="troubles" aria-label="Problems">
      <ul>
        {(all ? troubles : troubles.slice(0, mostShown)).map(({ id, text, to }) => (
          <li key={id}>
            <Icon name="warning" />
            <span>
              {text} {to !== undefined && <LinkButton onClick={() => go(to)}>Go back</LinkButton>}
            </span>
            <IconButton
              icon="close"
              label="Dismiss"
              onClick={() => toastIfFailed(call.dismissTrouble({ id }))}
            />
          </li>
        ))}
      </ul>
      {more > 0 && (
        <LinkButton aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? 'Show fewer' : `and ${more} more`}
        </LinkButton>
      )}
    </section>
  )
}

/** How fresh everything is and, above that, the result of the last action. */
function StatusFoot({ help }: { readonly help: boolean }) {
  const line = statusLine(appState.value, now.value)
  const { action } = line
  return (
    <footer class="foot">
      <div role="status">
        {shownToast.value !== null && (
          <div class={`toast toast-${shownToast.value.tone}`}>
            <span>{shownToast.value.text}</span>
            {shownToast.value.action !== undefined && (
              <LinkButton title="Key: Ctrl Z" onClick={takeOffer}>
                {shownToast.value.action.label}
              </LinkButton>
            )}
            <IconButton icon="close" label="Dismiss" onClick={dismissToast} />
          </div>
        )}
      </div>
      <QuietLine onChange={() => rest.loaded.value?.askToDisturbNot()} />
      {stateReceived.value && <LoginOffer />}
      {stateReceived.value && <FirstHints help={help} />}
      <div class={`row raw status-line line-${line.tone}`}>
        {line.tone === 'stale' && <StatusShape shape="stale" size={12} />}
        {line.tone === 'trouble' && <Icon name="warning" />}
        <span class="line-text" title={line.text}>
          {line.text}
        </span>
        {line.more > 0 && (
          <LinkButton onClick={() => go({ view: 'accounts' })}>and {line.more} more</LinkButton>
        )}
        {action !== null && (
          <LinkButton onClick={() => go(action.target)}>{action.label}</LinkButton>
        )}
        {showsDemo(appState.value) && action === null && (
          <LinkButton onClick={leaveDemo}>Leave the demo</LinkButton>
        )}
        <IconButton
          icon="refresh"
          label="Refresh now"
          onClick={refreshAll}
          // Keeps the focus in the list, so that its arrow keys still work after a click.
          onMouseDown={(press) => press.preventDefault()}
        />
      </div>
    </footer>
  )
}
