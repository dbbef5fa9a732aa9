import type { HistoryEntry } from '../../src/shared/core/checks/history.ts'

/** Checks that the entries are about. */
export const subjects = 900
export const account = 'ops'

export function subjectOf(n: number): string {
  return `${account}/check-${n % subjects}`
}

/**
 * A typical history entry: the history has statuses, notices, decisions and acts, but no chat
 * messages. This is a notice with a text as long as the usual message, some 530 bytes, and always a
 * different one.
 */
export function entry(n: number): HistoryEntry {
  const at = Date.UTC(2026, 9, 1) + n * 10
  const subject = subjectOf(n)
  return {
    at,
    accountId: account,
    subject,
    kind: 'notice',
    data: {
      id: `${subject}/${at}`,
      kind: 'mention',
      title: `# ops › backup ${n % subjects}`,
      body: text(n),
      outcome: 'shown',
      reasons: [{ rule: n % 7, because: 'mention' }],
    },
  }
}

/** Epoch ms soon after the entries: none of them is old yet. */
export const nowOfEntries = Date.UTC(2026, 9, 2)

const words = 'The backup of the second disk was late again, since the first one was full. '.repeat(
  16,
)

function text(n: number): string {
  return `${n} ${words.slice(n % 500, (n % 500) + 530)}`
}

/** The entries from `from` up to `to`. */
export function entries(from: number, to: number): HistoryEntry[] {
  return Array.from({ length: to - from }, (_, more) => entry(from + more))
}
