function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, at) => item === other[at])
}

/** Computes it once for each object, and anew where what else it is made of is not as the last time. */
export function memoized<Of extends object, Rest extends readonly unknown[], Value>(
  make: (of: Of, ...rest: Rest) => Value,
): (of: Of, ...rest: Rest) => Value {
  const known = new WeakMap<Of, { readonly rest: Rest; readonly value: Value }>()
  return (of, ...rest) => {
    const before = known.get(of)
    if (before !== undefined && isSameList(before.rest, rest)) return before.value
    const value = make(of, ...rest)
    known.set(of, { rest, value })
    return value
  }
}
