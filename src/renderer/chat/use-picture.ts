import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { MessageContext } from './message-context.ts'

/** How far outside of the view a picture begins to load, so that scrolling finds it there. */
const nearPx = 400

/** Undefined until it came, null when there is none. Asked for when `place` comes near the view. */
export function usePicture(
  place: RefObject<Element | null>,
  path: string,
  load: NonNullable<MessageContext['loadPicture']>,
): readonly [picture: string | null | undefined, broken: () => void] {
  const [picture, setPicture] = useState<string | null | undefined>(undefined)
  useEffect(() => {
    const element = place.current
    if (element === null) return
    let current = true
    setPicture(undefined)
    const watch = new IntersectionObserver(
      (seen) => {
        if (!seen.some(({ isIntersecting }) => isIntersecting)) return
        watch.disconnect()
        void load(path).then((came) => {
          if (current) setPicture(came)
        })
      },
      { rootMargin: `${nearPx}px` },
    )
    watch.observe(element)
    return () => {
      current = false
      watch.disconnect()
    }
  }, [path, load])
  return [picture, () => setPicture(null)]
}
