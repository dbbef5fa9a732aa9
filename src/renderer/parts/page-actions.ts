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
