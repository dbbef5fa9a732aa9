import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectChat } from './connect.ts'
import { expect, test } from './fixtures.ts'

test('a large file is chosen, sent in parts and linked in the draft', async ({
  window,
  server,
  belfry,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'belfry-e2e-'))
  const path = join(folder, 'trace.bin')
  await writeFile(path, Buffer.alloc(25_000_001))
  await connectChat(window, server)
  const willChoose = (file: string) =>
    belfry.app.evaluate(({ dialog }, chosen) => {
      dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [chosen] })
    }, file)
  await window.getByRole('button', { name: /db-primary/ }).click()
  // It was deleted before the dialog closed.
  await willChoose(join(folder, 'gone.bin'))
  await window.getByRole('button', { name: 'Attach files' }).click()
  await expect(window.getByText('gone.bin could not be read.')).toBeVisible()
  await willChoose(path)
  await window.getByRole('button', { name: 'Attach files' }).click()
  const composer = window.getByRole('textbox', { name: /Reply to/ })
  await expect(composer).toHaveValue(/^\[trace\.bin\]\(\/user_uploads\/2\/\w+\/trace\.bin\)$/)
  const parts = server.log.filter(({ method, status }) => method === 'PATCH' && status !== null)
  expect(parts.map(({ status }) => status)).toEqual([204, 204, 204, 204, 200])
  await expect(window.getByRole('list', { name: 'Uploads' })).toContainText('uploaded')
  await rm(folder, { recursive: true })
})
