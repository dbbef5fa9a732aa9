import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { Diagnostics } from '#shared/core/diagnosis.ts'
import { DiagnosticsView } from '../../../src/renderer/diagnostics/diagnostics-view.tsx'
import * as eg from '../../support/eg.ts'
import { mount, withBridge, withState } from '../mount.ts'

const known: Diagnostics = {
  facts: {
    versions: [],
    sessionBus: true,
    tray: true,
    notifiedBy: 'D-Bus',
    capabilities: [],
    systemQuiet: false,
    keyring: null,
  },
  disk: null,
  exchanges: new Map(),
}

test.each([280, 420])('an account’s latest requests fit into %i px', async (width) => {
  const request = {
    at: eg.now,
    method: 'GET',
    path: '/api/v3/checks/{uuid}/pings/{n}/body',
    outcome: 200,
    ms: 1_234,
    bytes: 10_989,
    left: 50,
  }
  const found = { ...known, exchanges: new Map([[eg.opsId, [request]]]) }
  withBridge({ diagnose: () => found })
  withState(eg.state())
  mount(
    <div style={{ width: `${width}px`, height: '560px' }}>
      <DiagnosticsView />
    </div>,
  )
  const requests = page.getByRole('region', { name: 'Latest requests, ops-project' })
  await expect.element(requests).toBeInTheDocument()
  const { scrollWidth, clientWidth } = requests.element()
  expect(scrollWidth).toBe(clientWidth)
})

test('what fails is listed before what works', async () => {
  withBridge({ diagnose: () => ({ ...known, facts: { ...known.facts, tray: false } }) })
  withState(eg.state())
  mount(<DiagnosticsView />)
  const signs = () =>
    [...document.querySelectorAll('.finding-sign')].map((sign) => sign.textContent).join('')
  await expect.poll(signs).toMatch(/^✕*!+✓{3,}$/)
})
