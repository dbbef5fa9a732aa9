/** Draws docs/pictures/tray.png anew: every state of the tray at every size, and on a real panel. */
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright'
import { png } from '../../src/main/desktop/tray/drawing.ts'
import { type TrayTheme, trayImage } from '../../src/main/desktop/tray/tray-image.ts'
import type { TrayLook } from '../../src/shared/core/views/tray-view.ts'
import { nativeImage } from '../chromium-host/native-image.ts'
import { running } from '../chromium-host/running.ts'
import { Tray } from '../chromium-host/tray.ts'
import { chromiumLaunch } from '../support/browser.ts'
import { panels } from '../support/eyes.ts'
import { startPanel } from './panel.ts'

const picture = fileURLToPath(new URL('../../docs/pictures/tray.png', import.meta.url))
/** A panel has taken up an item and drawn it after this; nothing tells when. */
const panelSettledMs = 6_000

/** Between two items, so that they arrive in order. */
const itemSettledMs = 200

const plain: TrayLook = { shape: 'good', count: 0, mark: 'none', hidden: false, quiet: false }
const states: readonly (readonly [string, Partial<TrayLook>])[] = [
  ['down, 3', { shape: 'down', count: 3 }],
  ['down, 9+', { shape: 'down', count: 10 }],
  ['key', { shape: 'key' }],
  ['stale', { shape: 'stale' }],
  ['late', { shape: 'late' }],
  ['runs over', { shape: 'overrun' }],
  ['silenced', { shape: 'silenced' }],
  ['paused', { shape: 'paused' }],
  ['good', {}],
  ['empty', { shape: 'empty' }],
  ['unread', { mark: 'unread' }],
  ['mention', { mark: 'mention' }],
  ['quiet', { quiet: true }],
  ['hidden', { shape: 'late', hidden: true }],
  ['all marks', { shape: 'down', count: 8, hidden: true, quiet: true, mark: 'mention' }],
]
const looks = states.map(([name, change]) => [name, { ...plain, ...change }] as const)

const drawnRows: readonly (readonly [number, TrayTheme, string])[] = [
  ...[16, 20, 22, 24, 32, 40, 44, 48, 64].flatMap((size) => [
    [size, 'light', css(panels.light)] as const,
    [size, 'dark', css(panels.dark)] as const,
  ]),
  [16, 'template', '#cfe0f2'],
  [32, 'template', '#cfe0f2'],
]

function css(colour: readonly number[]): string {
  return `rgb(${colour.join(',')})`
}

function address(data: Uint8Array): string {
  return `data:image/png;base64,${Buffer.from(data).toString('base64')}`
}

// There is no app here to become ready: the items are made on their own.
running.ready = true

/** All states at once on a real panel, each an item of its own, as Belfry draws them on Linux. */
async function realPanel(colour: readonly [number, number, number]): Promise<Buffer> {
  const panel = await startPanel(colour)
  try {
    process.env['DBUS_SESSION_BUS_ADDRESS'] = panel.address
    await pause(panelSettledMs)
    // This panel puts the newest item first.
    for (const [name, look] of looks.toReversed()) {
      running.name = name
      const image = nativeImage.createFromBuffer(Buffer.from(png(trayImage(look, 22, 'dark'))))
      void new Tray(image)
      await pause(itemSettledMs)
    }
    await pause(panelSettledMs)
    return panel.picture()
  } finally {
    await panel.stop()
  }
}

function page(shots: readonly (readonly [string, Buffer])[]): string {
  const head = looks.map(([name]) => `<th>${name}</th>`).join('')
  const rows = drawnRows.map(([size, theme, colour]) => {
    const cells = looks.map(
      ([, look]) => `<td style="background:${colour}"><img
        src="${address(png(trayImage(look, size, theme)))}"
        width="${size * Math.max(1, Math.floor(72 / size))}"></td>`,
    )
    return `<tr><th>${size} px<br>${theme}</th>${cells.join('')}</tr>`
  })
  const real = shots.map(
    ([name, data]) => `<p>${name}</p><img src="${address(data)}" width="1400">`,
  )
  return `<!doctype html><meta charset="utf-8"><style>
    body { margin: 16px; font: 13px sans-serif; background: #fff; width: max-content }
    img { image-rendering: pixelated; display: block; margin: auto }
    td { width: 78px; height: 78px } th { font-weight: normal; padding: 2px 6px }
    p { margin: 14px 0 4px }
  </style>${real.join('')}<p>As drawn, enlarged by whole numbers to at most 72 px</p>
  <table cellspacing="0"><tr><th></th>${head}</tr>${rows.join('')}</table>`
}

const shots = [
  ['Xfce panel, dark (twice its size; in the order of the table)', await realPanel(panels.dark)],
  [
    'Xfce panel, light (nobody can ask a Linux panel for its colour: it gets the same drawing)',
    await realPanel(panels.light),
  ],
] as const
const browser = await chromium.launch(chromiumLaunch())
const sheet = await browser.newPage({ viewport: { width: 1_440, height: 800 } })
await sheet.setContent(page(shots))
await sheet.screenshot({ path: picture, fullPage: true })
await browser.close()
// The items' connections to the buses of the panels would keep the process.
process.exit()
