import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { Message } from '#shared/core/chat/message.ts'

/** More than fit into a window; as many again are drawn each time that there is nothing else to do. */
const atOnce = 40
/** Even where there always is. */
const longestWaitMs = 200

/**
 * The messages to draw: at first the newest, down to half of `atOnce` above the one that must be
 * there (`neededId`), then more and more of the older ones. What was drawn once stays drawn.
 */
export function useGradually(
  messages: readonly Message[],
  neededId: number | null,
): readonly Message[] {
  /** The id of the oldest that is drawn, and after how many steps it was. */
  const drawn = useRef({ oldest: Number.POSITIVE_INFINITY, steps: 0 })
  const steps = useSignal(0)
  const at = (id: number): number => {
    const found = messages.findIndex((one) => one.id >= id)
    return found === -1 ? messages.length : found
  }
  const older = steps.value === drawn.current.steps ? 0 : atOnce
  const start = Math.max(
    0,
    Math.min(
      messages.length - atOnce,
      at(drawn.current.oldest) - older,
      neededId === null ? messages.length : at(neededId) - atOnce / 2,
    ),
  )
  useLayoutEffect(() => {
    const { oldest } = drawn.current
    drawn.current = { oldest: messages[start]?.id ?? oldest, steps: steps.value }
  })
  const isWhole = start === 0
  useEffect(() => {
    if (isWhole) return
    const idle = requestIdleCallback(
      () => {
        steps.value += 1
      },
      { timeout: longestWaitMs },
    )
    return () => cancelIdleCallback(idle)
  }, [isWhole, steps.value])
  return useMemo(() => (isWhole ? messages : messages.slice(start)), [messages, start])
}
