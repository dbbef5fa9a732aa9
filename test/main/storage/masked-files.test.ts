import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openHistory, openHistoryFile } from '../../../src/main/storage/history-database.ts'
import { openSaved } from '../../../src/main/storage/saved-files.ts'

const secret = 'hunter2hunter'
const said = `Failed at 11:06: fatal: https://u:${secret}@git.example/x.git`
const notices = [
  { kind: 'down', body: said, lines: [{ text: said }] },
  { kind: 'direct', body: `my password: ${secret}` },
]

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'belfry-masked-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('texts of jobs that an older version kept are masked once, with their copies', async () => {
  const files = [
    'notices.json',
    'notices.json.bak',
    'notices.corrupt-2026-01-01.json',
    'marks.json',
  ]
  for (const file of files)
    await writeFile(join(folder, file), JSON.stringify({ version: 1, value: notices }))
  await writeFile(join(folder, 'marks.corrupt-2026-01-01.json'), `{"half": "${said}`)
  await writeFile(join(folder, 'drafts.json'), JSON.stringify({ version: 1, value: [['a', said]] }))
  openSaved(folder, () => undefined)
  for (const file of files) {
    const text = await readFile(join(folder, file), 'utf8')
    expect(text, file).toContain('https://u:•••@git.example/x.git')
    expect(text.split(secret), file).toHaveLength(2)
    expect(JSON.parse(text), file).toMatchObject({ version: 1, value: [{}, notices[1]] })
  }
  expect(await readFile(join(folder, 'marks.corrupt-2026-01-01.json'), 'utf8')).toContain('u:•••@')
  expect(await readFile(join(folder, 'drafts.json'), 'utf8')).toContain(secret)
  await writeFile(join(folder, 'marks.json'), JSON.stringify(said))
  openSaved(folder, () => undefined)
  expect(await readFile(join(folder, 'marks.json'), 'utf8')).toContain(secret)
  expect((await readdir(folder)).filter((name) => name.includes('.tmp-'))).toEqual([])
})

test('the history of an older version is masked, and then marked so', async () => {
  const file = join(folder, 'history.db')
  const older = openHistoryFile(file)
  older.exec('PRAGMA user_version = 2')
  const add = older.prepare(
    "INSERT INTO entries (at, account, subject, kind, data) VALUES (?, 'ops', 's', ?, ?)",
  )
  const step = { happened: { events: [{ of: 'check', kind: 'down', body: said }, notices[1]] } }
  for (let n = 0; n < 250; n += 1) add.run(Date.now(), 'notice', JSON.stringify(notices[0]))
  add.run(Date.now(), 'step', JSON.stringify(step))
  add.run(
    Date.now(),
    'step',
    JSON.stringify({ piece: 0, of: 2, text: JSON.stringify(step).slice(0, 99) }),
  )
  older.close()
  const history = openHistory({ file, now: Date.now, onTrouble: () => undefined })
  const version = () => {
    const db = new DatabaseSync(file, { readOnly: true })
    const rows = db.prepare('SELECT data FROM entries').all()
    const reached = db.prepare('PRAGMA user_version').get()?.['user_version']
    db.close()
    return {
      reached,
      shown: rows.filter(({ data }) => String(data).includes(`u:${secret}`)).length,
    }
  }
  await vi.waitFor(() => expect(version()).toEqual({ reached: 3, shown: 0 }), 30_000)
  const [kept] = history.entries({ from: 0, limit: 2, kinds: ['step'] })
  expect(kept?.data).toMatchObject({ happened: { events: [{ of: 'check' }, notices[1]] } })
  history.close()
})
