import { describe, expect, test } from 'vitest'
import { firstProxy } from '../../../../src/main/desktop/system/computer.ts'

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
    expect(firstProxy(list)).toBe(proxy)
  })
})
