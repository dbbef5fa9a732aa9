import type { PretendRealm } from '../../src/demo/chat/pretend-realm.ts'
import type { PretendServer } from './case.ts'
import { inner, rows } from './chat-parts.ts'

type Handle = PretendServer<unknown>['handle']

const ana = {
  id: 12,
  name: 'Ana',
  email: 'ana@belfry.example',
  key: 'BelfryDemoKeyOfSomebodyElse01234',
}

/** Who asks with the second key. */
export const somebody = { email: ana.email, key: ana.key }

/**
 * The fake realm has one account. Requests with the second key are carried out through the realm's
 * controls, and answered as the realm would; `mine` handles requests with the first key.
 */
export function askBySomebody({ controls }: PretendRealm, mine: Handle): Handle {
  return async (request, signal) => {
    const { pathname, origin } = new URL(request.url)
    const path = pathname.split('/api/v1')[1] ?? ''
    const form = Object.fromEntries(new URLSearchParams(new TextDecoder().decode(request.body)))
    const reply = (fields: object) => ({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: new TextEncoder().encode(JSON.stringify({ result: 'success', msg: '', ...fields })),
    })
    if (request.method === 'GET' && path === '/users/me') {
      const url = `${origin}${pathname.replace(/me$/, String(ana.id))}`
      const { body } = await mine({ ...request, url }, signal)
      return reply(inner(inner(JSON.parse(new TextDecoder().decode(body)))['user']))
    }
    if (path === '/messages') {
      const { type, to = '', topic = '', content: text = '' } = form
      const place =
        type === 'direct' ? ana.name : ({ kind: 'topic', channelId: Number(to), topic } as const)
      return reply({ id: controls.say({ from: ana.name, to: place, text }) })
    }
    if (path === '/users/me/subscriptions') {
      const answer = await mine(request, signal)
      const names = rows({ list: JSON.parse(form['subscriptions'] ?? '[]') }, 'list')
      for (const { name } of names) controls.subscribe(String(name), false)
      return answer
    }
    const removed = /^\/messages\/(\d+)$/.exec(path)?.[1]
    if (removed !== undefined) {
      controls.remove(Number(removed))
      return reply({})
    }
    const messageId = Number(/^\/messages\/(\d+)\/reactions$/.exec(path)?.[1])
    controls.react({ from: ana.name, messageId, name: form['emoji_name'] ?? '' })
    return reply({})
  }
}
