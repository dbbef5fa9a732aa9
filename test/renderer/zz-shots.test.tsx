import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { say } from '../../src/renderer/say.ts'
import { BelfryWindow } from '../../src/renderer/shell/window.tsx'
import { go, now } from '../../src/renderer/state.ts'
import * as eg from '../support/eg.ts'
import { mount, withBridge, withState } from './mount.ts'

const iso = (at: number) => new Date(at).toISOString()
for (const [w, h] of [[210, 310]] as const)
  test(`shots ${w}`, async () => {
    await page.viewport(w, h)
    withBridge({
      run: (input) =>
        (input as any).operation === 'listFlips'
          ? { flips: [[1, 1], [1.1, 0], [20, 1], [20.01, 0], [40, 1], [41, 0], [80, 1]].map(([d, up]) => ({ timestamp: iso(eg.now - d! * eg.day), up })) }
          : (input as any).operation === 'listPings'
            ? { pings: [{ type: 'fail', date: iso(eg.now - 60 * eg.day), n: 1007, scheme: 'https', method: 'POST', ua: 'curl', body_url: 'yes', duration: 72.5 }, { type: 'success', date: iso(eg.now - 500 * eg.day), n: 6, scheme: 'https', method: 'GET', ua: 'curl', duration: 33 }] }
            : { channels: [] },
    })
    withState(eg.state({
      accounts: [eg.account({ label: 'a-long-project-name' }), eg.account({ id: 'x', label: 'never-read' }), eg.chatAccount({ key: 'rejected' })],
      realms: new Map([[eg.chatId, eg.realm([eg.message({ html: '<p>x</p>' })])]]),
      outbox: [eg.outboxMessage({ state: 'queued' })],
    }))
    mount(<div style={{ position: 'fixed', inset: 0 }}><BelfryWindow /></div>)
    const shot = (name: string) => page.screenshot({ path: `/work/main/test-results/mend-${w}-${name}.png` })
    await expect.element(page.getByRole('tree')).toBeVisible()
    say('db-backup is paused. The next ping ends the pause.')
    await new Promise((r) => setTimeout(r, 150))
    await shot('board')
    const id = [...eg.state().boards.get(eg.opsId)!.checks.keys()][0]!
    go({ view: 'check', accountId: eg.opsId, checkId: id })
    await new Promise((r) => setTimeout(r, 250))
    if (w === 420) { await page.getByRole('button', { name: '90 d' }).click(); await new Promise((r) => setTimeout(r, 100)) }
    await shot('detail')
    const sc = document.querySelector('.detail')!; sc.scrollTop = 99999
    await new Promise((r) => setTimeout(r, 100))
    await shot('detail-end')
    for (const view of ['accounts', 'chat', 'settings'] as const) { go({ view }); await new Promise((r) => setTimeout(r, 150)); await shot(view) }
    go({ view: 'checks' }); await new Promise((r) => setTimeout(r, 100)); (document.activeElement as HTMLElement)?.blur()
    await userEvent.keyboard('?'); await new Promise((r) => setTimeout(r, 150)); await shot('help')
    expect(now.value).toBeGreaterThan(0)
  })
