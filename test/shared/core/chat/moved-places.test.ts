import { expect, test } from 'vitest'
import { draftKey, withDraft } from '../../../../src/shared/core/chat/drafts.ts'
import { withMoved } from '../../../../src/shared/core/chat/moved-places.ts'
import { changeRealm } from '../../../../src/shared/core/chat/realm-update.ts'
import * as eg from '../../../support/eg.ts'

const resolved = { kind: 'topic', channelId: 10, topic: '✔ db-backup is DOWN' } as const

/** A topic of `eg.chatId` was resolved; `of` has a draft in it by its old name. */
function draftsAfter(of: string): readonly string[] {
  const before = withDraft(
    eg.state({ realms: new Map([[eg.chatId, eg.realm()]]) }),
    { accountId: of, conversation: eg.topic },
    'half a thought',
  )
  const after = changeRealm(before, eg.chatId, (realm) => ({
    ...realm,
    movedTo: new Map([['topic/10/db-backup is down', resolved]]),
  }))
  return [...withMoved(before, after, eg.chatId).drafts.keys()]
}

test.each([
  ['follows its topic', eg.chatId, draftKey(eg.chatId, resolved)],
  ['of another account stays where it is', 'chat2', draftKey('chat2', eg.topic)],
])('a draft %s', (_what, of, key) => {
  expect(draftsAfter(of)).toEqual([key])
})
