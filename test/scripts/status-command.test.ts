import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { SavedView } from '../../src/shared/core/settings.ts'
import { defaultSettings } from '../../src/shared/core/settings.ts'
import * as eg from '../support/eg.ts'
import { shells, statusHome } from '../support/status-command.ts'

const homes: string[] = []
afterEach(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true })
})

function at(shell?: readonly string[]) {
  const made = statusHome(shell)
  homes.push(made.home)
  return made
}

const view = (key: SavedView['key'], filter: string): SavedView => ({
  ...{ name: 'mine', key, filter, groupBy: 'project', sortBy: 'status' },
})
const withViews = eg.state({
  settings: { ...defaultSettings, views: [view('2', '#db'), view('5', 'cert')] },
})
const well = eg.state({ boards: new Map([[eg.opsId, eg.board([eg.check()])]]) })

test('there is a shell to try the command with', () => {
  expect(shells).toContainEqual(['sh'])
})

describe.each(shells.map((words) => ({ name: words.join(' '), words })))(
  'belfry status, run by $name',
  ({ words }) => {
    test('says what is down, in each form', () => {
      const { ask, write } = at(words)
      write()
      expect(ask(['status'])).toEqual({
        ...{ code: 1, error: '' },
        out: '▲ 1 down, 1 late\n1 check down; 1 check late.\n',
      })
      expect(ask(['status', '--line'])).toEqual({ code: 1, error: '', out: '▲ 1 down, 1 late\n' })
      const json = ask(['status', '--json'])
      expect(JSON.parse(json.out)).toMatchObject({ belfry: 1, exit: 1, counts: { down: 1 } })
      const bar = ask(['status', '--waybar'])
      expect(JSON.parse(bar.out)).toMatchObject({
        text: '▲ 1 down, 1 late',
        class: ['down', 'down'],
      })
      expect([json.code, bar.code]).toEqual([1, 1])
    })

    test('says that all is well', () => {
      const { ask, write } = at(words)
      write(well)
      expect(ask(['status', '--line'])).toEqual({ code: 0, error: '', out: '✓ 1 up\n' })
      expect(ask(['wait', '--line'])).toEqual({ code: 0, error: '', out: '✓ 1 up\n' })
    })

    test('answers for a saved view by its key, and refuses a key without one', () => {
      const { ask, write } = at(words)
      write(withViews)
      expect(ask(['status', '--line', '--view', '2'])).toMatchObject({ code: 1, out: '▲ 1 down\n' })
      expect(ask(['status', '--view=5', '--line'])).toMatchObject({ code: 0, out: '✓ 1 up\n' })
      expect(ask(['status', '--line', '--view=3'])).toMatchObject({
        ...{ code: 64, out: '' },
        error: 'belfry: there is no saved view with this key\n',
      })
    })

    const off = { code: 2, error: '', out: '? Belfry is not running\n' }
    const hung = { code: 2, error: '', out: '? Belfry does not answer\n' }

    test('knows nothing from a Belfry that is not there', () => {
      const { ask, write, folder } = at(words)
      expect(ask(['status', '--line'])).toEqual(off)
      // The process of `true` has ended.
      write(well, { pid: spawnSync('true').pid })
      expect(ask(['status', '--line'])).toEqual(off)
      expect(ask(['wait', '--line'])).toEqual(off)
      for (const form of ['--json', '--waybar']) {
        const { code, out } = ask(['status', form])
        expect([code, JSON.stringify(JSON.parse(out))]).toEqual([
          2,
          expect.stringContaining('not running'),
        ])
      }
      rmSync(folder, { recursive: true })
      expect(ask(['status', '--line'])).toEqual(off)
    })

    test('knows nothing from a file that has expired, or that the clock has not come to yet', () => {
      const { ask, write } = at(words)
      const now = Date.now()
      write(well, { from: now - 90_000, until: now - 15_000 })
      expect(ask(['status', '--line'])).toEqual(hung)
      write(well, { from: now + 3_600_000, until: now + 3_675_000 })
      expect(ask(['status', '--line'])).toEqual(hung)
      expect(ask(['wait', '--line', '--timeout=0'])).toEqual(hung)
    })

    test('knows nothing from a damaged file, wherever it ends and whatever its numbers are', () => {
      const { ask, write, put } = at(words)
      const whole = write(well)
      expect(ask(['status', '--line']).code).toBe(0)
      const [magic = '', head = '', ...rest] = whole.split('\n')
      const [from = '', until = '', pid = ''] = head.split(' ')
      const heads = [
        ...['', '1 2', `${from} ${until} 0`, `${from} ${until} -1`, `${from} ${until} ${pid} 1`],
        ...[`x ${until} ${pid}`, `${from} 99999999999999999999 ${pid}`, `$(id) \`id\` ${pid}`],
        ...[`${from} ${until} 00${pid}`, `0 ${until} ${pid}`],
      ]
      const ends = [0, 1, 8, 9, 20, head.length + 12, whole.indexOf(':'), whole.indexOf('{') + 20]
      const bad = [
        ...ends.map((end) => whole.slice(0, end)),
        ...heads.map((one) => [magic, one, ...rest].join('\n')),
        whole.replace('belfry 1', 'belfry 2'),
        whole.replace('= all 0', '= all 7'),
        whole.replace(':✓', '✓'),
        '\0'.repeat(400),
      ]
      const answers = bad.map((text) => {
        put(text)
        return ask(['status', '--line'])
      })
      expect(answers).toEqual(bad.map(() => off))
    })
  },
)

