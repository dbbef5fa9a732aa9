import { place } from '../window-state.ts'

/** Returns whether the user is still at this place: nobody is led away from where they went meanwhile. */
export function stillHere(): () => boolean {
  const here = place.peek()
  return () => place.peek() === here
}
