import { existsSync } from 'node:fs'
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { newestLevel } from '../../src/demo/chat/realm-data.ts'
import { createWorld } from '../../src/demo/world.ts'
import { keyName } from '../../src/main/accounts/connections.ts'
import type { KeptFiles, Transport } from '../../src/main/base/ports.ts'
import { openKeptFiles } from '../../src/main/storage/kept-files.ts'
import { draftKey } from '../../src/shared/core/chat/drafts.ts'
import { floorLevel } from '../../src/shared/core/chat/server-level.ts'
import { type RunningApp, startApp } from '../support/app.ts'
import { failureOf } from '../support/failures.ts'
import { type FakeDisk, fakeDisk } from '../support/fake-desktop.ts'

const conversation = { kind: 'topic', channelId: 1, topic: 'db-primary' } as const
const accountId = 'demo-chat'

let folder: string
let running: RunningApp

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'belfry-uploads-'))
  running = await startApp()
  await running.app.commands.exploreDemo({})
  await expect.poll(() => running.app.state.realms.get(accountId)?.phase).toBe('live')
})

afterEach(async () => {
  await running.app.stop()
  await rm(folder, { recursive: true })
})

async function choose(name: string, size: number) {
  const path = join(folder, 'local')
  await writeFile(path, Buffer.alloc(size))
  running.desktop.choices.push({ path, name, size })
  const chosen = await running.app.commands.chooseFile({})
  if (chosen === null) throw new Error('nothing was chosen')
  return chosen
}

const uploads = () => running.desktop.window().uploads

describe('an upload', () => {
  test('appends a link to the draft of its conversation', async () => {
    const { app } = running
    await app.commands.saveDraft({ accountId, conversation, text: 'see' })
    const chosen = await choose('trace [1].log', 300_000)
    expect(chosen).toEqual({ fileId: chosen.fileId, name: 'trace [1].log', size: 300_000 })
    await app.commands.startUpload({ accountId, fileId: chosen.fileId, place: conversation })
    await expect.poll(() => uploads()[0]?.state).toBe('done')
    expect(uploads()[0]).toMatchObject({ sent: 300_000, total: 300_000, failure: null })
    expect(app.state.drafts.get(draftKey(accountId, conversation))).toMatch(
      /^see\n\[trace 1\.log\]\(\/user_uploads\/2\/\w+\/trace-1\.log\)$/,
    )
  })

  test('keeps its link if the field, saved or sent meanwhile, hadn’t shown it yet', async () => {
    const { app } = running
    const draft = () => app.state.drafts.get(draftKey(accountId, conversation))
    const save = (text: string, over: string) =>
      app.commands.saveDraft({ accountId, conversation, text, over })
    await save('see', '')
    const { fileId } = await choose('a.txt', 10)
    await app.commands.startUpload({ accountId, fileId, place: conversation })
    await expect.poll(() => uploads()[0]?.state).toBe('done')
    const [link = 'none'] = /\[a\.txt\].*/.exec(draft() ?? '') ?? []
    await save('see here', 'see')
    expect(draft()).toBe(`see here\n${link}`)
    await app.commands.sendMessage({ accountId, conversation, text: 'see here' })
    expect(draft()).toBe(link)
    // Deleted by someone who saw the link.
    await save('no file', link)
    expect(draft()).toBe('no file')
  })

  test('appends its link to the draft that moved with its topic meanwhile', async () => {
    const { app, world } = running
    const { controls } = world.realm
    const { fileId } = await choose('a.txt', 300_000)
    controls.moveTopic('ops > db-primary', 'ops > ✔ db-primary')
    await expect.poll(() => app.state.realms.get(accountId)?.movedTo.size).toBe(1)
    await app.commands.startUpload({ accountId, fileId, place: conversation })
    await expect.poll(() => uploads()[0]?.state).toBe('done')
    expect([...app.state.drafts.keys()]).toEqual([`${accountId}/topic/1/✔ db-primary`])
  })

  test('larger than the realm allows is refused before anything is sent', async () => {
    const { fileId } = await choose('big.bin', 1)
    running.desktop.choices.push({ path: 'nowhere', name: 'big.bin', size: 101 * 1024 * 1024 })
    const big = await running.app.commands.chooseFile({})
    const start = (id: string) =>
      running.app.commands.startUpload({ accountId, fileId: id, place: null })
    expect(await failureOf(start(big?.fileId ?? ''))).toMatchObject({
      kind: 'invalid',
      field: 'file',
    })
    expect(uploads()).toEqual([])
    await start(fileId)
    expect(uploads()).toHaveLength(1)
  })

  test.each([
    ['tus', 'uploadFile'],
    ['multipart', 'resumableUpload'],
  ] as const)('by %s goes that way even if %s is refused', async (by, other) => {
    const { app, world } = running
    world.realm.controls.refuse(500, other)
    const { fileId } = await choose('a.txt', 10)
    await app.commands.startUpload({ accountId, fileId, place: null, by })
    await expect.poll(() => uploads()[0]?.state).toBe('done')
    expect(uploads()[0]?.failure).toBeNull()
  })

  test('of a file that was never chosen is refused', async () => {
    const { commands } = running.app
    const start = commands.startUpload({ accountId, fileId: 'none', place: null })
    expect(await failureOf(start)).toMatchObject({ kind: 'invalid', field: 'file' })
  })

  test('that was cancelled is marked so, and leaves the list when cancelled again', async () => {
    const { commands } = running.app
    const { fileId } = await choose('a.txt', 10)
    const { id } = await commands.startUpload({ accountId, fileId, place: conversation })
    await commands.cancelUpload({ id })
    await expect.poll(() => uploads()[0]?.state).toBe('cancelled')
    await commands.cancelUpload({ id })
    expect(uploads()).toEqual([])
    expect(running.app.state.drafts.size).toBe(0)
  })

  test('that the server refuses keeps the reason', async () => {
    running.world.realm.controls.refuse(500, 'uploadFile')
    const { fileId } = await choose('a.txt', 10)
    await running.app.commands.startUpload({ accountId, fileId, place: conversation })
    await expect.poll(() => uploads()[0]?.state).toBe('failed')
    expect(uploads()[0]?.failure).toEqual({ kind: 'serverFault', httpStatus: 500 })
  })

  test.each(['uploadFile', 'resumableUpload'])(
    'also runs as the operation %s',
    async (operation) => {
      const { fileId } = await choose('a.txt', 10)
      const params = { file: fileId }
      const reply = await running.app.commands.run({ accountId, operation, params })
      expect(uploads()).toMatchObject([{ state: 'done' }])
      expect(reply).toMatchObject({ url: uploads()[0]?.url, filename: 'a.txt' })
    },
  )
})

