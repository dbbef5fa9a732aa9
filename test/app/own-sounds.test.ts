import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { FileLook } from '../../src/main/attention/file-look.ts'
import { canReadSound } from '../../src/main/attention/sound-file.ts'
import { ownNotice } from '../../src/shared/core/attention/notice.ts'
import { settingsFile } from '../../src/shared/core/settings.ts'
import { type RunningApp, startApp } from '../support/app.ts'

const wave = Buffer.from('RIFF\0\0\0\0WAVEfmt ', 'latin1')
const vorbis = Buffer.from(`OggS${'\0'.repeat(24)}\u0001vorbis`, 'latin1')
const opus = Buffer.from(`OggS${'\0'.repeat(24)}OpusHead`, 'latin1')

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'belfry-sounds-'))
  onTestFinished(() => rm(made, { recursive: true, force: true }))
  return made
}

async function fileOf(name: string, content: Buffer, size = content.length) {
  const path = join(await folder(), name)
  await writeFile(path, content)
  return { path, name, size }
}

const words = { subject: 's', title: 't', body: '', target: { view: 'checks' } } as const
const soundOf = ({ app }: RunningApp, kind: 'down' | 'direct' | 'digest') =>
  app.soundFile({ ...ownNotice(words, 0, true), kind })

test('a chosen file is the sound of its kind alone, over a restart, until the system’s is wanted', async () => {
  const it = await startApp()
  const [alarm, chime] = [await fileOf('alarm.wav', wave), await fileOf('chime.oga', vorbis)]
  it.desktop.choices.push(alarm, chime)
  await it.app.commands.chooseSound({ kind: 'down' })
  await it.app.commands.chooseSound({ kind: 'direct' })
  const again = await it.restart()
  expect([await soundOf(again, 'down'), await soundOf(again, 'direct')]).toEqual([
    alarm.path,
    chime.path,
  ])
  expect(await soundOf(again, 'digest')).toBeNull()
  await again.app.commands.useSystemSound({ kind: 'down' })
  const last = await again.restart()
  expect(await soundOf(last, 'down')).toBeNull()
  expect(await soundOf(last, 'direct')).toBe(chime.path)
  await last.app.stop()
})

test('its path is in no window and in no exported file', async () => {
  const it = await startApp()
  const alarm = await fileOf('alarm.wav', wave)
  it.desktop.choices.push(alarm)
  await it.app.commands.chooseSound({ kind: 'down' })
  const secret = basename(join(alarm.path, '..'))
  expect([...it.desktop.window().ownSounds]).toEqual([
    ['down', { name: 'alarm.wav', isGone: false }],
  ])
  const given = JSON.stringify(it.app.windowFollows(), (_key, value: unknown) =>
    value instanceof Map ? [...value] : value,
  )
  expect(given).toContain('alarm.wav')
  expect(given).not.toContain(secret)
  expect(settingsFile(it.app.state)).not.toContain('alarm.wav')
  expect(it.disk.documents.get('sounds')).toContain(secret)
  await it.app.stop()
})

test('nothing changes if no file is chosen, and one that notifications can’t play is refused', async () => {
  const it = await startApp()
  await it.app.commands.chooseSound({ kind: 'down' })
  const pipe = { path: join(await folder(), 'pipe.wav'), name: 'pipe.wav', size: 0 }
  spawnSync('mkfifo', [pipe.path])
  const missing = { path: join(await folder(), 'gone.wav'), name: 'gone.wav', size: 9 }
  for (const [file, why] of [
    [await fileOf('song.mp3', Buffer.from('ID3')), /^song\.mp3 can’t be played .*\.wav.*\.ogg/],
    [await fileOf('renamed.wav', Buffer.from('ID3')), /^renamed\.wav can’t be played/],
    [await fileOf('opus.ogg', opus), /^opus\.ogg can’t be played/],
    [await fileOf('long.wav', wave, 11 * 1024 * 1024), /^long\.wav is too large.*10 MB/],
    [pipe, /^pipe\.wav could not be read\.$/],
    [missing, /^gone\.wav could not be read\.$/],
  ] as const) {
    it.desktop.choices.push(file)
    const refused = it.app.commands.chooseSound({ kind: 'down' })
    await expect(refused).rejects.toMatchObject({
      failure: { kind: 'invalid', field: 'file', message: expect.stringMatching(why) as string },
    })
  }
  expect(it.app.state.ownSounds.size).toBe(0)
  // No look hangs, as one at a pipe would.
  it.desktop.choices.push(await fileOf('alarm.wav', wave))
  await it.app.commands.chooseSound({ kind: 'down' })
  expect(it.app.state.ownSounds.size).toBe(1)
  await it.app.stop()
})

test('a file that is gone is told of once in the list, also over a restart, and played again when it is back', async () => {
  const it = await startApp()
  const alarm = await fileOf('alarm.wav', wave)
  it.desktop.choices.push(alarm)
  await it.app.commands.chooseSound({ kind: 'down' })
  await rm(alarm.path)
  expect(await soundOf(it, 'down')).toBeNull()
  expect(await soundOf(it, 'down')).toBeNull()
  const told = it.app.state.notices.map(({ title, outcome }) => `${outcome}: ${title}`)
  expect(told).toEqual(['tray: The sound alarm.wav can’t be read'])
  expect(it.desktop.notices).toEqual([])
  const again = await it.restart()
  await again.app.commands.clearNotices({})
  expect(await soundOf(again, 'down')).toBeNull()
  expect(again.app.state.notices).toEqual([])
  await writeFile(alarm.path, wave)
  expect(await soundOf(again, 'down')).toBe(alarm.path)
  expect(again.app.state.ownSounds.get('down')).toEqual({ name: 'alarm.wav', isGone: false })
  await again.app.stop()
})

test('no alarm waits long for a file on a drive that hangs', async () => {
  const asked: string[] = []
  const hanging = () => Promise.reject(new Error('late'))
  const look = (work: () => Promise<unknown>, ms: number) => {
    asked.push(`${ms} ms`)
    return ms > 500 ? work() : hanging()
  }
  expect(await canReadSound('/mnt/a.wav', look as FileLook)).toBe(false)
  expect(asked).toEqual(['500 ms'])
})

test('what can’t be read of the sounds is left out, and the rest is used', async () => {
  const it = await startApp()
  const { path } = await fileOf('chime.oga', vorbis)
  const good = { kind: 'direct', name: 'chime.oga', path, isGone: false }
  const strange = [{ ...good, kind: 'fanfare' }, { ...good, kind: 'down', path: 'chime.oga' }, 7]
  await it.disk.write('sounds', [...strange, good])
  const again = await it.restart()
  expect([...again.app.state.ownSounds.keys()]).toEqual(['direct'])
  expect(await soundOf(again, 'direct')).toBe(path)
  await again.app.stop()
})

test('a kind is tried with a notification of that kind', async () => {
  const it = await startApp()
  await it.app.commands.testNotification({ kind: 'down' })
  await it.app.commands.testNotification({})
  expect(it.desktop.notices.map(({ kind, sound }) => [kind, sound])).toEqual([
    ['down', true],
    ['recovered', true],
  ])
  expect(await it.app.commands.playsOwnSounds({})).toBe(false)
  await it.app.stop()
})
