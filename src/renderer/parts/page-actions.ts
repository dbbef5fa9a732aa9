import { useLayoutEffect, useRef } from 'preact/hooks'

/** One thing that can be done where the user is, by a single key there and by its name in the palette. */
export interface PageAct {
  readonly key: string
  /** "Snooze db-backup…": what it does, and to what. */
  readonly title: string
  readonly act: () => unknown
}

type Offer = () => readonly PageAct[]

const offers = new Set<Offer>()

/** Everything that can be done where the user is. */
export function pageActs(): readonly PageAct[] {
  return [...offers].flatMap((offer) => offer())
}

/** While the page stands, the palette has its acts too. They are asked for only when it opens. */
export function usePageActs(acts: Offer): void {
  const latest = useRef(acts)
  latest.current = acts
  useLayoutEffect(() => {
    const offer: Offer = () => latest.current()
    offers.add(offer)
    return () => void offers.delete(offer)
  }, [])
}

/** Single keys for what a page can do, wherever the focus is on it. */
export function useSingleKeys(acts: readonly PageAct[]): void {
  usePageActs(() => acts)
  // Before the first paint: a key that is pressed at once must not go elsewhere.
  useLayoutEffect(() => {
    const onKey = (key: KeyboardEvent) => {
      const found = acts.find((one) => one.key === key.key)
      if (found === undefined || key.defaultPrevented || isTyping(key.target)) return
      if (key.ctrlKey || key.metaKey || key.altKey || document.querySelector('dialog[open]')) return
      key.preventDefault()
      found.act()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  })
}

/** The keys that are pressed here are text, not commands. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input, textarea, select'))
  )
}
