import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { describeBug } from '../../../../src/main/desktop/system/log.ts'
import {
  createCommandHandler,
  isOurFrame,
  sizeOf,
} from '../../../../src/main/desktop/window/command-handler.ts'
import { type CommandName, commandInputs } from '../../../../src/shared/command-inputs.ts'
import type { Commands } from '../../../../src/shared/contract.ts'
import { RequestFailed } from '../../../../src/shared/core/failure.ts'

/** A handler whose commands record their input; `fail` makes the next one throw. */
function openDoor() {
  const asked: [string, unknown][] = []
  const bugs: string[] = []
  let error: Error | null = null
  const answer = (name: string) => async (input: unknown) => {
    asked.push([name, input])
    if (error !== null) throw error
    return { did: name }
  }
  const commands = Object.fromEntries(
    Object.keys(commandInputs).map((name) => [name, answer(name)]),
  ) as unknown as Commands
  const handler = createCommandHandler(
    () => commands,
    (where, bug) => bugs.push(`${where}: ${describeBug(bug)}`),
  )
  const fail = (next: Error): void => {
    error = next
  }
  return { handler, asked, bugs, fail }
}

/** Whether a command requires any field. */
function needed(name: string): boolean {
  const schema = commandInputs[name as CommandName]
  if (!('entries' in schema)) return true
  return Object.values(schema.entries).some(({ type }) => type !== 'optional')
}

describe('the command handler', () => {
  test('lets a command through and returns its result as a value', async () => {
    const { handler, asked } = openDoor()
    const input = { accountId: 'a', label: '  Backups ', more: 'dropped' }
    expect(await handler('renameAccount', input)).toEqual({
      ok: true,
      value: { did: 'renameAccount' },
    })
    expect(asked).toEqual([['renameAccount', { accountId: 'a', label: 'Backups' }]])
  })

  test.each([
    '',
    'constructor',
    '__proto__',
    'toString',
    'noSuch',
    7,
    null,
    undefined,
    ['refresh'],
  ])('rejects the unknown command %j', async (name) => {
    const { handler, asked } = openDoor()
    expect(await handler(name, {})).toMatchObject({ ok: false, failure: { kind: 'invalid' } })
    expect(asked).toEqual([])
  })

  test('names the invalid field', async () => {
    const { handler, asked } = openDoor()
    expect(await handler('updateSettings', { pollSeconds: 1 })).toMatchObject({
      ok: false,
      failure: { kind: 'invalid', field: 'pollSeconds' },
    })
    expect(asked).toEqual([])
  })

  test('returns a failure unchanged', async () => {
    const { handler, fail } = openDoor()
    const failure = { kind: 'badKey', httpStatus: 401, message: '' } as const
    fail(new RequestFailed(failure))
    expect(await handler('refresh', { accountId: null })).toEqual({ ok: false, failure })
  })

  test('logs a bug without its message, and tells the window only that something is wrong', async () => {
    const { handler, fail, bugs } = openDoor()
    fail(new TypeError('secret-key-123 is not a function'))
    const answer = await handler('refresh', { accountId: null })
    expect(answer).toMatchObject({ ok: false, failure: { kind: 'malformed' } })
    expect(bugs).toHaveLength(1)
    expect(bugs[0]).toMatch(/^command refresh: TypeError\n\s+at /)
    expect(JSON.stringify([answer, bugs])).not.toContain('secret-key-123')
  })

  test('does not count a command that ended with its connection as a bug', async () => {
    const { handler, fail, bugs } = openDoor()
    fail(AbortSignal.abort().reason as DOMException)
    const answer = await handler('refresh', { accountId: null })
    expect(answer).toMatchObject({ ok: false, failure: { kind: 'invalid', field: 'account' } })
    expect(bugs).toEqual([])
  })

  test('never throws and never lets invalid input through', async () => {
    const names = fc.constantFrom(...Object.keys(commandInputs))
    const input = fc.anything({
      withMap: true,
      withSet: true,
      withTypedArray: true,
      withNullPrototype: true,
    })
    const { handler, asked } = openDoor()
    await fc.assert(
      fc.asyncProperty(names, input, async (name, value) => {
        const { ok } = await handler(name, value)
        // A command without required fields accepts any object.
        if (needed(name)) expect(ok).toBe(false)
      }),
      { numRuns: 2_000, seed: 7 },
    )
    expect(asked.every(([, value]) => typeof value === 'object')).toBe(true)
  })
})

describe('the input of a command', () => {
  test('may be as long as the longest message', () => {
    expect(sizeOf({ text: 'x'.repeat(100_000) })).not.toBeNull()
  })

  test('may not be larger than 256 kB, however it is nested', () => {
    const large = 'x'.repeat(140_000)
    expect(sizeOf({ text: large })).toBeNull()
    expect(sizeOf([new Map([['k', new Set([large])]])])).toBeNull()
    expect(sizeOf({ bytes: new Uint8Array(300_000) })).toBeNull()
    expect(sizeOf(Array.from({ length: 50_000 }, () => null))).toBeNull()
  })

  test('may not be nested more deeply than any command needs', () => {
    let deep: unknown = 1
    for (let level = 0; level < 50_000; level += 1) deep = [deep]
    expect(sizeOf(deep)).toBeNull()
    const circle: unknown[] = []
    circle.push(circle)
    expect(sizeOf(circle)).toBeNull()
  })
})

describe('the sender of a command', () => {
  const home = 'app://main/index.html'

  test('is trusted in the main frame of our own page', () => {
    expect(isOurFrame({ url: 'app://main/index.html#x', parent: null }, home)).toBe(true)
    expect(
      isOurFrame({ url: 'http://localhost:5173/', parent: null }, 'http://localhost:5173'),
    ).toBe(true)
  })

  test.each([
    { url: 'app://main/index.html', parent: {} },
    { url: 'app://main.evil/index.html', parent: null },
    { url: 'app://evil/main/', parent: null },
    { url: 'https://main/index.html', parent: null },
    { url: 'app://x@main/index.html', parent: null },
    { url: 'about:blank', parent: null },
    { url: '', parent: null },
    null,
  ])('is not trusted as %j', (frame) => {
    expect(isOurFrame(frame, home)).toBe(false)
  })
})
