/** How a value crosses between the page's two worlds. */
type Crossing =
  | { readonly value: unknown }
  | { readonly callable: number }
  | { readonly promise: number }
  | { readonly error: string }
  | { readonly list: readonly Crossing[] }
  | { readonly record: readonly (readonly [string, Crossing])[] }

type Outcome = { readonly ok: Crossing } | { readonly failed: Crossing }

type Word =
  | { readonly kind: 'expose'; readonly name: string; readonly value: Crossing }
  | { readonly kind: 'call'; readonly callable: number; readonly args: readonly Crossing[] }
  | { readonly kind: 'answer'; readonly outcome: Outcome }
  | { readonly kind: 'settle'; readonly promise: number; readonly outcome: Outcome }

export interface PageBridge {
  /** Gives a value to the other world under a name. */
  expose(name: string, value: unknown): void
}

/**
 * One end of Electron's contextBridge. The worlds share no objects: they talk through synchronous
 * DOM events of a secret name, whose `detail` Blink clones from world to world; functions and
 * promises travel as numbers.
 *
 * It runs in the page, as text, so it refers to nothing outside itself, and takes what it needs from
 * the DOM before any script of the page can change it.
 */
export function createPageBridge(
  names: { readonly out: string; readonly in: string },
  onExpose: (name: string, value: unknown) => void,
): PageBridge {
  const { dispatchEvent, addEventListener } = EventTarget.prototype
  const Custom = CustomEvent
  const clone = structuredClone
  const callables: ((...args: unknown[]) => unknown)[] = []
  const unsettled = new Map<number, PromiseWithResolvers<unknown>>()
  let promises = 0
  let answer: Outcome | undefined

  const say = (word: Word): void => {
    Reflect.apply(dispatchEvent, window, [new Custom(names.out, { detail: word })])
  }

  const failure = (error: unknown): Outcome => ({
    failed: { error: error instanceof Error ? error.message : String(error) },
  })

  const encodePromise = (promise: Promise<unknown>): Crossing => {
    promises += 1
    const id = promises
    promise.then(
      (value) => say({ kind: 'settle', promise: id, outcome: { ok: encode(value) } }),
      (error: unknown) => say({ kind: 'settle', promise: id, outcome: failure(error) }),
    )
    return { promise: id }
  }

  const encode = (value: unknown): Crossing => {
    // Called with what `decode` made of arguments; what it takes is the function's own affair.
    if (typeof value === 'function') {
      return { callable: callables.push(value as (...args: unknown[]) => unknown) - 1 }
    }
    if (value instanceof Promise) return encodePromise(value)
    if (value instanceof Error) return { error: value.message }
    try {
      return { value: clone(value) }
    } catch (error) {
      // It has functions or promises inside: taken apart, each part by its own way.
      if (Array.isArray(value)) return { list: value.map(encode) }
      if (value === null || typeof value !== 'object') throw error
      return { record: Object.entries(value).map(([key, part]) => [key, encode(part)] as const) }
    }
  }

  const decode = (crossing: Crossing): unknown => {
    if ('callable' in crossing) {
      return (...args: unknown[]) =>
        ask({ kind: 'call', callable: crossing.callable, args: args.map(encode) })
    }
    if ('promise' in crossing) {
      const waiting = Promise.withResolvers<unknown>()
      unsettled.set(crossing.promise, waiting)
      return waiting.promise
    }
    if ('error' in crossing) return new Error(crossing.error)
    if ('list' in crossing) return crossing.list.map(decode)
    if ('record' in crossing) {
      return Object.fromEntries(crossing.record.map(([key, part]) => [key, decode(part)]))
    }
    return crossing.value
  }

  const opened = (outcome: Outcome): unknown => {
    if ('failed' in outcome) throw decode(outcome.failed)
    return decode(outcome.ok)
  }

  /** Events are synchronous: when `say` returns, the other world has answered. */
  const ask = (word: Word): unknown => {
    answer = undefined
    say(word)
    // TypeScript does not see that `say` runs `hear`.
    const got = answer as Outcome | undefined
    if (got === undefined) throw new Error('An object could not be cloned.')
    return opened(got)
  }

  const perform = (word: Extract<Word, { kind: 'expose' | 'call' }>): Outcome => {
    try {
      if (word.kind === 'call') {
        return { ok: encode(callables[word.callable]?.(...word.args.map(decode))) }
      }
      onExpose(word.name, decode(word.value))
      return { ok: { value: undefined } }
    } catch (error) {
      return failure(error)
    }
  }

  const hear = (event: Event): void => {
    // Only the other end knows the name of the event. Each read of `detail` clones it anew.
    const word = (event as CustomEvent<Word | null>).detail
    if (word === null) return
    event.stopImmediatePropagation()
    if (word.kind === 'answer') {
      answer = word.outcome
    } else if (word.kind === 'settle') {
      const waiting = unsettled.get(word.promise)
      unsettled.delete(word.promise)
      try {
        waiting?.resolve(opened(word.outcome))
      } catch (error) {
        waiting?.reject(error)
      }
    } else {
      say({ kind: 'answer', outcome: perform(word) })
    }
  }
  Reflect.apply(addEventListener, window, [names.in, hear])

  return { expose: (name, value) => void ask({ kind: 'expose', name, value: encode(value) }) }
}