describe('the folder that the command asks', () => {
  test('is the session’s, or the one beside the settings where there is no session', () => {
    const { ask, write, home, folder } = at()
    write(well)
    for (const place of ['.config/Belfry', 'Library/Application Support/Belfry']) {
      const settings = join(home, place)
      mkdirSync(settings, { recursive: true })
      execFileSync('cp', ['-r', folder, join(settings, 'status')])
      expect(ask(['status'], { XDG_RUNTIME_DIR: join(home, 'none') }).code).toBe(0)
      rmSync(settings, { recursive: true })
    }
    expect(ask(['status'], { XDG_RUNTIME_DIR: join(home, 'none') }).code).toBe(2)
  })

  test('is that of another data folder, if that comes before the command', () => {
    const { ask, write, home, folder } = at()
    write(well)
    const data = join(home, 'my $(data) "folder"')
    mkdirSync(data)
    execFileSync('cp', ['-r', folder, join(data, 'status')])
    rmSync(folder, { recursive: true })
    expect(ask([`--user-data=${data}`, 'status']).code).toBe(0)
    expect(ask(['status']).code).toBe(2)
  })

  test('has no pipe that would block it', () => {
    const { ask, folder } = at()
    execFileSync('mkfifo', [join(folder, 'status')])
    expect(ask(['status']).code).toBe(2)
  })
})

describe('the installed command', () => {
  test('starts the app with all other arguments as they are', () => {
    const { ask, install, home } = at()
    const script = install()
    const link = join(home, 'a link')
    symlinkSync(script, link)
    const starts = [
      [],
      ['--hidden'],
      ['--user-data=/x y', '--hidden'],
      ['--password-store=basic', 'status'],
      ['belfry://view/chat'],
      ['BELFRY://x?$(id);`id`', '--hidden', '"', "'", '*', '\n'],
      ['--', 'status'],
    ]
    for (const args of starts) {
      const { code, out } = ask(args, {}, link)
      expect([code, out]).toEqual([0, args.map((one) => `<${one}>\n`).join('')])
    }
  })

  test('tells its version and its uses without the app', () => {
    const { ask } = at()
    expect(ask(['version'])).toMatchObject({ code: 0, out: 'belfry from the sources\n' })
    for (const args of [['--help'], ['help'], ['-h']]) {
      const { code, out } = ask(args)
      expect([code, out.split('[')[0]]).toEqual([0, 'usage: belfry '])
    }
  })

  test('refuses what it does not know with a sentence, and starts nothing', () => {
    const { ask, install, write } = at()
    const script = install()
    write()
    const unknown = [
      ...[['frob'], ['status.'], ['/etc/passwd'], ['$(id)'], ['Status'], ['https://x']],
      ...[
        ['status', '--frob'],
        ['status', '--view=10'],
        ['status', '--view'],
        ['status', 'x'],
      ],
      ...[
        ['wait', '--timeout=1s'],
        ['wait', '--timeout=-1'],
        ['status', '--view=[1-9]'],
      ],
    ]
    for (const args of unknown) {
      const { code, out, error } = ask(args, {}, script)
      expect([args, code, out]).toEqual([args, 64, ''])
      expect(error).toMatch(/^belfry: [ -~]+\n$/)
    }
  })

  test('says that the app is missing where it is', () => {
    const { ask } = at()
    const { code, error } = ask([])
    expect(code).toBe(69)
    expect(error).toContain('npm start')
  })
})

