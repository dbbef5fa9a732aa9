/**
 * Ms of work up to a finished layout: in the task itself, and in the next frame for what is
 * deferred to it (as the app does with patches). Waiting for the frame does not count.
 */
export async function timed(act: () => void): Promise<number> {
  await frame()
  globalThis.gc?.({ type: 'minor' })
  const began = performance.now()
  let frameBegan = began
  requestAnimationFrame(() => {
    frameBegan = performance.now()
  })
  act()
  const framed = new Promise<number>((resolve) =>
    requestAnimationFrame(() => {
      void document.body.offsetHeight
      resolve(performance.now() - frameBegan)
    }),
  )
  // Components render in microtasks, some of them again once they know their size.
  for (let n = 0; n < 10; n += 1) await Promise.resolve()
  void document.body.offsetHeight
  const inTask = performance.now() - began
  return inTask + (await framed)
}

/** Ms from each keystroke to the resulting layout. */
export async function typeInto(field: string, text: string): Promise<readonly number[]> {
  const box = document.querySelector<HTMLInputElement | HTMLTextAreaElement>(field)
  if (box === null) throw new Error(`no field ${field}`)
  const taken: number[] = []
  for (let length = 1; length <= text.length; length += 1)
    taken.push(
      await timed(() => {
        box.value = text.slice(0, length)
        box.dispatchEvent(new InputEvent('input', { bubbles: true }))
      }),
    )
  return taken
}

/** Events are delivered and frames drawn before the next task of a message channel. */
export function task(): Promise<void> {
  const { port1, port2 } = new MessageChannel()
  return new Promise((resolve) => {
    port1.onmessage = () => resolve()
    port2.postMessage(null)
  })
}

export async function frame(): Promise<void> {
  await new Promise((resolve) => requestAnimationFrame(resolve))
  await task()
}
