import type { Commands } from '../../shared/contract.ts'
import type { AccountId } from '../../shared/core/account.ts'
import type { AttentionSettings } from '../../shared/core/attention/rules.ts'
import type { CheckId } from '../../shared/core/checks/check.ts'
import { invalid, RequestFailed } from '../../shared/core/failure.ts'
import type { AppState } from '../../shared/core/state.ts'
import type { Desktop } from '../base/ports.ts'
import type { LiveState } from '../state/store.ts'

/** Changing the settings, here and by a file, and what takes effect outside the state. */
export function createSettingsCommands(parts: {
  live: LiveState
  desktop: Desktop
  /** Asks the user whether the check may be pinged where its address leads. */
  confirmPings: (accountId: AccountId, checkId: CheckId) => Promise<unknown>
  /** Reads all accounts now. */
  readAll: () => void
}) {
  const { live, desktop } = parts

  const updateSettings: Commands['updateSettings'] = async (change) => {
    const { selfWatch, attention } = change
    if (attention !== undefined) demandKnownPrograms(attention, live.get())
    if (selfWatch != null) await parts.confirmPings(selfWatch.accountId, selfWatch.checkId)
    if (change.globalKeys !== undefined) {
      const problem = await desktop.takeKeys(change.globalKeys)
      if (problem !== null) {
        await desktop.takeKeys(live.get().settings.globalKeys)
        throw invalid('globalKeys', problem)
      }
      live.trouble('globalKeys', null)
    }
    live.update((state) => ({ ...state, settings: { ...state.settings, ...change } }))
    if (change.zoom !== undefined) desktop.setZoom(change.zoom)
    // A shorter interval must not begin only after a wait of the old one.
    if (change.pollSeconds !== undefined || change.sparesBattery === false) parts.readAll()
    await live.persist('settings').catch(() => {
      throw invalid(
        'disk',
        'The change works until Belfry quits, but could not be saved (disk full or read-only). Belfry keeps trying.',
      )
    })
  }

  return {
    updateSettings,

    async exportSettings() {
      const { settingsFile } = await import('../../shared/core/settings.ts')
      return desktop.saveFile('belfry-settings.json', settingsFile(live.get()))
    },

    async importSettings() {
      const text = await desktop.readChosenFile()
      if (text === null) return null
      const { readSettingsFile } = await import('../../shared/core/settings.ts')
      const { accounts, settings } = live.get()
      const { change, strangers, programs } = readSettingsFile(text, accounts)
      await updateSettings(change).catch((error: unknown) => {
        // The settings are in effect and can be undone; the failed write is reported separately.
        if (!isRefusedByDisk(error)) throw error
      })
      const before = Object.keys(change).map((name) => [
        name,
        settings[name as keyof typeof settings],
      ])
      return { before: Object.fromEntries(before) as typeof change, strangers, programs }
    },

    startsAtLogin: () => desktop.startsAtLogin(),

    setStartsAtLogin: ({ on }) => desktop.setStartsAtLogin(on),
  } satisfies Partial<Commands>
}

/** Rules may keep one that is lost, but name no other than those that main gave an id. */
function demandKnownPrograms(wanted: AttentionSettings, { programs, settings }: AppState): void {
  const named = settings.attention.rules.map(({ programId }) => programId)
  const isKnown = (id: string): boolean => programs.has(id) || named.includes(id)
  if (!wanted.rules.every(({ programId }) => programId == null || isKnown(programId)))
    throw invalid(
      'attention',
      'A rule names a program that Belfry doesn’t know: choose it again in that rule.',
    )
}

function isRefusedByDisk(error: unknown): boolean {
  return (
    error instanceof RequestFailed &&
    error.failure.kind === 'invalid' &&
    error.failure.field === 'disk'
  )
}
