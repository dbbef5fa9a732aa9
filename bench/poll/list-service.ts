import { get } from 'node:http'
import type { ListedCheck } from './pretend-checks.ts'

/** Where `list-server.ts` is told what to give, and tells what is right. */
export interface ListService {
  readonly origin: string
  readonly port: number
  /** Gives the list of this number from now on. */
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

/** By the plainest client that there is, which warms nothing that is measured. */
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