describe('files of a draft', () => {
  const draft = () => running.app.state.drafts.get(draftKey(accountId, conversation)) ?? ''

  async function put(name: string, ...pieces: readonly Uint8Array<ArrayBuffer>[]) {
    let fileId: string | null = null
    for (const bytes of pieces)
      fileId = (await running.app.commands.putFile({ fileId, name, bytes })).fileId
    return fileId ?? ''
  }

  test('are assembled from the pieces that a window sends', async () => {
    const { commands } = running.app
    const fileId = await put('note.txt', Buffer.from('to be '), Buffer.from('continued'))
    await commands.startUpload({ accountId, fileId, place: conversation })
    await expect.poll(draft).toMatch(/^\[note\.txt\]\(\/user_uploads\/2\/\w+\/note\.txt\)$/)
    const [file] = running.world.realm.controls.files().filter(({ name }) => name === 'note.txt')
    expect(Buffer.from(file?.bytes ?? []).toString()).toBe('to be continued')
  })

  test('don’t accept pieces of another file', async () => {
    const fileId = await put('note.txt', Buffer.from('x'))
    const { commands } = running.app
    const other = commands.putFile({ fileId, name: 'b.txt', bytes: Buffer.from('y') })
    expect(await failureOf(other)).toMatchObject({ kind: 'invalid', field: 'file' })
    const unknown = commands.putFile({ fileId: 'none', name: 'b.txt', bytes: Buffer.from('y') })
    expect(await failureOf(unknown)).toMatchObject({ kind: 'invalid', field: 'file' })
  })

  test('show a thumbnail if they are pictures', async () => {
    const { commands } = running.app
    const gif = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64')
    expect(await commands.thumbnail({ fileId: await put('a.gif', gif) })).toMatch(
      /^data:image\/gif;/,
    )
    const text = await put('fake.png', Buffer.from('<svg onload="alert(1)">'))
    expect(await commands.thumbnail({ fileId: text })).toBeNull()
    expect(await commands.thumbnail({ fileId: 'none' })).toBeNull()
  })
})

