import { contextBridge, type IpcRendererEvent, ipcRenderer } from 'electron'
import { type Bridge, channels } from '#shared/contract.ts'
import type { Patch } from '#shared/core/patch.ts'

type Listener = Parameters<Bridge['follow']>[0]

let listener: Listener | null = null
/** Parts of a patch whose last part has not arrived yet. */
let parts: Patch = []
/** What main sent before the page had a listener. */
let early: Patch = []
let isTold = false

// A large patch comes in parts and is shown as one: half a board would be a lie.
ipcRenderer.on(channels.patch, (_event: IpcRendererEvent, part: Patch, isLast: boolean) => {
  parts = joined(parts, part)
  if (!isLast) return
  const patch = parts
  parts = []
  if (listener === null) early = joined(early, patch)
  else listener(patch)
})

function joined(before: Patch, after: Patch): Patch {
  return before.length === 0 ? after : [...before, ...after]
}

function ask(): void {
  isTold = true
  parts = []
  early = []
  ipcRenderer.send(channels.follow)
}

const bridge: Bridge = {
  call: (name, input) => ipcRenderer.invoke(channels.command, name, input),
  follow: (next) => {
    if (!isTold) ask()
    listener = next
    const told = early
    early = []
    if (told.length > 0) next(told)
    return () => {
      listener = null
      isTold = false
    }
  },
}

// Requests the state while the page's scripts are still loading.
ask()

// A page that hangs stops answering, and main reloads it.
ipcRenderer.on(channels.ping, () => ipcRenderer.send(channels.pong))

contextBridge.exposeInMainWorld('bridge', bridge)
