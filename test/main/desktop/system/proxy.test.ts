import { describe, expect, test } from 'vitest'
import { createProxyChoice } from '../../../../src/main/desktop/system/computer.ts'

describe('the first proxy of a list', () => {
  test.each([
    ['DIRECT', null],
    ['PROXY proxy.example:3128; DIRECT', 'http://proxy.example:3128'],
    ['HTTPS proxy.example:443', 'https://proxy.example:443'],
    ['SOCKS5 socks.example:1081; PROXY other.example:8080', 'socks5://socks.example:1081'],
    ['SOCKS5 socks.example; DIRECT', 'socks5://socks.example:1080'],
    ['SOCKS socks.example:1080; PROXY other.example:8080', 'http://other.example:8080'],
    ['SOCKS socks.example:1080', null],
    ['', null],
  ])('%j is %s', (list, proxy) => {
    expect(createProxyChoice(() => 0).from(list)).toBe(proxy)
  })
})

describe('a list of several proxies', () => {
  test('is passed through while its first ones can’t be reached, for five minutes', () => {
    let now = 0
    const choice = createProxyChoice(() => now)
    const list = 'PROXY a.example:1; SOCKS5 b.example:2; DIRECT'
    const chosen = () => choice.from(list)
    expect(chosen()).toBe('http://a.example:1')
    choice.unreachable('http://a.example:1')
    expect(chosen()).toBe('socks5://b.example:2')
    now = 60_000
    choice.unreachable('socks5://b.example:2')
    expect(chosen()).toBe(null)
    expect(choice.from('PROXY a.example:1')).toBe('http://a.example:1')
    now = 300_000
    expect(chosen()).toBe('http://a.example:1')
  })
})
