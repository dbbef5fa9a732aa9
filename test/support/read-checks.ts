import { readOneCheck } from '../../src/shared/api/monitoring/read-check.ts'
import type { Check } from '../../src/shared/core/checks/check.ts'

/** Reads all items of a list, without the turns that the app gives to other work. */
export function readChecks(
  items: readonly unknown[],
  uniqueKeyOf: (uuid: string) => string,
  serverNow: number | null = null,
): { checks: Check[]; unreadable: number } {
  const checks = items.flatMap((item) => readOneCheck(item, uniqueKeyOf, serverNow) ?? [])
  return { checks, unreadable: items.length - checks.length }
}
