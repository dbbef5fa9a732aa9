/**
 * Writes a bug to standard error: where it was, the kind of error and the stack's places. Never its
 * message, which may quote a header, a body or an address (undici quotes an invalid header's value).
 */
export function logBug(where: string, error: unknown): void {
  process.stderr.write(`belfry: ${where}: ${describeBug(error)}\n`)
}

export function describeBug(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const places = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return [error.name, ...places.slice(0, 12)].join('\n')
}
