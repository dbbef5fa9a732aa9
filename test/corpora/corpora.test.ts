import { describe, expect, test } from 'vitest'
import { corpora } from './corpora.ts'
import { scoreSecrets } from './secrets.ts'

test.each(corpora)('the corpus of $name is passed', async ({ score }) => {
  const { passed, wrong } = await score()
  expect(passed, wrong.join('\n')).toBe(true)
})

describe('a control', () => {
  test('shows every secret if nothing is masked, and masks every line if everything is', () => {
    expect(scoreSecrets((text) => text).words).toMatch(/^secrets: (\d+) of \1 shown, 0 of/)
    expect(scoreSecrets(() => '•••').words).toMatch(/ 0 of \d+ shown, (\d+) of \1 masked wrongly$/)
  })
})
