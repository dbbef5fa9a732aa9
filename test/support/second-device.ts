import type { World } from '../../src/demo/world.ts'
import { fieldsOf } from '../../src/shared/core/schemas.ts'

/** A call of the chat service: method, path below `/api/v1`, fields. */
export type Asked = readonly [
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  fields?: Readonly<Record<string, unknown>>,
]

/** Sends a request of another device of the same user to the chat server; returns the reply. */
export async function secondDevice(
  world: World,
  ...[method, path, fields = {}]: Asked
): Promise<Readonly<Record<string, unknown>>> {
  const { baseUrl, key, ...account } = world.newAccounts.chat
  const email = 'email' in account ? account.email : ''
  const params = new URLSearchParams(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )
  const reply = await world.transport(
    {
      method,
      url: `${baseUrl}/api/v1${path}`,
      headers: {
        authorization: `Basic ${btoa(`${email}:${key}`)}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: params.toString(),
      deadlineMs: 10_000,
      maxBytes: 1_000_000,
      before: undefined,
    },
    new AbortController().signal,
  )
  return fieldsOf(JSON.parse(new TextDecoder().decode(reply.body)))
}
