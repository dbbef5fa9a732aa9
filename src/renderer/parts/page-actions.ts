import { createContext } from 'preact'
import { useContext, useLayoutEffect, useRef } from 'preact/hooks'
import type { SavedView } from '#shared/core/settings.ts'

/** Every single-key shortcut of a page, with its description in the list that “?” opens. */
export const pageKeys = {
  checks: {
    '/': 'Filter: text, #tag, is:down, project:name, -word',
    s: 'Snooze a check, a project or a tag',
    a: 'Acknowledge what is down',
    A: 'Acknowledge and tell others (👀)',
    m: 'Maintenance of a tag, a project or a check',
    p: 'Pause or resume',
    f: 'Pin to the top of the board, or unpin',
    e: 'Edit',
    d: 'Share to chat',
    t: 'Timeline of a check',
    b: 'Output of the last run',
    o: 'Outages; on a check’s page, one by one',
    n: 'New check',
    '1': 'Open a saved view, by its key',
    x: 'Select; Shift and arrows, Ctrl A select more',
  },
  chat: {
    '/': 'Search messages',
    n: 'New message',
    r: 'Reply',
    s: 'Mute in Belfry for a while',
    m: 'Mute or unmute a topic or a person in the chat itself',
    f: 'Follow or unfollow a topic',
    i: 'About the person you’re writing to',
    M: 'Mark all as read',
    '1': 'Recent, direct, channels, mentions, followed, starred',
    d: 'Drafts, scheduled messages and snippets',
  },
} as const

/** Something the user can do on a page: by a single key, or by its name in the palette. */
export interface PageAction {
  readonly key: keyof typeof pageKeys.checks | keyof typeof pageKeys.chat | '' | `Alt+${string}`
  /** "Snooze db-backup…": what it does, and to what. */
  readonly title: string
  readonly act: () => unknown
}

/**
 * Keeps two kinds of keys from every listener of the page. Those that an input method composes with
 * belong to it: the key that ends a composition may come after it, with the code 229. And a key that
 * is held down acts only once: it would pause a check, resume it, and pause it again.
 */
window.addEventListener(
  'keydown',
  (key) => {
    // oxlint-disable-next-line typescript/no-deprecated -- nothing else identifies this key.
    if (key.isComposing || key.keyCode === 229) key.stopPropagation()
    else if (key.repeat && !mayRepeat(key)) {
      key.preventDefault()
      key.stopPropagation()
    }
  },
  true,
)

/** What the first of several clicks in a row was on. Weak: its form may have held a key. */
let clicked: WeakRef<Element> | null = null

/**
 * Keeps the second click of a double click from every listener if it hits something else than the
 * first, which has put it there: a page under a row, the next row in place of a removed one.
 */
window.addEventListener(
  'click',
  (click) => {
    const on = controlOf(click.target)
    if (click.detail < 2) clicked = on && new WeakRef(on)
    if (on === (clicked?.deref() ?? null)) return
    click.preventDefault()
    click.stopPropagation()
  },
  true,
)

function controlOf(target: EventTarget | null): Element | null {
  if (!(target instanceof Element)) return null
  const control = target.closest('a, button, input, select, textarea, label')
  if (control instanceof HTMLLabelElement) return control.control
  return control ?? target.closest('[role], [tabindex]')
}

/** Whether a key that is held down only moves, scrolls, zooms or types. */
function mayRepeat({ key, ctrlKey, metaKey, target }: KeyboardEvent): boolean {
  if (key === 'Escape') return false
  if (key === 'Enter') return target instanceof HTMLTextAreaElement && !ctrlKey && !metaKey
  return isTyping(target) || /^(?:Arrow.*|Page.*|Home|End|Tab|[jk+=\- ])$/.test(key)
}

/**
 * What a key stands for as a command: its character or, if that is no letter of English, as in a
 * Cyrillic layout, the letter at its place. In the top row it is the digit, which a French layout
 * has only with Shift; but "/" stays what it is, as it is a shortcut and some layouts have it there.
 */
export function keyOf(pressed: KeyboardEvent): string {
  const { key, code, shiftKey } = pressed
  if (key.length > 1 || pressed.getModifierState('AltGraph')) return key
  const [, letter, digit] = /^(?:Key([A-Z])|Digit(\d))$/.exec(code) ?? []
  if (digit !== undefined && !shiftKey && key !== '/') return digit
  if (letter === undefined || key <= '\x7f') return key
  return shiftKey ? letter : letter.toLowerCase()
}

type Offer = () => readonly PageAction[]

/** Which half of the window something is in; null where it is not divided. */
export const Pane = createContext<'list' | 'detail' | null>(null)

/** The half that has the focus, or had it last: single keys go only to that one. */
let paneWithKeys: Element | null = null
document.addEventListener('focusin', ({ target }) => {
  const pane = target instanceof Element ? target.closest('[data-pane]') : null
  if (pane !== null) paneWithKeys = pane
})

function hasKeys(pane: string | null): boolean {
  const isKnown = paneWithKeys?.isConnected === true
  return pane === null || !isKnown || paneWithKeys?.getAttribute('data-pane') === pane
}

const offers = new Map<Offer, string | null>()

export function pageActions(): readonly PageAction[] {
  return [...offers].flatMap(([offer, pane]) => (hasKeys(pane) ? offer() : []))
}

/** Runs the action with this key; returns false if none has it. */
export function actByKey(key: string, actions: readonly PageAction[]): boolean {
  const found = actions.find((one) => one.key === key)
  found?.act()
  return found !== undefined
}

/** Adds a page's actions to the palette, which asks for them when it opens. */
export function usePageActions(actions: Offer): void {
  const latest = useRef(actions)
  latest.current = actions
  const pane = useContext(Pane)
  useLayoutEffect(() => {
    const offer: Offer = () => latest.current()
    offers.set(offer, pane)
    return () => void offers.delete(offer)
  }, [])
}

/** Binds single keys to a page's actions, and adds the actions to the palette. */
export function useSingleKeys(actions: readonly PageAction[]): void {
  usePageActions(() => actions)
  useKeys(actions)
}

/** Binds single keys wherever the focus is, except in fields and dialogs. */
export function useKeys(
  actions: readonly { readonly key: PageAction['key'] | SavedView['key']; act(): unknown }[],
): void {
  const pane = useContext(Pane)
  // Before the first paint, so that no key is lost.
  useLayoutEffect(() => {
    const onKey = (key: KeyboardEvent) => {
      if (!hasKeys(pane)) return
      const found = actions.find((one) => one.key === keyOf(key))
      if (found === undefined || key.defaultPrevented || isTyping(key.target)) return
      if (key.ctrlKey || key.metaKey || key.altKey || document.querySelector('dialog[open]')) return
      key.preventDefault()
      found.act()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  })
}

/**
 * The index that a key leads to in a list, from `at`: ↑ ↓ and k j, Home and End, and with `page`, a
 * number of rows, Page Up and Page Down. Null for other keys, -1 in an empty list.
 */
export function stepInList(key: string, at: number, count: number, page = 0): number | null {
  const steps = new Map([
    ['ArrowDown', at + 1],
    ['j', at + 1],
    ['ArrowUp', at - 1],
    ['k', at - 1],
    ['Home', 0],
    ['End', count - 1],
  ])
  if (page > 0) steps.set('PageDown', at + page).set('PageUp', at - page)
  const to = steps.get(key)
  return to === undefined ? null : Math.min(count - 1, Math.max(0, to))
}

/** Whether keys pressed here are text, not commands. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input, textarea, select'))
  )
}
