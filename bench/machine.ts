import { arch, cpus, loadavg, platform, totalmem } from 'node:os'

/** The machine that the numbers were measured on; nothing that identifies it or its user. */
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
