import { contextBridge, type IpcRendererEvent, ipcRenderer } from 'electron'
import type { Bridge } from '#shared/contract.ts'
import type { Patch } from '#shared/core/patch.ts'

// Written out, since importing `channels` would pull the schemas into the sandboxed bundle;
// test/preload.test.ts holds the two spellings together.
const channels = {
  command: 'command',
  follow: 'follow',
  patch: 'patch',
  ping: 'ping',
  pong: 'pong',
} as const

const bridge: Bridge = {
  call: (name, input) => ipcRenderer.invoke(channels.command, name, input),
  follow: (listener) => {
    let parts: Patch = []
    // A large patch comes in parts and is shown as one: half a board would be a lie.
    const heard = (_event: IpcRendererEvent, part: Patch, isLast: boolean): void => {
      parts = parts.length === 0 ? part : [...parts, ...part]
      if (!isLast) return
      const patch = parts
      parts = []
      listener(patch)
    }
    ipcRenderer.on(channels.patch, heard)
    ipcRenderer.send(channels.follow)
    return () => {
      ipcRenderer.off(channels.patch, heard)
    }
  },
}

// A page that is busy for ever answers no more, and main begins it anew.
ipcRenderer.on(channels.ping, () => ipcRenderer.send(channels.pong))

contextBridge.exposeInMainWorld('bridge', bridge)
