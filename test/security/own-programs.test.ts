import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createCommandHandler } from '../../src/main/desktop/window/command-handler.ts'
import type { CommandName } from '../../src/shared/command-inputs.ts'
import { anyRule, defaultAttention } from '../../src/shared/core/attention/rules.ts'
import { settingsFile } from '../../src/shared/core/settings.ts'
import { type RunningApp, startApp } from '../support/app.ts'
import { ownFolder, ownScript, textOf } from '../support/own-program.ts'

const waiting = { timeout: 20_000 }
const withProgram = (programId: unknown) => ({
  ...defaultAttention,
  rules: [{ ...anyRule, id: 'r', programId }],
})

async function started(): Promise<RunningApp> {
  const it = await startApp()
  onTestFinished(() => it.app.stop())
  return it
}

async function chosen(it: RunningApp, text: string, name = 'lamp.sh'): Promise<string> {
  it.desktop.choices.push(await ownScript(text, name))
  const made = await it.app.commands.chooseProgram({})
  return made?.id ?? ''
}

/** A window’s call, as main’s one handler takes it. */
async function byWindow(it: RunningApp, name: CommandName, input: unknown) {
  const handler = createCommandHandler(
    () => it.app.commands,
    (_where, error) => {
      throw error
    },
    () => performance.now(),
  )
  return (await handler(name, input)) as {
    readonly ok: boolean
    readonly failure?: { readonly kind: string; readonly message: string }
  }
}

describe('a hostile window', () => {
  test('names no program but by an id that main gave', async () => {
    const it = await started()
    const heard = join(await ownFolder(), 'heard')
    const file = await ownScript(`#!/bin/sh\necho ran > ${heard}\n`)
    it.desktop.choices.push(file)
    const made = await it.app.commands.chooseProgram({})
    const before = it.app.state.settings
    for (const id of [
      ...[file.path, '/bin/sh', 'lamp.sh', '../lamp.sh', '', ' ', '__proto__', 'constructor'],
      ...['x'.repeat(10_000), `${made?.id} `, `${made?.id}\0`, crypto.randomUUID()],
      ...[7, true, {}, [], [made?.id], { id: made?.id }, new Map([['id', made?.id]])],
    ]) {
      const asked = [
        await byWindow(it, 'updateSettings', { attention: withProgram(id) }),
        await byWindow(it, 'tryProgram', { id }),
      ]
      for (const { ok, failure } of asked) {
        expect([id, ok, failure?.kind]).toEqual([id, false, 'invalid'])
        expect(failure?.message).not.toContain(file.path)
      }
      await byWindow(it, 'forgetProgram', { id })
    }
    expect(it.app.state.settings).toBe(before)
    expect(await textOf(heard)).toBe('')
    expect(it.app.state.programs.size).toBe(1)
    expect(await byWindow(it, 'tryProgram', made)).toMatchObject({ ok: true })
  })

  test('gives no program: neither a path, nor arguments, nor variables are any command’s input', async () => {
    const it = await started()
    const more = { path: '/bin/sh', args: ['-c', 'id'], env: { A: 'b' }, cwd: '/', shell: true }
    expect(await byWindow(it, 'chooseProgram', more)).toMatchObject({ ok: true })
    expect(it.app.state.programs.size).toBe(0)
    const id = await chosen(it, '#!/bin/sh\necho "$#"; pwd; env\n')
    const result = await byWindow(it, 'tryProgram', { id, ...more })
    expect(JSON.stringify(result)).toMatch(/"output":"0\\n/)
    expect(JSON.stringify(result)).not.toContain('A=b')
  })
})

test('no settings file brings a program into effect, and the rule that had one is counted', async () => {
  const it = await started()
  const id = await chosen(it, '#!/bin/sh\n')
  for (const [programId, programs] of [
    [id, 1],
    ['/bin/sh', 1],
    [null, 0],
  ] as const) {
    const text = settingsFile({
      ...it.app.state,
      settings: { ...it.app.state.settings, attention: withProgram(programId) as never },
    })
    it.desktop.texts.push(text)
    expect(await it.app.commands.importSettings({})).toMatchObject({ programs })
    expect(it.app.state.settings.attention.rules.map((rule) => rule.programId)).toEqual([undefined])
  }
})

test('what strangers wrote is in the input alone, and no program’s words are markup', async () => {
  const it = await started()
  const folder = await ownFolder()
  const [heard, around] = [join(folder, 'heard'), join(folder, 'around')]
  const id = await chosen(
    it,
    `#!/bin/sh\ncat > ${heard}\n(echo "$0 $#"; env) > ${around}\nprintf '<img src=x>\\033]0;title\\007\\033[2J\\n'\n`,
  )
  await it.app.commands.updateSettings({ attention: withProgram(id) as never })
  await it.app.commands.addAccount(it.world.newAccounts.chat)
  const isRead = () => [...it.app.state.realms.values()].some(({ notified }) => notified !== null)
  await expect.poll(isRead, waiting).toBe(true)
  const evil = `--help; touch ${folder}/pwned $(touch ${folder}/pwned) \u202egnp PATH=/evil`
  it.world.realm.controls.say({ from: 'Boris', to: 'Boris', text: evil })
  const reasons = () =>
    it.app.state.notices.flatMap((one) => one.reasons.filter(({ by }) => by === 'program'))
  await expect.poll(reasons, waiting).toMatchObject([{ output: '<img src=x>' }])
  expect(JSON.parse(await textOf(heard))).toMatchObject({
    events: [{ message: { text: evil.replace('\u202e', '') } }],
  })
  expect(await textOf(around)).toMatch(/lamp\.sh 0\n/)
  expect(await textOf(around)).not.toMatch(/pwned|evil/)
  expect(await textOf(join(folder, 'pwned'))).toBe('')
})

test('a hostile file name is a name: it is no option, no command and no second line', async () => {
  const it = await started()
  for (const name of [
    ...['--help', '-c', '$(touch pwned).sh', '; rm -rf x', '`id`', 'a\nb', '\u202egnp.hs'],
    ...[' ', 'a\u001b[31m', '%s%n', "'; drop", '<b>x'],
  ]) {
    const id = await chosen(it, '#!/bin/sh\necho "$#"\n', name)
    expect(await it.app.commands.tryProgram({ id })).toMatchObject({ failure: null, output: '0' })
    expect(it.app.state.programs.get(id)?.name).toMatch(/^[^\p{Cc}\u202e]+$/u)
    await it.app.commands.forgetProgram({ id })
  }
})

test('a program that is swapped for one that others may change is not run', async () => {
  const it = await started()
  const heard = join(await ownFolder(), 'heard')
  const file = await ownScript('#!/bin/sh\n')
  it.desktop.choices.push(file)
  const id = (await it.app.commands.chooseProgram({}))?.id ?? ''
  await writeFile(file.path, `#!/bin/sh\necho ran > ${heard}\n`)
  await chmod(file.path, 0o777)
  await expect(it.app.commands.tryProgram({ id })).rejects.toMatchObject({
    failure: { message: expect.stringContaining('other users of this computer') as string },
  })
  expect(await textOf(heard)).toBe('')
})