describe.each(shells.map((words) => ({ name: words.join(' '), words })))(
  'a command for the app, run by $name',
  ({ words }) => {
    const display = { DISPLAY: ':9' }
    const given = (home: string) =>
      readFileSync(join(home, 'given'), 'utf8').replace(/(--ask-answer=)\d+/, '$1…')

    test('is handed over as it is, and its answer printed', () => {
      const { ask, install, write, home, folder } = at(words)
      const script = install()
      write()
      const hostile = '$(id) `id` "\'*\\ --ask=x'
      const asked = [
        [['ack', hostile], 'ack', hostile, ''],
        [['ack', '--', '-x'], 'ack', '-x', ''],
        [['snooze', 'db', 'in 2 h'], 'snooze', 'db', 'in 2 h'],
        [['open'], 'open', '', ''],
        [['open', 'belfry://view/chat'], 'open', 'belfry://view/chat', ''],
      ] as const
      for (const [args, what, to, until] of asked) {
        writeFileSync(join(home, 'reply'), '0\n:Done: $(id) %s \\n.\n')
        const answer = ask(args, display, script)
        expect(answer).toEqual({ code: 0, error: '', out: 'Done: $(id) %s \\n.\n' })
        expect(given(home)).toBe(
          `<--ask=${what}>\n<--ask-to=${to}>\n<--ask-until=${until}>\n<--ask-answer=…>\n`,
        )
      }
      // Each answer is read once.
      expect(readdirSync(folder)).toEqual(['status'])
    })

    test('ends with what the app refused, or with nothing that it believes', () => {
      const { ask, install, write, home } = at(words)
      const script = install()
      write()
      const answers = [
        ['1\n:There is no check x.\n', 1, 'belfry: There is no check x.\n'],
        ...['', '7\n:x\n', '0', '0\nx\n', '$(id)\n:x\n'].map((text) => [
          ...[text, 69, 'belfry: Belfry gave no answer\n'],
        ]),
      ]
      for (const [text = '', code, error] of answers) {
        writeFileSync(join(home, 'reply'), String(text))
        expect(ask(['ack', 'x'], display, script)).toEqual({ code, error, out: '' })
      }
    })

    test('needs a Belfry that runs, a display on Linux, and something that it is about', () => {
      const { ask, install, write, home } = at(words)
      const script = install()
      const said = (args: readonly string[], env: Record<string, string>) => {
        const { code, error } = ask(args, env, script)
        return `${code} ${error.trim()}`
      }
      expect(said(['ack', 'x'], display)).toBe('69 belfry: Belfry is not running')
      write(undefined, { from: Date.now() - 9_000, until: Date.now() - 8_000 })
      expect(said(['ack', 'x'], display)).toBe('69 belfry: Belfry does not answer')
      write()
      expect(said(['open'], {})).toMatch(/^69 belfry: there is no display here/)
      for (const args of [['ack'], ['ack', ''], ['snooze'], ['ack', 'a', 'b'], ['ack', '--all']])
        expect(said(args, display)).toMatch(/^64 belfry: /)
      expect(readdirSync(home)).not.toContain('given')
    })
  },
)

test('needs no program but those of any system', () => {
  const { ask, write, home } = at()
  const bin = join(home, 'bin')
  mkdirSync(bin)
  for (const name of ['date', 'sh']) {
    const [found = ''] = execFileSync('sh', ['-c', `command -v ${name}`], {
      encoding: 'utf8',
    }).split('\n')
    symlinkSync(found, join(bin, name))
  }
  write(well)
  expect(ask(['status', '--line'], { PATH: bin })).toEqual({ code: 0, error: '', out: '✓ 1 up\n' })
  // Control: a clock that does not work is no good news.
  rmSync(join(bin, 'date'))
  writeFileSync(join(bin, 'date'), '#!/bin/false\n')
  chmodSync(join(bin, 'date'), 0o755)
  expect(ask(['status', '--line'], { PATH: bin }).code).not.toBe(0)
})
