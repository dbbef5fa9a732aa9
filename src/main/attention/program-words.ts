import type { Reason } from '../../shared/core/attention/notice.ts'
import { linesToShare } from '../../shared/core/checks/output.ts'
import { ranWords } from '../../shared/core/time.ts'
import type { RunEnd, RunResult } from './program-run.ts'

/** Characters and lines of what a program printed that are kept, its end. */
const mostOutput = 2_000
const mostLines = 40

/** What was wrong with a run, in words such as "exit 3"; null: nothing. */
export function failureOf(end: RunEnd): string | null {
  switch (end.by) {
    case 'exit':
      return end.code === 0 ? null : `exit ${end.code}`
    case 'signal':
      return `ended by ${end.signal}`
    case 'late':
      return 'ended by Belfry after 30 s'
    case 'flood':
      return 'ended by Belfry, as it printed more than 16 MB'
    case 'quit':
      return 'ended, as Belfry was quit'
    case 'start':
      return startWords(end.code)
  }
}

function startWords(code: string): string {
  if (code === 'ENOENT')
    return 'the system found nothing to run it with: look at the “#!” line it begins with'
  if (code === 'EACCES') return 'the system doesn’t allow it to be run from where it is'
  if (code === 'ENOEXEC') return 'this system can’t run such a program'
  return `the system could not start it (${code})`
}

/** A run as a part of “Why?”. */
export function reasonOf(name: string, { end, ms, output }: RunResult, also: number): Reason {
  const failure = failureOf(end)
  const how = failure === null ? `ran well (exit 0, ${ranWords(ms)})` : `failed: ${failure}`
  const shared = also === 0 ? '' : ', with what other notifications told meanwhile'
  const lines = printedLines(output)
  return {
    by: 'program',
    text: `Your program ${name} ${how}${shared}${lines === '' ? '.' : '. It printed:'}`,
    ...(lines === '' ? {} : { output: lines }),
  }
}

/** Masked before it is cut. */
export function printedLines(output: string): string {
  const lines = linesToShare(output)
  const text = (lines.length > mostLines ? ['…', ...lines.slice(-mostLines)] : lines).join('\n')
  if (text.length <= mostOutput) return text
  return `…${text.slice(1 - mostOutput).replace(/^[\udc00-\udfff]/, '')}`
}
