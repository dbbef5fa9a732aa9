/** How a value crosses between the page's two worlds. */
type Crossing =
  /** As Blink clones it. */
  | { readonly value: unknown }
  | { readonly callable: number }
  /** A function of the receiving world. */
  | { readonly back: number }
  | { readonly promise: number }
  | { readonly error: string }
  | { readonly symbol: string }
  | { readonly list: readonly Crossing[] }
  | { readonly record: readonly (readonly [Crossing, Crossing])[] }
  /** The list or record that came with this number. */
  | { readonly again: number }

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
 * One end of Electron's contextBridge. The worlds share no objects: they communicate through
 * synchronous DOM events with a secret name, whose `detail` Blink clones from world to world;
 * functions and promises are sent as numbers. It runs in the page, as text, so it refers to nothing
 * outside itself, and takes what it needs from the DOM before the page's scripts can change it.
 */
export function createPageBridge(
  names: { readonly out: string; readonly in: string },
  onExpose: (name: string, value: unknown) => void,
): PageBridge {
  const { dispatchEvent, addEventListener } = EventTarget.prototype
  const Custom = CustomEvent
  const clone = structuredClone
  type Callable = (...args: unknown[]) => unknown
  const callables: Callable[] = []
  /** The numbers of the other world's functions. */
  const theirs = new WeakMap<Callable, number>()
  const maxDepth = 1_000
  const unknownFailure =
    'An unknown exception occurred in the isolated context, an error occurred but a valid exception was not thrown.'
  const unsettled = new Map<number, PromiseWithResolvers<unknown>>()
  let promises = 0
  let answer: Outcome | undefined

  const say = (word: Word): void => {
    Reflect.apply(dispatchEvent, window, [new Custom(names.out, { detail: word })])
  }

  const failure = (error: unknown): Outcome => {
    const message: unknown =
      error !== null && typeof error === 'object' ? Reflect.get(error, 'message') : null
    return { failed: { error: typeof message === 'string' ? message : unknownFailure } }
  }

  const encodePromise = (promise: Promise<unknown>): Crossing => {
    promises += 1
    const id = promises
    promise.then(
      (value) => say({ kind: 'settle', promise: id, outcome: { ok: encode(value) } }),
      (error: unknown) => say({ kind: 'settle', promise: id, outcome: { failed: encode(error) } }),
    )
    return { promise: id }
  }

  const encodeFunction = (act: Callable): Crossing => {
    const back = theirs.get(act)
    return back === undefined ? { callable: callables.push(act) - 1 } : { back }
  }

  const refuseDepth = (depth: number): void => {
    if (depth >= maxDepth)
      throw new TypeError(
        'Electron contextBridge recursion depth exceeded.  Nested objects deeper than 1000 are not supported.',
      )
  }

  const kindOf = (value: object): string => Object.prototype.toString.call(value).slice(8, -1)

  /** Whether Blink's clone equals Electron's, which traverses objects itself. */
  const isPlain = (value: unknown, depth: number, seen: Set<object>): boolean => {
    refuseDepth(depth)
    if (typeof value === 'function' || typeof value === 'symbol') return false
    if (value === null || typeof value !== 'object') return true
    if (seen.has(value)) return true
    seen.add(value)
    const keys = Reflect.ownKeys(value)
    const below = (key: PropertyKey, deeper: number): boolean =>
      isPlain(Reflect.get(value, key), depth + deeper, seen)
    if (Array.isArray(value))
      return keys.length === value.length + 1 && keys.every((key) => below(key, 1))
    if (kindOf(value) !== 'Object') return false
    // An object counts as two levels.
    return keys.every((key) => typeof key === 'string' && key !== '__proto__' && below(key, 2))
  }

  const encode = (value: unknown): Crossing =>
    isPlain(value, 0, new Set()) ? { value } : encodePart(value, 0, [])

  const encodePart = (value: unknown, depth: number, seen: unknown[]): Crossing => {
    refuseDepth(depth)
    // The arguments are decoded; what the function accepts is its own affair.
    if (typeof value === 'function') return encodeFunction(value as Callable)
    if (typeof value === 'symbol') return { symbol: value.description ?? '' }
    if (value === null || typeof value !== 'object') return { value }
    if (value instanceof Promise) return encodePromise(value)
    if (value instanceof Error) return { error: value.message }
    const again = seen.indexOf(value)
    if (again !== -1) return { again }
    if (Array.isArray(value)) {
      seen.push(value)
      return { list: Array.from(value, (item) => encodePart(item, depth + 1, seen)) }
    }
    if (kindOf(value) === 'Object') {
      seen.push(value)
      return {
        record: Reflect.ownKeys(value).map((key) => [
          encodePart(key, depth, seen),
          encodePart(Reflect.get(value, key), depth + 2, seen),
        ]),
      }
    }
    try {
      return { value: clone(value) }
    } catch {
      throw new Error('An object could not be cloned.')
    }
  }

  const decodeFunction = (callable: number): Callable => {
    const act: Callable = (...args) => ask({ kind: 'call', callable, args: args.map(encode) })
    Object.defineProperty(act, 'name', { value: '' })
    theirs.set(act, callable)
    return act
  }

  const decodePromise = (promise: number): Promise<unknown> => {
    const waiting = Promise.withResolvers<unknown>()
    unsettled.set(promise, waiting)
    return waiting.promise
  }

  const decode = (crossing: Crossing, made: unknown[] = []): unknown => {
    if ('callable' in crossing) return decodeFunction(crossing.callable)
    if ('back' in crossing) return callables[crossing.back]
    if ('promise' in crossing) return decodePromise(crossing.promise)
    if ('error' in crossing) return new Error(crossing.error)
    if ('symbol' in crossing) return Symbol(crossing.symbol)
    if ('again' in crossing) return made[crossing.again]
    if ('list' in crossing || 'record' in crossing) return decodeParts(crossing, made)
    return crossing.value
  }

  const decodeParts = (
    crossing: Extract<Crossing, { list: unknown } | { record: unknown }>,
    made: unknown[],
  ): unknown => {
    if ('list' in crossing) {
      const list: unknown[] = []
      made.push(list)
      for (const item of crossing.list) list.push(decode(item, made))
      return list
    }
    const record: Record<PropertyKey, unknown> = {}
    made.push(record)
    // By assignment, so `__proto__` sets the prototype, as in Electron.
    for (const [key, part] of crossing.record)
      record[decode(key, made) as string | symbol] = decode(part, made)
    return record
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
        const result = callables[word.callable]?.(...word.args.map((one) => decode(one)))
        try {
          return { ok: encode(result) }
        } catch (error) {
          return { failed: { error: `Uncaught ${String(error)}` } }
        }
      }
      onExpose(word.name, decode(word.value))
      return { ok: { value: undefined } }
    } catch (error) {
      return failure(error)
    }
  }

  const hear = (event: Event): void => {
    // Only the other end knows the name of the event. Each read of `detail` clones it again.
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
