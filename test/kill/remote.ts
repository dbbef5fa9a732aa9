import type { Conversation } from '../../src/shared/core/chat/conversation.ts'
import { Cell } from './ledger.ts'
import type { Service } from './service.ts'
import { type Actor, acknowledged } from './work.ts'

const emoji = { name: 'thumbs_up', code: '1f44d', type: 'unicode_emoji' } as const
const ana: Conversation = { kind: 'direct', userIds: [12] }
/** A check that nothing else in this run changes. */
const paused = 'thumbnailer'

/** Changes on the servers, which leave nothing on disk. */
export class Remote {
  readonly #reaction = new Cell(false)
  readonly #paused = new Cell(false)
  /** Messages whose marking as read was acknowledged. */
  readonly #read = new Set<number>()
  /** Names of created checks, and whether that was acknowledged. */
  readonly #made = new Map<string, boolean>()
  /** The text of a message of the user's; null: as it was before all lives. */
  readonly #edited = new Cell<string | null>(null)
  /** Texts to be sent tomorrow, and whether that was acknowledged. */
  readonly #later = new Map<string, boolean>()
  #uploads = 0
  #count = 0

  /** Makes one request that changes something on a server. */
  async act(actor: Actor): Promise<void> {
    const { random, service } = actor
    const acts = {
      reaction: () => this.#react(actor),
      read: () => this.#markRead(actor),
      check: () => (random() < 0.5 ? this.#pause(actor) : this.#make(actor)),
      upload: () => this.#upload(actor),
      edit: () => this.#edit(actor),
      schedule: () => this.#schedule(actor),
      // The other actors send all the time.
      send: () => Promise.resolve(),
    }
    // `Object.keys` widens the type.
    const any = Object.keys(acts) as (keyof typeof acts)[]
    await acts[service.aimedAt() ?? any[Math.floor(random() * any.length)] ?? 'read']()
  }

  async #react(actor: Actor): Promise<void> {
    const { life, book, service } = actor
    const messageId = service.firstMessage()
    // Only what is on the screen can be clicked.
    if (life.state().realms.get(book.chat)?.phase !== 'live') return
    const present = !this.#reaction.kept
    await this.#reaction.change(present, () =>
      acknowledged(actor, 'setReaction', { accountId: book.chat, messageId, ...emoji, present }),
    )
  }

  async #markRead(actor: Actor): Promise<void> {
    const { life, book, service } = actor
    const unread = life.state().realms.get(book.chat)?.conversations.get('direct/12')?.unread ?? []
    if (unread.length === 0) {
      book.said += 1
      const text = `said-${book.said}.`
      service.server.world.realm.controls.say({ from: 'Ana', to: 'Ana', text })
      return
    }
    const ids = [...unread]
    if (await acknowledged(actor, 'markRead', { accountId: book.chat, conversation: ana }))
      for (const id of ids) this.#read.add(id)
  }

  async #pause(actor: Actor): Promise<void> {
    const { book, service } = actor
    const params = { uuid: service.server.world.ops.controls.check(paused).uuid }
    const operation = this.#paused.kept ? 'resumeCheck' : 'pauseCheck'
    await this.#paused.change(!this.#paused.kept, () =>
      acknowledged(actor, 'run', { accountId: book.ops, operation, params }),
    )
  }

  async #make(actor: Actor): Promise<void> {
    this.#count += 1
    const name = `made ${this.#count}`
    this.#made.set(name, false)
    const asked = { accountId: actor.book.ops, operation: 'createCheck', params: { name } }
    if (await acknowledged(actor, 'run', asked)) this.#made.set(name, true)
  }

  async #edit(actor: Actor): Promise<void> {
    const { book, service } = actor
    this.#count += 1
    const content = `edited ${this.#count}`
    const params = { message_id: service.ownMessage().id, content }
    await this.#edited.change(content, () =>
      acknowledged(actor, 'run', { accountId: book.chat, operation: 'editMessage', params }),
    )
  }

  async #schedule(actor: Actor): Promise<void> {
    this.#count += 1
    const text = `tomorrow ${this.#count}`
    this.#later.set(text, false)
    const at = Date.now() + 86_400_000
    const asked = { accountId: actor.book.chat, conversation: ana, text, at }
    if (await acknowledged(actor, 'scheduleMessage', asked)) this.#later.set(text, true)
  }

  async #upload(actor: Actor): Promise<void> {
    const { life, book } = actor
    const chosen = await life.ask('chooseFile', {})
    if (chosen?.ok !== true) return
    // The stand-in's dialog always chooses a file.
    const { fileId } = chosen.value as { fileId: string }
    this.#uploads += 1
    await acknowledged(actor, 'startUpload', { accountId: book.chat, fileId, place: null })
  }

  /** Sentences about acknowledged changes the server lacks, or that were made more than once. */
  check(service: Service): string[] {
    const wrong: string[] = []
    const note = (what: string, sentence: string | null): void => {
      if (sentence !== null) wrong.push(`${what}: ${sentence}`)
    }
    note('reaction', this.#reaction.settle(service.hasReacted(emoji.code)))
    const { controls } = service.server.world.ops
    note('pause', this.#paused.settle(controls.check(paused).status === 'paused'))
    const unread = service.unread()
    for (const id of this.#read)
      if (unread.has(id)) {
        wrong.push(`message ${id} is unread, and was acknowledged as read`)
        this.#read.delete(id)
      }
    const names = controls.names()
    for (const [name, isAcknowledged] of this.#made) {
      const times = names.filter((one) => one === name).length
      if (times > 1 || (isAcknowledged && times === 0))
        wrong.push(`the check "${name}" is there ${times} times`)
      this.#made.delete(name)
    }
    const { text } = service.ownMessage()
    note('edit', this.#edited.settle(text.startsWith('edited ') ? text : null))
    const scheduled = service.scheduled()
    for (const [later, isAcknowledged] of this.#later) {
      const times = scheduled.get(later) ?? 0
      if (times > 1 || (isAcknowledged && times === 0))
        wrong.push(`“${later}” was scheduled ${times} times`)
      this.#later.delete(later)
    }
    if (service.uploads() > this.#uploads)
      wrong.push(`${service.uploads()} uploads for ${this.#uploads} that were asked for`)
    return wrong
  }
}
