import { type Account, type AccountKind, onlyReads } from '../account.ts'
import { conversationTitle } from '../chat/chat-names.ts'
import { draftKey } from '../chat/drafts.ts'
import { noStatus, type OwnStatus } from '../chat/own-status.ts'
import type { Realm } from '../chat/realm.ts'
import { lackWords } from '../chat/server-level.ts'
import type { Board } from '../checks/board.ts'
import { checkName, slugOf } from '../checks/check.ts'
import { statusWord } from '../checks/check-words.ts'
import { isSameList } from '../identity.ts'
import { type AppState, showsDemo } from '../state.ts'
import { type ChatListName, chatLists, type Target } from '../target.ts'
import { clockUntilWords } from '../time.ts'
import { percentWords } from '../wording.ts'
import {
  joinedIndex,
  type PaletteAction,
  type PaletteCommand,
  type PaletteIndex,
  type PaletteItem,
  paletteIndex,
} from './palette-search.ts'

import { channelItems, peopleOf } from './recipients.ts'

/** What the palette needs to know about an operation. */
export interface PaletteOperation {
  /** Name in the catalogue. */
  readonly id: string
  readonly service: AccountKind
  readonly title: string
  readonly method: string
  readonly path: string
  readonly needsReadWriteKey: boolean
  /** Chat: the feature level that introduced it. */
  readonly since?: number | undefined
}

const nothing = paletteIndex([])

/**
 * Everything the palette can find, beginning with what can be done in the current view. Each part
 * is rebuilt only when its slices of the state change: a patch to one account must not fold the
 * names of all others again.
 */
export function createPaletteSource(): (state: AppState, here?: PaletteIndex) => PaletteIndex {
  const boards = remembered(boardItems)
  const realms = remembered(realmItems)
  const channels = remembered(channelItems)
  const commands = latest((_accounts, state: AppState) => paletteIndex(commandItems(state)))
  const joined = latest((_parts, parts: readonly PaletteIndex[]) => joinedIndex(parts))
  return (state, here = nothing) => {
    const { accounts } = state
    const parts = [
      here,
      commands([accounts, state.silences, state.statusEnds, state.settings.hideNames], state),
    ]
    for (const account of accounts) {
      const board = state.boards.get(account.id)
      if (board !== undefined) parts.push(boards(board.checks, account.label, board))
      const realm = state.realms.get(account.id)
      if (realm !== undefined)
        parts.push(
          realms(realm.conversations, account.label, realm),
          channels(realm.channels, account.label, realm),
          peopleOf(realm),
        )
    }
    return joined(parts, parts)
  }
}

/** What a query begins with that is meant for the operations of the services, and them alone. */
export const operationSign = '>'

/** The operations that some account can do, apart from all else: few people want one of 84. */
export function createOperationSource(
  operations: readonly PaletteOperation[],
): (state: AppState) => PaletteIndex {
  const offered = latest((_accounts, state: AppState) =>
    paletteIndex(operationItems(operations, state)),
  )
  return (state) => {
    const servers = state.accounts.map(({ id }) => state.realms.get(id)?.server)
    return offered([state.accounts, ...servers], state)
  }
}

/** Leads to them; the last row of every list. */
export const operationsItem: PaletteItem = command(
  'operations',
  'API operations…',
  { does: 'type', text: operationSign },
  { hint: `begin with ${operationSign}`, keywords: 'api raw request' },
)

/** A verb without an object: choosing it leads to what it can be done to. */
const verbs: Readonly<Record<AccountKind, readonly (readonly string[])[]>> = {
  monitoring: [
    ['snooze', 'Snooze a check…', 'silence later'],
    ['acknowledge', 'Acknowledge a check…', 'ack seen'],
    ['note', 'Note on an acknowledgement…', 'comment reason'],
    ['pause', 'Pause or resume a check…', 'unpause disable enable stop start'],
    ['edit', 'Edit a check…', 'change rename schedule grace period tags'],
    ['delete', 'Delete a check…', 'remove'],
    ['share', 'Share a check to chat…', 'discuss report post'],
    ['timeline', 'Timeline of a check…', 'postmortem'],
    ['curl', 'Copy a ping address as curl…', 'ping url'],
  ],
  chat: [['mute', 'Mute a conversation…', 'silence topic']],
}

