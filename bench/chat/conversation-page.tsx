import { render } from 'preact'
import { ConversationPane } from '../../src/renderer/chat/conversation-pane.tsx'
import { followState } from '../../src/renderer/window-state.ts'
import '../../src/renderer/styles.css'
import type { Bridge } from '#shared/contract.ts'
import type { Message } from '#shared/core/chat/message.ts'
import { type Patch, patchBetween } from '#shared/core/patch.ts'
import { type AppState, emptyState } from '#shared/core/state.ts'
import * as eg from '../../test/support/eg.ts'
import { typeInto } from '../board/timed.ts'
import { corpus } from './corpus.ts'

declare global {
  interface Window {
    conversation: {
      /**
       * Opens a conversation with this many messages, in a realm with this many people and a
       * channel for each 25 of them; ms until the newest messages are laid out, and until all are.
       */
      open(
        contender: ConversationContender,
        count: number,
        people: number,
      ): Promise<{ readonly openMs: number; readonly wholeMs: number }>
      /** This many messages arrive, each in its own task; ms until they are laid out. */
      burst(count: number): Promise<number>
      /** Ms from each letter typed to the layout of its completions. */
      complete(text: string): Promise<readonly number[]>
      completions(): readonly string[]
    }
  }
}

export type ConversationContender = 'unsafe innerHTML' | 'app' | 'a layout each'

/** The parts of the page that the contenders draw. */
interface Drawn {
  readonly column: Element
  /** A function for each message, which makes it arrive. */
  readonly arrivals: (messages: readonly Message[]) => readonly (() => void)[]
}

const root = document.querySelector('#app')
if (root === null) throw new Error('the page has no #app')
const app: Element = root

const firstNames = ['Ana', 'Boris', 'Chidi', 'Emil', 'Kwame', 'Nora', 'Šárka']
const lastNames = 'Andersson Dubois Haddad Ito Kovač Lind Müller Nguyen Novak Okafor Rossi'.split(
  ' ',
)

let patched: Parameters<Bridge['follow']>[0] = () => undefined
const bridge: Bridge = {
  call: async () => ({ ok: true, value: undefined }),
  follow: (listener) => {
    patched = listener
    return () => undefined
  },
}
Object.defineProperty(window, 'bridge', { value: bridge })

const there = { accountId: eg.chatId, conversation: eg.topic }
/** Two people take turns with three messages each, a minute apart. */
function messagesOf(count: number): readonly Message[] {
  return corpus(count).map((html, at) =>
    eg.message({
      id: 1_000 + at,
      html,
      senderId: at % 6 < 3 ? eg.ana.id : eg.me.id,
      senderName: at % 6 < 3 ? eg.ana.name : eg.me.name,
      sentAt: eg.now - (400 - at) * eg.minute,
      flags: ['read'],
    }),
  )
}

let state = emptyState
let shown: readonly Message[] = []
let drawn: Drawn | null = null

/** A patch as main pushes it: serialised and read back. */
function patchTo(next: AppState): Patch {
  const patch = structuredClone(patchBetween(state, next))
  state = next
  return patch
}

let people = 0

function stateWith(messages: readonly Message[]): AppState {
  const usual = eg.realm(messages)
  const users = new Map(usual.users)
  const channels = new Map(usual.channels)
  for (let id = 1_000; id < 1_000 + people; id += 1) {
    const [first = '', last = ''] = [firstNames[id % 7], lastNames[id % 11]]
    users.set(id, { id, name: `${first} ${last} ${id}`, isBot: false })
    if (id % 25 === 0) channels.set(id, eg.channel({ id, name: `team-${id}` }))
  }
  const realm = { ...usual, users, channels }
  const before = state.realms.get(eg.chatId)
  if (before === undefined) return eg.state({ realms: new Map([[eg.chatId, realm]]) })
  const { messages: held, conversations } = realm
  return { ...state, realms: new Map([[eg.chatId, { ...before, messages: held, conversations }]]) }
}

function openApp(messages: readonly Message[]): Drawn {
  render(
    <div style={{ height: '680px', display: 'flex' }}>
      <ConversationPane {...there} messageId={null} />
    </div>,
    app,
  )
  return {
    column: columnIn(app),
    arrivals: (more) => {
      const patches = more.map((_, at) =>
        patchTo(stateWith([...messages, ...more.slice(0, at + 1)])),
      )
      return patches.map((patch) => () => patched(patch, true))
    },
  }
}

