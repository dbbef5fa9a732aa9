import { checkNamed, readDependency } from '#shared/core/attention/dependencies/dependency-line.ts'
import {
  type PlannedLine,
  readMaintenance,
  readPlanned,
  reasonProblem,
} from '#shared/core/attention/maintenance/maintenance.ts'
import { timesWords } from '#shared/core/attention/maintenance/planned.ts'
import { limitsWords, readLimitLine } from '#shared/core/attention/runs/own-limits.ts'
import { reasonLimit } from '#shared/core/attention/silence.ts'
import { isAddress } from '#shared/core/deep-link.ts'
import { clockUntilWords } from '#shared/core/time.ts'
import { daysWords, parseOutageFilter } from '#shared/core/views/outage-view.ts'
import type { PaletteItem } from '#shared/core/views/palette-search.ts'
import { depend } from '../attention/dependency-list.tsx'
import { acknowledgeNoted, noteProblem } from '../attention/note-dialog.tsx'
import { planMaintenance } from '../attention/planned-list.tsx'
import { beginMaintenance } from '../attention/quiet-menu.tsx'
import { setLimits } from '../attention/run-limits.tsx'
import { call } from '../bridge.ts'
import { hereItem } from '../palette-shown.ts'
import { toast, toastFailure } from '../toast.ts'
import { appState, go } from '../window-state.ts'

/** Offers to open an address that is pasted: a link of Belfry's own, or of a service's website. */
export function addressItem(query: string): readonly PaletteItem[] {
  if (!isAddress(query)) return []
  const text = query.trim()
  const open = async () => {
    const found = await call.whereLeads({ text })
    if (!found.ok) toastFailure(found.failure)
    else if ('to' in found.value) go(found.value.to)
    else toast(found.value.refused, 'failed')
  }
  return [hereItem('here/address', 'Open in Belfry', open, { hint: text })]
}

/**
 * Offers to begin maintenance once it is typed in full, such as "#db for 20 min", or to plan one:
 * "#db every Sunday 2:00 for 2 h".
 */
export function maintenanceItem(query: string): readonly PaletteItem[] {
  const line = readPlanned(query, appState.peek(), Date.now())
  if (line !== null) return 'problem' in line ? tooLong(query, line) : [plannedItem(line)]
  const plan = readMaintenance(query, appState.peek(), Date.now())
  if ('problem' in plan) return tooLong(query, plan)
  const title = `Maintenance of ${plan.name} ${clockUntilWords(plan.until, Date.now())}`
  const act = async () => {
    const failure = await beginMaintenance(plan)
    if (failure !== null) toastFailure(failure)
  }
  return [hereItem('here/maintenance', title, act, { hint: plan.reason })]
}

/** Says so where nothing else is wrong; choosing it leaves the line as it is, to be shortened. */
function tooLong(query: string, { problem }: { readonly problem: string }): readonly PaletteItem[] {
  if (problem !== reasonProblem && problem !== noteProblem) return []
  const action = { does: 'type', text: query } as const
  return [{ ...hereItem('here/long', problem, () => undefined), action }]
}

function plannedItem(line: PlannedLine): PaletteItem {
  const title = `Plan maintenance of ${line.name} ${timesWords(line.when)}`
  const act = async () => {
    const failure = await planMaintenance(line)
    if (failure !== null) toastFailure(failure)
  }
  return hereItem('here/maintenance', title, act, { hint: line.reason ?? '' })
}

/** Offers to acknowledge a check with a note: "ack db-backup: looking at the disk". */
export function noteItem(query: string): readonly PaletteItem[] {
  const [, line] = /^(?:ack|acknowledge|note) (.*)$/i.exec(query.trim()) ?? []
  if (line === undefined) return []
  const { boards } = appState.peek()
  for (let colon = line.indexOf(':'); colon >= 0; colon = line.indexOf(':', colon + 1)) {
    const [name, note] = [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]
    const on = note === '' ? null : checkNamed({ boards }, name)
    const check = on && boards.get(on.on.accountId)?.checks.get(on.on.checkId)
    if (!on || !check) continue
    const {
      on: { accountId },
      onName,
    } = on
    if (note.length > reasonLimit) return tooLong(query, { problem: noteProblem })
    const act = () => acknowledgeNoted({ accountId, check }, note)
    return [hereItem('here/note', `Acknowledge ${onName}: ${note}`, act)]
  }
  return []
}

/** Offers to let checks depend on one: "#site-a depends on gateway". */
export function dependencyItem(query: string): readonly PaletteItem[] {
  const line = readDependency(query, appState.peek())
  if (line === null) return []
  const title = `Keep ${line.name} quiet while ${line.onName} is down`
  return [hereItem('here/depends', title, () => depend(line))]
}

/** Offers to set a limit for a check's runs: "db-backup longer than 2 h". */
export function limitItem(query: string): readonly PaletteItem[] {
  const { boards } = appState.peek()
  const line = readLimitLine(query, { boards })
  const check = line && boards.get(line.accountId)?.checks.get(line.checkId)
  if (!line || !check) return []
  const words = limitsWords({ longerMinutes: null, shorterMinutes: null, ...line.limits })
  const act = async () => {
    const result = await setLimits({ accountId: line.accountId, check }, line.limits)
    if (!result.ok) toastFailure(result.failure)
  }
  return [hereItem('here/limit', `Tell of a run of ${line.name} that is ${words}`, act)]
}

/** Offers the outages of a day that is typed, such as "tuesday" or "db-backup 7 nov". */
export function outagesItem(query: string): readonly PaletteItem[] {
  if (appState.peek().boards.size === 0) return []
  const { days, words } = parseOutageFilter(query, [], Date.now())
  if (days === null) return []
  const on = `Outages: ${daysWords(days, Date.now())}`
  const open = () => go({ view: 'outages', query: query.trim() })
  return [hereItem('here/outages', words === '' ? on : `${on}, ${words}`, open)]
}
