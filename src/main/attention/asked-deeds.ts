import type { Asked } from '../../shared/core/attention/asked.ts'
import { RequestFailed } from '../../shared/core/failure.ts'
import { failureWords } from '../../shared/core/failure-words.ts'
import { readAsked } from '../../shared/core/views/asked-reading.ts'
import { type DeedParts, perform } from './tray-actions.ts'

/**
 * Does what a script asked for. Returns the answer as the script reads it: its exit code on a line,
 * and a marked sentence on the next one.
 */
export async function answerTo(
  asked: Asked,
  parts: DeedParts & { readonly onBug: (where: string, error: unknown) => void },
): Promise<string> {
  const deed = readAsked(asked, parts.state, parts.now)
  if ('refused' in deed) return answer(1, deed.refused)
  try {
    await perform(deed.action, parts)
    return answer(0, deed.said)
  } catch (error) {
    if (error instanceof RequestFailed) {
      const { what, action } = failureWords(error.failure)
      return answer(1, `${what} ${action}`.trim())
    }
    parts.onBug('asked', error)
    return answer(1, 'Something is wrong in Belfry, and is in its log.')
  }
}

function answer(code: 0 | 1, sentence: string): string {
  return `${code}\n:${sentence.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')}\n`
}
