import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '../../scripts/programs.mjs'
import type { AppState } from '../../src/shared/core/state.ts'
import { statusFiles, statusOf, type Validity } from '../../src/shared/core/views/status-texts.ts'
import * as eg from './eg.ts'

/** The script as it is packed, but for its version. */
const command = join(projectRoot, 'packaging', 'belfry')

/** The shells of this machine that a user may have as `sh`. */
export const shells: readonly (readonly string[])[] = [
  ['sh'],
  ['dash'],
  ['bash', '--posix'],
  ['busybox', 'sh'],
].filter(([name = '']) => {
  try {
    execFileSync('sh', ['-c', `command -v ${name}`])
    return true
  } catch {
    return false
  }
})

interface Answer {
  readonly code: number | null
  readonly out: string
  readonly error: string
}

/** A user's home with the session's folder, where the command is asked. */
export function statusHome(shell: readonly string[] = ['sh']) {
  const home = mkdtempSync(join(tmpdir(), 'belfry-status-'))
  const folder = join(home, 'run', 'belfry')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return {
    home,
    folder,
    /** Writes the file of a Belfry that runs as this process, just now. */
    write: (state: AppState = eg.state(), validity: Partial<Validity> = {}): string => {
      const now = Date.now()
      const valid = { from: now, until: now + 3_600_000, pid: process.pid, ...validity }
      const { status } = statusFiles(statusOf(state, eg.now, false), valid)
      writeFileSync(join(folder, 'status'), status)
      return status
    },
    put: (text: string | Uint8Array) => writeFileSync(join(folder, 'status'), text),
    ask: (args: readonly string[], env: Record<string, string> = {}, script = command): Answer => {
      const [program = '', ...before] = shell
      const { status, stdout, stderr } = spawnSync(program, [...before, script, ...args], {
        encoding: 'utf8',
        cwd: home,
        env: {
          PATH: process.env['PATH'] ?? '',
          HOME: home,
          XDG_RUNTIME_DIR: join(home, 'run'),
          ...env,
        },
      })
      return { code: status, out: stdout, error: stderr }
    },
    /**
     * Installs the script beside an app that prints its arguments, one a line, also into the file
     * `given`, and answers a command with the file `reply`.
     */
    install: (): string => {
      for (const name of ['bin', 'lib/belfry']) mkdirSync(join(home, name), { recursive: true })
      const app = join(home, 'lib', 'belfry', 'belfry')
      writeFileSync(
        app,
        `#!/bin/sh
        for one in "$@"; do
          printf '<%s>\\n' "$one"
        done | tee '${join(home, 'given')}'
        id=$(sed -n 's/^<--ask-answer=\\(.*\\)>$/\\1/p' '${join(home, 'given')}')
        [ -z "$id" ] || mv '${join(home, 'reply')}' '${folder}'/answer-"$id"
        `,
      )
      chmodSync(app, 0o755)
      const script = join(home, 'bin', 'belfry')
      execFileSync('cp', [command, script])
      return script
    },
  }
}
