import { useCallback, useEffect, useMemo, useState } from 'preact/hooks'
import { userName } from '#shared/core/chat/chat-names.ts'
import type { Conversation } from '#shared/core/chat/conversation.ts'
import { hasStatus, noStatus } from '#shared/core/chat/own-status.ts'
import type { Realm } from '#shared/core/chat/realm.ts'
import { serverTopic } from '#shared/core/chat/topic-name.ts'
import { writingRefusal } from '#shared/core/chat/writing-rules.ts'
import { recentPaletteLimit } from '#shared/core/settings.ts'
import { codePointLength } from '#shared/core/text-length.ts'
import { operationSign, operationsItem } from '#shared/core/views/palette-items.ts'
import {
  joinedIndex,
  type PaletteAction,
  type PaletteCommand,
  type PaletteItem,
  paletteIndex,
  paletteResults,
  type Recipients,
  withRecent,
} from '#shared/core/views/palette-search.ts'
import {
  chosenConversation,
  peopleOf,
  recipientList,
  topicItem,
} from '#shared/core/views/recipients.ts'
import { counted } from '#shared/core/wording.ts'
import { endDisturbNot } from '../attention/disturb.tsx'
import { askToDisturbNot } from '../attention/disturb-section.tsx'
import { openViewMenu } from '../board/board-state.ts'
import { call } from '../bridge.ts'
import { askForStatus } from '../chat/asked-status.ts'
import { markAllRead } from '../chat/conversation-actions.tsx'
import { clearStatus } from '../chat/status-dialog.tsx'
import { clearNotices, sendTestNotification } from '../notices/notice-commands.ts'
import {
  beginMessage,
  closePalette,
  hereItem,
  type OnPlace,
  openPalette,
  palette,
} from '../palette-shown.ts'
import { Modal } from '../parts/dialog.tsx'
import { topicsOf, useRun } from '../run.ts'
import { namedSettings, openSetting } from '../settings/settings-view.tsx'
import { stepZoom } from '../shell/appearance.ts'
import { toastIfFailed, toastResult } from '../toast.ts'
import { appState, go } from '../window-state.ts'
import { OperationForm } from './operation-form.tsx'
import { hereIndex, openOperation, operationSource, paletteSource } from './palette-state.ts'
import { verbItems } from './palette-verbs.ts'
import { SearchList } from './search-list.tsx'
import {
  addressItem,
  dependencyItem,
  limitItem,
  maintenanceItem,
  noteItem,
  outagesItem,
} from './typed-items.ts'

/** The palette over everything else. Esc goes one step back. */
export function Palette({ onHelp }: { readonly onHelp: () => void }) {
  const shown = palette.value
  const { realms } = appState.value
  useEffect(() => {
    // Warms the cache, so that nobody waits for fifty thousand names to be folded.
    const soon = requestIdleCallback(() => [...realms.values()].forEach(peopleOf))
    return () => cancelIdleCallback(soon)
  }, [realms])
  if (shown.shows === 'nothing') return null
  const isWide = shown.shows === 'operation'
  const chooseItem = (item: PaletteItem) => choose(item, onHelp)
  return (
    <Modal
      class={`palette ${isWide ? 'palette-wide' : ''}`}
      name={{ 'aria-label': nameOf(shown) }}
      onBack={back}
      onLeave={closePalette}
    >
      {shown.shows === 'operation' ? (
        <OperationForm key={shown.operation} id={shown.operation} />
      ) : shown.shows === 'actions' ? (
        <Actions key={shown.offer} items={shown.items} of={shown.of} onChoose={chooseItem} />
      ) : shown.recipients === undefined ? (
        <Everything onChoose={chooseItem} />
      ) : (
        <RecipientList
          key={JSON.stringify(shown.recipients)}
          chosen={shown.recipients}
          onPlace={shown.onPlace}
          onChoose={chooseItem}
        />
      )}
    </Modal>
  )
}

function nameOf(shown: typeof palette.value): string {
  if (shown.shows === 'operation') return 'Operation'
  if (shown.shows === 'actions') return shown.of
  return shown.shows === 'list' && shown.recipients !== undefined
    ? 'New message'
    : 'Search or run anything'
}

/** One step back: from a form to the list, from topics to all recipients, or out of a list. */
function back(): void {
  const shown = palette.value
  if (shown.shows === 'operation') openPalette()
  else if (shown.shows === 'list' && (shown.recipients?.to ?? 'anyone') !== 'anyone')
    beginMessage(undefined, shown.onPlace)
  else closePalette()
}

