import { type ComponentChild, options, render } from 'preact'
import { expect, onTestFinished } from 'vitest'
import { type Locator, page } from 'vitest/browser'
import '../../src/renderer/styles.css'
import type { Bridge, CommandName, Commands } from '#shared/contract.ts'
import type { Result } from '#shared/core/failure.ts'
import { type AppState, emptyState } from '#shared/core/state.ts'
import { beginTurn } from '../../src/renderer/chat/draw-in-turn.ts'
import { pageActions } from '../../src/renderer/parts/page-actions.ts'
import { appState, go, now, stateReceived } from '../../src/renderer/window-state.ts'
import * as eg from '../support/eg.ts'

/** What had the focus or the caret moved after the drawing that the user saw and may type into. */
const movedLate: string[] = []

/** Preact's effects come after a paint, on a busy computer long after it; the usual way but for the look. */
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

/** What moved late so far; whoever asks has dealt with it. */
export function takeMovedLate(): string[] {
  return movedLate.splice(0)
}

/**
 * Mounts a Preact tree and returns a locator for it; unmounted when the test ends. Fails a test in
 * which an effect moved the focus: by then the user may be typing elsewhere.
 */
export function mount(tree: ComponentChild): Locator {
  const container = document.body.appendChild(document.createElement('div'))
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

/** What a pretend main answers to a command; anything not named here is a plain yes. */
export type Answers = Partial<Record<CommandName, (input: unknown) => unknown>>

export interface FakeBridge extends Bridge {
  /** Every command that was called, in order. */
  readonly calls: readonly { readonly name: CommandName; readonly input: unknown }[]
  /** The inputs of one command. */
  inputsOf(name: CommandName): unknown[]
}

/** Boards of tests may hold checks with their details, which a real board has none of. */
const fromTheBoard: Answers = {
  history: () => [],
  checkDetails: (input) => {
    const { accountId, checkId } = input as Parameters<Commands['checkDetails']>[0]
    return { ...eg.details(), ...appState.peek().boards.get(accountId)?.checks.get(checkId) }
  },
}

/**
 * Puts a pretend main behind `window.bridge` until the test ends. An answer is a value, or a
 * promise of one, or `failed(failure)` for a failure.
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

/** Gives the window this state, at `eg.now`, as if main had pushed it; undone when the test ends. */
export function withState(state: AppState): void {
  appState.value = state
  stateReceived.value = true
  now.value = eg.now
  onTestFinished(() => {
    appState.value = emptyState
    stateReceived.value = false
    // Going home forgets the way there too.
    go({ view: 'checks' })
  })
}
