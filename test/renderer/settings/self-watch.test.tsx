import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { SettingsView } from '../../../src/renderer/settings/settings-view.tsx'
import * as eg from '../../support/eg.ts'
import { mount, withBridge, withState } from '../mount.ts'

const choice = () => page.getByRole('combobox', { name: 'Watch Belfry itself' })
const periodic = (name: string, periodSeconds: number) =>
  eg.check({ name, schedule: { kind: 'period', periodSeconds } })

test('the check that watches Belfry is chosen among the suitable ones', async () => {
  const bridge = withBridge()
  const own = periodic('belfry', 300)
  const checks = [
    own,
    periodic('nightly', 86_400),
    { ...periodic('guarded', 300), writable: false },
  ]
  withState(eg.state({ boards: new Map([[eg.opsId, eg.board(checks)]]) }))
  mount(<SettingsView />)
  const offered = [...choice().element().querySelectorAll('option')].map((one) => one.textContent)
  expect(offered).toEqual(['Off', 'belfry (ops-project)'])
  await choice().selectOptions('belfry (ops-project)')
  const selfWatch = { accountId: eg.opsId, checkId: own.id }
  expect(bridge.inputsOf('updateSettings')).toEqual([{ selfWatch }])
})

test('the settings say when Belfry’s own check was pinged, or why it isn’t', async () => {
  withBridge()
  const own = periodic('belfry', 300)
  const state = eg.state({ boards: new Map([[eg.opsId, eg.board([own])]]) })
  const settings = { ...state.settings, selfWatch: { accountId: eg.opsId, checkId: own.id } }
  const { now: pingedAt } = eg
  withState({ ...state, settings, selfWatch: { pingedAt, problem: null } })
  mount(<SettingsView />)
  await expect.element(page.getByText(/^Last ping \d\d:\d\d\. Belfry pings/)).toBeVisible()
  const problem = 'Waiting for ops-project to be read.'
  withState({ ...state, settings, selfWatch: { pingedAt, problem } })
  await expect.element(page.getByText(/Not pinging now: Waiting for ops-project/)).toBeVisible()
  withState({ ...state, selfWatch: { pingedAt, problem } })
  await expect.element(page.getByText(/Not pinging now/)).not.toBeInTheDocument()
})
