import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readArguments } from '../../src/main/desktop/arguments.ts'

describe('the command line', () => {
  test('asks for the demo, a hidden start and another folder', () => {
    expect(readArguments(['electron', '.', '--demo', '--hidden', '--user-data=/tmp/x'])).toEqual({
      demo: true,
      hidden: true,
      userData: '/tmp/x',
    })
  })

  test('can ask for nothing else', () => {
    const nothing = { demo: false, hidden: false, userData: null }
    expect(readArguments(['electron', 'https://x', '--user-data=relative', '--demo=1'])).toEqual(
      nothing,
    )
    fc.assert(
      fc.property(fc.array(fc.string()), (argv) => {
        const ours = argv.filter((one) => one === '--demo' || one === '--hidden')
        fc.pre(ours.length === 0 && !argv.some((one) => one.startsWith('--user-data=')))
        expect(readArguments(argv)).toEqual(nothing)
      }),
      { seed: 7 },
    )
  })
})
