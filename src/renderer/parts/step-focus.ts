/** Moves the focus that is in a list from button to button, round its ends. False: the key is for something else. */
export function stepFocus(list: HTMLElement | null, key: string): boolean {
  if (!list?.contains(document.activeElement)) return false
  const buttons = [...list.querySelectorAll('button')]
  const at = buttons.findIndex((button) => button.matches(':focus'))
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    Home: 0,
    End: -1,
  }
  const to = Object.hasOwn(steps, key) ? steps[key] : undefined
  if (to === undefined) return false
  buttons.at(to % buttons.length)?.focus()
  return true
}
