import { conversationKey } from '../../src/shared/core/chat/conversation.ts'
import { draftKey } from '../../src/shared/core/chat/drafts.ts'
import { defaultSettings } from '../../src/shared/core/settings.ts'
import type { FakeDesktop } from '../support/session-bus.ts'
import { documentAt, lookAtFiles, stillThere, unsealed } from './files.ts'
import type { Life } from './life.ts'
import type { Service } from './service.ts'
import type { Book, ProjectCell } from './work.ts'

/** The folder and servers of all lives of one app, and what is known about it. */
interface Place {
  readonly userData: string
  readonly bus: FakeDesktop
  readonly service: Service
  readonly book: Book
}

/** Checks that the start swept half-written files, and that the app shows what is on disk. */
export function afterStart(
  { userData, book }: Place,
  life: Life,
  temporary: readonly string[],
): string[] {
  const state = life.state()
  const wrong = stillThere(userData, temporary).map((name) => `${name} was not swept`)
  const { pollSeconds } = state.settings
  if (pollSeconds !== book.settings.kept) wrong.push(`it shows pollSeconds ${pollSeconds}`)
  for (const { conversation, draft } of book.places) {
    const shown = state.drafts.get(draftKey(book.chat, conversation)) ?? ''
    if (shown !== draft.kept) wrong.push(`it shows the draft ${shown}, kept was ${draft.kept}`)
  }
  for (const { text } of state.troubles) wrong.push(`it reports a problem: ${text}`)
  return wrong
}

/** Checks that what was acknowledged is on disk or on the server, and that the disk is readable. */
export function afterEnd(place: Place): string[] {
  const { userData, book, service } = place
  const wrong = [...lookAtFiles(userData).wrong]
  const note = (what: string, sentence: string | null): void => {
    if (sentence !== null) wrong.push(`${what}: ${sentence}`)
  }
  const settings = documentAt(userData, 'settings') as { pollSeconds?: number } | null
  note('settings', book.settings.settle(settings?.pollSeconds ?? defaultSettings.pollSeconds))
  note('project', book.project.settle(projectOnDisk(place, wrong)))
  const drafts = new Map(listAt(userData, 'drafts') as [string, string][])
  for (const { conversation, draft } of book.places) {
    const found = drafts.get(draftKey(book.chat, conversation)) ?? ''
    note(`draft in ${conversationKey(conversation)}`, draft.settle(found))
    book.texts.owe(found)
  }
  const outbox = listAt(userData, 'outbox') as { text: string }[]
  const onDisk = new Set([...drafts.values(), ...outbox.map(({ text }) => text)])
  wrong.push(
    ...book.texts.check(onDisk, service.texts()),
    ...repeatedChat(place),
    ...book.remote.check(service),
  )
  return wrong
}

/** Doesn't use the app's own readers, since they skip what they can't read. */
function listAt(userData: string, name: string): unknown {
  return documentAt(userData, name) ?? []
}

/** The project on disk, with its key; also checks the accounts that stay. */
function projectOnDisk({ userData, book, service }: Place, wrong: string[]): ProjectCell | null {
  const accounts = listAt(userData, 'accounts') as { id: string; label: string }[]
  const { ops, chat } = service.server.world.newAccounts
  const keyOf = (id: string): string => keyOnDisk(userData, id)
  for (const [id, { key }] of [
    [book.ops, ops],
    [book.chat, chat],
  ] as const) {
    if (!accounts.some((account) => account.id === id)) wrong.push(`the account ${id} is gone`)
    if (keyOf(id) !== key) wrong.push(`the key of ${id} is ${keyOf(id)}`)
  }
  const project = accounts.filter(({ id }) => id !== book.ops && id !== book.chat)
  if (project.length > 1) wrong.push(`${project.length} projects instead of one`)
  const [one] = project
  return one === undefined ? null : { label: one.label, key: keyOf(one.id) }
}

/** The key in an account's blob, or the reason why there is none. */
function keyOnDisk(userData: string, id: string): string {
  const blobs = (documentAt(userData, 'keys') ?? {}) as Record<string, { blob: string }>
  const entry = Object.entries(blobs).find(([name]) => name.startsWith(`${id} `))
  if (entry === undefined) return 'missing'
  try {
    return (JSON.parse(unsealed(userData, entry[1].blob)) as { key: string }).key
  } catch (error) {
    return `unreadable (${String(error)})`
  }
}

/** Checks that no message was notified twice. */
function repeatedChat({ bus, book }: Place): string[] {
  const wrong: string[] = []
  const told = bus.notifications.all.flatMap(({ body }) => body.match(/said-\d+\./g) ?? [])
  const times = Map.groupBy(told, (token) => token)
  for (const [token, list] of times)
    if (list.length > 1 && !book.repeated.has(token)) {
      book.repeated.add(token)
      wrong.push(`notified ${list.length} times about ${token}`)
    }
  return wrong
}
