import { type ComponentChild, options, render } from 'preact'
import { expect, onTestFinished } from 'vitest'
import { type Locator, page } from 'vitest/browser'
import '../../src/renderer/styles.css'
import type { CommandName } from '#shared/command-inputs.ts'
import type { Bridge, Commands } from '#shared/contract.ts'
import type { Result } from '#shared/core/failure.ts'
import { type AppState, emptyState } from '#shared/core/state.ts'
import { beginTurn } from '../../src/renderer/parts/draw-in-turn.ts'
import { pageActions } from '../../src/renderer/parts/page-actions.ts'
import { toastMs } from '../../src/renderer/toast.ts'
import { appState, go, now, stateReceived } from '../../src/renderer/window-state.ts'
import * as eg from '../support/eg.ts'

/** HTML of the focused element each time an effect moved focus or caret too late. */
const movedLate: string[] = []

/** Preact runs effects after a paint, on a busy computer long after it. Records what they move. */
options.requestAnimationFrame = (runEffects) => {
  requestAnimationFrame(() =>
    setTimeout(() => {
      const before = whereTyped()
      runEffects()
      const after = whereTyped()
      if (after.some((one, at) => one !== before[at]))
        movedLate.push(document.activeElement?.outerHTML ?? 'nothing')
    }),
  )
}

function whereTyped(): readonly unknown[] {
  const element = document.activeElement
  return element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement
    ? [element, element.selectionStart, element.selectionEnd]
    : [element]
}

/** Returns what moved late so far, and clears it: the caller has dealt with it. */
export function takeMovedLate(): string[] {
  return movedLate.splice(0)
}

// On a busy computer, one may be gone before a test gets to look.
Object.assign(toastMs, { done: 600_000, undo: 600_000 })

let mounted = 0

/**
 * Mounts a Preact tree until the test ends and returns a locator for it. Fails the test if an
 * effect moved the focus: by then the user may be typing elsewhere.
 */
export function mount(tree: ComponentChild): Locator {
  const container = document.body.appendChild(document.createElement('div'))
  // Else its locator may be made of the text that it has at first.
  mounted += 1
  container.dataset['testid'] = `mounted-${mounted}`
  beginTurn()
  render(tree, container)
  onTestFinished(() => {
    const keys = pageActions().flatMap(({ key }) => (key === '' ? [] : [key]))
    render(null, container)
    container.remove()
    expect(keys, 'one key for two actions').toEqual([...new Set(keys)])
    expect(takeMovedLate(), 'moved the focus after the paint').toEqual([])
  })
  return page.elementLocator(container)
}

/** The answers of a fake main by command; a command that isn't named here succeeds. */
export type Answers = Partial<Record<CommandName, (input: unknown) => unknown>>

export interface FakeBridge extends Bridge {
  /** Every call, in order. */
  readonly calls: readonly { readonly name: CommandName; readonly input: unknown }[]
  inputsOf(name: CommandName): unknown[]
}

/** Boards of tests may hold checks with their details, which a real board never does. */
const fromTheBoard: Answers = {
  history: () => [],
  checkDetails: (input) => {
    const { accountId, checkId } = input as Parameters<Commands['checkDetails']>[0]
    return { ...eg.details(), ...appState.peek().boards.get(accountId)?.checks.get(checkId) }
  },
}

/**
 * Puts a fake main behind `window.bridge` until the test ends. An answer is a value, a promise of
 * one, or `failed(failure)`.
 */
export function withBridge(answers: Answers = {}): FakeBridge {
  const calls: { name: CommandName; input: unknown }[] = []
  const bridge: FakeBridge = {
    calls,
    inputsOf: (name) => calls.filter((one) => one.name === name).map(({ input }) => input),
    call: async (name, input) => {
      calls.push({ name, input })
      const value = await (answers[name] ?? fromTheBoard[name])?.(input)
      return value instanceof Failed ? value.result : { ok: true, value }
    },
    follow: () => () => undefined,
  }
  Object.defineProperty(window, 'bridge', { value: bridge, configurable: true })
  return bridge
}

class Failed {
  readonly result: Result<unknown>

  constructor(failure: Extract<Result<unknown>, { ok: false }>['failure']) {
    this.result = { ok: false, failure }
  }
}

export function failed(failure: ConstructorParameters<typeof Failed>[0]): Failed {
  return new Failed(failure)
}

/** Sets the window's state, at `eg.now`, as if main had pushed it; reset when the test ends. */
export function withState(state: AppState): void {
  appState.value = state
  stateReceived.value = true
  now.value = eg.now
  onTestFinished(() => {
    appState.value = emptyState
    stateReceived.value = false
    // Going home clears the way back, too.
    go({ view: 'checks' })
  })
}

/** The button for the next part of a text that was too long to be drawn at once. */
export function showMore(container: Element): HTMLButtonElement | undefined {
  return [...container.querySelectorAll('button')].find(
    ({ textContent }) => textContent === 'Show more',
  )
}

/** Resolves once everything that comes by itself when it is in view is drawn. */
export async function drawnByItself(container: Element): Promise<void> {
  const busy = (): Element | null => {
    const waiting = container.querySelector('[aria-busy=true]:not(button)')
    waiting?.scrollIntoView()
    return waiting
  }
  if (busy() !== null) await expect.poll(busy).toBeNull()
}

/** Asks for the next part, and resolves once what follows by itself is drawn too. */
export async function moreDrawn(container: Element): Promise<void> {
  showMore(container)?.click()
  // Preact renders in a microtask.
  await Promise.resolve()
  await drawnByItself(container)
}

/** Asks for more until everything is drawn. */
export async function allDrawn(container: Element): Promise<void> {
  await drawnByItself(container)
  while (showMore(container) !== undefined) await moreDrawn(container)
}
