import { type Account, freshnessOf, isFresh } from '../account.ts'
import { type ServerLevel, serverWords } from '../chat/server-level.ts'
import { type Diagnostics, type Exchange, exchangeLine } from '../diagnosis.ts'
import { type Failure, failureCode } from '../failure.ts'
import { failureWords } from '../failure-words.ts'
import type { AppState } from '../state.ts'
import { durationWords, relativeWords } from '../time.ts'
import { capitalised, counted } from '../wording.ts'
import { readAgeWords } from './read-words.ts'

/** The state of one part of the app or the computer, and what to do if it fails. */
export interface Finding {
  readonly name: string
  readonly state: 'ok' | 'warning' | 'failed'
  readonly says: string
  /** Empty if nothing has to be done. */
  readonly todo: string
}

type Part = Omit<Finding, 'name'>

/** How to word accounts and failures: with names for the user, without any in a report. */
interface Naming {
  readonly account: (account: Account) => string
  readonly failure: (failure: Failure) => { readonly what: string; readonly action: string }
  readonly server: (server: ServerLevel) => string
}

const plainly: Naming = {
  account: ({ label }) => label,
  failure: failureWords,
  server: serverWords,
}

/** A smaller clock difference causes no failures. */
const clockToleranceMs = 60_000

const ok = (says: string): Part => ({ state: 'ok', says, todo: '' })
const warning = (says: string, todo: string): Part => ({ state: 'warning', says, todo })
const failed = (says: string, todo: string): Part => ({ state: 'failed', says, todo })

/** The state of everything that Belfry needs, beginning with the computer. */
export function findings(
  state: AppState,
  diagnostics: Diagnostics,
  now: number,
  naming: Naming = plainly,
): readonly Finding[] {
  const { facts } = diagnostics
  return [
    { name: 'Program', ...program(state) },
    ...(facts.sessionBus === null ? [] : [{ name: 'Session bus', ...bus(facts.sessionBus) }]),
    { name: 'Tray icon', ...tray(facts.tray) },
    { name: 'Notifications', ...notifications(diagnostics) },
    { name: 'Keyring', ...keyring(state, diagnostics) },
    { name: 'Disk', ...disk(state, diagnostics) },
    { name: 'Clock', ...clock(state) },
    { name: 'Locale', ...locale(state) },
    { name: 'Messages to send', ...outbox(state) },
    ...state.accounts.map((account) => {
      const exchanges = diagnostics.exchanges.get(account.id) ?? []
      const part = accountPart(state, account, exchanges, now, naming)
      const server = state.realms.get(account.id)?.server
      const level = server == null ? '' : naming.server(server)
      const says = level === '' ? part.says : `${part.says} ${capitalised(level)}.`
      return { name: naming.account(account), ...part, says }
    }),
  ]
}

function program({ environment }: AppState): Part {
  return environment.standIn
    ? warning(
        'Runs on this system’s Chromium instead of Electron.',
        'Install Electron’s own program: node node_modules/electron/install.js',
      )
    : ok(`Belfry ${environment.version}`)
}

function bus(isThere: boolean): Part {
  return isThere
    ? ok('There is a session bus.')
    : failed(
        'There is no session bus, so no tray icon and no buttons on notifications.',
        'Start Belfry in a desktop session, or with dbus-run-session.',
      )
}

function tray(isThere: boolean): Part {
  return isThere
    ? ok('This desktop shows the tray icon.')
    : warning(
        'This desktop shows no tray icon; Belfry stays in the taskbar.',
        'On GNOME, install the extension “AppIndicator and KStatusNotifierItem Support”.',
      )
}

function notifications({ facts }: Diagnostics): Part {
  if (facts.notifiedBy === 'nobody')
    return failed(
      'Nothing here shows notifications.',
      'Start a notification daemon; until then, look under Notifications.',
    )
  const buttons = facts.capabilities.includes('actions') ? ', with buttons' : ''
  const says = `Shown through ${facts.notifiedBy}${buttons}.`
  return facts.systemQuiet
    ? warning(`${says} The system’s do-not-disturb is on.`, 'Turn it off to see them at once.')
    : ok(says)
}

function keyring({ environment }: AppState, { facts }: Diagnostics): Part {
  const name = facts.keyring === null ? '' : ` (${facts.keyring})`
  if (environment.protection === 'os') return ok(`Protects the keys${name}.`)
  const says =
    environment.protection === 'weak'
      ? 'There is no keyring. Keys are on disk unprotected, as you allowed.'
      : 'There is no keyring. Keys are kept until Belfry quits.'
  return warning(
    `${says}${name}`,
    'Install and unlock a keyring, such as gnome-keyring or KWallet.',
  )
}

