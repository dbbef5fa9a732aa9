import { type Check, checkName } from '../../checks/check.ts'
import type { WatchedState } from '../attention-slice.ts'
import { type MaintenanceScope, namedScope } from '../maintenance/maintenance.ts'
import type { Dependency } from './dependency.ts'

/** Read from “#site-a depends on gateway”. */
export interface DependencyLine extends MaintenanceScope {
  readonly on: Dependency['on']
  readonly onName: string
}

const words = / (?:depends? on|hangs? on|on) /gi

/**
 * Parses “#site-a depends on gateway”, or “hang #site-a on gateway”: a tag, a project or a check by its
 * name, then a check. Null if that names none, or several.
 */
export function readDependency(text: string, state: WatchedState): DependencyLine | null {
  const typed = text.replace(/\s+/g, ' ').trim()
  const line = typed.replace(/^hang /i, '')
  for (const { 0: between, index } of line.matchAll(words)) {
    // "on" alone may be anything.
    if (/^ on $/i.test(between) && line === typed) continue
    const what = namedScope(line.slice(0, index), state, null)
    const found = checkNamed(state, line.slice(index + between.length))
    if (!('problem' in what) && found !== null) return { ...what, ...found }
  }
  return null
}

/** Null if there is no check of that name, or several. */
export function checkNamed(
  state: Pick<WatchedState, 'boards'>,
  name: string,
): Omit<DependencyLine, 'scope' | 'name'> | null {
  const found = [...state.boards].flatMap(([accountId, { checks }]) =>
    [...checks.values()].flatMap((check) =>
      isNamed(check, name) ? [{ accountId, checkId: check.id, onName: checkName(check) }] : [],
    ),
  )
  const [only, ...others] = found
  if (only === undefined || others.length > 0) return null
  const { onName, ...on } = only
  return { on, onName }
}

function isNamed(check: Check, name: string): boolean {
  return checkName(check).toLowerCase() === name.toLowerCase()
}
