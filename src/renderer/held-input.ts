import { appState } from './window-state.ts'

const holders: (() => boolean)[] = []

/** For parts that keep typed text outside of fields: `holds` tells whether they have any. */
export function holdsInput(holds: () => boolean): void {
  holders.push(holds)
}

/**
 * Whether this window holds unsaved input and so must not be closed: an open dialog, an unsaved
 * form, or a field with text that main does not have as a draft.
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

/** Text fields only: a choice is saved at once, or is part of a form. */
const typedInto = 'textarea, input:not([type=checkbox], [type=radio], [type=range], [type=button])'
