import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readArguments, sessionFolder } from '../../../../src/main/desktop/system/computer.ts'

describe('the command line', () => {
  test('can request the demo, a hidden start and another data folder', () => {
    expect(readArguments(['electron', '.', '--demo', '--hidden', '--user-data=/tmp/x'])).toEqual({
      demo: true,
      hidden: true,
      link: null,
      asked: null,
      userData: '/tmp/x',
    })
  })

  test('can contain one Belfry link, which is kept as written', () => {
    const links = ['belfry', 'https://x', 'BELFRY://view/chat', 'belfry://view/notices']
    expect(readArguments(links).link).toBe('BELFRY://view/chat')
  })

  test('has no options after "--", where a link may be anything', () => {
    const written = ['belfry:x', '--user-data=/tmp/x', '--demo', '--hidden']
    expect(readArguments(['belfry', '--hidden', '--', ...written])).toEqual({
      ...{ demo: false, hidden: true, link: 'belfry:x', asked: null, userData: null },
    })
  })

  const asking = ['--ask=ack', '--ask-to=db backup', '--ask-answer=12']

  test('can hand over a command of a script, in any order', () => {
    const asked = { what: 'ack', to: 'db backup', until: '', id: '12' }
    expect(readArguments(['belfry', ...asking]).asked).toEqual(asked)
    expect(readArguments(['belfry', ...asking.toReversed(), '--x']).asked).toEqual(asked)
    const open = ['--ask=open', '--ask-to=belfry://view/chat', '--ask-answer=3']
    expect(readArguments(open).asked).toMatchObject({ what: 'open', to: 'belfry://view/chat' })
  })

  test('has no command beside a link or after "--", nor one that is not known or has no answer', () => {
    const nothing = [
      ['belfry://view/chat', ...asking],
      [...asking, 'belfry://ack/db?--ask=ack'],
      ['--', ...asking],
      ['belfry:--ask=ack', '--ask-answer=12'],
      ['--ask=quit', ...asking],
      ['--ask=ack', '--ask-to=x'],
      ...['', '../../x', '1a', '1/2', '-1', '1'.repeat(40)].map((id) => [
        ...['--ask=ack', '--ask-to=x', `--ask-answer=${id}`],
      ]),
    ]
    for (const args of nothing) expect(readArguments(['belfry', ...args]).asked).toBeNull()
  })

  test('can request nothing else', () => {
    const nothing = { demo: false, hidden: false, link: null, asked: null, userData: null }
    expect(readArguments(['electron', 'https://x', '--user-data=relative', '--demo=1'])).toEqual(
      nothing,
    )
    fc.assert(
      fc.property(fc.array(fc.string()), (argv) => {
        const ours = argv.filter((one) => one === '--demo' || one === '--hidden')
        fc.pre(ours.length === 0 && !argv.some((one) => one.startsWith('--user-data=')))
        expect(readArguments(argv)).toEqual(nothing)
      }),
      { seed: 7 },
    )
  })

  const hostile = [
    ...['--remote-debugging-port=9222', '--remote-debugging-pipe', '--inspect', '--inspect-brk=0'],
    ...['--no-sandbox', '--disable-web-security', '--js-flags=--expose-gc', '--require=/tmp/x.js'],
    ...['-r', '/tmp/x.js', '--load-extension=/tmp/x', '--renderer-cmd-prefix=xterm', '-e'],
    ...['app://main/x', 'https://evil.example/', 'file:///etc/passwd', 'C:\\x'],
    ...['--DEMO', '--demo=1', '--demo ', '-demo', '--hidden=0', '--user-data', '--user-data='],
    ...['--user-data=relative', '--user-data=../up', '--user-data=https://x', '--userdata=/tmp/x'],
  ]

  test('means the same with anything hostile in it', () => {
    const ours = fc.subarray(['--demo', '--hidden', '--user-data=/tmp/x'])
    const foreign = fc.array(fc.constantFrom(...hostile), { maxLength: 8 })
    fc.assert(
      fc.property(ours, foreign, fc.infiniteStream(fc.boolean()), (own, others, turns) => {
        const rest = [...others]
        const mixed = own.flatMap((one) => {
          const before: string[] = []
          while (rest.length > 0 && turns.next().value === true) before.push(rest.shift() ?? '')
          return [...before, one]
        })
        // A relative folder that comes first would hide ours, and is itself ignored.
        fc.pre(!others.some((one) => one.startsWith('--user-data=')))
        expect(readArguments([...mixed, ...rest])).toEqual(readArguments(own))
      }),
      { seed: 7, numRuns: 1_000 },
    )
    for (const one of hostile) {
      expect(readArguments(['belfry', one])).toEqual(readArguments([]))
    }
  })
})

describe('the folder of the session', () => {
  test.each<[string, string, NodeJS.Platform, string[], string | null]>([
    ['is the system’s on Linux', '/run/user/7', 'linux', [], '/run/user/7'],
    ['is none without a session', '', 'linux', [], null],
    ['is none for a path that is no whole one', 'run', 'linux', [], null],
    ['is none beside another data folder', '/run/user/7', 'linux', ['--user-data=/tmp/x'], null],
    ['is none elsewhere', '/run/user/7', 'darwin', [], null],
  ])('%s', (_what, folder, platform, args, found) => {
    const env = folder === '' ? {} : { XDG_RUNTIME_DIR: folder }
    expect(sessionFolder(readArguments(args), env, platform)).toBe(found)
  })
})
