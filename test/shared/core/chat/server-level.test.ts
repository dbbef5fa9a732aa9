import { describe, expect, test } from 'vitest'
import { lackWords, serverWords } from '../../../../src/shared/core/chat/server-level.ts'

const older = { version: '10.2', featureLevel: 372 }

describe('a server', () => {
  test.each([
    [older, 417, 'needs server 11 or later; yours is 10.2'],
    [older, 430, 'needs server 12 or later; yours is 10.2'],
    [older, 377, 'needs server 11 or later; yours is 10.2'],
    [older, 424, 'needs server 11 or later; yours is 10.2'],
    [older, 425, 'needs server 12 or later; yours is 10.2'],
    // Reserved for minor versions of 10.
    [older, 376, 'needs feature level 376; yours is 372'],
    [older, 372, null],
    [older, undefined, null],
    [{ version: '11.0', featureLevel: 421 }, 417, null],
    // A development version has part of what the release will have.
    [
      { version: '11.0-dev-2-gabc', featureLevel: 400 },
      417,
      'needs feature level 417; yours is 400',
    ],
    [{ version: null, featureLevel: 400 }, 417, 'needs feature level 417; yours is 400'],
    // A server without a level may have everything; it reports what it lacks.
    [{ version: '10.2', featureLevel: null }, 417, null],
    [null, 417, null],
    [undefined, 417, null],
  ])('%o, with level %s required, is rejected with: %s', (server, since, words) => {
    expect(lackWords(server, since)).toBe(words)
  })

  test.each([
    [older, 'server 10.2, feature level 372'],
    [
      { version: '9.4', featureLevel: 278 },
      'server 9.4, feature level 278, older than Belfry is made for (10)',
    ],
    [{ version: null, featureLevel: 400 }, 'feature level 400'],
    [{ version: null, featureLevel: null }, ''],
    [null, ''],
  ])('%o is shown as: %s', (server, words) => {
    expect(serverWords(server)).toBe(words)
  })
})
