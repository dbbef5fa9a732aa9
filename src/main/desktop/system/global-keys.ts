import { globalShortcut } from 'electron'
import {
  type GlobalAction,
  type GlobalKeys,
  globalActions,
  keysProblem,
} from '../../../shared/core/settings.ts'
import { listWords } from '../../../shared/core/wording.ts'
import { appId } from './computer.ts'
import { isNobodyThere, plainValue, type SessionBus } from './session-bus.ts'

interface Parts {
  readonly openBus: () => Promise<SessionBus>
  readonly onKey: (name: GlobalAction) => void
}

/** Keys that work in every program. */
interface Keys {
  /** Resolves with why they could not be registered, in words, or null. Never rejects. */
  take(keys: GlobalKeys): Promise<string | null>
  stop(): void
}

/** Uses Electron or, on Wayland, where no program sees keys typed into others, the portal. */
export function createGlobalKeys(parts: Parts & { readonly environment: NodeJS.ProcessEnv }): Keys {
  const { WAYLAND_DISPLAY = '', XDG_SESSION_TYPE } = parts.environment
  const isWayland = WAYLAND_DISPLAY !== '' || XDG_SESSION_TYPE === 'wayland'
  const keys =
    process.platform === 'linux' && isWayland ? keysByPortal(parts) : keysByElectron(parts.onKey)
  return { ...keys, take: async (wanted) => problemOf(wanted) ?? (await keys.take(wanted)) }
}

type Chosen = readonly (readonly [name: GlobalAction, keys: string])[]

function chosenOf(keys: GlobalKeys): Chosen {
  // `Object.keys` gives them the type `string`.
  const names = Object.keys(globalActions) as GlobalAction[]
  return names.flatMap((name) => (keys[name] === null ? [] : [[name, keys[name]] as const]))
}

/** A settings file edited by hand may contain anything. */
function problemOf(keys: GlobalKeys): string | null {
  const chosen = chosenOf(keys).map(([, one]) => one)
  const twice = chosen.find((one, at) => chosen.indexOf(one) !== at)
  if (twice !== undefined) return `${twice} can’t do two things.`
  return chosen.map(keysProblem).find((problem) => problem !== null) ?? null
}

function keysByElectron(onKey: Parts['onKey']): Keys {
  let some = false
  return {
    take: async (keys) => {
      const chosen = chosenOf(keys)
      // The system is not called as long as nobody chose any.
      if (some) globalShortcut.unregisterAll()
      some = chosen.length > 0
      const taken = chosen
        .filter(([name, one]) => !globalShortcut.register(one, () => onKey(name)))
        .map(([, one]) => one)
      if (taken.length === 0) return null
      return `${listWords(taken)} ${taken.length === 1 ? 'is' : 'are'} taken by another program. Choose other keys.`
    },
    stop: () => {
      if (some) globalShortcut.unregisterAll()
    },
  }
}

const portal = 'org.freedesktop.portal.Desktop'
const portalPath = '/org/freedesktop/portal/desktop'
const shortcuts = 'org.freedesktop.portal.GlobalShortcuts'
/** The desktop asks the user, who may be away. */
const answerDeadlineMs = 120_000

const noPortal =
  'On Wayland, this desktop doesn’t let apps register global keys. In its keyboard settings, bind a key to the command: xdg-open belfry://view/checks'
const refused = 'The request for these keys was declined.'

/** Opens a new connection for each choice: closing the old one releases its keys. */
function keysByPortal({ openBus, onKey }: Parts): Keys {
  let bus: SessionBus | null = null
  let last: Promise<unknown> = Promise.resolve()

  const take = async (keys: GlobalKeys): Promise<string | null> => {
    bus?.close()
    bus = null
    const chosen = chosenOf(keys)
    if (chosen.length === 0) return null
    const opened = await openBus()
    bus = opened
    const bound = await bind(opened, chosen, onKey)
    if (bound === null)
      opened.onOwner(portal, (owned) => {
        // The portal was restarted and no longer knows the keys.
        if (owned && bus === opened) void later(keys)
      })
    return bound
  }
  const later = (keys: GlobalKeys): Promise<string | null> => {
    const taken = last.then(() => take(keys)).catch(problemWords)
    last = taken
    return taken
  }
  return {
    take: later,
    stop: () => bus?.close(),
  }
}

