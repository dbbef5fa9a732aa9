export type FileLook = ReturnType<typeof createFileLook>

/**
 * Looks at files that may be on a drive that hangs, one at a time: each look that hangs occupies one of
 * the few threads that write to the disk. A look that is late, waits for too long for another or is asked
 * for while one hangs is rejected.
 */
export function createFileLook() {
  let before: Promise<unknown> = Promise.resolve()
  let isHanging = false

  async function looked<T>(work: () => Promise<T>): Promise<T> {
    process.once('exit', endAtOnce)
    try {
      return await work()
    } finally {
      isHanging = false
      process.off('exit', endAtOnce)
    }
  }

  return async <T>(work: () => Promise<T>, longestMs: number): Promise<T> => {
    if (isHanging) throw new Error('a drive hangs')
    let at: 'waiting' | 'looking' | 'late' = 'waiting'
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      isHanging ||= at === 'looking'
      at = 'late'
      late.reject(new Error('late'))
    }, longestMs)
    const look = before.then(() => {
      if (at === 'late') return late.promise
      at = 'looking'
      return looked(work)
    })
    before = look.catch(() => undefined)
    return Promise.race([look, late.promise]).finally(() => clearTimeout(timer))
  }
}

/** An orderly exit would wait for the thread. All else has been written by then. */
function endAtOnce(): void {
  process.kill(process.pid, 'SIGKILL')
}
