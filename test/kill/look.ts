import { conversationKey, draftKey } from '../../src/shared/core/chat/conversation.ts'
import { defaultSettings } from '../../src/shared/core/settings.ts'
import type { FakeDesktop } from '../support/session-bus.ts'
import { documentAt, lookAtFiles, stillThere, unsealed } from './files.ts'
import type { Life } from './life.ts'
import type { Service } from './service.ts'
import type { Book, ProjectCell } from './work.ts'

/** Where one app lives all its lives, and what is known of it. */
interface Place {
  readonly userData: string
  readonly bus: FakeDesktop
  readonly service: Service
  readonly book: Book
}

/** The next life swept what the last one left half-written, and shows what is on disk. */
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
  for (const { text } of state.troubles) wrong.push(`it tells of trouble: ${text}`)
  return wrong
}

/** What was acknowledged is on disk or at the server, and everything on disk can be read. */
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

/** Read by ourselves and not by the app's readers, which leave out what they can't read. */
function listAt(userData: string, name: string): unknown {
  return documentAt(userData, name) ?? []
}

/** The project as the files have it, its key opened; those that stay are looked at by the way. */
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

/** The key that the blob of an account holds, or in words why there is none. */
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

/** A message is told once, whatever happens in between. */
function repeatedChat({ bus, book }: Place): string[] {
  const wrong: string[] = []
  const told = bus.notifications.all.flatMap(({ body }) => body.match(/said-\d+\./g) ?? [])
  const times = Map.groupBy(told, (token) => token)
  for (const [token, list] of times)
    if (list.length > 1 && !book.repeated.has(token)) {
      book.repeated.add(token)
      wrong.push(`told ${list.length} times of ${token}`)
    }
  return wrong
}