function problemWords(error: unknown): string {
  const { code = '' } = error as { readonly code?: unknown }
  const isMissing = /\.(UnknownMethod|UnknownInterface|UnknownObject)$/.test(String(code))
  if (isMissing || code === 'no address' || isNobodyThere(error)) return noPortal
  return 'The system did not say whether Belfry may have these keys. Try again.'
}

async function bind(
  bus: SessionBus,
  chosen: Chosen,
  onKey: Parts['onKey'],
): Promise<string | null> {
  let session: unknown = null
  bus.onSignal(
    { path: portalPath, interface: shortcuts, member: 'Activated', from: portal },
    ([of, id]) => {
      const pressed = chosen.find(([name]) => name === id)
      if (of === session && pressed !== undefined) onKey(pressed[0])
    },
  )
  // From here on the portal's owner is known, so its signals are accepted.
  await bus.hasOwner(portal)
  await registerApp(bus)
  const created = await ask(bus, 'CreateSession', '', [], [['session_handle_token', 'belfry']])
  session = created.results.get('session_handle')
  if (created.code !== 0 || typeof session !== 'string') return refused
  const wanted = chosen.map(([name, keys]) => [
    name,
    options([
      ['description', globalActions[name]],
      ['preferred_trigger', triggerOf(keys)],
    ]),
  ])
  const answer = await ask(bus, 'BindShortcuts', 'oa(sa{sv})s', [session, wanted, ''], [])
  return answer.code === 0 ? null : refused
}

/** The portal trusts the id that an unsandboxed app gives; older ones find it out themselves. */
async function registerApp(bus: SessionBus): Promise<void> {
  const register = {
    destination: portal,
    path: portalPath,
    interface: 'org.freedesktop.host.portal.Registry',
    member: 'Register',
    signature: 'sa{sv}',
    body: [appId, []],
  }
  await bus.call(register).catch((error: unknown) => {
    if (isNobodyThere(error)) throw error
  })
}

type Options = readonly (readonly [name: string, value: string])[]

const options = (texts: Options): unknown => texts.map(([name, value]) => [name, ['s', value]])

/** The portal answers with a signal, once the user has decided. `code` 0: yes. */
function ask(
  bus: SessionBus,
  member: string,
  signature: string,
  body: readonly unknown[],
  more: Options,
): Promise<{ readonly code: unknown; readonly results: ReadonlyMap<unknown, unknown> }> {
  const token = `belfry_${member}`
  const path = `${portalPath}/request/${bus.name.slice(1).replaceAll('.', '_')}/${token}`
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no answer')), answerDeadlineMs)
    const fail = (error: unknown): void => {
      clearTimeout(timer)
      reject(error instanceof Error ? error : new Error(String(error)))
    }
    bus.onSignal(
      { path, interface: 'org.freedesktop.portal.Request', member: 'Response', from: portal },
      ([code, results]) => {
        clearTimeout(timer)
        const entries = Array.isArray(results) ? (results as [unknown, unknown][]) : []
        resolve({
          code,
          results: new Map(entries.map(([name, value]) => [name, plainValue(value)])),
        })
      },
    )
    bus.onOwner(portal, (owned) => owned || fail('the portal is gone'))
    bus.onEnd(() => fail('the bus is gone'))
    bus
      .call({
        destination: portal,
        path: portalPath,
        interface: shortcuts,
        member,
        signature: `${signature}a{sv}`,
        body: [...body, options([['handle_token', token], ...more])],
      })
      .catch(fail)
  })
}

/** As the desktop's specification of shortcuts writes them: "CTRL+ALT+b". */
function triggerOf(keys: string): string {
  const pressed = keys.split('+')
  const key = pressed.pop() ?? ''
  const symbol = /^([A-Z]|Space)$/.test(key) ? key.toLowerCase() : key
  return [...pressed.map((one) => (one === 'Super' ? 'LOGO' : one.toUpperCase())), symbol].join('+')
}
