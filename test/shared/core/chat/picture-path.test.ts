import { describe, expect, test } from 'vitest'
import { picturePath } from '../../../../src/shared/core/chat/picture-path.ts'

const realm = 'https://chat.example.org'

describe('the path of a picture', () => {
  test.each([
    ['/user_uploads/thumbnail/1/a/cat.png/840x560.webp', true],
    ['/user_uploads/1/a/cat%20%C3%A4.png', true],
    ['https://chat.example.org/user_uploads/1/a/cat.png', true],
    ['https://CHAT.example.org:443/user_uploads/1/a/cat.png', true],
    ['/external_content/1f/68747470', false],
    ['/user_avatars/1/emoji/images/1.png?version=2', false],
    ['/static/generated/emoji/images/emoji/unicode/zulip.png', false],
  ])('is read from %s; the realm requires the key: %s', (address, needsKey) => {
    const found = picturePath(address, realm)
    expect(found).toMatchObject({ needsKey })
    expect(new URL(`${realm}${found?.path}`).origin).toBe(realm)
  })

  test('is below the address of a realm that has a path', () => {
    const below = 'https://example.org/chat'
    const path = '/user_uploads/1/a.png'
    expect(picturePath(path, below)?.path).toBe(path)
    expect(picturePath(`${below}${path}`, below)?.path).toBe(path)
    expect(picturePath(`https://example.org${path}`, below)).toBeNull()
  })

  test.each([
    '',
    '/',
    'user_uploads/1/a.png',
    '/user_uploads/',
    '/user_uploads//a',
    '/api/v1/users/me',
    '/user_uploads/../api/v1/users/me',
    '/user_uploads/%2e%2e/api/v1/users/me',
    '/user_uploads/..%2f..%2fapi/v1/users/me',
    '/user_uploads/..\\..\\api/v1/users/me',
    '/user_uploads/..%5capi',
    '/user_uploads/a%00.png',
    '//hostile.example/user_uploads/1/a.png',
    '/\\hostile.example/user_uploads/1/a.png',
    '\\\\hostile.example/user_uploads/1/a.png',
    '@hostile.example/user_uploads/1/a.png',
    'https://hostile.example/user_uploads/1/a.png',
    'https://chat.example.org@hostile.example/user_uploads/1/a.png',
    'https://user:word@chat.example.org/user_uploads/1/a.png',
    'http://chat.example.org/user_uploads/1/a.png',
    'https://chat.example.org:8443/user_uploads/1/a.png',
    'https://chat.example.org.hostile.example/user_uploads/1/a.png',
    'data:image/png;base64,AAAA',
    'javascript:alert(1)//user_uploads/1/a.png',
    'file:///user_uploads/1/a.png',
    `/user_uploads/${'a'.repeat(2_048)}`,
  ])('is not read from %s', (address) => {
    expect(picturePath(address, realm)).toBeNull()
  })
})
