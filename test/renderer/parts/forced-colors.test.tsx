import { expect, onTestFinished, test } from 'vitest'
import { cdp, page } from 'vitest/browser'
import '../../../src/renderer/chat/chat.css'
import { Button, LinkButton } from '../../../src/renderer/parts/button.tsx'
import { mount, withBridge } from '../mount.ts'

async function forceColors(): Promise<void> {
  const set = async (value: string) => {
    const features = [{ name: 'forced-colors', value }]
    await cdp().send('Emulation.setEmulatedMedia', { features })
  }
  await set('active')
  onTestFinished(() => set(''))
  expect(matchMedia('(forced-colors: active)').matches).toBe(true)
}

test('with the system’s own colours a link is still told from the text around it', async () => {
  withBridge()
  mount(
    <p>
      Three outages. <LinkButton>Show the last one</LinkButton>
    </p>,
  )
  const link = page.getByRole('button', { name: 'Show the last one' }).element()
  const lineBelow = () => getComputedStyle(link).textDecorationLine
  // The control: with our colours the accent tells it.
  expect(lineBelow()).toBe('none')
  await forceColors()
  expect(lineBelow()).toBe('underline')
})

test('with the system’s own colours only a message that mentions the user is marked', async () => {
  withBridge()
  mount(
    <>
      <article class="message">Restarting it.</article>
      <article class="message message-mention">Can you look?</article>
    </>,
  )
  await forceColors()
  const [plain, mention] = page
    .getByRole('article')
    .elements()
    .map((one) => getComputedStyle(one).borderInlineStartColor)
  expect(plain).toBe(getComputedStyle(document.body).backgroundColor)
  expect(mention).not.toBe(plain)
})

test('with the system’s own colours what is pressed is highlighted, whatever its view shows it by', async () => {
  withBridge()
  mount(
    <>
      <button type="button" class="tool-button disturb-toggle" aria-pressed={true}>
        Do not disturb
      </button>
      <p style="background: Highlight">As it is</p>
    </>,
  )
  const [pressed, highlighted] = [page.getByRole('button'), page.getByText('As it is')]
  const areAlike = () => {
    const [one, other] = [pressed, highlighted].map(
      (each) => getComputedStyle(each.element()).backgroundColor,
    )
    return one === other
  }
  expect(areAlike()).toBe(false)
  await forceColors()
  expect(areAlike()).toBe(true)
})

test('with the system’s own colours, where quiet buttons have an edge, they begin where others do', async () => {
  withBridge()
  mount(
    <>
      <div class="button-row">
        <Button>Snooze</Button>
      </div>
      <div class="button-row">
        <Button kind="quiet">Pause</Button>
      </div>
    </>,
  )
  const leftOf = (name: string) =>
    page.getByRole('button', { name }).element().getBoundingClientRect().left
  expect(leftOf('Pause')).toBeLessThan(leftOf('Snooze'))
  await forceColors()
  expect(leftOf('Pause')).toBe(leftOf('Snooze'))
})