function choose(item: PaletteItem, onHelp: () => void): void {
  // The list itself follows it.
  if (item.action.does === 'type') return
  // An action of the current view is of no use elsewhere.
  if (item.kind !== 'here') remember(item.id)
  const { action } = item
  const onPlace = palette.value.shows === 'list' ? palette.value.onPlace : undefined
  if (action.does !== 'operation' && action.does !== 'message') closePalette()
  if (action.does === 'message') beginMessage(action.recipients, onPlace)
  else if (onPlace !== undefined && action.does === 'go' && action.target.view === 'conversation')
    onPlace(action.target)
  else act(action, onHelp)
}

function remember(id: string): void {
  const { recentPalette } = appState.value.settings
  // A failure isn't worth reporting: only a recent item is lost.
  void call.updateSettings({
    recentPalette: [...withRecent(recentPalette, id, recentPaletteLimit)],
  })
}

function act(
  action: Exclude<PaletteAction, { does: 'message' | 'type' }>,
  onHelp: () => void,
): void {
  if (action.does === 'go') go(action.target)
  else if (action.does === 'operation') openOperation(action.operation)
  else if (action.does === 'status') chooseStatus(action)
  else if (action.does === 'here') action.act()
  else commands[action.command](onHelp)
}

function chooseStatus({ accountId, status }: Extract<PaletteAction, { does: 'status' }>): void {
  const realm = appState.peek().realms.get(accountId)
  if (realm === undefined) return
  if (status !== null && !hasStatus(status)) clearStatus(accountId)
  else askForStatus(realm, status ?? noStatus)
}

const commands: Readonly<Record<PaletteCommand, (onHelp: () => void) => void>> = {
  refresh: () => toastIfFailed(call.refresh({ accountId: null })),
  themeLight: () => toastIfFailed(call.updateSettings({ theme: 'light' })),
  themeDark: () => toastIfFailed(call.updateSettings({ theme: 'dark' })),
  themeSystem: () => toastIfFailed(call.updateSettings({ theme: 'system' })),
  densityCompact: () => toastIfFailed(call.updateSettings({ density: 'compact' })),
  densityComfortable: () => toastIfFailed(call.updateSettings({ density: 'comfortable' })),
  markAllRead: () => void markAllRead(),
  zoomIn: () => stepZoom(1),
  zoomOut: () => stepZoom(-1),
  zoomReset: () => stepZoom(0),
  disturb: askToDisturbNot,
  endDisturb: endDisturbNot,
  hideNames: () =>
    toastResult(
      call.updateSettings({ hideNames: true }),
      'Notifications and the tray show no names until you switch this off.',
    ),
  showNames: () => toastResult(call.updateSettings({ hideNames: false }), 'Names are shown again.'),
  quit: () => toastIfFailed(call.quit({})),
  clearNotices,
  testNotification: () => sendTestNotification(),
  exploreDemo: () => toastIfFailed(call.exploreDemo({})),
  leaveDemo: () => toastIfFailed(call.leaveDemo({})),
  keys: (onHelp) => onHelp(),
  hide: () => toastIfFailed(call.hideWindow({})),
}

const listWords = {
  Actions: 'Find an action',
  Emoji: 'Find an emoji',
  'Saved snippets': 'Find a saved snippet',
} as const

/** A list of given items, such as the actions of a message. */
function Actions(props: {
  readonly items: readonly PaletteItem[] | null
  readonly of: keyof typeof listWords
  readonly onChoose: (item: PaletteItem) => void
}) {
  const { items, of, onChoose } = props
  const index = useMemo(() => paletteIndex(items ?? []), [items])
  const find = useCallback((query: string) => paletteResults(index, query, []), [index])
  return (
    <SearchList
      label={of}
      placeholder={listWords[of]}
      find={find}
      isLoading={items === null}
      showsKind={false}
      onChoose={onChoose}
    />
  )
}

const viewWords = { keywords: 'grouping sorting order view' }

/** The names of the settings, each of which opens its line, and of those that the board itself offers. */
const settings = paletteIndex([
  ...namedSettings().map(({ title, words }) => ({
    ...hereItem(`setting/${title}`, title, () => openSetting(title), { keywords: words }),
    kind: 'setting' as const,
    hint: 'Settings',
  })),
  {
    ...hereItem('setting/view', 'Group and sort checks', openViewMenu, viewWords),
    kind: 'setting' as const,
    hint: 'Checks',
  },
])

