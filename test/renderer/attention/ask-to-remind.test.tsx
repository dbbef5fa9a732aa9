import { expect, onTestFinished, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { nothingKept } from '#shared/core/chat/kept-for-later.ts'
import type { Realm } from '#shared/core/chat/realm.ts'
import { askToRemind } from '../../../src/renderer/attention/ask-to-remind.ts'
import { WhenDialog } from '../../../src/renderer/parts/when-dialog.tsx'
import { dismissToast, shownToast, takeOffer } from '../../../src/renderer/toast.ts'
import { place } from '../../../src/renderer/window-state.ts'
import * as eg from '../../support/eg.ts'
import { type Answers, failed, mount, withBridge, withState } from '../mount.ts'

const there = { accountId: eg.chatId, conversation: eg.topic }
const dialog = page.getByRole('dialog')

/** Asked for in half an hour. */
async function ask(answers: Answers, realm: Partial<Realm>) {
  const message = eg.message({ id: 1 })
  const bridge = withBridge(answers)
  withState(eg.state({ realms: new Map([[eg.chatId, eg.realm([message], realm)]]) }))
  onTestFinished(dismissToast)
  mount(<WhenDialog />)
  const askAgain = async () => {
    askToRemind(there, message)
    await expect.element(dialog).toMatchTextContent('Remind me of this message')
  }
  await askAgain()
  return { bridge, askAgain, inHalfAnHour: () => userEvent.keyboard('1') }
}
const server = { version: '11.4', featureLevel: 421 }
const without = { server, later: nothingKept }
const keeping = { server, later: { ...nothingKept, reminders: [] } }
const alone = { isEarlierLeft: false, replaced: [] }

test('a reminder is asked for at a time, and can be undone', async () => {
  const { bridge, inHalfAnHour } = await ask(
    { remindOf: () => ({ by: 'belfry', id: 'r1', ...alone }) },
    without,
  )
  await expect.element(dialog).toMatchTextContent(/By Belfry on this computer/)
  await inHalfAnHour()
  await expect.poll(() => shownToast.value?.text).toMatch(/^You will be reminded /)
  expect(bridge.inputsOf('remindOf')).toMatchObject([{ ...there, messageId: 1 }])
  takeOffer()
  await expect.poll(() => bridge.inputsOf('forgetReminder')).toEqual([{ id: 'r1' }])
})

test('a reminder is the server’s, and undone there', async () => {
  const { bridge, inHalfAnHour } = await ask(
    {
      remindOf: () => ({ by: 'server', id: 5, ...alone, isEarlierLeft: true }),
      run: () => ({}),
    },
    keeping,
  )
  await expect.element(dialog).toMatchTextContent(/By the chat server.*all your devices/)
  await inHalfAnHour()
  await expect
    .poll(() => shownToast.value?.text)
    .toMatch(/^The chat server will remind you .*earlier reminder is still there/)
  takeOffer()
  await expect
    .poll(() => bridge.inputsOf('run'))
    .toMatchObject([{ operation: 'deleteReminder', params: { reminder_id: 5 } }])
})

test('a reminder that replaced earlier ones is undone once those are set again', async () => {
  const at = Date.now() + 3 * 3_600_000
  const replaced = [
    { by: 'server', at, note: 'ask Ana' },
    { by: 'belfry', at, note: '' },
  ]
  let isRefused = true
  const refused = {
    kind: 'refused',
    httpStatus: 400,
    code: 'BAD_REQUEST',
    message: 'No',
  } as const
  const { bridge, askAgain, inHalfAnHour } = await ask(
    {
      remindOf: () => ({ by: 'server', id: 5, ...alone, replaced }),
      run: () => (isRefused ? failed(refused) : {}),
    },
    keeping,
  )
  await inHalfAnHour()
  await expect.poll(() => shownToast.value?.text).toMatch(/^The chat server will remind you /)
  takeOffer()
  await expect.poll(() => shownToast.value?.text).toMatch(/Nothing was changed/)
  const params = { message_id: 1, scheduled_delivery_timestamp: at / 1_000, note: 'ask Ana' }
  const again = { operation: 'createReminder', params }
  expect(bridge.inputsOf('run')).toMatchObject([again])
  isRefused = false
  await askAgain()
  await inHalfAnHour()
  await expect.poll(() => shownToast.value?.text).toMatch(/^The chat server will remind you /)
  takeOffer()
  await expect.poll(() => shownToast.value?.text).toBe('Undone: the earlier reminder is set again.')
  expect(bridge.inputsOf('remindOf').at(-1)).toMatchObject({ messageId: 1, at, here: true })
  expect(bridge.inputsOf('run').slice(1)).toMatchObject([
    again,
    { operation: 'deleteReminder', params: { reminder_id: 5 } },
  ])
})

test('a reminder that the server surely didn’t set is offered here, at the same time', async () => {
  const offline = { kind: 'network', reason: 'offline', host: 'h', reached: 'no' } as const
  const { bridge, inHalfAnHour } = await ask(
    {
      remindOf: (input) =>
        (input as { here?: boolean }).here === true
          ? { by: 'belfry', id: 'r1', ...alone }
          : failed(offline),
    },
    keeping,
  )
  await inHalfAnHour()
  await expect.poll(() => shownToast.value?.text).toMatch(/No reminder was set/)
  takeOffer()
  await expect.poll(() => shownToast.value?.text).toMatch(/^You will be reminded /)
  const [asked, again] = bridge.inputsOf('remindOf') as { at: number }[]
  expect(again).toEqual({ ...asked, here: true })
})

test('a reminder that may have been set is not set here too', async () => {
  const lost = { kind: 'network', reason: 'reset', host: 'h', reached: 'maybe' } as const
  const { bridge, inHalfAnHour } = await ask({ remindOf: () => failed(lost) }, keeping)
  await inHalfAnHour()
  await expect.poll(() => shownToast.value?.text).toMatch(/may have been set/)
  takeOffer()
  expect(place.value).toMatchObject({ view: 'later' })
  expect(bridge.inputsOf('remindOf')).toHaveLength(1)
})