function disk({ troubles }: AppState, diagnostics: Diagnostics): Part {
  if (diagnostics.disk === false)
    return failed('Belfry can’t write to the disk.', 'Free some space, or make it writable.')
  if (troubles.length > 0)
    return warning(
      `${counted(troubles.length, 'problem')} at the top of the window.`,
      'Read them, and dismiss those that are resolved.',
    )
  return ok(diagnostics.disk === null ? 'Nothing failed so far.' : 'Writes succeed.')
}

function clock({ boards }: AppState): Part {
  const read = [...boards.values()].filter(({ freshness }) => freshness.readAt !== null)
  if (read.length === 0) return ok('Compared with a server’s as soon as a project is updated.')
  const offsets = read.map(({ serverOffsetMs }) => serverOffsetMs)
  const worst = offsets.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a), 0)
  if (Math.abs(worst) <= clockToleranceMs) return ok('The clock agrees with the servers.')
  const side = worst > 0 ? 'behind' : 'ahead of'
  return warning(
    `This computer is ${durationWords(Math.abs(worst))} ${side} a server.`,
    'Set the clock, or turn on time synchronisation.',
  )
}

function locale({ environment }: AppState): Part {
  const { systemLocale } = environment
  return systemLocale === '' || /^(C|POSIX)\b/.test(systemLocale)
    ? warning(
        'The system names no region, so dates and times use the British format.',
        'Set LANG or LC_TIME, such as en_GB.UTF-8.',
      )
    : ok(systemLocale)
}

function outbox(state: AppState): Part {
  const of = (wanted: string) => state.outbox.filter((message) => message.state === wanted).length
  const [unsure, refused] = [of('unconfirmed'), of('rejected')]
  if (unsure + refused > 0)
    return warning(
      `${unsure} not confirmed, ${refused} rejected.`,
      'Open their conversations, and send or discard them.',
    )
  const waiting = of('queued') + of('sending')
  return ok(
    waiting === 0 ? 'No message waits to be sent.' : `${counted(waiting, 'message')} on the way.`,
  )
}

function accountPart(
  state: AppState,
  account: Account,
  exchanges: readonly Exchange[],
  now: number,
  naming: Naming,
): Part {
  const freshness = freshnessOf(state, account.id)
  if (account.key === 'missing') return failed('Its key is missing.', 'Enter it under Accounts.')
  if (account.key === 'locked') return failed('The keyring is locked.', 'Unlock the keyring.')
  if (freshness?.failure != null) {
    const { what, action } = naming.failure(freshness.failure)
    return failed(what, action)
  }
  if (account.key === 'rejected')
    return failed('The server rejected its key.', 'Replace the key under Accounts.')
  if (freshness === null || freshness.readAt === null)
    return warning('Not updated yet.', 'Wait a moment, or press “Refresh now”.')
  if (!isFresh(freshness, now)) {
    const age = relativeWords(Math.min(freshness.readAt, now), now)
    return warning(`Last updated ${age}.`, 'Press “Refresh now”.')
  }
  const left = exchanges[0]?.left ?? null
  const budget = left === null ? '' : `; ${counted(left, 'request')} left this minute`
  return ok(`${readAgeWords(freshness, now)}${budget}.`)
}

/**
 * All findings as text that is safe to share: accounts by number, failures by kind; no addresses,
 * names or rules. `logs`: the content of the log files.
 */
export function reportText(
  state: AppState,
  diagnostics: Diagnostics,
  now: number,
  logs: string,
): string {
  const number = (account: Account) =>
    `Account ${state.accounts.indexOf(account) + 1} (${account.kind})`
  const found = findings(state, diagnostics, now, {
    account: number,
    failure: (failure) => ({ what: failureCode(failure), action: '' }),
    // A custom build may have a name in its version.
    server: (server) =>
      serverWords({ ...server, version: /^[\d.]+/.exec(server.version ?? '')?.[0] ?? null }),
  })
  const requests = state.accounts.flatMap((account) => [
    '',
    number(account),
    ...(diagnostics.exchanges.get(account.id) ?? []).map(exchangeLine),
  ])
  return [
    `Belfry report, ${new Date(now).toISOString()}`,
    'It names no server, person, check or message, and holds no key.',
    '',
    ...diagnostics.facts.versions.map(([name, value]) => `${name} ${value}`),
    '',
    ...found.map(({ name, state: is, says }) => `[${is}] ${name}: ${says}`),
    ...requests,
    '',
    'Log',
    logs,
    '',
  ].join('\n')
}