/** Everything that can be found and done; the operations only after their sign. */
function Everything({ onChoose }: { readonly onChoose: (item: PaletteItem) => void }) {
  const state = appState.value
  const [here] = useState(hereIndex)
  const index = paletteSource(state, here)
  const all = useMemo(() => joinedIndex([index, settings]), [index])
  const operations = operationSource(state)
  const { recentPalette } = state.settings
  const find = useCallback(
    (query: string) => {
      if (query.startsWith(operationSign))
        return paletteResults(operations, query.slice(operationSign.length), recentPalette)
      const found = paletteResults(all, query, recentPalette)
      // The page of a check offers the same action itself.
      const isNew = ({ title }: PaletteItem) => !found.some((one) => one.title === title)
      const here = new Set(found.flatMap(({ kind, title }) => (kind === 'here' ? title : [])))
      const once = found.filter(({ kind, title }) => kind !== 'command' || !here.has(title))
      const verbed = verbItems(index, query).filter(isNew)
      const isOwn = ({ kind, title }: PaletteItem) =>
        kind === 'here' && title.toLowerCase().startsWith(query.trim().toLowerCase())
      const own = verbed.length === 0 ? [] : once.filter(isOwn)
      const others = once.filter((one) => !own.includes(one))
      const outages = outagesItem(query)
      // "mon" may be the beginning of many words.
      const isSure = verbed.length === 0 && query.trim().length > 4
      const [before, after] = isSure ? [outages, []] : [[], outages]
      return [
        ...addressItem(query),
        ...maintenanceItem(query),
        ...dependencyItem(query),
        ...limitItem(query),
        ...noteItem(query),
        ...before,
        ...own,
        ...verbed,
        ...others,
        ...after,
      ]
    },
    [all, operations, recentPalette],
  )
  return (
    <SearchList
      label="Search or run anything"
      placeholder="Find a check, conversation or command"
      find={find}
      last={(query) => (query.startsWith(operationSign) ? null : operationsItem)}
      onChoose={onChoose}
    />
  )
}

interface Props {
  readonly chosen: Recipients
  readonly onPlace: OnPlace | undefined
  readonly onChoose: (item: PaletteItem) => void
}

/**
 * Asks who a new message is for. Enter opens the conversation; a comma after a person adds further
 * people; a channel leads to its topics, where any other text is a new topic.
 */
function RecipientList({ chosen, onPlace, onChoose }: Props) {
  const state = appState.value
  const { index, usual } = useMemo(() => recipientList(state, chosen), [state.realms, chosen])
  const realm = chosen.to === 'anyone' ? undefined : state.realms.get(chosen.accountId)
  const topics = useTopics(chosen, realm)
  const find = useCallback(
    (query: string): readonly PaletteItem[] => {
      const known = topics === null ? index : joinedIndex([topics, index])
      const found = [
        ...new Map(paletteResults(known, query, usual).map((one) => [one.id, one])).values(),
      ]
      if (realm === undefined || chosen.to === 'anyone') return found
      if (chosen.to === 'people')
        return query.trim() === '' ? [...group(realm, chosen), ...found] : found
      return withNewTopic(realm, chosen.channelId, query, found)
    },
    [index, topics],
  )
  const onKey = (key: KeyboardEvent, query: string, active: PaletteItem | undefined): boolean => {
    if (key.key === 'Backspace' && query === '' && chosen.to !== 'anyone') {
      beginMessage(chosen.to === 'people' ? withoutLast(chosen) : { to: 'anyone' }, onPlace)
      return true
    }
    if (key.key !== ',' || query.trim() === '' || active?.action.does !== 'go') return false
    const { target } = active.action
    if (target.view !== 'conversation' || target.conversation.kind !== 'direct') return false
    const userIds = [
      ...(chosen.to === 'people' ? chosen.userIds : []),
      ...target.conversation.userIds,
    ]
    const { accountId } = target
    beginMessage({ to: 'people', accountId, userIds: [...new Set(userIds)] }, onPlace)
    return true
  }
  return (
    <SearchList
      label="New message to"
      placeholder={placeholders[chosen.to]}
      find={find}
      before={realm !== undefined && <Chosen chosen={chosen} realm={realm} />}
      onKey={onKey}
      onChoose={(item) => onChoose(chosen.to === 'people' ? together(item, realm, chosen) : item)}
    />
  )
}

