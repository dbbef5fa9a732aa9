import type { KeptSilence } from '../../src/shared/core/attention/silence.ts'
import type { Covers } from './seen.ts'
import type { Around } from './user.ts'

/** Bots' messages about outages, and the 👀 of people who take care of them. */
export function createEyes({ services, time, realm, chatGate, log, silenced }: Around) {
  /** By the id of the message that has them. */
  const given = new Map<number, { readonly from: string; readonly id: string }>()
  const name = 'eyes'

  /** Writes what the service's own integration would; then somebody acknowledges that. */
  async function added(it: {
    readonly from: string
    readonly about: Extract<Covers, { of: 'check' }>
    readonly checkId: string
    readonly token: string
  }): Promise<void> {
    const { from, about, token } = it
    if (chatGate.fails) return
    const check = services[about.project]?.find(about.uuid)?.name ?? ''
    const link = `https://p${about.project}.example/cloaked/${it.checkId}/`
    const text = `[${check}](${link}) is **DOWN**, see ${token}`
    const bot = { from: 'Monitoring', place: 'ops > deploys' } as const
    log({ what: 'said', token, said: 'plain', about, ...bot })
    const messageId = realm.controls.say({ from: bot.from, to: bot.place, text })
    await time.run(time.real + 3_000)
    const isIt = ({ id }: KeptSilence): boolean => id.startsWith(`${messageId}-`)
    const stop = silenced(isIt, ({ id, by }) => {
      given.set(messageId, { from, id })
      const own = by === null ? {} : { by: from }
      const its = { id, how: 'acknowledge', covers: about, lasts: 'change' } as const
      log({ what: 'act', act: { did: 'silence', ...its, ...own } })
    })
    realm.controls.react({ from, messageId, name })
    for (let left = 600; left > 0 && !given.has(messageId); left -= 1)
      await time.run(time.real + 100)
    stop()
    if (given.has(messageId)) return
    realm.controls.react({ from, messageId, name, present: false })
  }

  /** Somebody takes 👀 away. */
  function removed(from: string): void {
    const [messageId, one] = [...given].findLast((each) => each[1].from === from) ?? []
    if (messageId === undefined || one === undefined || chatGate.fails) return
    given.delete(messageId)
    log({ what: 'act', act: { did: 'end', id: one.id } })
    realm.controls.react({ from, messageId, name, present: false })
  }

  return { added, removed }
}
