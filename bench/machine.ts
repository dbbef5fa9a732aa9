import { arch, cpus, loadavg, platform, totalmem } from 'node:os'

/** What the numbers were taken on; nothing that names the machine or who uses it. */
export function machine() {
  return {
    platform: platform(),
    arch: arch(),
    cores: cpus().length,
    cpu: cpus()[0]?.model ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    load: loadavg().map((load) => Number(load.toFixed(2))),
  }
}

/** The same in a sentence. */
export function machineWords(): string {
  const { cores, cpu, memoryGiB, node, load, platform: system } = machine()
  return `${system}, ${cores} cores (${cpu}), ${memoryGiB} GiB, Node ${node.slice(1)}, load at the end ${load.join(' ')}.`
}
