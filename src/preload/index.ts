import { contextBridge, type IpcRendererEvent, ipcRenderer } from 'electron'
import type { Bridge } from '#shared/contract.ts'
import type { Patch } from '#shared/core/patch.ts'

// Written out, since importing `channels` would pull the schemas into the sandboxed bundle;
// test/preload.test.ts holds the two spellings together.
const channels = { command: 'command', follow: 'follow', patch: 'patch' } as const

const bridge: Bridge = {
  call: (name, input) => ipcRenderer.invoke(channels.command, name, input),
  follow: (listener) => {
    const heard = (_event: IpcRendererEvent, patch: Patch): void => listener(patch)
    ipcRenderer.on(channels.patch, heard)
    ipcRenderer.send(channels.follow)
    return () => {
      ipcRenderer.off(channels.patch, heard)
    }
  },
}

contextBridge.exposeInMainWorld('bridge', bridge)
