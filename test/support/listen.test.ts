import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { listen } from './listen.ts'

test('a test server gets its port again, even if another one has it for a while', async () => {
  const [server, other] = [createServer(), createServer()]
  onTestFinished(() => {
    server.close()
  })
  const port = await listen(server, 0)
  await new Promise((resolve) => server.close(resolve))
  await listen(other, port)
  const back = listen(server, port)
  other.close()
  expect(await back).toBe(port)
  expect(server.listening).toBe(true)
})
