import { promises } from 'node:fs'
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { projectRoot } from '../../scripts/programs.mjs'
import { anyRule, defaultAttention, type Rule } from '../../src/shared/core/attention/rules.ts'
import { RequestFailed } from '../../src/shared/core/failure.ts'
import { settingsFile } from '../../src/shared/core/settings.ts'
import { type RunningApp, startApp } from '../support/app.ts'
import { schemaFaults } from '../support/json-schema.ts'
import { ownFolder, ownScript, textOf } from '../support/own-program.ts'

const waiting = { timeout: 20_000 }

async function chosen(it: RunningApp, file: Awaited<ReturnType<typeof ownScript>>) {
  it.desktop.choices.push(file)
  const made = await it.app.commands.chooseProgram({})
  return made?.id ?? ''
}

function withRules(it: RunningApp, ...rules: readonly Partial<Rule>[]): Promise<void> {
  const all = rules.map((rule, at) => ({ ...anyRule, id: `r${at}`, ...rule }))
  return it.app.commands.updateSettings({ attention: { ...defaultAttention, rules: all } })
}

async function started(): Promise<RunningApp> {
  const it = await startApp()
  onTestFinished(() => it.app.stop())
  await it.app.commands.addAccount(it.world.newAccounts.ops)
  return it
}

async function goDown({ world, app }: RunningApp, ...names: readonly string[]): Promise<void> {
  for (const name of names) world.ops.controls.goDown(name)
  world.ops.tick()
  await app.commands.refresh({ accountId: null })
}

function whyOf({ app }: RunningApp, title: string) {
  const notice = app.state.notices.find((one) => one.title === title)
  return notice?.reasons.filter(({ by }) => by === 'program') ?? []
}

/** The sentence that a try is refused with. */
function refusalOf({ app }: RunningApp, id = ''): Promise<string> {
  return app.commands.tryProgram({ id }).then(
    () => 'ran',
    (error: unknown) =>
      error instanceof RequestFailed && error.failure.kind === 'invalid'
        ? error.failure.message
        : String(error),
  )
}

