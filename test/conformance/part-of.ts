/** The value at a path of a response's JSON; undefined if there is none. */
export function partOf(value: unknown, ...path: readonly string[]): unknown {
  let part = value
  for (const name of path) {
    if (typeof part !== 'object' || part === null) return undefined
    const fields: Readonly<Record<string, unknown>> = { ...part }
    part = fields[name]
  }
  return part
}

export function fieldNames(value: unknown): string[] {
  return typeof value === 'object' && value !== null ? Object.keys(value) : []
}
