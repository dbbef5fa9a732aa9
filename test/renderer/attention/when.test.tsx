import { expect, onTestFinished, test } from 'vitest'
import { page } from 'vitest/browser'
import { askToDisturbNot } from '../../../src/renderer/attention/disturb-section.tsx'
import { QuietDialog } from '../../../src/renderer/attention/quiet-dialog.tsx'
import { asking, planning } from '../../../src/renderer/attention/quiet-menu.tsx'
import { askedStatus, askForStatus } from '../../../src/renderer/chat/asked-status.ts'
import { StatusDialog } from '../../../src/renderer/chat/status-dialog.tsx'
import { askWhen, WhenDialog } from '../../../src/renderer/parts/when-dialog.tsx'
import * as eg from '../../support/eg.ts'
import { mount, withBridge, withState } from '../mount.ts'

const realm = eg.realm()

/** Everything that asks for a time, by what opens it. */
const dialogs = {
  snooze: () => {
    asking.value = { scope: { of: 'check', accountId: eg.opsId, checkId: 'c' }, name: 'db' }
  },
  mute: () => {
    asking.value = { scope: { of: 'channel', accountId: eg.chatId, channelId: 10 }, name: '# ops' }
  },
  maintenance: () => {
    planning.value = null
  },
  'do not disturb': askToDisturbNot,
  status: () => askForStatus(realm),
  later: () => askWhen({ title: 'Send later', note: '', use: 'at', onChoose: () => {} }),
}

test.each(Object.entries(dialogs))(
  'the dialog for %s has the same times in the same order',
  async (_of, open) => {
    withBridge()
    withState(eg.state({ realms: new Map([[eg.chatId, realm]]) }))
    onTestFinished(() => {
      asking.value = null
      planning.value = undefined
      askedStatus.value = null
    })
    mount(
      <>
        <QuietDialog />
        <StatusDialog />
        <WhenDialog />
      </>,
    )
    open()
    await expect.element(page.getByRole('dialog')).toBeVisible()
    const times = [...document.querySelectorAll('dialog .quiet-choices button')].slice(0, 5)
    const hint = (time: Element) => time.querySelector('.key-hint')?.textContent
    expect(times.map(hint)).toEqual(['1', '2', '3', '4', '5'])
    // "For 1 h" or "In 1 h", "Until tomorrow 09:00" or "Tomorrow morning".
    const said = [/(For|In) 30 min$/, / 1 h$/, / 4 h$/, /tomorrow/i, /monday/i]
    for (const [at, time] of times.entries())
      expect(time.querySelector('span')?.textContent).toMatch(said[at] ?? /^$/)
    const field = page.getByPlaceholder(/tue 9:30/)
    const words = () => document.querySelector('dialog .quiet-date-words')?.textContent
    await field.fill('tue 25:00')
    expect(words()).toBe('')
    await page.getByRole('button', { name: 'Set' }).click()
    await expect.poll(words).toBe('Not a time. Type “tue 9:30”, “in 2 h” or “20 march”.')
    await expect.element(field).toHaveFocus()
    await field.fill('in 2 h')
    await expect.poll(words).toMatch(/\d\d:\d\d/)
    await page.getByRole('button', { name: 'Close' }).click()
    await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
  },
)