/** Of the verbs, those that a read-only key isn't enough for. */
const writing: ReadonlySet<unknown> = new Set(['pause', 'edit', 'delete', 'curl'])

function verbItems(kind: AccountKind, { accounts }: AppState): readonly PaletteItem[] {
  const canWrite = accounts.some((account) => account.kind === kind && !onlyReads(account))
  const offered = verbs[kind].filter(([verb]) => canWrite || !writing.has(verb))
  return offered.map(([verb = '', title = '', keywords = '']) =>
    command(`verb/${verb}`, title, { does: 'type', text: `${verb} ` }, { keywords }),
  )
}

/** Caches the last result for each object and label. */
function remembered<T>(
  make: (of: T, label: string) => readonly PaletteItem[],
): (key: object, label: string, of: T) => PaletteIndex {
  const known = new WeakMap<object, { readonly label: string; readonly index: PaletteIndex }>()
  return (key, label, of) => {
    const before = known.get(key)
    if (before?.label === label) return before.index
    const index = paletteIndex(make(of, label))
    known.set(key, { label, index })
    return index
  }
}

/** Caches the last result while its inputs are the same. */
function latest<T>(
  make: (keys: readonly unknown[], of: T) => PaletteIndex,
): (keys: readonly unknown[], of: T) => PaletteIndex {
  let before: { readonly keys: readonly unknown[]; readonly index: PaletteIndex } | null = null
  return (keys, of) => {
    if (before === null || !isSameList(before.keys, keys)) before = { keys, index: make(keys, of) }
    return before.index
  }
}

function boardItems(board: Board, label: string): readonly PaletteItem[] {
  return [...board.checks.values()].map((check) => ({
    id: `check/${board.accountId}/${check.id}`,
    kind: 'check',
    title: checkName(check),
    hint: `${statusWord(check.status)} · ${label}`,
    key: '',
    keywords: `${slugOf(check)} ${check.tags.map((tag) => `#${tag}`).join(' ')}`,
    action: {
      does: 'go',
      target: { view: 'check', accountId: board.accountId, checkId: check.id },
    },
  }))
}

function realmItems(realm: Realm, label: string): readonly PaletteItem[] {
  return [...realm.conversations.values()].map(({ conversation, unread }) => ({
    id: `conversation/${draftKey(realm.accountId, conversation)}`,
    kind: 'conversation',
    title: conversationTitle(realm, conversation),
    hint: unread.length > 0 ? `${unread.length} unread · ${label}` : label,
    key: '',
    keywords: '',
    action: {
      does: 'go',
      target: { view: 'conversation', accountId: realm.accountId, conversation, messageId: null },
    },
  }))
}

function operationItems(
  operations: readonly PaletteOperation[],
  { accounts, realms }: AppState,
): readonly PaletteItem[] {
  return operations
    .filter(({ service, needsReadWriteKey }) =>
      accounts.some((one) => one.kind === service && !(needsReadWriteKey && onlyReads(one))),
    )
    .map((operation) => {
      const { id, title, method, path, service } = operation
      const lacks = accounts
        .filter(({ kind }) => kind === service)
        .map((account) => lackWords(realms.get(account.id)?.server, operation.since))
      const blocked = lacks.includes(null) ? null : lacks[0]
      return {
        id: `operation/${id}`,
        kind: 'operation',
        title,
        hint: blocked ?? `${method} ${path}`,
        key: '',
        keywords: `${method} ${path} ${service} ${id}`,
        action: { does: 'operation', operation: id },
      }
    })
}

function command(
  id: string,
  title: string,
  action: PaletteAction,
  more: { readonly hint?: string; readonly key?: string; readonly keywords?: string } = {},
): PaletteItem {
  const { hint = '', key = '', keywords = '' } = more
  return { id: `command/${id}`, kind: 'command', title, hint, key, keywords, action }
}

/** An item that is always there, or what makes those that depend on the state. */
type CommandRow = PaletteItem | ((state: AppState) => readonly PaletteItem[])

function commandItems(state: AppState): readonly PaletteItem[] {
  return rowItems(commandRows, state)
}

function rowItems(rows: readonly CommandRow[], state: AppState): readonly PaletteItem[] {
  return rows.flatMap((row) => (typeof row === 'function' ? row(state) : row))
}

/** Rows that are there while there is an account of this kind. */
function ofKind(kind: AccountKind, rows: readonly CommandRow[]): CommandRow {
  return (state) =>
    state.accounts.some((account) => account.kind === kind) ? rowItems(rows, state) : []
}

