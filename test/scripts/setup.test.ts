import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const scripts = join(import.meta.dirname, '../../scripts')

/** A checkout whose packages are installed; only its own Node is still to be put there. */
let checkout = ''
beforeEach(() => {
  checkout = realpathSync(mkdtempSync(join(tmpdir(), 'belfry-setup-')))
  mkdirSync(join(checkout, 'scripts'))
  for (const name of ['machine.mjs', 'programs.mjs', 'setup.mjs'])
    cpSync(join(scripts, name), join(checkout, 'scripts', name))
  writeFileSync(join(checkout, 'package-lock.json'), '{}')
  mkdirSync(join(checkout, 'node_modules', '.bin'), { recursive: true })
  const stamp = createHash('sha256').update('{}').digest('hex')
  writeFileSync(join(checkout, 'node_modules', '.setup'), stamp)
})
afterEach(() => rmSync(checkout, { recursive: true, force: true }))

function setUp(
  node: string | null,
  env: NodeJS.ProcessEnv = {},
): { readonly status: number | null; readonly said: string } {
  const path = join(checkout, 'node_modules', '.bin', 'node')
  if (node !== null) writeFileSync(path, node, { mode: 0o755 })
  const { status, stderr } = spawnSync(process.execPath, [join(checkout, 'scripts', 'setup.mjs')], {
    env: { PATH: '', ...env },
    encoding: 'utf8',
  })
  return { status, said: stderr }
}

/** As its package has it. Returns the path. */
function putOwnNode(node: string): string {
  const folder = `node-${process.platform}-${process.arch}`
  const path = join(checkout, 'node_modules', folder, 'bin', 'node')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, node, { mode: 0o755 })
  return path
}

describe.skipIf(process.platform === 'win32')('the setup', () => {
  test('is content with a Node that is new enough', () => {
    expect(setUp('#!/bin/sh\necho 24.1.0\n')).toEqual({ status: 0, said: '' })
  })

  test('asks for a newer Node than one that is too old', () => {
    const { status, said } = setUp('#!/bin/sh\necho 20.1.0\n')
    expect(status).toBe(1)
    expect(said).toMatch(/^setup: Node 20\.1\.0 is too old: install Node 24 .*\n$/)
  })

  test("links the project's own Node where npm did not", () => {
    const own = putOwnNode('#!/bin/sh\necho 24.1.0\n')
    expect(setUp(null)).toEqual({ status: 0, said: '' })
    expect(realpathSync(join(checkout, 'node_modules', '.bin', 'node'))).toBe(own)
  })

  // Debian's npm finds its own packages on Debian's own Node only.
  test('installs with the npm that runs it, on the Node that this runs on', () => {
    rmSync(join(checkout, 'node_modules', '.setup'))
    const npmNode = join(checkout, 'npm-node')
    writeFileSync(npmNode, `#!/bin/sh\necho "$@" >'${checkout}/ran'\n`, { mode: 0o755 })
    const npm = { npm_execpath: '/usr/share/npm', npm_node_execpath: npmNode }
    const { status } = setUp('#!/bin/sh\necho 24.1.0\n', npm)
    expect(status).toBe(0)
    expect(readFileSync(join(checkout, 'ran'), 'utf8')).toMatch(/^\/usr\/share\/npm ci /)
    expect(setUp(null, npm).said).toBe('')
  })

  test("leaves the project's own Node alone where it does not run", () => {
    putOwnNode('#!/bin/sh\nexit 126\n')
    expect(setUp(null).said).toContain('ENOENT')
    expect(existsSync(join(checkout, 'node_modules', '.bin', 'node'))).toBe(false)
  })

  test.each([
    ['there is none', null, 'ENOENT'],
    ['it needs another system', '#!/bin/sh\necho no GLIBC_2.28 >&2\nexit 1\n', 'no GLIBC_2.28'],
    ['it says nothing', '#!/bin/sh\nexit 126\n', 'exit code 126'],
  ])('says what to do about a Node that does not run: %s', (_why, node, reason) => {
    const { status, said } = setUp(node)
    expect(status).toBe(1)
    expect(said).toMatch(/^setup: the Node that npm scripts use does not run here \(.*\): install/)
    expect(said.trim().split('\n')).toHaveLength(1)
    expect(said).toContain(reason)
  })
})
