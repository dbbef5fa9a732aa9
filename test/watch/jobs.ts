import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/**
 * Has the jobs done by two processes that run `file`, which answers each with a report. What `take`
 * adds to the jobs is done as well. Resolves when none is left, or the processes have ended.
 */
export async function inTwo<Job extends object | string, Report>(
  file: URL,
  jobs: Job[],
  take: (report: Report) => void,
): Promise<void> {
  const part = (): Promise<void> => {
    const child = fork(fileURLToPath(file), ['part'])
    const next = (): void => {
      const job = jobs.shift()
      if (job === undefined) child.disconnect()
      else child.send(job)
    }
    return new Promise((resolve) => {
      child.on('message', (message) => {
        // The type is what the file sends.
        take(message as Report)
        next()
      })
      child.once('exit', () => resolve())
      next()
    })
  }
  await Promise.all([part(), part()])
}
