import { describe, expect, test } from 'vitest'
import { closingLine, countPlaywright, countVitest, laneLine } from '../../scripts/count-tests.mjs'

const result = (status: string) => ({ status, fullName: `a test that ${status}` })
const spec = (title: string, status: string, annotations: object[] = []) => ({
  title,
  tests: [{ status, annotations: annotations as { type: string; description?: string }[] }],
})

describe("Vitest's report", () => {
  test('is counted test by test, failed and skipped ones by name', () => {
    const file = {
      name: 'a.test.ts',
      status: 'failed',
      assertionResults: ['passed', 'passed', 'failed', 'skipped'].map(result),
    }
    const skipped = ['a test that skipped (skipped)']
    expect(countVitest({ testResults: [file] })).toEqual({
      passed: 2,
      failed: 1,
      skipped,
      failures: ['a test that failed'],
    })
  })

  test('says why a test failed, in a few lines without colours', () => {
    const why = [
      `\u001B[31mAssertionError: expected 1 to be 2\u001B[39m\n\n${'    at x\n'.repeat(50)}`,
    ]
    const failed = { ...result('failed'), failureMessages: why }
    const file = { name: 'a.test.ts', status: 'failed', assertionResults: [failed] }
    const [said = ''] = countVitest({ testResults: [file] }).failures
    expect(said.split('\n').slice(0, 2)).toEqual([
      'a test that failed',
      '    AssertionError: expected 1 to be 2',
    ])
    expect(said.split('\n')).toHaveLength(9)
  })

  test('counts a file that did not load as a failure', () => {
    const broken = { name: 'broken.test.ts', status: 'failed', assertionResults: [] }
    const sound = { name: 'a.test.ts', status: 'passed', assertionResults: [result('passed')] }
    const counted = { passed: 1, failed: 1, skipped: [], failures: ['broken.test.ts'] }
    expect(countVitest({ testResults: [broken, sound] })).toEqual(counted)
  })
})

describe("Playwright's report", () => {
  test('is counted through all its suites, with the reason of a skipped test', () => {
    const reason = [{ type: 'skip', description: 'needs a real keyring' }]
    const inner = { specs: [spec('a', 'expected'), spec('b', 'skipped', reason)] }
    const suites = [{ specs: [spec('c', 'expected')], suites: [inner] }]
    const skipped = ['b (needs a real keyring)']
    const counted = { passed: 2, failed: 0, skipped, failures: [], known: [] }
    expect(countPlaywright({ suites, errors: [] })).toEqual(counted)
  })

  test('says why a test failed', () => {
    const failed = spec('a', 'unexpected')
    const results = [{ errors: [{ message: 'Error: not found\nLocator: x' }] }]
    const suites = [
      { specs: [{ ...failed, tests: failed.tests.map((one) => ({ ...one, results })) }] },
    ]
    expect(countPlaywright({ suites, errors: [] }).failures).toEqual([
      'a\n    Error: not found\n    Locator: x',
    ])
  })

  test('counts flaky tests and errors outside of tests as failures', () => {
    const suites = [{ specs: [spec('a', 'unexpected'), spec('b', 'flaky')] }]
    expect(countPlaywright({ suites, errors: [{}] })).toMatchObject({
      passed: 0,
      failed: 3,
      failures: ['a', 'b'],
    })
  })
})

describe('the line of a host', () => {
  const known = spec('k', 'skipped', [
    { type: 'known', description: 'has no setHTML' },
    { type: 'skip', description: 'has no setHTML' },
  ])

  test('tells what passed, what failed and what is known of it', () => {
    const suites = [{ specs: [spec('a', 'expected'), spec('b', 'unexpected'), known] }]
    const count = countPlaywright({ suites, errors: [{}] })
    expect(laneLine('electron 33.2.1', count)).toBe('electron 33.2.1: 1 passed, 2 failed, 1 known')
    expect(closingLine([count])).toBe('1 passed, 2 failed')
  })

  test('calls no failure known', () => {
    const failing = {
      ...known,
      tests: known.tests.map((one) => ({ ...one, status: 'unexpected' })),
    }
    const count = countPlaywright({ suites: [{ specs: [failing] }], errors: [] })
    expect(laneLine('stand-in', count)).toBe('stand-in: 0 passed, 1 failed, 0 known')
  })
})

describe('the closing line', () => {
  test('sums up everything, and names skipped tests only where there are some', () => {
    const suite = { passed: 3, failed: 1, skipped: [], failures: ['a'] }
    const other = { passed: 1, failed: 0, skipped: ['b (why)'], failures: [] }
    expect(closingLine([suite, suite])).toBe('6 passed, 2 failed')
    expect(closingLine([suite, other])).toBe('4 passed, 1 failed, 1 skipped')
  })
})
