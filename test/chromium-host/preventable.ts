import type { EventEmitter } from 'node:events'

interface PreventableEvent {
  readonly defaultPrevented: boolean
  preventDefault(): void
}

/** Emits an event that a listener can prevent, with Electron's extra fields; true when none did. */
export function emitPreventable(
  emitter: EventEmitter,
  name: string,
  fields: object = {},
  ...args: unknown[]
): boolean {
  let prevented = false
  const event: PreventableEvent = {
    ...fields,
    get defaultPrevented() {
      return prevented
    },
    preventDefault() {
      prevented = true
    },
  }
  emitter.emit(name, event, ...args)
  return !prevented
}