describe('a program', () => {
  test('that a rule names runs with the notification; “Why?” and the rules say how it ended', async () => {
    const it = await started()
    const heard = join(await ownFolder(), 'heard')
    const script = `#!/bin/sh\ncat > ${heard}\necho "lamp is red"\nexit 3\n`
    const id = await chosen(it, await ownScript(script))
    await withRules(it, { kinds: ['down'], programId: id })
    await goDown(it, 'cert-renew')
    await expect
      .poll(() => whyOf(it, 'cert-renew is down'), waiting)
      .toEqual([
        {
          by: 'program',
          text: 'Your program lamp.sh failed: exit 3. It printed:',
          output: 'lamp is red',
        },
      ])
    const schema = await readFile(join(projectRoot, 'docs/program-input.schema.json'), 'utf8')
    const given: unknown = JSON.parse(await textOf(heard))
    expect(schemaFaults(JSON.parse(schema) as Record<string, unknown>, given)).toEqual([])
    expect(given).toMatchObject({
      version: 1,
      test: false,
      title: 'cert-renew is down',
      count: 1,
      events: [{ kind: 'down', check: { name: 'cert-renew' }, message: null }],
    })
    expect(it.app.state.programs.get(id)).toEqual({
      name: 'lamp.sh',
      last: { at: expect.any(Number) as number, failure: 'exit 3' },
    })
    // It is no notification of its own.
    expect(it.desktop.notices).toHaveLength(1)
    expect(it.app.state.notices).toHaveLength(1)
    expect(it.bugs).toEqual([])
  })

  test('is a document of this computer; its path is in no window and in no exported file', async () => {
    const it = await started()
    const file = await ownScript('#!/bin/sh\n')
    const id = await chosen(it, file)
    await withRules(it, { programId: id })
    const secret = basename(dirname(file.path))
    const given = JSON.stringify(it.app.windowFollows(), (_key, value: unknown) =>
      value instanceof Map ? [...value] : value,
    )
    expect(given).toContain('lamp.sh')
    expect(given).not.toContain(secret)
    expect(settingsFile(it.app.state)).not.toContain('lamp.sh')
    expect(it.disk.documents.get('programs')).toContain(secret)
    const again = await it.restart()
    expect(await again.app.commands.tryProgram({ id })).toMatchObject({ failure: null })
    await again.app.commands.forgetProgram({ id })
    expect(again.app.state.settings.attention.rules[0]?.programId).toBeNull()
    expect(await again.disk.read('programs')).toEqual([])
    await again.app.stop()
  })

  test('is one by its file, and has a name of its own', async () => {
    const it = await startApp()
    const [one, other] = [await ownScript('#!/bin/sh\n'), await ownScript('#!/bin/sh\n')]
    const id = await chosen(it, one)
    expect(await chosen(it, one)).toBe(id)
    const second = await chosen(it, other)
    expect([...it.app.state.programs].map(([key, { name }]) => [key, name])).toEqual([
      [id, 'lamp.sh'],
      [second, 'lamp.sh (2)'],
    ])
    expect(await it.app.commands.chooseProgram({})).toBeNull()
    await it.app.stop()
  })

  test('that can’t be run is refused in a sentence, when it is chosen and when it is to run', async () => {
    const it = await started()
    const file = await ownScript('#!/bin/sh\n')
    const id = await chosen(it, file)
    await chmod(file.path, 0o600)
    const sentence = 'lamp.sh is not executable. Allow it with “chmod u+x”, and try again.'
    for (const refused of [it.app.commands.tryProgram({ id }), chosen(it, file)])
      await expect(refused).rejects.toMatchObject({ failure: { message: sentence } })
    await withRules(it, { programId: id })
    await goDown(it, 'cert-renew')
    await expect
      .poll(() => whyOf(it, 'cert-renew is down'), waiting)
      .toEqual([{ by: 'program', text: `Your program lamp.sh was not run. ${sentence}` }])
    expect(it.app.state.programs.get(id)?.last?.failure).toBe(sentence)
    await rm(file.path)
    await expect(it.app.commands.tryProgram({ id })).rejects.toMatchObject({
      failure: { message: expect.stringContaining('not there any more') as string },
    })
    await writeFile(file.path, '#!/bin/sh\necho back\n')
    await chmod(file.path, 0o700)
    expect(await it.app.commands.tryProgram({ id })).toMatchObject({
      failure: null,
      output: 'back',
    })
  })

  test('on a drive that hangs is looked at once, and refused at once as long as it hangs', async () => {
    const it = await started()
    const file = await ownScript('#!/bin/sh\n')
    const ids = [await chosen(it, file), await chosen(it, await ownScript('#!/bin/sh\n'))]
    const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<never>()]
    const stat = vi.spyOn(promises, 'stat').mockImplementation(() => {
      asked.resolve()
      return answer.promise
    })
    onTestFinished(() => stat.mockRestore())
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const first = refusalOf(it, ids[0])
    // The way there is looked at first, by real threads.
    await asked.promise
    await vi.advanceTimersByTimeAsync(5_000)
    for (const refused of [await first, await refusalOf(it, ids[0]), await refusalOf(it, ids[1])])
      expect(refused).toContain('on a drive that doesn’t answer')
    expect(stat).toHaveBeenCalledTimes(1)
    answer.reject(new Error('gone'))
  })

  test('runs one at a time: what is told meanwhile is in its next run, together', async () => {
    const it = await started()
    const folder = await ownFolder()
    const [runs, go] = [join(folder, 'runs'), join(folder, 'go')]
    const script = `#!/bin/sh\ncat >> ${runs}\nwhile [ ! -e ${go} ]; do sleep 0.05; done\n`
    const id = await chosen(it, await ownScript(script))
    await withRules(it, { programId: id })
    await it.app.commands.addAccount(it.world.newAccounts.chat)
    await goDown(it, 'cert-renew')
    await expect.poll(() => textOf(runs), waiting).toContain('cert-renew')
    await goDown(it, 'search-reindex')
    await expect.poll(() => it.desktop.notices.length, waiting).toBe(2)
    it.world.realm.controls.say({ from: 'Boris', to: 'Boris', text: 'are you there?' })
    await expect.poll(() => it.desktop.notices.length, waiting).toBe(3)
    await expect(it.app.commands.tryProgram({ id })).rejects.toMatchObject({
      failure: { message: expect.stringContaining('running just now') as string },
    })
    expect((await textOf(runs)).trimEnd().split('\n')).toHaveLength(1)
    await writeFile(go, '')
    await expect.poll(() => whyOf(it, 'search-reindex is down'), waiting).toHaveLength(1)
    const [, second, ...more] = (await textOf(runs)).trimEnd().split('\n')
    expect(more).toEqual([])
    expect(JSON.parse(second ?? '')).toMatchObject({
      count: 2,
      events: [{ check: { name: 'search-reindex' } }, { message: { sender: 'Boris Novak' } }],
    })
    expect(whyOf(it, 'search-reindex is down')[0]?.text).toContain('told meanwhile')
  })

  test('is one of three that run at once, however many rules there are', async () => {
    const it = await started()
    const folder = await ownFolder()
    const [now, seen, go] = ['now', 'seen', 'go'].map((name) => join(folder, name))
    await mkdir(now ?? '')
    const script = `#!/bin/sh\ncat >/dev/null\n: > ${now}/$$\nls ${now} | wc -l >> ${seen}\nwhile [ ! -e ${go} ]; do sleep 0.05; done\nrm ${now}/$$\n`
    const [account] = it.app.state.accounts
    const checks = [...(it.app.state.boards.get(account?.id ?? '')?.checks.values() ?? [])]
      .filter(({ status }) => status === 'up')
      .slice(0, 5)
    const rules: Partial<Rule>[] = []
    for (const { id: checkId } of checks) {
      const programId = await chosen(it, await ownScript(script))
      rules.push({ accountId: account?.id ?? '', checkId, programId })
    }
    await withRules(it, ...rules)
    await goDown(it, ...checks.map(({ name }) => name))
    const counts = async () => (await textOf(seen ?? '')).split('\n').slice(0, -1).map(Number)
    await expect.poll(async () => (await counts()).length, waiting).toBe(3)
    const refused = await Promise.all(rules.map((one) => refusalOf(it, one.programId ?? undefined)))
    const [itself, others] = ['It is running just now.', 'Three others are running just now.']
    expect(refused.map((why) => why.slice(0, why.indexOf('.') + 1)).toSorted()).toEqual([
      ...[itself, itself, itself, others, others],
    ])
    await writeFile(go ?? '', '')
    const ended = () => [...it.app.state.programs.values()].filter(({ last }) => last !== null)
    await expect.poll(() => ended().length, waiting).toBe(5)
    expect(Math.max(...(await counts()))).toBe(3)
    expect(it.desktop.notices).toHaveLength(1)
  })

  test('ends when Belfry quits, and what was still to run is told of', async () => {
    const it = await startApp()
    await it.app.commands.addAccount(it.world.newAccounts.ops)
    const runs = join(await ownFolder(), 'runs')
    const id = await chosen(it, await ownScript(`#!/bin/sh\ncat >> ${runs}\nexec sleep 1000\n`))
    await withRules(it, { programId: id })
    await goDown(it, 'cert-renew')
    await expect.poll(() => textOf(runs), waiting).toContain('cert-renew')
    await goDown(it, 'search-reindex')
    await expect.poll(() => it.desktop.notices.length, waiting).toBe(2)
    const again = await it.restart()
    expect(whyOf(again, 'cert-renew is down')[0]?.text).toContain('as Belfry was quit')
    expect(whyOf(again, 'search-reindex is down')[0]?.text).toContain('was quit before it ran')
    expect(again.app.state.programs.get(id)?.last?.failure).toContain('Belfry was quit')
    await again.app.stop()
  })

  test('that was not begun as Belfry quit while the notification was written is told of', async () => {
    const it = await startApp()
    await it.app.commands.addAccount(it.world.newAccounts.ops)
    await withRules(it, { programId: await chosen(it, await ownScript('#!/bin/sh\n')) })
    const free = Promise.withResolvers<void>()
    const write = it.disk.write.bind(it.disk)
    it.disk.write = async (name, value) => {
      if (name === 'marks') await free.promise
      return write(name, value)
    }
    await goDown(it, 'cert-renew')
    const listed = () => it.app.state.notices.map(({ title }) => title)
    await expect.poll(listed, waiting).toContain('cert-renew is down')
    const restarted = it.restart()
    free.resolve()
    const again = await restarted
    expect(whyOf(again, 'cert-renew is down')[0]?.text).toContain('was quit before it ran')
    await again.app.stop()
  })

  test('is off in the demo, which says so', async () => {
    const it = await started()
    const heard = join(await ownFolder(), 'heard')
    const id = await chosen(it, await ownScript(`#!/bin/sh\ncat >> ${heard}\n`))
    await withRules(it, { programId: id })
    await it.app.commands.exploreDemo({})
    const off = { failure: { message: expect.stringContaining('off in the demo') as string } }
    await expect(it.app.commands.chooseProgram({})).rejects.toMatchObject(off)
    await expect(it.app.commands.tryProgram({ id })).rejects.toMatchObject(off)
    const isRead = () => [...it.app.state.realms.values()].some(({ notified }) => notified !== null)
    await expect.poll(isRead, waiting).toBe(true)
    it.world.realm.controls.say({ from: 'Boris', to: 'Boris', text: 'from the demo' })
    const why = () => it.app.state.notices.flatMap(({ reasons }) => reasons.map(({ text }) => text))
    await expect.poll(why, waiting).toContainEqual(expect.stringContaining('off in the demo'))
    // The user's own accounts are watched meanwhile.
    await goDown(it, 'cert-renew')
    await expect.poll(() => textOf(heard), waiting).toContain('cert-renew')
    expect(await textOf(heard)).not.toContain('from the demo')
  })
})

