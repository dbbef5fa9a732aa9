import { EventEmitter } from 'node:events'

/** What JavaScript itself looks up on any object: for `await`, `JSON.stringify` and printing. */
const asked = new Set<string | symbol>(['then', 'toJSON', 'inspect', 'nodeType', 'tagName'])

function refusing<T extends object>(name: string, known: T): T {
  return new Proxy(known, {
    get(target, key, receiver) {
      if (typeof key === 'string' && !(key in target) && !asked.has(key)) {
        throw new Error(`chromium host: ${name}.${key} is not stood in for`)
      }
      return Reflect.get(target, key, receiver) as unknown
    },
  })
}

/**
 * A base class with an EventEmitter's members, which throws with the name of any other. The refusal
 * sits at the end of the prototype chain, so it is reached only for what neither the object nor its
 * class has, and `this` stays the object itself (private fields work).
 */
export function standIn(name: string) {
  class Known extends EventEmitter {}
  Object.setPrototypeOf(Known, refusing(name, EventEmitter))
  Object.setPrototypeOf(Known.prototype, refusing(name, EventEmitter.prototype))
  return Known
}

/** The same for a plain object of the API: a missing call throws with its name. */
export function standInObject<T extends object>(name: string, members: T): T {
  return refusing(name, members)
}

/** A part of the API that is imported on every system but not used on Linux. */
export function notStoodIn(name: string): unknown {
  const refuse = (): never => {
    throw new Error(`chromium host: ${name} is not stood in for`)
  }
  return new Proxy(class {}, { get: refuse, construct: refuse })
}
