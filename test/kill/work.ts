import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '../../src/demo/answers.ts'
import type { CommandName } from '../../src/shared/command-inputs.ts'
import type { Commands } from '../../src/shared/contract.ts'
import type { AccountId } from '../../src/shared/core/account.ts'
import type { Conversation } from '../../src/shared/core/chat/conversation.ts'
import { draftKey } from '../../src/shared/core/chat/drafts.ts'
import type { Cell, Texts } from './ledger.ts'
import type { Life } from './life.ts'
import type { Remote } from './remote.ts'
import type { Service } from './service.ts'

/** The longest pause between two acts of one actor, ms: about as long as a write of a document. */
const longestPauseMs = 15
/** The pause after a refusal by the rate limit, which allows 50 more commands per second. */
const throttledMs = 100

/** A project that is added, renamed, given another key and removed, over and over. */
export interface ProjectCell {
  readonly label: string
  readonly key: string
}

interface DraftPlace {
  readonly conversation: Conversation
  readonly draft: Cell<string>
}

/** What one lane knows to be acknowledged, over all lives. */
export interface Book {
  readonly chat: AccountId
  readonly ops: AccountId
  readonly places: readonly DraftPlace[]
  readonly texts: Texts
  readonly settings: Cell<number>
  readonly project: Cell<ProjectCell | null>
  readonly remote: Remote
  /** Acknowledged commands by kind, for the report. */
  readonly acknowledged: Map<string, number>
  /** Unexplained refusals. */
  readonly refused: string[]
  /** Counters for messages to the user, and for labels. */
  said: number
  labels: number
  readonly flips: Map<string, number>
  /** Messages that were notified more than once; each is reported only once. */
  readonly repeated: Set<string>
}

export interface Actor {
  readonly life: Life
  readonly book: Book
  readonly service: Service
  readonly random: Random
  readonly isOver: () => boolean
  /** Called right after each command was sent. */
  readonly onAsk: (name: CommandName) => void
}

/** Does everything at once until the life ends; resolves when every act has its answer or none. */
export async function work(actor: Actor): Promise<void> {
  await Promise.all([
    repeat(actor, changeSettings),
    repeat(actor, changeProject),
    ...actor.book.places.map((place) => repeat(actor, (one) => write(one, place))),
    repeat(actor, (one) => one.book.remote.act(one)),
    letWorldLive(actor),
  ])
}

async function repeat(actor: Actor, act: (actor: Actor) => Promise<unknown>): Promise<void> {
  while (!actor.isOver()) {
    await pause(actor.random() * longestPauseMs)
    if (!actor.isOver()) await act(actor)
  }
}

/** Whether the command was acknowledged. Records a refusal; no answer counts as false. */
async function asked<Name extends CommandName>(
  { life, book, onAsk }: Pick<Actor, 'life' | 'book' | 'onAsk'>,
  name: Name,
  input: Parameters<Commands[Name]>[0],
): Promise<boolean> {
  const answer = life.ask(name, input)
  onAsk(name)
  const result = await answer
  if (result === null) return false
  if (!result.ok) {
    // On a quiet machine, commands exceed the app's rate limits for a window and for keys, which
    // refuse them.
    const { failure } = result
    const isThrottled =
      failure.kind === 'invalid' &&
      (failure.field === 'command' || failure.message.startsWith('Too many keys'))
    if (isThrottled) await pause(throttledMs)
    else book.refused.push(`${name}: ${JSON.stringify(result.failure)}`)
    return false
  }
  book.acknowledged.set(name, (book.acknowledged.get(name) ?? 0) + 1)
  return true
}

/** For what a server decides: it may be unreachable, or refuse a change that already exists. */
export async function acknowledged<Name extends CommandName>(
  { life, book, onAsk }: Actor,
  name: Name,
  input: Parameters<Commands[Name]>[0],
): Promise<boolean> {
  const answer = life.ask(name, input)
  onAsk(name)
  const result = await answer
  if (result?.ok !== true) {
    await pause(throttledMs)
    return false
  }
  book.acknowledged.set(name, (book.acknowledged.get(name) ?? 0) + 1)
  return true
}

