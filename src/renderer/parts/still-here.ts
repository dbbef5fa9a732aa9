import { place } from '../window-state.ts'

/** Whether the window is still where it is now: who went elsewhere meanwhile is not led away from there. */
export function stillHere(): () => boolean {
  const here = place.peek()
  return () => place.peek() === here
}
