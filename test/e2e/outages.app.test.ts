import { expectAccessible } from './axe.ts'
import { connectChat, connectOps, connectWeb } from './connect.ts'
import { expect, test } from './fixtures.ts'

const hour = 60 * 60_000

/** "thursday", in the zone of the app. */
function weekday(at: number): string {
  return new Date(at)
    .toLocaleDateString('en-US', { weekday: 'long', timeZone: 'UTC' })
    .toLowerCase()
}

test('an outage of last week is found by its day in two steps and the word', async ({
  window,
  server,
  belfry,
}) => {
  await connectOps(window, server)
  await connectWeb(window, server)
  await connectChat(window, server)
  await window.keyboard.press('Control+1')
  await expect(window.getByRole('treeitem', { name: /db-backup/ })).toBeVisible()
  // Its first outage of five days ago lasted an hour.
  const word = weekday(Date.now() - 122 * hour)
  let steps = 0
  const press = async (key: string): Promise<void> => {
    steps += 1
    await window.keyboard.press(key)
  }
  await press('Control+k')
  await window.keyboard.type(word)
  await expect(window.getByRole('option').first()).toContainText('Outages:')
  await press('Enter')
  const list = window.getByRole('list', { name: 'Outages' })
  await expect(list.getByRole('listitem').filter({ hasText: 'db-backup' })).toContainText('1 h')
  process.stdout.write(`from anywhere to the outages of ${word}: ${steps} steps and the word\n`)
  expect(steps).toBeLessThanOrEqual(2)
  const filter = window.getByRole('searchbox', { name: 'Filter outages' })
  await expect(filter).toHaveValue(word)
  await expect(filter).toBeFocused()
  await expectAccessible(window, 'outages')

  // By keys to the check, and back to the same list.
  await window.keyboard.press('ArrowDown')
  await expect(list.getByRole('button').first()).toBeFocused()
  await filter.fill(`db-backup ${word}`)
  await expect(list.getByRole('listitem').filter({ hasText: 'db-backup' })).toHaveCount(1)
  await filter.press('Enter')
  await window.keyboard.press('Enter')
  await expect(window.getByRole('heading', { name: 'db-backup' })).toBeVisible()
  await window.keyboard.press('Escape')
  await expect(filter).toHaveValue(`db-backup ${word}`)
  await window.keyboard.press('Escape')
  await expect(filter).toHaveValue('')
  await window.keyboard.press('Escape')
  await expect(window.getByRole('tree')).toBeFocused()
  await window.keyboard.press('o')
  await expect(filter).toHaveValue('')
  const days = window.getByRole('group', { name: 'Days' }).getByRole('button')
  await expect(days).toHaveCount(7)
  await days.first().focus()
  await window.keyboard.press('End')
  await window.keyboard.press('Enter')
  await expect(days.last()).toHaveAttribute('aria-pressed', 'true')
  await expect(filter).not.toHaveValue('')
  // What is copied is what the list shows.
  await expect(
    list.getByRole('listitem').filter({ hasText: 'invoices-nightly' }).first(),
  ).toBeVisible()

  await window.getByRole('button', { name: 'Copy', exact: true }).click()
  await window.getByRole('menuitem', { name: 'Copy as CSV' }).click()
  await expect(window.getByText(/copied as CSV/)).toBeVisible()
  const text = await belfry.app.evaluate(({ clipboard }) => clipboard.readText())
  expect(text).toContain('check,project,tags,kind,from,to,seconds,reason,acknowledged by\r\n')
  expect(text).toContain('"invoices-nightly","ops-project"')
})
