import { describe, expect, test } from 'vitest'
import { securityOutcome } from '../../scripts/security-line.mjs'

const one: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  html: { vectors: 1_208, fuzzed: 10_000, through: 0, control: 84 },
  links: { urls: 257, through: 0, control: 49 },
  notifications: { vectors: 526, ways: 6, through: 0, control: 6 },
  redirects: { combinations: 240, through: 0, control: 5 },
  commands: { commands: 500_000, through: 0, control: 50, mainMs: 41.2, floodControlMs: 250 },
  answers: { answers: 90, control: 1, mainMs: 30, turnMs: 150 },
  cost: {
    messages: 155,
    vectors: 600,
    through: 0,
    control: 4,
    mainMs: 20,
    turnMs: 60,
    windowMs: 90,
  },
  canary: { encodings: 8, places: 14, hits: 0, planted: 14, found: 14 },
  advisories: { packages: 400, advisories: 31, known: 0, control: 4 },
  scanner: { findings: 0, errors: 0, checks: 42, control: 34 },
}
const good = Object.fromEntries(Object.entries(one).map(([suite, report]) => [suite, [report]]))

describe('the line of the security suites', () => {
  test('adds up what was tried and what got through', () => {
    expect(securityOutcome(good)).toEqual({
      line: 'security: 11208 vectors, 257 urls, 526 notifications, 240 redirects, 500000 commands: 0 through; canary 0 of 8; worst main 41 ms, worst window 90 ms',
      faults: [],
      failed: 0,
    })
  })

  test('counts what ran on two hosts once, with the worse outcome and the longest times', () => {
    const html = [
      { ...one['html'], mainMs: 52.2, windowMs: 80 },
      { ...one['html'], through: 2, mainMs: 7, windowMs: 120 },
    ]
    const { line, failed } = securityOutcome({ ...good, html })
    expect(failed).toBe(1)
    expect(line).toContain('11208 vectors')
    expect(line).toContain(': 2 through;')
    expect(line).toContain('; worst main 52 ms, worst window 120 ms')
  })

  test.each([
    ['html', { through: 1 }],
    ['html', { control: 0 }],
    ['links', { urls: 12 }],
    ['links', { control: 0 }],
    ['notifications', { through: 2 }],
    ['notifications', { control: 0 }],
    ['notifications', { ways: 5 }],
    ['redirects', { combinations: 0 }],
    ['redirects', { control: 0 }],
    ['commands', { through: 1 }],
    ['commands', { control: 0 }],
    ['commands', { mainMs: 101 }],
    ['canary', { hits: 1 }],
    ['canary', { found: 13 }],
    ['canary', { places: 0 }],
    ['canary', { planted: 0, found: 0 }],
    ['advisories', { known: 1 }],
    ['advisories', { control: 3 }],
    ['scanner', { findings: 1 }],
    ['scanner', { errors: 1 }],
    ['scanner', { control: 0 }],
  ])('fails %s for %j', (suite, changed) => {
    expect(securityOutcome({ ...good, [suite]: [{ ...one[suite], ...changed }] }).failed).toBe(1)
  })

  test.each(Object.entries(one))('fails %s for any number that is missing', (suite, report) => {
    for (const name of Object.keys(report)) {
      const { [name]: _gone, ...left } = report
      expect(securityOutcome({ ...good, [suite]: [left] }).failed, name).toBe(1)
    }
  })

  test('fails each suite that left nothing', () => {
    const { line, failed, faults } = securityOutcome({})
    expect(failed).toBe(10)
    expect(faults).toHaveLength(10)
    expect(line).toContain('0 vectors')
  })
})
