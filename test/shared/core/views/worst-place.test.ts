import { describe, expect, test } from 'vitest'
import { neverRead } from '../../../../src/shared/core/account.ts'
import { worstPlace } from '../../../../src/shared/core/views/tray-view.ts'
import * as eg from '../../../support/eg.ts'

const unread = new Map([[eg.chatId, eg.realm([eg.message({ conversation: eg.direct })])]])
const unknown = new Map([[eg.opsId, eg.board([], { freshness: neverRead })]])
const calm = new Map([[eg.opsId, eg.board([eg.check()])]])

describe('opening the window', () => {
  test.each([
    ['something is down', eg.state({ realms: unread }), 'checks'],
    ['all is up and someone waits', eg.state({ boards: calm, realms: unread }), 'chat'],
    [
      'someone waits and the checks were not read yet',
      eg.state({ boards: unknown, realms: unread }),
      'checks',
    ],
    ['nothing waits', eg.state({ boards: calm }), 'checks'],
    [
      'there is only a chat',
      eg.state({ accounts: [eg.chatAccount()], boards: new Map(), realms: new Map() }),
      'chat',
    ],
    [
      'there is no account',
      eg.state({ accounts: [], boards: new Map(), realms: new Map() }),
      'checks',
    ],
  ] as const)('when %s leads to %s', (_case, state, view) => {
    expect(worstPlace(state).view).toBe(view)
  })
})