test('what can’t be read of the programs is left out, and the rest is used', async () => {
  const it = await startApp()
  const { path } = await ownScript('#!/bin/sh\n')
  const good = { id: 'good', name: 'lamp.sh', path, last: [] }
  const strange = [{ ...good, id: '' }, { ...good, id: 'b', path: 'lamp.sh' }, 7, null]
  await it.disk.write('programs', [...strange, { ...good, last: ['never'] }])
  const again = await it.restart()
  expect([...again.app.state.programs]).toEqual([['good', { name: 'lamp.sh', last: null }]])
  expect(await again.app.commands.tryProgram({ id: 'good' })).toMatchObject({ failure: null })
  await again.app.stop()
})

test('a program whose place is lost runs nothing, and its rule can still be saved', async () => {
  const it = await started()
  const id = await chosen(it, await ownScript('#!/bin/sh\n'))
  await withRules(it, { programId: id })
  await it.disk.write('programs', [])
  const again = await it.restart()
  onTestFinished(() => again.app.stop())
  await withRules(again, { programId: id, way: 'sound' })
  await goDown(again, 'cert-renew')
  await expect
    .poll(() => whyOf(again, 'cert-renew is down')[0]?.text, waiting)
    .toMatch(/was not run\. Belfry doesn’t know where it is any more/)
})