const placeholders: Readonly<Record<Recipients['to'], string>> = {
  anyone: 'Person, channel or topic; “,” adds people',
  people: 'Another person, or Enter to write',
  channel: 'A topic, or the name of a new one',
}

function Chosen({ chosen, realm }: { readonly chosen: Recipients; readonly realm: Realm }) {
  const names =
    chosen.to === 'people'
      ? chosen.userIds.map((id) => userName(realm, id))
      : chosen.to === 'channel'
        ? [`# ${realm.channels.get(chosen.channelId)?.name ?? ''}`]
        : []
  return names.map((name) => (
    <span key={name} class="one-line palette-chosen" dir="auto">
      {name}
    </span>
  ))
}

/** The topics of the chosen channel; null until they have loaded. */
function useTopics(chosen: Recipients, realm: Realm | undefined) {
  const channel = chosen.to === 'channel' ? chosen : null
  const asked = useRun(channel && `${channel.accountId}/${channel.channelId}`, () =>
    topicsOf(channel?.accountId ?? '', channel?.channelId ?? 0),
  )
  return useMemo(() => {
    if (channel === null || realm === undefined || asked.value === null) return null
    const { channelId } = channel
    return paletteIndex(
      asked.value.map((topic) => topicItem(realm, { kind: 'topic', channelId, topic })),
    )
  }, [asked.value])
}

/** Adds the text as a new topic unless one has that name: last if the best match begins with it. */
function withNewTopic(
  realm: Realm,
  channelId: number,
  query: string,
  found: readonly PaletteItem[],
): readonly PaletteItem[] {
  const typed = query.trim()
  const topic = serverTopic(realm, typed)
  const item = topicItem(realm, { kind: 'topic', channelId, topic })
  const isKnown = found.some(({ id }) => id === item.id)
  if (typed === '' || isKnown) return found
  const tooLong = codePointLength(typed) - realm.limits.topicLength
  const refusal =
    tooLong > 0
      ? `This topic is ${counted(tooLong, 'character')} over the limit of this server.`
      : writingRefusal(realm, { kind: 'topic', channelId, topic })
  const { accountId } = realm
  const fresh: PaletteItem = {
    ...item,
    title: refusal ?? (topic === '' ? item.title : `New topic “${topic}”`),
    // Choosing a refused topic keeps what was typed, to be changed.
    ...(refusal !== null && {
      action: { does: 'message', recipients: { to: 'channel', accountId, channelId } },
    }),
  }
  const isBegun = found[0]?.title.toLowerCase().startsWith(typed.toLowerCase()) === true
  return isBegun && topic !== '' ? [...found, fresh] : [fresh, ...found]
}

type People = Extract<Recipients, { to: 'people' }>

/** The people chosen so far as the first item, so that Enter writes to them. */
function group(realm: Realm, chosen: People): readonly PaletteItem[] {
  const conversation = chosenConversation(realm, chosen)
  if (conversation === null) return []
  const names = chosen.userIds.map((id) => userName(realm, id)).join(', ')
  return [
    {
      id: 'chosen',
      kind: 'person',
      title: `Write to ${names}`,
      hint: '',
      key: '',
      keywords: '',
      action: { does: 'go', target: placeOf(realm, conversation) },
    },
  ]
}

/** The item with its target changed to the conversation with those chosen before, too. */
function together(item: PaletteItem, realm: Realm | undefined, chosen: People): PaletteItem {
  if (realm === undefined || item.id === 'chosen' || item.action.does !== 'go') return item
  const { target } = item.action
  if (target.view !== 'conversation' || target.conversation.kind !== 'direct') return item
  const userIds = [...chosen.userIds, ...target.conversation.userIds]
  const conversation = chosenConversation(realm, { ...chosen, userIds })
  if (conversation === null) return item
  return { ...item, action: { does: 'go', target: placeOf(realm, conversation) } }
}

function placeOf({ accountId }: Realm, conversation: Conversation) {
  return { view: 'conversation', accountId, conversation, messageId: null } as const
}

function withoutLast({ accountId, userIds }: People): Recipients {
  return userIds.length > 1
    ? { to: 'people', accountId, userIds: userIds.slice(0, -1) }
    : { to: 'anyone' }
}
