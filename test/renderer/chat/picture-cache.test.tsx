import { describe, expect, test } from 'vitest'
import { cachedCharacters, loadPicture } from '../../../src/renderer/picture-cache.ts'
import { failed, withBridge } from '../mount.ts'

describe('the picture cache of a window', () => {
  test('requests each picture once, even while it is loading', async () => {
    const bridge = withBridge({ loadImage: () => 'data:image/png;base64,AAAA' })
    const both = await Promise.all([loadPicture('a', '/once'), loadPicture('a', '/once')])
    expect(new Set([...both, await loadPicture('a', '/once')]).size).toBe(1)
    expect(bridge.inputsOf('loadImage')).toEqual([{ accountId: 'a', path: '/once' }])
    await loadPicture('b', '/once')
    expect(bridge.inputsOf('loadImage')).toHaveLength(2)
  })

  test('requests it again after a failure', async () => {
    const bridge = withBridge({
      loadImage: () => failed({ kind: 'serverFault', httpStatus: 503 }),
    })
    expect(await loadPicture('a', '/broken')).toBeNull()
    expect(await loadPicture('a', '/broken')).toBeNull()
    expect(bridge.inputsOf('loadImage')).toHaveLength(2)
  })

  test('is bounded and evicts the least recently used', async () => {
    const large = `data:image/png;base64,${'A'.repeat(8 * 1024 * 1024)}`
    const bridge = withBridge({ loadImage: () => large })
    for (const path of ['/1', '/2', '/3', '/1', '/4', '/5']) await loadPicture('c', path)
    expect(cachedCharacters()).toBeLessThanOrEqual(32 * 1024 * 1024)
    const before = bridge.calls.length
    await loadPicture('c', '/1')
    expect(bridge.calls).toHaveLength(before)
    await loadPicture('c', '/2')
    expect(bridge.calls).toHaveLength(before + 1)
  })
})
