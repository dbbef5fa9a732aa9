import { describe, expect, test } from 'vitest'
import { securityOutcome } from '../../scripts/security-line.mjs'

const good = {
  html: { vectors: 1_208, fuzzed: 10_000, through: 0, control: 84 },
  links: { urls: 257, through: 0, control: 49 },
  notifications: { vectors: 526, ways: 6, through: 0, control: 6 },
  redirects: { combinations: 240, through: 0, control: 5 },
  canary: { encodings: 6, places: 14, hits: 0, planted: 14, found: 14 },
  scanner: { findings: 0, errors: 0, checks: 42, control: 34 },
}

describe('the line of the security suites', () => {
  test('adds up what was tried and what got through', () => {
    expect(securityOutcome(good)).toEqual({
      line: 'security: 11208 vectors, 257 urls, 526 notifications, 240 redirects: 0 through; canary 0 of 6; scanner 0',
      faults: [],
      failed: 0,
    })
  })

  test.each([
    ['html', { ...good.html, through: 1 }],
    ['html', { ...good.html, control: 0 }],
    ['html', { vectors: 1_208, fuzzed: 10_000, control: 84 }],
    ['links', { ...good.links, urls: 12 }],
    ['links', { ...good.links, control: 0 }],
    ['notifications', { ...good.notifications, through: 2 }],
    ['notifications', { ...good.notifications, control: 0 }],
    ['notifications', { ...good.notifications, ways: 5 }],
    ['redirects', { ...good.redirects, combinations: 0 }],
    ['redirects', { ...good.redirects, control: 0 }],
    ['canary', { ...good.canary, hits: 1 }],
    ['canary', { ...good.canary, found: 13 }],
    ['canary', { ...good.canary, places: 0 }],
    ['canary', { ...good.canary, planted: 0, found: 0 }],
    ['scanner', { ...good.scanner, findings: 1 }],
    ['scanner', { ...good.scanner, errors: 1 }],
    ['scanner', { ...good.scanner, control: 0 }],
  ])('fails %s for %j', (suite, report) => {
    expect(securityOutcome({ ...good, [suite]: report }).failed).toBe(1)
  })

  test.each(Object.entries(good))('fails %s for any number that is missing', (suite, report) => {
    for (const name of Object.keys(report)) {
      const { [name]: _gone, ...left } = report as Record<string, number>
      expect(securityOutcome({ ...good, [suite]: left }).failed, name).toBe(1)
    }
  })

  test('fails each suite that left nothing', () => {
    const { line, failed, faults } = securityOutcome({})
    expect(failed).toBe(6)
    expect(faults).toHaveLength(6)
    expect(line).toContain('0 vectors')
  })
})
