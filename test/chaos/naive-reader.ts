import { keyName } from '../../src/main/accounts/connections.ts'
import type { Vault } from '../../src/main/base/ports.ts'
import type { Account } from '../../src/shared/core/account.ts'

/**
 * A first attempt at a client, as a positive control: `forgets` registers again after each failure
 * and continues from there; `repeats` also reads the last messages, and reports all of them.
 */
export function naiveReader(
  account: Account | undefined,
  vault: Vault,
  kind: 'forgets' | 'repeats',
) {
  if (account?.kind !== 'chat') throw new Error('no account')
  const told = new Map<number, number>()
  const ended = new AbortController()
  const isLive = Promise.withResolvers<void>()

  const tell = (id: unknown): void => {
    if (typeof id === 'number') told.set(id, (told.get(id) ?? 0) + 1)
  }

  async function ask(path: string, method: string, params: Record<string, string>) {
    const key = (await vault.get(keyName(account as Account))) ?? ''
    const email = account?.kind === 'chat' ? account.email : ''
    const query = new URLSearchParams(params)
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), 20_000)
    try {
      const reply = await fetch(`${account?.baseUrl}/api/v1/${path}?${query}`, {
        method,
        headers: { authorization: `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}` },
        signal: AbortSignal.any([ended.signal, late.signal]),
      })
      if (!reply.ok) throw new Error(`${reply.status}`)
      // A naive client believes whatever it gets.
      return (await reply.json()) as Record<string, unknown>
    } finally {
      clearTimeout(timer)
    }
  }

  async function follow(): Promise<void> {
    const { queue_id, last_event_id } = await ask('register', 'POST', {})
    if (kind === 'repeats') {
      const recent = { anchor: 'newest', num_before: '50', num_after: '0' }
      const { messages } = await ask('messages', 'GET', recent)
      for (const { id } of messages as { id: number }[]) tell(id) // of a demo server
    }
    isLive.resolve()
    for (let last = Number(last_event_id); ; ) {
      const poll = { queue_id: String(queue_id), last_event_id: String(last) }
      const { events } = await ask('events', 'GET', poll)
      for (const event of events as { id: number; message?: { id: number } }[]) {
        last = Math.max(last, event.id)
        tell(event.message?.id)
      }
    }
  }

  const loop = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      // Starting over after any error is what makes it naive.
      await follow().catch(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
  }
  void loop()
  return {
    live: () => isLive.promise,
    lost: (said: readonly { readonly id: number }[], baseline: number) =>
      said.filter(({ id }) => id > baseline && !told.has(id)).length,
    doubled: () => [...told.values()].filter((times) => times > 1).length,
    stop: () => ended.abort(),
  }
}
