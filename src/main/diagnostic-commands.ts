import type { Commands } from '../shared/contract.ts'
import type { AccountId } from '../shared/core/account.ts'
import { type Diagnostics, type Exchange, exchangeLine } from '../shared/core/diagnosis.ts'
import type { Clock, Desktop } from './ports.ts'
import type { LiveState } from './store.ts'

/** Kept of each account: about a quarter of an hour of polls. */
const mostExchanges = 30

type DiagnosticCommands = Pick<
  Commands,
  'diagnose' | 'saveDiagnostics' | 'exportSettings' | 'importSettings'
>

/** What Belfry can say about itself when something does not work, and its settings as a file. */
export function createDiagnosticCommands(parts: {
  live: LiveState
  desktop: Desktop
  clock: Clock
  refresh: () => void
  updateSettings: Commands['updateSettings']
  note: (where: string, what: string) => void
}): {
  readonly commands: DiagnosticCommands
  readonly heard: (id: AccountId, exchange: Exchange) => void
} {
  const { live, desktop, clock } = parts
  const exchanges = new Map<AccountId, readonly Exchange[]>()

  /** `thorough` writes to the disk and reads all accounts. */
  async function diagnose(thorough: boolean): Promise<Diagnostics> {
    if (thorough) parts.refresh()
    const [facts, disk] = await Promise.all([
      desktop.facts(),
      thorough
        ? live.persist('settings').then(
            () => true,
            () => false,
          )
        : null,
    ])
    const known = new Set(live.get().accounts.map(({ id }) => id))
    for (const id of exchanges.keys()) if (!known.has(id)) exchanges.delete(id)
    return { facts, disk, exchanges: new Map(exchanges) }
  }

  return {
    heard(id, exchange) {
      exchanges.set(id, [exchange, ...(exchanges.get(id) ?? [])].slice(0, mostExchanges))
      parts.note(`account ${id.slice(0, 8)}`, exchangeLine(exchange))
    },
    commands: {
      diagnose: ({ thorough }) => diagnose(thorough),

      async saveDiagnostics() {
        const { reportText } = await import('../shared/core/views/findings.ts')
        const [diagnostics, logs] = await Promise.all([diagnose(true), desktop.logs()])
        const text = reportText(live.get(), diagnostics, clock.now(), logs)
        return desktop.saveFile('belfry-report.txt', text)
      },

      async exportSettings() {
        const { settingsFile } = await import('../shared/core/settings.ts')
        return desktop.saveFile('belfry-settings.json', settingsFile(live.get()))
      },

      async importSettings() {
        const text = await desktop.readChosenFile()
        if (text === null) return null
        const { readSettingsFile } = await import('../shared/core/settings.ts')
        const { accounts, settings } = live.get()
        const { change, strangers } = readSettingsFile(text, accounts)
        await parts.updateSettings(change)
        const before = Object.keys(change).map((name) => [
          name,
          settings[name as keyof typeof settings],
        ])
        return { before: Object.fromEntries(before) as typeof change, strangers }
      },
    },
  }
}
