import { expect, test } from 'vitest'
import { OnScreen } from '../../../src/main/state/on-screen.ts'
import type { Notice } from '../../../src/shared/core/attention/notice.ts'
import * as eg from '../../support/eg.ts'

const subjects = (notices: readonly Notice[]) => notices.map(({ subject }) => subject)

test('to hide names, the newest alarms are replaced, and everything else is withdrawn', () => {
  const screen = new OnScreen()
  for (let n = 0; n < 30; n += 1) {
    screen.shown(eg.notice({ kind: 'down', subject: `check ${n}` }))
    screen.shown(eg.notice({ kind: 'direct', subject: `chat ${n}` }))
  }
  screen.shown(eg.notice({ kind: 'recovered', subject: 'check 28' }))
  screen.shown(eg.notice({ kind: 'down', subject: 'check 0' }))
  screen.gone('check 27')
  screen.gone('chat 5')
  const { replace, withdraw } = screen.hiding()
  const older = Array.from({ length: 18 }, (_, n) => `check ${26 - n}`)
  expect(subjects(replace)).toEqual(['check 0', 'check 29', ...older])
  expect(subjects(withdraw)).toHaveLength(29 + 8 + 1)
  expect(subjects(withdraw)).toEqual(expect.arrayContaining(['check 28', 'check 8', 'chat 0']))
  expect(subjects(withdraw)).not.toContain('chat 5')
})

test('only so much is remembered, the newest', () => {
  const screen = new OnScreen()
  for (let n = 0; n < 250; n += 1) screen.shown(eg.notice({ kind: 'direct', subject: `chat ${n}` }))
  const { withdraw } = screen.hiding()
  expect(withdraw).toHaveLength(200)
  expect(subjects(withdraw)).toEqual(expect.arrayContaining(['chat 249', 'chat 50']))
})