/** The same column with the same styles, set as raw markup at once. */
function openUnsafe(messages: readonly Message[], layoutEach: boolean): Drawn {
  app.innerHTML = `<div style="height:680px;display:flex"><section class="conversation"><div class="column-frame"><div class="message-column">${rowsOf(messages, 0)}</div></div></section></div>`
  const column = columnIn(app)
  column.scrollTop = column.scrollHeight
  const add = (one: Message, at: number): void => {
    column.insertAdjacentHTML('beforeend', rowsOf([one], at))
    if (layoutEach) column.scrollTop = column.scrollHeight
  }
  return {
    column,
    arrivals: (more) => more.map((one, at) => () => add(one, messages.length + at)),
  }
}

function rowsOf(messages: readonly Message[], from: number): string {
  return messages
    .map((message, at) => {
      const isFirst = (from + at) % 3 === 0
      const time = new Date(message.sentAt).toISOString()
      const head = `<div class="message-head"><span class="sender">${message.senderName}</span><time datetime="${time}">${time.slice(11, 16)}</time></div>`
      return `<article class="message${isFirst ? ' message-first' : ''}">${isFirst ? head : ''}<div class="message-html">${message.html}</div></article>`
    })
    .join('')
}

function columnIn(within: Element): Element {
  const column = within.querySelector('.message-column')
  if (column === null) throw new Error('there is no column')
  return column
}

window.conversation = {
  async open(contender, count, inRealm) {
    people = inRealm
    shown = messagesOf(count)
    if (contender === 'app') {
      followState()
      state = stateWith(shown)
      // As the first patch of a window: the whole state.
      patched([{ path: [], value: structuredClone(state) }], true)
    }
    const startedAt = performance.now()
    drawn = contender === 'app' ? openApp(shown) : openUnsafe(shown, contender === 'a layout each')
    // By then, what signals triggered is drawn too.
    await task()
    void drawn.column.scrollHeight
    const openMs = performance.now() - startedAt
    // What loads late moves the end, which the app follows with the next frame and the bound doesn't.
    await frames()
    if (contender === 'app') isInSight()
    // What is out of view may be drawn when idle.
    while (drawn.column.querySelectorAll('article').length < count)
      await new Promise((resolve) => requestAnimationFrame(resolve))
    void drawn.column.scrollHeight
    const wholeMs = performance.now() - startedAt
    isAllThere()
    await frames()
    if (contender === 'app') isInSight()
    return { openMs, wholeMs }
  },

  async burst(count) {
    if (drawn === null) throw new Error('no conversation is open')
    const { column, arrivals } = drawn
    const more = messagesOf(shown.length + count).slice(shown.length)
    const steps = arrivals(more)
    shown = [...shown, ...more]
    await frames()
    const startedAt = performance.now()
    for (const step of steps) {
      step()
      // Each message reaches a window in a task of its own.
      await task()
    }
    while (column.querySelectorAll('article').length < shown.length) await task()
    void column.scrollHeight
    const took = performance.now() - startedAt
    await frames()
    isAllThere()
    return took
  },

  complete: (text) => typeInto('.conversation textarea', text),
  completions: () => [...document.querySelectorAll('.completion')].map((one) => one.textContent),
}

function task(): Promise<void> {
  return new Promise((resolve) => {
    const channel = new MessageChannel()
    channel.port1.onmessage = () => {
      channel.port1.close()
      resolve()
    }
    channel.port2.postMessage(null)
  })
}

/** Waits until nothing is left to draw. */
async function frames(): Promise<void> {
  for (let n = 0; n < 3; n += 1) await new Promise((resolve) => requestAnimationFrame(resolve))
  await task()
}

/** Checks that the column is full to its top, with the newest message at its bottom. */
function isInSight(): void {
  const column = columnIn(app)
  const { top, bottom } = column.getBoundingClientRect()
  const rows = [...column.querySelectorAll('article')].map((row) => row.getBoundingClientRect())
  const first = rows[0]?.top ?? Number.POSITIVE_INFINITY
  const last = rows.at(-1)?.bottom ?? Number.POSITIVE_INFINITY
  if (first > top || last > bottom || last < bottom - 20)
    throw new Error(`rows from ${first} to ${last} in a column from ${top} to ${bottom}`)
}

/**
 * Checks that all messages are there, in order; the text of an expensive one waits until it is in
 * view.
 */
function isAllThere(): void {
  const column = columnIn(app)
  const found = [...column.querySelectorAll('article .message-html')].map((one, at) =>
    one.classList.contains('message-waiting') ? at : / #(\d+)/.exec(one.textContent)?.[1],
  )
  if (found.join() !== shown.map((_, at) => at).join()) throw new Error(`shown: ${found.join()}`)
}
