import { constants, promises } from 'node:fs'
import { chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createFileLook } from '../../../src/main/attention/file-look.ts'
import { demandProgram } from '../../../src/main/attention/program-file.ts'
import { environmentOf, startProgram } from '../../../src/main/attention/program-run.ts'
import {
  type failureOf,
  printedLines,
  reasonOf,
} from '../../../src/main/attention/program-words.ts'
import { RequestFailed } from '../../../src/shared/core/failure.ts'
import { isAlive, ownFolder, ownScript, textOf } from '../../support/own-program.ts'

const limits = { longestMs: 60_000, graceMs: 50, quitMs: 50, mostPrinted: 1024 * 1024 }

async function runOf(text: string, some = limits, input = '{}\n') {
  const { path } = await ownScript(text)
  return startProgram(path, input, some).ended
}

describe('a program', () => {
  test('gets its input and nothing else: no argument, few variables, the home folder', async () => {
    vi.stubEnv('BELFRY_KEY', 'hcw_secret')
    vi.stubEnv('ELECTRON_RUN_AS_NODE', '1')
    vi.stubEnv('LC_TIME', 'C')
    const { end, output } = await runOf(
      '#!/bin/sh\necho "$#"\npwd\nenv\ncat >&2\n',
      limits,
      '{"a":1}',
    )
    vi.unstubAllEnvs()
    expect(end).toEqual({ by: 'exit', code: 0 })
    expect(output.split('\n').slice(0, 2)).toEqual(['0', homedir()])
    expect(output).toContain('{"a":1}')
    expect(output).toContain('LC_TIME=C')
    expect(output).not.toMatch(/BELFRY|ELECTRON|NODE|hcw_secret/)
  })

  test('is no worse for what it does not read, and for ending before it could', async () => {
    const much = 'x'.repeat(4 * 1024 * 1024)
    for (const script of ['#!/bin/sh\nexit 3\n', '#!/bin/sh\nexec 0<&-\nsleep 0.1\nexit 3\n'])
      expect((await runOf(script, limits, much)).end).toEqual({ by: 'exit', code: 3 })
  })

  test('that prints megabytes ends as it ends, and of what it printed the end is kept', async () => {
    const loud = { ...limits, mostPrinted: 16 * 1024 * 1024 }
    const script = '#!/bin/sh\nhead -c 5000000 /dev/zero | tr "\\0" a\necho; echo last\n'
    const { end, output } = await runOf(script, loud)
    expect(end).toEqual({ by: 'exit', code: 0 })
    expect(output).toBe('last\n')
  })

  test('that prints without end is ended, and so is one that runs for too long', async () => {
    expect((await runOf('#!/bin/sh\nexec yes\n')).end).toEqual({ by: 'flood' })
    const hung = await runOf('#!/bin/sh\nexec sleep 1000\n', { ...limits, longestMs: 1 })
    expect(hung.end).toEqual({ by: 'late' })
  })

  test('that will not end is killed, with all that it started', async () => {
    const folder = await ownFolder()
    const pids = join(folder, 'pids')
    const deaf = `#!/bin/sh\ntrap '' TERM\nsleep 1000 & echo $! $$ done > ${pids}\nwhile :; do sleep 0.05; done\n`
    const { path } = await ownScript(deaf)
    // Belfry itself quits in a second: this one gets less time than at other ends.
    const started = startProgram(path, '', { ...limits, graceMs: 600_000 })
    await expect.poll(() => textOf(pids)).toContain('done')
    started.stop()
    await started.ended
    for (const pid of (await textOf(pids)).split(' ').slice(0, 2).map(Number))
      await expect.poll(() => isAlive(pid)).toBe(false)
  })

  test('may end well when it is asked to', async () => {
    const folder = await ownFolder()
    const [ready, said] = [join(folder, 'ready'), join(folder, 'said')]
    const script = `#!/bin/sh\ntrap 'echo bye > ${said}; exit 0' TERM\necho yes > ${ready}\nwhile :; do sleep 0.05; done\n`
    const { path } = await ownScript(script)
    const started = startProgram(path, '', { ...limits, quitMs: 60_000 })
    await expect.poll(() => textOf(ready)).toBe('yes\n')
    started.stop()
    expect((await started.ended).end).toEqual({ by: 'quit' })
    expect(await textOf(said)).toBe('bye\n')
  })

  test('is over when it ends, though what it started holds its pipes open', async () => {
    const folder = await ownFolder()
    const script = `#!/bin/sh\nsleep 1000 & echo $! > ${folder}/child\necho done\n`
    const { end, output } = await runOf(script)
    expect([end, output]).toEqual([{ by: 'exit', code: 0 }, 'done\n'])
    const pid = Number(await readFile(join(folder, 'child'), 'utf8'))
    await expect.poll(() => isAlive(pid)).toBe(false)
  })

  test('that is killed, or can’t be started, is told of', async () => {
    expect((await runOf('#!/bin/sh\nkill -SEGV $$\n')).end).toEqual({
      by: 'signal',
      signal: 'SIGSEGV',
    })
    const { path } = await ownScript('#!/nowhere/sh\n')
    for (const [from, code] of [
      [path, 'ENOENT'],
      [`${path}.gone`, 'ENOENT'],
      ['/a\0b', 'ERR_INVALID_ARG_VALUE'],
    ] as const) {
      const { end } = await startProgram(from, '').ended
      expect(end).toEqual({ by: 'start', code })
    }
  })

  test('ends when Belfry quits', async () => {
    const { path } = await ownScript('#!/bin/sh\nsleep 1000\n')
    const started = startProgram(path, '', limits)
    started.stop()
    expect((await started.ended).end).toEqual({ by: 'quit' })
  })
})

