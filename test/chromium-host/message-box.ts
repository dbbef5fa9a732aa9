import { openAppWindow } from './chromium.ts'
import { chromium, headed } from './running.ts'

export interface MessageBox {
  readonly message: string
  readonly detail: string
  readonly buttons: readonly string[]
  readonly cancelId: number
}

/** Runs in the page: draws the question, and resolves with the button's number. */
function draw({ message, detail, buttons }: MessageBox): Promise<number> {
  document.title = 'Belfry'
  const add = (name: string, text: string): HTMLElement => {
    const made = document.createElement(name)
    made.textContent = text
    made.style.cssText = 'font: 15px sans-serif; white-space: pre-line; margin: 12px'
    document.body.append(made)
    return made
  }
  add('h3', message)
  add('p', detail)
  return new Promise((done) => {
    buttons.forEach((text, at) => {
      add('button', text).onclick = () => done(at)
    })
    document.querySelector('button')?.focus()
  })
}

/**
 * Resolves with the button's number. Closing the window cancels, and so does a host without a
 * screen.
 */
export async function askInWindow(box: MessageBox): Promise<number> {
  if (!headed) return box.cancelId
  const browser = chromium()
  const targetId = await openAppWindow(browser, `data:,${crypto.randomUUID()}`)
  const { sessionId } = await browser.send('Target.attachToTarget', { targetId, flatten: true })
  const closed = new Promise<number>((done) => {
    browser.on('Target.targetDestroyed', (gone) => {
      if (gone.targetId === targetId) done(box.cancelId)
    })
  })
  const expression = `(${draw.toString()})(${JSON.stringify(box)})`
  const options = { expression, awaitPromise: true, returnByValue: true }
  const clicked = browser
    .send('Runtime.evaluate', options, sessionId)
    .then(({ result }) => (typeof result.value === 'number' ? result.value : box.cancelId))
    .catch(() => box.cancelId)
  const response = await Promise.race([clicked, closed])
  await browser.send('Target.closeTarget', { targetId }).catch(() => undefined)
  return response
}
