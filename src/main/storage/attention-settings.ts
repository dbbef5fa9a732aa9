import { boolean, fallback, object, optional, safeParse, unknown } from 'valibot'
import {
  attentionInput,
  ruleInput,
  wayInput,
} from '../../shared/core/attention/attention-schema.ts'
import { type AttentionSettings, defaultAttention } from '../../shared/core/attention/rules.ts'
import { readable } from './document-parts.ts'

/** Part by part: a rule that can't be read must not take the quiet hours and all other rules with it. */
export function readAttention(document: unknown): AttentionSettings {
  const whole = safeParse(attentionInput, document)
  if (whole.success) return whole.output
  const parts = safeParse(
    object({
      ways: optional(unknown()),
      rules: optional(unknown()),
      afterMinutes: optional(unknown()),
      quietHours: optional(unknown()),
      followSystem: optional(unknown()),
    }),
    document,
  )
  if (!parts.success) return defaultAttention
  const { ways, rules, ...others } = parts.output
  let kept: AttentionSettings = {
    ...defaultAttention,
    ways: readWays(ways),
    rules: readable(rules, ruleInput),
  }
  for (const [name, value] of Object.entries(others)) {
    const read = safeParse(attentionInput, { ...kept, [name]: value })
    if (read.success) kept = read.output
  }
  return kept
}

function readWays(document: unknown): AttentionSettings['ways'] {
  const { ways } = defaultAttention
  const one = (kind: keyof typeof ways) => fallback(wayInput, ways[kind])
  const read = safeParse(
    object({
      down: one('down'),
      late: one('late'),
      recovered: one('recovered'),
      missed: one('missed'),
      direct: one('direct'),
      mention: one('mention'),
      alertWord: one('alertWord'),
      message: one('message'),
      trouble: one('trouble'),
    }),
    document,
  )
  return read.success ? read.output : ways
}

const before = object({
  notifyDown: fallback(boolean(), true),
  notifyRecovered: fallback(boolean(), true),
  notifyChat: fallback(boolean(), true),
})

/** Of a file that was written when there were three switches and no rules: what was off stays quiet. */
export function attentionBefore(document: unknown): AttentionSettings {
  const read = safeParse(before, document ?? {})
  if (!read.success) return defaultAttention
  const { notifyDown, notifyRecovered, notifyChat } = read.output
  const { ways } = defaultAttention
  const quiet = 'tray' as const
  return {
    ...defaultAttention,
    ways: {
      ...ways,
      ...(notifyDown ? {} : { down: quiet, missed: quiet }),
      ...(notifyRecovered ? {} : { recovered: quiet }),
      ...(notifyChat ? {} : { direct: quiet, mention: quiet, alertWord: quiet, message: quiet }),
    },
  }
}
