import { contextBridge, type IpcRendererEvent, ipcRenderer } from 'electron'
import { type Bridge, channels } from '#shared/contract.ts'
import type { Patch } from '#shared/core/patch.ts'

type Listener = Parameters<Bridge['follow']>[0]

let listener: Listener | null = null
/** What main sent before the page had a listener. */
let early: Parameters<Listener>[] = []
let hasAsked = false
/**
 * Main takes a request only from its own page, and a page that has just begun may not be known to it as
 * such: unanswered, the window would stay at “Loading”. The safe page is never answered.
 */
const askAgainMs = 5_000
let again: ReturnType<typeof setTimeout> | undefined

// Passed on in parts: copying fifty thousand people at once would freeze the page.
ipcRenderer.on(channels.patch, (_event: IpcRendererEvent, part: Patch, isLast: boolean) => {
  clearTimeout(again)
  if (listener === null) early.push([part, isLast])
  else listener(part, isLast)
})

function ask(): void {
  hasAsked = true
  early = []
  ipcRenderer.send(channels.follow)
  clearTimeout(again)
  again = setTimeout(ask, askAgainMs)
}

const bridge: Bridge = {
  call: (name, input) => ipcRenderer.invoke(channels.command, name, input),
  follow: (next) => {
    if (!hasAsked) ask()
    listener = next
    const events = early
    early = []
    for (const one of events) next(...one)
    return () => {
      listener = null
      hasAsked = false
    }
  },
}

// Requests the state while the page's scripts are still loading.
ask()

// A page that hangs stops answering, and main reloads it.
ipcRenderer.on(channels.ping, () => ipcRenderer.send(channels.pong))

contextBridge.exposeInMainWorld('bridge', bridge)
