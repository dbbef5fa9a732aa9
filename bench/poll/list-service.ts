import { get } from 'node:http'
import type { ListedCheck } from './pretend-checks.ts'

/** Controls `list-server.ts` and gets the expected results from it. */
export interface ListService {
  readonly origin: string
  readonly port: number
  /** Selects the list that is returned from now on. */
  give(number: number): Promise<void>
  /** The checks that differ from those of the list before. */
  changes(number: number): Promise<readonly ListedCheck[]>
}

export function listService(port: number): ListService {
  const origin = `http://127.0.0.1:${port}`
  return {
    origin,
    port,
    async give(number) {
      await text(`${origin}/list/${number}`)
    },
    // What the server wrote.
    changes: async (number) =>
      JSON.parse(await text(`${origin}/changes/${number}`)) as readonly ListedCheck[],
  }
}

/** Uses the plainest client, so that nothing under measurement is warmed. */
function text(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        body += chunk
      })
      response.on('end', () => resolve(body))
    }).on('error', reject)
  })
}
