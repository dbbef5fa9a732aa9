import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  answerAppRequest,
  contentSecurityPolicy,
  readAppFiles,
} from '../../../../src/main/desktop/window/app-files.ts'

let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'belfry-page-'))
  mkdirSync(join(folder, 'page/assets'), { recursive: true })
  writeFileSync(join(folder, 'page/index.html'), '<!doctype html>')
  writeFileSync(join(folder, 'page/assets/index-1.js'), 'export {}')
  writeFileSync(join(folder, 'page/assets/index-1.js.map'), '{}')
  writeFileSync(join(folder, 'secret.html'), 'secret')
})
afterAll(() => rmSync(folder, { recursive: true }))

const ask = (url: string, method = 'GET'): Response =>
  answerAppRequest(readAppFiles(join(folder, 'page')), method, url)

describe('the page', () => {
  test('is served with its type and a policy that allows nothing foreign', async () => {
    const reply = ask('app://main/index.html?x#y')
    expect(reply.status).toBe(200)
    expect(await reply.text()).toBe('<!doctype html>')
    expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const policy = reply.headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe|\*/)
    expect(ask('app://main/assets/index-1.js').headers.get('content-type')).toContain('javascript')
  })

  test.each([
    'app://main/',
    'app://main/../secret.html',
    'app://main/..%2fsecret.html',
    'app://main/%2e%2e/secret.html',
    'app://main/..%5csecret.html',
    'app://main/%252e%252e%252fsecret.html',
    'app://main/index.html%00.js',
    'app://main//index.html',
    'app://main/assets/index-1.js.map',
    'app://main/__proto__',
    'app://other/index.html',
    'file:///index.html',
    'https://main/index.html',
    'nonsense',
  ])('has nothing at %s', (url) => {
    expect(ask(url).status).toBe(404)
  })

  test('repeats its policy in a meta element, in case the header is missing', () => {
    const html = readFileSync('src/renderer/index.html', 'utf8')
    const [, meta = ''] = /content="(default-src[^"]+)"/.exec(html) ?? []
    const directives = meta.split('; ')
    expect(directives.length).toBeGreaterThan(5)
    expect(contentSecurityPolicy.split('; ')).toEqual(expect.arrayContaining(directives))
  })

  test('is read-only', () => {
    expect(ask('app://main/index.html', 'POST').status).toBe(404)
  })
})
