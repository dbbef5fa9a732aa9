import { readdirSync, rmSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import { statusFiles, statusOf } from '../../src/shared/core/views/status-texts.ts'
import * as eg from '../support/eg.ts'
import { shells, statusHome } from '../support/status-command.ts'

const homes: string[] = []
afterEach(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true })
})

const named = (name: string, label = 'ops') =>
  eg.state({
    accounts: [eg.account({ label, key: 'missing' })],
    boards: new Map([[eg.opsId, eg.board([eg.check({ name, status: 'down' })])]]),
    realms: new Map(),
  })

/** Names of checks, projects and realms that mean something to shells, bars or terminals. */
const hostile = [
  ...['$(touch owned)', '`touch owned`', '"; touch owned; "', "'; touch owned; '", '%s%n%d\\n\\c'],
  ...['\n= all 0', '\n.\n', '= all 0', ':x', '.', 'a\nb\rc', '\u0000', '\\', '-n', '*'],
  ...[
    '#[fg=green]#(touch owned)#{pane_id}',
    '%{A1:touch owned:}x%{A}',
    '| bash=/tmp/x terminal=false',
  ],
  ...['<span size="900000">x</span>', '&lt;', '</tooltip>', '\u001b]0;x\u0007', '\u009b31m'],
  ...['\u202egnp.exe', '\u2066x', '\u2028', '\u{e0041}\u{e0042}', '\ud800', 'é'.repeat(5_000)],
]

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
const obeyed = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/

describe('a name that a stranger chose', () => {
  test.each(hostile)('is data in a status file, and in what bars and prompts get: %j', (name) => {
    const validity = { from: eg.now, until: eg.now + 75_000, pid: 7 }
    for (const state of [named(name), named('x', name)]) {
      const { status, json } = statusFiles(statusOf(state, eg.now, false), validity)
      expect(status).not.toMatch(obeyed)
      expect(json).not.toMatch(obeyed)
      // Nothing in it can be taken for a line of the file's own.
      const lines = status.split('\n')
      const head = lines[1] ?? ''
      const own = lines.filter((line) => !line.startsWith(':'))
      expect(own).toEqual(['belfry 1', head, '= all 1', '.', ''])
      const [line = '', , bar = '', whole = ''] = lines
        .filter((one) => one.startsWith(':'))
        .map((one) => one.slice(1))
      // What prompts and bars get has none of it.
      expect(line).toBe('▲ 1 down')
      // Control: the name is in what only JSON readers get.
      expect(JSON.parse(whole)).toMatchObject({ exit: 1, worst: [{ status: 'down' }] })
      const { text, tooltip } = JSON.parse(bar) as { text: string; tooltip: string }
      expect(text).toBe('▲ 1 down')
      expect(tooltip).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/)
    }
  })

  test('is masked if it is a secret', () => {
    const { scopes } = statusOf(named('deploy --password=hunter2hunter2'), eg.now, false)
    expect(JSON.stringify(scopes)).not.toContain('hunter2hunter2')
    expect(JSON.stringify(scopes)).toContain('deploy')
  })

  test.each(shells.map((words) => ({ shell: words.join(' '), words })))(
    'is printed by the command as it is, and never run, by $shell',
    ({ words }) => {
      const { ask, write, home } = statusHome(words)
      homes.push(home)
      // Ten are named at most.
      for (let at = 0; at < hostile.length; at += 10) {
        const state = named('', hostile[at])
        const checks = hostile.slice(at, at + 10).map((name) => eg.check({ name, status: 'down' }))
        write({ ...state, boards: new Map([[eg.opsId, eg.board(checks)]]) })
        for (const form of [[], ['--line'], ['--json'], ['--waybar']]) {
          const { code, out, error } = ask(['status', ...form])
          expect([code, error]).toEqual([1, ''])
          expect(out).not.toMatch(obeyed)
        }
        const { worst } = JSON.parse(ask(['status', '--json']).out) as { worst: unknown[] }
        expect(worst).toHaveLength(checks.length)
      }
      expect(readdirSync(home)).toEqual(['run'])
    },
  )
})
