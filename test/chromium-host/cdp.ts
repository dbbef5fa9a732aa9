import { EventEmitter } from 'node:events'
import type { Readable, Writable } from 'node:stream'

/** Answers to the DevTools commands whose answer is read. */
interface Answers {
  'Browser.getVersion': { product: string }
  'Browser.getWindowForTarget': { windowId: number }
  'Page.navigate': { errorText?: string; loaderId?: string }
  'Runtime.evaluate': { result: { value?: unknown }; exceptionDetails?: ExceptionDetails }
  'Target.attachToTarget': { sessionId: string }
  'Target.createTarget': { targetId: string }
}

export interface ExceptionDetails {
  text: string
  exception?: { description?: string; value?: unknown }
}

interface Frame {
  id: string
  parentId?: string
  url: string
  urlFragment?: string
}

export interface TargetInfo {
  targetId: string
  url: string
  title: string
}

export interface PausedRequest {
  requestId: string
  request: {
    url: string
    urlFragment?: string
    method: string
    headers: Record<string, string>
  }
  resourceType: string
  responseStatusCode?: number
  /** The request that was redirected to this one. */
  redirectedRequestId?: string
  frameId: string
}

/** DevTools events with listeners. */
interface Heard {
  'Browser.downloadWillBegin': { url: string }
  'Fetch.requestPaused': PausedRequest
  'Inspector.targetCrashed': object
  'Page.frameNavigated': { frame: Frame }
  'Page.frameRequestedNavigation': { frameId: string; reason: string; url: string }
  'Page.loadEventFired': object
  'Page.navigatedWithinDocument': { url: string }
  'Runtime.bindingCalled': { payload: string; executionContextId: number }
  'Runtime.executionContextCreated': {
    context: { id: number; uniqueId: string; name: string; auxData: { frameId: string } }
  }
  'Runtime.executionContextDestroyed': { executionContextUniqueId: string }
  'Target.targetCreated': { targetInfo: TargetInfo }
  'Target.targetDestroyed': { targetId: string }
  'Target.targetInfoChanged': { targetInfo: TargetInfo }
}

type AnswerOf<Method extends string> = Method extends keyof Answers ? Answers[Method] : unknown

export interface Chromium {
  readonly arguments: readonly string[]
  readonly exited: Promise<void>
  /** Sends a command to the browser, or with a session to one page. */
  send<Method extends string>(
    method: Method,
    params?: object,
    sessionId?: string,
  ): Promise<AnswerOf<Method>>
  on<Name extends keyof Heard>(
    name: Name,
    listener: (params: Heard[Name]) => void,
    sessionId?: string,
  ): () => void
}

interface Message {
  id?: number
  sessionId?: string
  method?: string
  params?: unknown
  result?: unknown
  error?: { message: string }
}

interface Waiting {
  readonly method: string
  resolve(result: unknown): void
  reject(error: Error): void
}

const eventName = (name: string, sessionId = ''): string => `${sessionId} ${name}`

/**
 * The DevTools protocol over Chromium's two pipes (`--remote-debugging-pipe`): JSON texts, each
 * ended by a zero byte. No port is open, and Chromium exits once the pipe closes, so it can't
 * outlive this process, not even after a kill -9.
 */
export function connectPipes(
  pipes: { readonly to: Writable; readonly from: Readable },
  process: { readonly arguments: readonly string[]; readonly exited: Promise<void> },
): Chromium {
  const events = new EventEmitter().setMaxListeners(0)
  const waiting = new Map<number, Waiting>()
  let lastId = 0

  const receive = (message: Message): void => {
    if (message.method !== undefined) {
      events.emit(eventName(message.method, message.sessionId), message.params)
    }
    const call = waiting.get(message.id ?? 0)
    if (call === undefined) return
    waiting.delete(message.id ?? 0)
    if (message.error === undefined) call.resolve(message.result)
    else call.reject(new Error(`${call.method}: ${message.error.message}`))
  }

  let unread = ''
  pipes.from.setEncoding('utf8').on('data', (text: string) => {
    const texts = (unread + text).split('\0')
    unread = texts.pop() ?? ''
    // Chromium writes only protocol messages into this pipe.
    for (const whole of texts) receive(JSON.parse(whole) as Message)
  })
  // Writes after Chromium's exit fail; `exited` reports that.
  pipes.to.on('error', () => undefined)
  void process.exited.then(() => {
    for (const { reject } of waiting.values()) reject(new Error('Chromium ended'))
    waiting.clear()
  })

  return {
    ...process,
    send: <Method extends string>(method: Method, params: object = {}, sessionId?: string) =>
      new Promise<AnswerOf<Method>>((resolve, reject) => {
        lastId += 1
        // The protocol defines the type of the answer to `method`.
        waiting.set(lastId, { method, resolve: resolve as (result: unknown) => void, reject })
        pipes.to.write(`${JSON.stringify({ id: lastId, method, params, sessionId })}\0`)
      }),
    on: (name, listener, sessionId) => {
      events.on(eventName(name, sessionId), listener)
      return () => events.off(eventName(name, sessionId), listener)
    },
  }
}
