import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { channels } from '../src/shared/contract.ts'

test('the preload spells the channels as the contract does', () => {
  const source = readFileSync(new URL('../src/preload/index.ts', import.meta.url), 'utf8')
  const [, written = ''] = /const channels = \{([^}]*)\}/.exec(source) ?? []
  const pairs = [...written.matchAll(/(\w+): '(\w+)'/g)].map(([, key, value]) => [key, value])
  expect(Object.fromEntries(pairs)).toEqual(channels)
})