const to = (target: Target): PaletteAction => ({ does: 'go', target })
const run = (name: PaletteCommand): PaletteAction => ({ does: 'command', command: name })

function newCheckItems({ accounts }: AppState): readonly PaletteItem[] {
  return accounts
    .filter((account) => account.kind === 'monitoring' && !onlyReads(account))
    .flatMap(({ id, label }) => [
      command(
        `new-check/${id}`,
        `New check in ${label}`,
        to({ view: 'editCheck', accountId: id, checkId: null }),
        { keywords: 'new-check add-check create-check add create cron job monitor' },
      ),
      command(
        `import-checks/${id}`,
        `Import a crontab into ${label}`,
        to({ view: 'importChecks', accountId: id }),
        { keywords: 'crontab import-crontab paste file' },
      ),
    ])
}

const listTitles: Readonly<Record<ChatListName, string>> = {
  direct: 'Direct messages',
  channels: 'Channels and their topics',
  mentions: 'Messages that mention you',
  followed: 'Followed topics',
  starred: 'Starred messages',
}

const shareWords = 'screen sharing privacy private present call'

/** Every command, in the order in which they are offered where nothing else decides. */
const commandRows: readonly CommandRow[] = [
  command('refresh', 'Refresh now', run('refresh'), { keywords: 'reload update sync poll' }),
  command('board', 'Checks', to({ view: 'checks' }), {
    key: 'Ctrl 1',
    keywords: 'open board home silenced',
  }),
  command('reply', 'Chat', to({ view: 'chat' }), {
    key: 'Ctrl 2',
    keywords: 'quick reply conversations messages answer',
  }),
  newCheckItems,
  command('notices', 'Notifications', to({ view: 'notices' }), {
    keywords: 'alerts notices why digest bell',
  }),
  ofKind('monitoring', [
    command('outages', 'Outages', to({ view: 'outages' }), {
      keywords: 'incidents history outage incident downtime what happened down last night',
    }),
    command('weekly', 'Weekly review', to({ view: 'weekly' }), {
      keywords: 'noisy slow flapping grace never pinged integrations week',
    }),
  ]),
  command('accounts', 'Accounts', to({ view: 'accounts' }), {
    keywords:
      'account key api-key password token secret log-out logout sign-out remove-account disconnect',
  }),
  command('settings', 'Settings', to({ view: 'settings' }), {
    keywords: 'preferences options configuration',
  }),
  command('attention', 'Notification rules', to({ view: 'attention' }), {
    keywords: 'rules attention interrupt alert-level quiet-hours night',
  }),
  command('diagnostics', 'Diagnostics', to({ view: 'diagnostics' }), {
    keywords: 'this-computer log logs report problem requests debug bug',
  }),
  ({ environment: { version } }) => [
    command('about', 'About Belfry', to({ view: 'diagnostics' }), {
      hint: version,
      keywords: 'version licence',
    }),
  ],
  command('theme-light', 'Theme: light', run('themeLight'), {
    keywords: 'light light-mode bright',
  }),
  command('theme-dark', 'Theme: dark', run('themeDark'), { keywords: 'dark dark-mode' }),
  command('theme-system', 'Theme: same as the system', run('themeSystem')),
  command('density-compact', 'Density: compact', run('densityCompact'), {
    keywords: 'compact dense',
  }),
  command('density-comfortable', 'Density: comfortable', run('densityComfortable'), {
    keywords: 'comfortable spacious',
  }),
  command('zoom-in', 'Zoom in', run('zoomIn'), { key: 'Ctrl +', keywords: 'larger bigger' }),
  command('zoom-out', 'Zoom out', run('zoomOut'), { key: 'Ctrl −', keywords: 'smaller' }),
  // Worded when it is asked for, in the region's format.
  () => [
    command('zoom-reset', `Zoom: ${percentWords(100)}`, run('zoomReset'), {
      key: 'Ctrl 0',
      keywords: 'reset',
    }),
  ],
  command('disturb', 'Do not disturb…', run('disturb'), {
    keywords: 'dnd quiet focus do-not-disturb mute-all',
  }),
  ofKind('monitoring', [
    command('maintenance', 'Maintenance…', to({ view: 'maintenance' }), {
      keywords: 'tag project deploy deployment planned work',
    }),
    (state) => verbItems('monitoring', state),
  ]),
  ({ settings: { hideNames } }) => [
    hideNames
      ? command('show-names', 'Show names again', run('showNames'), { keywords: shareWords })
      : command('hide-names', 'Hide names', run('hideNames'), {
          keywords: shareWords,
        }),
  ],
  ({ silences }) =>
    silences.some(({ scope }) => scope.of === 'everything')
      ? [command('end-disturb', 'End do not disturb', run('endDisturb'), { keywords: 'dnd' })]
      : [],
  ofKind('chat', [
    command(
      'new-message',
      'New message…',
      { does: 'message', recipients: { to: 'anyone' } },
      {
        key: 'n',
        keywords: 'write person people channel topic direct dm compose attach file picture image',
      },
    ),
    command(
      'search-messages',
      'Search messages…',
      to({ view: 'search', accountId: null, query: '' }),
      { key: '/', keywords: 'find look up chat' },
    ),
    ...chatLists.map((list, at) =>
      command(`list/${list}`, listTitles[list], to({ view: 'chat', list }), {
        key: String(at + 2),
        keywords: `${list} chat list`,
      }),
    ),
    command('later', 'Drafts & scheduled', to({ view: 'later' }), {
      key: 'd',
      keywords: 'unsent send-later scheduled saved snippets templates reminders',
    }),
    command('mark-all-read', 'Mark all as read', run('markAllRead'), {
      key: 'M',
      keywords: 'mark-read read unread',
    }),
    (state) => verbItems('chat', state),
  ]),
  (state) =>
    state.accounts
      .filter(({ kind }) => kind === 'chat')
      .flatMap((account) => statusItems(account, state)),
  command(
    'connect-monitoring',
    'Connect a monitoring project',
    to({ view: 'addAccount', kind: 'monitoring' }),
    { keywords: 'add-account new-account login healthchecks' },
  ),
  command('connect-chat', 'Connect a chat account', to({ view: 'addAccount', kind: 'chat' }), {
    keywords: 'add-account new-account login zulip',
  }),
  command('clear-notices', 'Clear notifications', run('clearNotices')),
  command('test-notification', 'Send a test notification', run('testNotification')),
  (state) => [
    showsDemo(state)
      ? command('leave-demo', 'Leave the demo', run('leaveDemo'))
      : command('explore-demo', 'Explore the demo', run('exploreDemo')),
  ],
  command('keys', 'Keyboard shortcuts', run('keys'), {
    key: '?',
    keywords: 'help key hotkeys bindings manual',
  }),
  command('hide', 'Hide the window', run('hide'), { key: 'Esc', keywords: 'close minimise' }),
  command('quit', 'Quit Belfry', run('quit'), { keywords: 'exit end' }),
]

