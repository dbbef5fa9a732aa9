import type { BodyFaultKind } from './faults.ts'

const changes: Readonly<Record<BodyFaultKind, (text: string) => string>> = {
  truncatedJson: (text) => text.slice(0, Math.max(1, Math.floor(text.length * 0.7))),
  invalidJson: (text) => `${text.slice(0, -1)},,}`,
  bom: (text) => `\ufeff${text}`,
  nan: (text) => text.replace(/:(\s*)-?\d+/, ':$1NaN'),
  // JSON.parse lets the last one win: an attacker's copy after the real one.
  duplicateKeys: (text) => text.replace(/\}\s*$/, ',"result":"success","result":"success"}'),
  proto: (text) =>
    text.replace(
      /^\s*\{/,
      '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},',
    ),
  loneSurrogates: (text) => text.replace(/"(name|content|subject)":(\s*)"/g, '"$1":$2"\\ud800'),
  duplicatedEvents: (text) =>
    withList(text, 'events', (events) => events.flatMap((one) => [one, one])),
  reorderedEvents: (text) => withList(text, 'events', (events) => events.toReversed()),
  unknownEvents: (text) =>
    withList(text, 'events', (events) => {
      const last = events.at(-1)
      if (last === undefined) return events
      // With an id already used: a made-up one would also be used by the next true event, and hide
      // it.
      return [...events, { id: idOf(last), type: 'from_the_future', op: 'unheard_of' }]
    }),
  emptyList: (text) => withList(text, 'checks', () => []),
  partialList: (text) =>
    withList(text, 'checks', (checks) => checks.slice(0, Math.floor(checks.length * 0.6))),
}

/** The body with this fault; unchanged if the fault does not apply to it. */
export function faultyBody(kind: BodyFaultKind, body: Buffer): Buffer {
  return Buffer.from(changes[kind](body.toString('utf8')), 'utf8')
}

export function isBodyFault(kind: string): kind is BodyFaultKind {
  return kind in changes
}

function withList(text: string, name: string, change: (list: unknown[]) => unknown[]): string {
  try {
    const answer: unknown = JSON.parse(text)
    if (typeof answer !== 'object' || answer === null) return text
    const list: unknown = Object.entries(answer).find(([key]) => key === name)?.[1]
    return Array.isArray(list) ? JSON.stringify({ ...answer, [name]: change(list) }) : text
  } catch {
    // Not JSON, so no list in it.
    return text
  }
}

function idOf(event: unknown): number {
  const isNumbered = typeof event === 'object' && event !== null && 'id' in event
  return isNumbered ? Number(event.id) : 0
}
