import { readFileSync } from 'node:fs'
import { platform } from 'node:os'
import type { Browser } from 'playwright'

/**
 * The renderer process that used the most CPU: that of the only page that did any work. The others
 * are spares that the browser keeps ready.
 */
export async function busiestRenderer(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  const [first] = processInfo
    .filter(({ type }) => type === 'renderer')
    .sort((one, other) => other.cpuTime - one.cpuTime)
  if (first === undefined) throw new Error('the browser has no window process')
  return first.id
}

/** Bytes that the process shares with no other process (Linux, `smaps_rollup`). */
export function privateBytes(processId: number): number {
  if (platform() !== 'linux') throw new Error('memory of a process is read on Linux only')
  const rollup = readFileSync(`/proc/${processId}/smaps_rollup`, 'utf8')
  const kib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(rollup)?.[1])
  return (kib('Private_Dirty') + kib('Private_Clean')) * 1024
}