describe('an upload that was interrupted', () => {
  const shot = Buffer.alloc(5_000, 7)

  /** An account that isn’t the demo’s, since the demo’s isn’t stored. */
  async function interrupted(lose: 'request' | 'answer', featureLevel: number = newestLevel) {
    const world = createWorld({ now: Date.now, seed: 2, lively: false, featureLevel })
    let isLost = true
    const lost = Promise.withResolvers<void>()
    const transport: Transport = async (request, signal) => {
      if (!isLost || !request.url.endsWith('/user_uploads')) return world.transport(request, signal)
      if (lose === 'answer') await world.transport(request, signal)
      lost.resolve()
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error))
      })
    }
    const files = openKeptFiles(join(folder, 'kept'))
    const it = await startApp({ world, transport, files })
    const added = await it.app.commands.addAccount(world.newAccounts.chat)
    await expect.poll(() => it.app.state.realms.get(added.accountId)?.phase).toBe('live')
    const { fileId } = await it.app.commands.putFile({
      fileId: null,
      name: 'shot.png',
      bytes: shot,
    })
    await it.app.commands.startUpload({ ...added, fileId, place: conversation })
    await lost.promise
    const again = await it.restart()
    isLost = false
    return { ...added, world, again }
  }

  test.each([
    ['request', newestLevel],
    ['answer', newestLevel],
    ['answer', floorLevel],
  ] as const)(
    'goes on after a restart and is there once, if the %s was lost, at level %i',
    async (lost, level) => {
      const { accountId: id, world, again } = await interrupted(lost, level)
      await expect
        .poll(() => again.app.state.drafts.get(draftKey(id, conversation)))
        .toMatch(/^\[shot\.png\]\(\S+\/shot\.png\)$/)
      const copies = world.realm.controls.files().filter(({ name }) => name === 'shot.png')
      expect(copies).toHaveLength(1)
      expect(again.app.state.uploads).toMatchObject([{ state: 'done' }])
      await again.app.stop()
    },
  )

  test('by a kill was on disk before the window showed it as begun', async () => {
    const world = createWorld({ now: Date.now, seed: 2, lively: false })
    const quick = fakeDisk()
    const disk: FakeDisk = {
      ...quick,
      write: async (name, value) => {
        await new Promise(setImmediate)
        return quick.write(name, value)
      },
    }
    const it = await startApp({ world, disk, files: openKeptFiles(join(folder, 'kept')) })
    const { accountId: id } = await it.app.commands.addAccount(world.newAccounts.chat)
    await expect.poll(() => it.app.state.realms.get(id)?.phase).toBe('live')
    const { fileId } = await it.app.commands.putFile({ fileId: null, name: 'a.png', bytes: shot })
    const begun = await it.app.commands.startUpload({ accountId: id, fileId, place: conversation })
    expect(quick.read('uploads')).toMatchObject([{ id: begun.id }])
    await it.app.stop()
  })

  test('by a kill before its link was on disk gets its link after the restart', async () => {
    const world = createWorld({ now: Date.now, seed: 2, lively: false })
    const files = openKeptFiles(join(folder, 'kept'))
    const it = await startApp({ world, files })
    const { accountId: id } = await it.app.commands.addAccount(world.newAccounts.chat)
    await expect.poll(() => it.app.state.realms.get(id)?.phase).toBe('live')
    const { fileId } = await it.app.commands.putFile({ fileId: null, name: 'a.png', bytes: shot })
    const { write } = it.disk
    it.disk.write = (name, value) =>
      name === 'drafts' && it.app.state.drafts.size > 0
        ? new Promise(() => undefined)
        : write(name, value)
    await it.app.commands.startUpload({ accountId: id, fileId, place: conversation })
    await expect.poll(() => it.app.state.uploads[0]?.state).toBe('done')
    await new Promise(setImmediate)
    const disk = fakeDisk()
    for (const [name, text] of it.disk.documents) disk.documents.set(name, text)
    void it.app.stop()
    const again = await startApp({ world, files, vault: it.vault, disk })
    await expect
      .poll(() => again.app.state.drafts.get(draftKey(id, conversation)))
      .toMatch(/^\[a\.png\]\(\S+\)$/)
    expect(world.realm.controls.files().filter(({ name }) => name === 'a.png')).toHaveLength(1)
    await again.app.stop()
  })

  test('that failed is sent once when it is tried again twice, and not without a key', async () => {
    const world = createWorld({ now: Date.now, seed: 2, lively: false })
    const it = await startApp({ world, files: openKeptFiles(join(folder, 'kept')) })
    const { accountId: id } = await it.app.commands.addAccount(world.newAccounts.chat)
    await expect.poll(() => it.app.state.realms.get(id)?.phase).toBe('live')
    const { controls } = world.realm
    controls.refuse(500, 'uploadFile')
    const { fileId } = await it.app.commands.putFile({ fileId: null, name: 'a.png', bytes: shot })
    const place = { accountId: id, fileId, place: conversation }
    const upload = await it.app.commands.startUpload(place)
    await expect.poll(() => it.app.state.uploads[0]?.state).toBe('failed')
    const [account] = it.app.state.accounts
    if (account === undefined) throw new Error('no account')
    const key = (await it.vault.get(keyName(account))) ?? ''
    await it.vault.delete(keyName(account))
    const keyless = await it.restart()
    await expect.poll(() => keyless.app.state.accounts[0]?.key).toBe('missing')
    expect(await failureOf(keyless.app.commands.retryUpload(upload))).toMatchObject({
      kind: 'invalid',
      field: 'account',
    })
    await it.vault.put(keyName(account), key)
    controls.refuse(null)
    const { app } = await keyless.restart()
    await expect.poll(() => app.state.realms.get(id)?.phase).toBe('live')
    await Promise.all([app.commands.retryUpload(upload), app.commands.retryUpload(upload)])
    await expect.poll(() => app.state.uploads[0]?.state).toBe('done')
    expect(controls.files().filter(({ name }) => name === 'a.png')).toHaveLength(1)
    expect(app.state.drafts.get(draftKey(id, conversation))).toMatch(/^\[a\.png\]\(\S+\)$/)
    await app.stop()
  })

  test('is not resumed with a file edited meanwhile, even at the same size', async () => {
    const files = openKeptFiles(join(folder, 'kept'))
    const path = join(folder, 'notes.txt')
    const file = { path, name: 'notes.txt', size: 5 }
    await writeFile(path, 'first')
    await files.keep('a', file)
    expect(await files.find('a')).toEqual(file)
    await writeFile(path, 'other')
    await utimes(path, new Date(), new Date(Date.now() + 1_000))
    expect(await files.find('a')).toBeNull()
  })

  test.each<[string, (disk: FakeDisk) => void, left: number]>([
    ['are damaged', ({ documents }) => documents.set('uploads', '[{}]'), 1],
    ['are of accounts that are damaged', ({ documents }) => documents.set('accounts', '[{}]'), 1],
    [
      'are a newer version’s as well',
      (disk) =>
        Object.assign(disk, {
          files: { inDoubt: () => false, hasNewer: () => true, keepCopy: () => undefined },
        }),
      1,
    ],
    ['are all known: the control', () => undefined, 0],
  ])('deletes no files that it doesn’t know where the uploads %s', async (_what, damage, left) => {
    const kept = openKeptFiles(join(folder, 'kept'))
    const swept: Promise<void>[] = []
    const files: KeptFiles = {
      ...kept,
      sweep: (ids) => {
        swept.push(kept.sweep(ids))
        return Promise.all(swept).then(() => undefined)
      },
    }
    const world = createWorld({ now: Date.now, seed: 2, lively: false })
    const it = await startApp({ world, files })
    const { accountId: id } = await it.app.commands.addAccount(world.newAccounts.chat)
    await expect.poll(() => it.app.state.realms.get(id)?.phase).toBe('live')
    const { fileId } = await it.app.commands.putFile({ fileId: null, name: 'a.png', bytes: shot })
    await it.app.commands.startUpload({ accountId: id, fileId, place: conversation })
    await expect.poll(() => it.app.state.uploads[0]?.state).toBe('done')
    await it.app.stop()
    const pasted = join(folder, 'kept', 'pasted')
    await writeFile(pasted, 'only here')
    damage(it.disk)
    const again = await startApp({ world, files, vault: it.vault, disk: it.disk })
    await Promise.all(swept)
    expect(existsSync(pasted)).toBe(left === 1)
    await again.app.stop()
  })

  test('is found by its id alone, never by a path that a window gives', async () => {
    const path = join(folder, 'private.png')
    const file = { path, name: 'private.png', size: 5 }
    await writeFile(path, 'pixel')
    await openKeptFiles(folder).keep('planted', file)
    expect(await openKeptFiles(folder).find('planted')).toEqual(file)
    expect(await openKeptFiles(join(folder, 'kept')).find('../planted')).toBeNull()
  })

  test('says so if its file is gone by then', async () => {
    const { again } = await interrupted('request')
    await rm(join(folder, 'kept'), { recursive: true })
    await expect
      .poll(() => again.app.state.uploads[0]?.failure)
      .toMatchObject({ kind: 'invalid', field: 'file' })
    expect(again.app.state.drafts.size).toBe(0)
    await again.app.stop()
  })
})

describe('an operation', () => {
  test('returns which parameters the server ignored', async () => {
    const params = { user_id: 12 }
    const reply = await running.app.commands.run({ accountId, operation: 'getUser', params })
    expect(reply).toMatchObject({ ignored_parameters_unsupported: ['client_ext_avatar'] })
  })
})
