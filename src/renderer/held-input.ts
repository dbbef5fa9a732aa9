import { appState } from './window-state.ts'

const holders: (() => boolean)[] = []

/** For what keeps something typed outside the fields: `holds` says whether there is any now. */
export function holdsInput(holds: () => boolean): void {
  holders.push(holds)
}

/**
 * Whether something that was typed is in this window and nowhere else, so that it must not go: a
 * dialog is open, a form was left unsaved, or a field has a text that main has not as a draft.
 */
export function isInputHeld(): boolean {
  const drafts = new Set(appState.peek().drafts.values())
  return (
    document.querySelector('dialog[open]') !== null ||
    holders.some((holds) => holds()) ||
    [...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(typedInto)].some(
      ({ value }) => value !== '' && !drafts.has(value),
    )
  )
}

/** Fields for text; what is merely chosen is saved as it is chosen, or in a form that says so. */
const typedInto = 'textarea, input:not([type=checkbox], [type=radio], [type=range], [type=button])'