test('the variables are those of the session, on Windows in any case', () => {
  const all = {
    PATH: 'p',
    Path: 'w',
    ELECTRON_X: 'e',
    BELFRY_X: 'b',
    LC_ALL: 'l',
    NODE_OPTIONS: 'n',
  }
  expect(environmentOf(all, 'linux')).toEqual({ PATH: 'p', LC_ALL: 'l' })
  expect(environmentOf({ ...all, SystemRoot: 's' }, 'win32')).toEqual({
    PATH: 'p',
    Path: 'w',
    LC_ALL: 'l',
    SystemRoot: 's',
  })
})

describe('a file that is to be run', () => {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
  const me = { platform: 'linux', uid, gid } as const
  const why = (path: string, runner: Parameters<typeof demandProgram>[3] = me) =>
    demandProgram(path, 'lamp.sh', createFileLook(), runner).then(
      () => null,
      (error: unknown) => error instanceof RequestFailed && error.failure,
    )

  test('is a program or a script that says what runs it, also by a link', async () => {
    const { path } = await ownScript('#!/bin/sh\n')
    const link = `${path}-link`
    await symlink(path, link)
    expect([await why(path), await why(link), await why('/usr/bin/env')]).toEqual([
      null,
      null,
      null,
    ])
  })

  test('is refused in a sentence that says what to do, if it is anything else', async () => {
    const folder = await ownFolder()
    await mkdir(join(folder, 'App.app'))
    const gone = await ownScript('#!/bin/sh\n')
    await rm(gone.path)
    await symlink(gone.path, join(folder, 'dangling'))
    await symlink('loop', join(folder, 'loop'))
    for (const [path, words] of [
      [gone.path, /not there any more/],
      [join(folder, 'dangling'), /not there any more/],
      [join(folder, 'loop'), /can’t be read/],
      [join(folder, 'App.app'), /is a folder/],
      ['/dev/null', /not a plain file/],
      [(await ownScript('echo hi\n')).path, /Begin its first line with “#!”/],
      [(await ownScript('')).path, /Begin its first line with “#!”/],
      [(await ownScript('#!sh\n')).path, /Begin its first line with “#!”/],
      [
        (await ownScript('#!/nowhere/sh\n')).path,
        /^\/nowhere\/sh, which runs lamp\.sh, can’t be read/,
      ],
      [(await ownScript('#!/bin/sh\r\n')).path, /line ends of Windows/],
      [(await ownScript('#!/bin/sh\n', 'a', 0o600)).path, /chmod u\+x/],
      [(await ownScript('#!/bin/sh\n', 'a', 0o757)).path, /chmod go-w/],
    ] as const)
      expect(await why(path)).toMatchObject({ message: expect.stringMatching(words) as string })
  })

  test('is not one that others can change', async () => {
    const { path } = await ownScript('#!/bin/sh\n')
    await chmod(path, 0o770)
    expect(await why(path, { ...me, uid, gid: gid + 1 })).toMatchObject({
      message: expect.stringMatching(/other users.*chmod go-w/) as string,
    })
    if (uid === gid) expect(await why(path)).toBeNull()
    // As the system says it of another user's file, whoever runs this test.
    if (uid !== 0)
      expect(await why(path, { ...me, uid: uid + 1 })).toMatchObject({ field: 'program' })
  })

  test('is looked at with what runs it, which may be a script itself', async () => {
    const inner = await ownScript('#! /usr/bin/env -S sh\n')
    expect(await why((await ownScript(`#!${inner.path} -x\n`)).path)).toBeNull()
    await chmod(inner.path, 0o707)
    expect(await why((await ownScript(`#!${inner.path}\n`)).path)).toMatchObject({
      message: expect.stringMatching(
        /which runs lamp\.sh, can be changed by other users/,
      ) as string,
    })
    await chmod(inner.path, 0o700)
    await writeFile(inner.path, `#!${inner.path}\n`)
    expect(await why(inner.path)).toMatchObject({ field: 'program' })
  })

  test('is not one in whose place others could put another, also behind a link', async () => {
    const folder = await ownFolder()
    const open = join(folder, 'open')
    await mkdir(open)
    const behind = join(open, 'lamp.sh')
    await symlink((await ownScript('#!/bin/sh\n')).path, behind)
    const link = join(folder, 'link')
    await symlink('open/../open/lamp.sh', link)
    for (const [mode, words] of [
      [0o755, null],
      [0o777, expect.stringContaining('can change “open”')],
      [0o1777, null],
    ] as const) {
      await chmod(open, mode)
      for (const path of [behind, link]) {
        const found = await why(path)
        if (words === null) expect(found).toBeNull()
        else expect(found).toMatchObject({ message: words as string })
      }
    }
  })

  test('may be a program that can’t be read', async () => {
    const { path } = await ownScript('')
    const access = promises.access.bind(promises)
    const refusing = vi
      .spyOn(promises, 'access')
      .mockImplementation((file, mode) =>
        mode === constants.R_OK ? Promise.reject(new Error('EACCES')) : access(file, mode),
      )
    onTestFinished(() => refusing.mockRestore())
    expect(await why(path)).toBeNull()
  })

  test('does not take its input for commands: neither a shell nor a language, by any name', async () => {
    const folder = await ownFolder()
    for (const name of [
      'bash',
      'dash',
      'sh',
      'python3.13',
      'perl',
      'node',
      'lua5.4',
      'BusyBox.exe',
    ]) {
      const file = await ownScript('#!/bin/sh\n', name)
      await symlink(file.path, join(folder, name === 'sh' ? 'lamp.sh' : `${name}.sh`))
    }
    for (const name of await readdir(folder))
      expect(await why(join(folder, name))).toMatchObject({
        message: expect.stringContaining(
          'what strangers wrote. Choose a script of yours',
        ) as string,
      })
    expect(await why((await ownScript('#!/bin/sh\n', 'shell.sh')).path)).toBeNull()
    expect(await why('/bin/sh')).toMatchObject({ field: 'program' })
  })

  test('needs no shell: on Windows, only programs', async () => {
    const windows = { platform: 'win32' } as const
    for (const name of ['a.bat', 'a.cmd', 'a.ps1', 'a.exe.bat', 'a'])
      expect(await why((await ownScript('#!', name)).path, windows)).toMatchObject({
        message: expect.stringContaining('would need a shell') as string,
      })
    expect(await why((await ownScript('MZ', 'a.EXE')).path, windows)).toBeNull()
  })
})

describe('“Why?”', () => {
  test('says how each run ended', () => {
    const of = (end: Parameters<typeof failureOf>[0]) =>
      reasonOf('lamp.sh', { end, ms: 300, output: '' }, 0).text
    expect(of({ by: 'exit', code: 0 })).toMatch(/^Your program lamp\.sh ran well \(exit 0, /)
    expect(of({ by: 'exit', code: 3 })).toBe('Your program lamp.sh failed: exit 3.')
    expect(of({ by: 'signal', signal: 'SIGSEGV' })).toContain('ended by SIGSEGV')
    expect(of({ by: 'late' })).toContain('after 30 s')
    expect(of({ by: 'flood' })).toContain('16 MB')
    expect(of({ by: 'quit' })).toContain('Belfry was quit')
    expect(of({ by: 'start', code: 'ENOENT' })).toContain('“#!” line')
    expect(of({ by: 'start', code: 'EAGAIN' })).toContain('(EAGAIN)')
  })

  test('has the end of what was printed, as plain text without secrets', () => {
    const output = `${'a'.repeat(5_000)}\n\u001b[31mred\u001b[0m\r\u202epassword=hunter2hunter2\n`
    const { text, output: kept = '' } = reasonOf(
      'lamp.sh',
      { end: { by: 'exit', code: 1 }, ms: 1, output },
      2,
    )
    expect(text).toMatch(/exit 1, with what other notifications told meanwhile\. It printed:$/)
    expect(kept).toHaveLength(2_000)
    expect(kept.endsWith('red\npassword=•••')).toBe(true)
    expect(printedLines('')).toBe('')
  })
})

test('a program is looked at again each time it runs', async () => {
  const { path } = await ownScript('#!/bin/sh\n')
  await writeFile(path, 'no script any more')
  await expect(demandProgram(path, 'lamp.sh', createFileLook())).rejects.toThrow()
})
