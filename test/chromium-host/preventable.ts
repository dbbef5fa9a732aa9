import type { EventEmitter } from 'node:events'

interface PreventableEvent {
  readonly defaultPrevented: boolean
  preventDefault(): void
}

/**
 * Emits like Electron's own code: nobody can catch what a listener throws, and the code continues.
 */
export function emitNatively(emitter: EventEmitter, name: string, ...args: unknown[]): boolean {
  try {
    return emitter.emit(name, ...args)
  } catch (error) {
    Reflect.apply(process.emit, process, ['uncaughtException', error, 'uncaughtException'])
    return true
  }
}

/** Emits an event that a listener can prevent, with Electron's extra fields; true if none did. */
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
  emitNatively(emitter, name, event, ...args)
  return !prevented
}

/**
 * Makes every member of the class except these throw once `isDestroyed()`, like Electron's objects.
 */
export function refuseDestroyed(
  of: { readonly prototype: { isDestroyed(): boolean } },
  except: readonly string[],
  refusal = (): Error => new TypeError('Object has been destroyed'),
): void {
  const { prototype } = of
  const kept = new Set(['constructor', 'isDestroyed', ...except])
  type Member = (this: { isDestroyed(): boolean }, ...args: unknown[]) => unknown
  const guarded = (member: Member): Member =>
    function (...args) {
      if (this.isDestroyed()) throw refusal()
      return Reflect.apply(member, this, args)
    }
  for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (kept.has(name)) continue
    // A class's prototype has only methods and getters.
    const { value, get } = property as { value?: Member; get?: Member }
    const member = value === undefined ? { get: get && guarded(get) } : { value: guarded(value) }
    Object.defineProperty(prototype, name, { ...property, ...member } as PropertyDescriptor)
  }
}
