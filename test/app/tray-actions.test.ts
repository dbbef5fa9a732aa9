import { describe, expect, test } from 'vitest'
import { takeTrayAction } from '../../src/main/attention/tray-actions.ts'
import type { Commands } from '../../src/shared/contract.ts'
import type { Silence } from '../../src/shared/core/attention/silence.ts'
import { RequestFailed } from '../../src/shared/core/failure.ts'
import type { TrayAction } from '../../src/shared/core/views/tray.ts'
import * as eg from '../support/eg.ts'

const disturbing: Silence = {
  id: 'dnd',
  how: 'mute',
  scope: { of: 'everything' },
  until: { kind: 'ever' },
  since: eg.now,
  by: null,
  label: 'everything',
  status: null,
  messageId: null,
}

type Used = Pick<
  Commands,
  | 'silence'
  | 'endSilence'
  | 'cancelPlanned'
  | 'markRead'
  | 'refresh'
  | 'updateSettings'
  | 'checkDetails'
  | 'openLink'
>

/** The calls that an action makes, in order; `refused` makes its commands fail. */
async function asked(
  action: TrayAction,
  options: {
    silences?: readonly Silence[]
    refused?: Error
    now?: number
    description?: string
  } = {},
): Promise<unknown[]> {
  const log: unknown[] = []
  const note = async (what: unknown): Promise<void> => {
    if (options.refused !== undefined) throw options.refused
    log.push(what)
  }
  const commands: Used = {
    silence: (input) => note({ silence: input }).then(() => ({ id: 'new', reacted: 0 })),
    endSilence: ({ ids }) => note({ end: ids }),
    cancelPlanned: (input) => note({ cancel: input }),
    markRead: ({ conversation }) => note({ read: conversation }),
    refresh: (input) => note({ refresh: input }),
    updateSettings: (input) => note({ settings: input }),
    checkDetails: async () => eg.details({ description: options.description ?? '' }),
    openLink: ({ url }) => note({ link: url }),
  }
  takeTrayAction(action, {
    commands,
    state: eg.state({ silences: options.silences ?? [] }),
    now: options.now ?? eg.now,
    open: (target) => log.push({ open: target }),
    quit: () => log.push('quit'),
    trouble: (id, text) => log.push({ trouble: id, text }),
    onBug: (where, error) => log.push({ bug: where, error }),
  })
  await new Promise(setImmediate)
  return log
}

describe('a choice in the tray', () => {
  const scope = { of: 'check', accountId: eg.opsId, checkId: 'abc' } as const

  test('opens the link that the description has by then, or says that it has none', async () => {
    const deed = { do: 'runbook', accountId: eg.opsId, checkId: 'abc' } as const
    const description = 'If it fails, see https://wiki.example.org/db.'
    expect(await asked(deed, { description })).toEqual([{ link: 'https://wiki.example.org/db' }])
    expect(await asked(deed)).toEqual([
      { trouble: 'tray', text: expect.stringContaining('has no https link now') as string },
    ])
  })

  test('hides names, and shows them again', async () => {
    expect(await asked({ do: 'hideNames', on: true })).toEqual([{ settings: { hideNames: true } }])
    expect(await asked({ do: 'hideNames', on: false })).toEqual([
      { settings: { hideNames: false } },
    ])
  })

  test('snoozes from the moment of the click, however old the menu is', async () => {
    const snooze = {
      do: 'silence',
      how: 'snooze',
      scope,
      until: { kind: 'for', minutes: 60 },
    } as const
    expect(await asked(snooze)).toEqual([
      { silence: { how: 'snooze', scope, until: { kind: 'time', at: eg.now + eg.hour } } },
    ])
    expect(await asked({ ...snooze, how: 'acknowledge', until: { kind: 'change' } })).toEqual([
      { silence: { how: 'acknowledge', scope, until: { kind: 'change' } } },
    ])
    expect(await asked({ do: 'endSilence', id: 'abc' })).toEqual([{ end: ['abc'] }])
  })

  test('replaces one do-not-disturb by another, and ends it', async () => {
    const [begun, ...others] = (await asked(
      { do: 'disturb', until: { kind: 'tomorrow' } },
      { silences: [disturbing] },
    )) as [{ silence: { until: { at: number } } }]
    // Ending the first one early would release what it held back.
    expect(others).toEqual([])
    expect(begun).toMatchObject({ silence: { how: 'mute', scope: { of: 'everything' } } })
    const end = new Date(begun.silence.until.at)
    expect([end.getHours(), end.getMinutes(), end.getSeconds()]).toEqual([9, 0, 0])
    expect(end.getDate()).toBe(new Date(eg.now + eg.day).getDate())
    expect(await asked({ do: 'disturb', until: null }, { silences: [disturbing] })).toEqual([
      { end: ['dnd'] },
    ])
  })

  test('marks a conversation as read, and reports in the window if that fails', async () => {
    const action = { do: 'markRead', accountId: eg.chatId, conversation: eg.direct } as const
    expect(await asked(action)).toEqual([{ read: eg.direct }])
    const refused = new RequestFailed({ kind: 'serverFault', httpStatus: 500 })
    expect(await asked(action, { refused })).toEqual([
      { trouble: 'tray', text: expect.stringContaining('internal error (500)') as string },
    ])
    const bug = new Error('a bug')
    expect(await asked(action, { refused: bug })).toEqual([{ bug: 'tray', error: bug }])
  })

  test('opens, refreshes and quits', async () => {
    expect(await asked({ do: 'open', target: { view: 'notices' } })).toEqual([
      { open: { view: 'notices' } },
    ])
    expect(await asked({ do: 'show' })).toEqual([{ open: { view: 'checks' } }])
    expect(await asked({ do: 'quickReply' })).toEqual([{ open: { view: 'chat' } }])
    expect(await asked({ do: 'refresh' })).toEqual([{ refresh: { accountId: null } }])
    expect(await asked({ do: 'quit' })).toEqual(['quit'])
  })
})
