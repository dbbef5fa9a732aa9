import type { PretendRealm } from '../../src/demo/chat/pretend-realm.ts'
import { keyName } from '../../src/main/accounts/connections.ts'
import type { Vault } from '../../src/main/base/ports.ts'
import type { Account } from '../../src/shared/core/account.ts'
import { pause } from './chaos-app.ts'

/**
 * A first attempt at a client, as a positive control: half of the texts are sent until there is a
 * good response, the other half once, whatever the response.
 */
export async function naiveSender(parts: {
  account: Account | undefined
  vault: Vault
  realm: PretendRealm | undefined
  count: number
  isBad: () => boolean
}): Promise<{ readonly lost: number; readonly doubled: number }> {
  const { account, realm } = parts
  if (account?.kind !== 'chat' || realm === undefined) throw new Error('no account')
  const key = (await parts.vault.get(keyName(account))) ?? ''
  const authorization = `Basic ${Buffer.from(`${account.email}:${key}`).toString('base64')}`

  async function post(content: string): Promise<boolean> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), 20_000)
    try {
      const reply = await fetch(`${account?.baseUrl}/api/v1/messages`, {
        method: 'POST',
        headers: { authorization },
        body: new URLSearchParams({ type: 'private', to: '[12]', content }),
        signal: late.signal,
      })
      const answer = (await reply.json()) as { result?: string } // of a demo server
      return answer.result === 'success'
    } catch {
      // A naive client takes any error as “it failed”.
      return false
    } finally {
      clearTimeout(timer)
    }
  }

  const texts = Array.from({ length: parts.count }, (_, at) => `naive ${at}`)
  for (const [at, text] of texts.entries()) {
    if (at % 2 === 0) await post(text)
    else for (let tries = 0; tries < 6 && !(await post(text)); tries += 1) await pause(300)
    await pause(300)
  }
  const said = realm.controls.messages().map(({ content }) => content)
  const times = texts.map((text) => said.filter((content) => content === text).length)
  return {
    lost: times.filter((count) => count === 0).length,
    doubled: times.filter((count) => count > 1).length,
  }
}
