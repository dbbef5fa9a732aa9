import { release, type as systemType } from 'node:os'
import { app } from 'electron'
import type { ComputerFacts } from '../../../shared/core/diagnosis.ts'
import type { NotifiedBy } from '../../ports.ts'
import { systemStorage } from './electron-system.ts'
import type { SessionBus } from './session-bus.ts'

/** What this computer says about itself now. Never throws. */
export async function computerFacts(parts: {
  readonly openBus: () => Promise<SessionBus>
  readonly tray: boolean
  readonly notifiedBy: NotifiedBy
  readonly systemQuiet: boolean
}): Promise<ComputerFacts> {
  const { tray, notifiedBy, systemQuiet } = parts
  const { XDG_CURRENT_DESKTOP: desktop = '', XDG_SESSION_TYPE: session = '' } = process.env
  const { electron = '', chrome = '', node = '' } = process.versions
  const versions = [
    ['Belfry', app.getVersion()],
    ['Electron', electron],
    ['Chromium', chrome],
    ['Node', node],
    ['System', `${systemType()} ${release()} ${process.arch}`],
    ['Desktop', `${desktop} ${session}`.trim()],
  ] as const
  const asked =
    process.platform === 'linux'
      ? await askBus(parts.openBus, notifiedBy)
      : { sessionBus: null, ...notifiedBy }
  const { sessionBus, by, capabilities } = asked
  return {
    versions: versions.filter(([, value]) => value !== ''),
    sessionBus,
    tray,
    notifiedBy: by,
    capabilities,
    systemQuiet,
    keyring: systemStorage.backend(),
  }
}

/** Whether there is a bus, and a daemon on it that shows notifications. */
async function askBus(openBus: () => Promise<SessionBus>, notifiedBy: NotifiedBy) {
  const bus = await openBus().catch(() => null)
  if (bus === null) return { sessionBus: false, ...notifiedBy }
  try {
    const [list] = await bus.call({
      destination: 'org.freedesktop.Notifications',
      path: '/org/freedesktop/Notifications',
      interface: 'org.freedesktop.Notifications',
      member: 'GetCapabilities',
    })
    const capabilities = Array.isArray(list) ? list.map(String) : []
    return { sessionBus: true, by: notifiedBy.by, capabilities }
  } catch {
    // Nobody answers, whatever showed the last one.
    const by = notifiedBy.by === 'D-Bus' ? 'nobody' : notifiedBy.by
    return { sessionBus: true, by, capabilities: [] }
  } finally {
    bus.close()
  }
}