async function changeSettings(actor: Actor): Promise<void> {
  const pollSeconds = 60 + Math.floor(actor.random() * 3_000)
  await actor.book.settings.change(pollSeconds, () =>
    asked(actor, 'updateSettings', { pollSeconds }),
  )
}

async function changeProject(actor: Actor): Promise<void> {
  const { book, service, random, life } = actor
  const { kept } = book.project
  book.labels += 1
  const label = `web ${book.labels}`
  const keys = [
    service.server.world.newAccounts.web.key,
    `hcw_${'DemoWebReadWrite'.padEnd(28, '0')}`,
  ]
  const key = keys[Math.floor(random() * 2)] ?? ''
  const baseUrl = service.server.urls.web
  if (kept === null) {
    const input = { kind: 'monitoring', label, baseUrl, key, allowHttp: true } as const
    await book.project.change({ label, key }, () => asked(actor, 'addAccount', input))
    return
  }
  const accountId = life.state().accounts.find((one) => one.label === kept.label)?.id ?? 'none'
  const roll = random()
  if (roll < 0.4)
    await book.project.change({ ...kept, label }, () =>
      asked(actor, 'renameAccount', { accountId, label }),
    )
  else if (roll < 0.7)
    await book.project.change({ ...kept, key }, () =>
      asked(actor, 'replaceKey', { accountId, key }),
    )
  else await book.project.change(null, () => asked(actor, 'removeAccount', { accountId }))
}

async function write(actor: Actor, place: DraftPlace): Promise<void> {
  const { book, random } = actor
  const { draft, conversation } = place
  const at = { accountId: book.chat, conversation }
  const roll = random()
  if (draft.kept !== '' && roll < 0.4) {
    const text = draft.kept
    book.texts.sending(text)
    await draft.change('', () => asked(actor, 'sendMessage', { ...at, text }))
    return
  }
  if (draft.kept === '' && roll < 0.3 && (await takeBack(actor, place))) return
  const text = book.texts.next()
  book.texts.forgive(draft.kept)
  if (await draft.change(text, () => asked(actor, 'saveDraft', { ...at, text })))
    book.texts.owe(text)
}

/** The user discards an unconfirmed message of this place, and gets its text back. */
async function takeBack(actor: Actor, { draft, conversation }: DraftPlace): Promise<boolean> {
  const { life, book, onAsk } = actor
  const here = draftKey(book.chat, conversation)
  const message = life
    .state()
    .outbox.find(
      (one) => one.state === 'unconfirmed' && draftKey(one.accountId, one.conversation) === here,
    )
  if (message === undefined) return false
  const { localId, text } = message
  // Its event or the history may settle it at the same moment, which is nobody's fault.
  await draft.change(text, async () => {
    const answer = life.ask('discardMessage', { localId, keepText: true })
    onAsk('discardMessage')
    const given = await answer
    return given?.ok === true
  })
  return true
}

/** Lets people write and checks flip now and then, and has the app refresh. */
async function letWorldLive(actor: Actor): Promise<void> {
  const { book, service, random, life } = actor
  const { ops, realm } = service.server.world
  while (!actor.isOver()) {
    await pause(40 + random() * 250)
    if (actor.isOver()) return
    if (random() < 0.6) {
      book.said += 1
      const from = random() < 0.5 ? 'Ana' : 'Boris'
      realm.controls.say({ from, to: from, text: `said-${book.said}.` })
    } else {
      const name = random() < 0.5 ? 'queue-worker' : 'cert-renew'
      if (ops.controls.check(name).status === 'down') ops.controls.recover(name)
      else {
        ops.controls.goDown(name)
        book.flips.set(name, (book.flips.get(name) ?? 0) + 1)
      }
      await life.ask('refresh', { accountId: book.ops })
    }
  }
}