/** The web app's suggestions with their emoji, and one for people on call. */
export const usualStatuses: readonly OwnStatus[] = [
  { text: 'On call', emoji: { name: 'pager', code: '1f4df' } },
  { text: 'In a meeting', emoji: { name: 'calendar', code: '1f4c5' } },
  { text: 'Busy', emoji: { name: 'working_on_it', code: '1f6e0' } },
  { text: 'Commuting', emoji: { name: 'bus', code: '1f68c' } },
  { text: 'Working remotely', emoji: { name: 'house', code: '1f3e0' } },
  { text: 'Vacationing', emoji: { name: 'palm_tree', code: '1f334' } },
  { text: 'Out sick', emoji: { name: 'hurt', code: '1f915' } },
]

function statusItems({ id, label }: Account, state: AppState): readonly PaletteItem[] {
  const end = state.statusEnds.get(id)
  const item = (name: string, title: string, status: OwnStatus | null) =>
    command(
      `status/${id}/${name}`,
      title,
      { does: 'status', accountId: id, status },
      {
        hint:
          status !== null && status.text === end?.text
            ? `${clockUntilWords(end.until, Date.now())} · ${label}`
            : label,
        keywords: `${status?.text.toLowerCase() ?? ''} presence ${status?.emoji?.name.replaceAll('_', ' ') ?? ''}`,
      },
    )
  return [
    ...usualStatuses.map((status) => item(status.text, `Status: ${status.text}`, status)),
    item('own', 'Status in your own words…', null),
    item('', 'Clear your status', noStatus),
  ]
}
