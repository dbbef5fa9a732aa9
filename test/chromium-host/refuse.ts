import { EventEmitter } from 'node:events'

/** What JavaScript itself looks for on any object: `await`, `JSON.stringify`, printing. */
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
 * A base class whose members are an EventEmitter's, and which throws by name for any other.
 *
 * The refusal sits at the end of the prototype chain, so it is reached only for what neither the
 * object nor its class has, and `this` stays the object itself (private fields work).
 */
export function standIn(name: string) {
  class Known extends EventEmitter {}
  Object.setPrototypeOf(Known, refusing(name, EventEmitter))
  Object.setPrototypeOf(Known.prototype, refusing(name, EventEmitter.prototype))
  return Known
}

/** The same for a plain object of the API: a call that it does not have throws by name. */
export function standInObject<T extends object>(name: string, members: T): T {
  return refusing(name, members)
}

/** A whole part of the API that is imported on every system but used on others only. */
export function notStoodIn(name: string): unknown {
  const refuse = (): never => {
    throw new Error(`chromium host: ${name} is not stood in for`)
  }
  return new Proxy(class {}, { get: refuse, construct: refuse })
}
