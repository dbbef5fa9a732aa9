import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { Message } from '#shared/core/chat/message.ts'
import { Description } from '../../../src/renderer/board/check-facts.tsx'
import { ConversationPane } from '../../../src/renderer/chat/conversation-pane.tsx'
import * as eg from '../../support/eg.ts'
import { allDrawn, drawnByItself, mount, withBridge, withState } from '../mount.ts'

const place = { accountId: eg.chatId, conversation: eg.message().conversation } as const
/** What one message may be at first, in whatever script it is. */
const mostElements = 1_400
const mostCharacters = 13_000

/** A conversation with these messages, once all is drawn that comes without being asked for. */
async function shown(messages: readonly Partial<Message>[]): Promise<readonly Element[]> {
  withBridge()
  const all = messages.map((one, at) => eg.message({ id: 5_000 + at, ...one }))
  withState(eg.state({ realms: new Map([[eg.chatId, eg.realm(all)]]) }))
  const frame = mount(
    <div style={{ height: '400px', width: '420px', display: 'flex' }}>
      <ConversationPane {...place} messageId={null} />
    </div>,
  )
  await drawnByItself(frame.element())
  return [...frame.element().querySelectorAll('[data-message]')]
}

const poll = (options: readonly string[]): Partial<Message> => {
  const content = JSON.stringify({ widget_type: 'poll', extra_data: { question: 'q', options } })
  return { html: '<p>/poll q</p>', submessages: [{ id: 1, senderId: 2, content }] }
}

/** More than any server lets a member write. */
const long = 60_000
const written = (piece: string, length: number): Partial<Message> => {
  const text = piece.repeat(Math.floor(length / piece.length))
  return { html: `<p>${text}</p>`, text }
}

/** Each is within the service's own limits, or what a server may send. */
const cases: Readonly<Record<string, readonly Partial<Message>[]>> = {
  'ten messages of Thai': Array<Partial<Message>>(10).fill(written('กำ', long)),
  'ten of Lao': Array<Partial<Message>>(10).fill(written('ກຳ', long)),
  'ten of Khmer': Array<Partial<Message>>(10).fill(written('ក្ក', long)),
  'ten of Myanmar': Array<Partial<Message>>(10).fill(written('က္က', long)),
  'ten of Tibetan': Array<Partial<Message>>(10).fill(written('ཀྵྨླྀ', long)),
  'ten of Javanese': Array<Partial<Message>>(10).fill(written('ꦏ꧀ꦏꦾ', long)),
  'halves of characters': [written('\ud800', long), written('\udc00', long)],
  'mathematical letters': [written('\u{1d400}', 2 * long)],
  'a poll of 20 options of 9,000 letters': [
    poll(Array.from({ length: 20 }, (_, at) => `${at}${'x'.repeat(9_000)}`)),
  ],
  'a poll of 20 options of 9,000 Thai letters': [
    poll(Array.from({ length: 20 }, (_, at) => `${at}${'กำ'.repeat(4_500)}`)),
  ],
  'a poll of 2,000 options': [poll(Array.from({ length: 2_000 }, (_, at) => `option ${at}`))],
  '2,000 reactions': [
    {
      ...written('x', 10),
      reactions: Array.from({ length: 2_000 }, (_, at) => ({
        ...{ name: `x${at}`, code: `${at}`, type: 'realm_emoji', userId: at },
      })),
    },
  ],
  '500 kB of handlers': [{ html: '<p onclick="x">x</p>'.repeat(25_000), text: 'x' }],
  'a handler of 500 kB': [{ html: `<p onclick="${'x'.repeat(500_000)}">x</p>`, text: 'x' }],
  '500 kB of styles': [{ html: "<p style='a'>x</p>".repeat(27_000), text: 'x' }],
}

test.each(Object.entries(cases))('%s are drawn up to the same caps', async (_what, messages) => {
  const drawn = await shown(messages)
  expect(drawn).toHaveLength(messages.length)
  for (const one of drawn) {
    expect(one.querySelectorAll('*').length).toBeLessThan(mostElements)
    expect(one.textContent.length).toBeLessThan(mostCharacters)
  }
  expect(drawn.at(-1)?.textContent).toMatch(/[x\u{1d400}กກកကཀꦏ\ufffd\ud800\udc00]|option 1/u)
})

test('400 brackets of 99,999,999 px take the room of brackets', async () => {
  const bracket = '<mo stretchy="true" minsize="99999999px">(</mo>'
  const math = `<math>${bracket.repeat(400)}</math>`
  const [drawn] = await shown([
    { html: `<p><span class="katex"><span class="katex-mathml">${math}</span></span></p>` },
  ])
  // On a slow computer it comes only when asked for.
  await allDrawn(document.body)
  expect(drawn?.querySelectorAll('mo').length).toBeGreaterThan(100)
  for (const mo of drawn?.querySelectorAll('mo') ?? [])
    expect(mo.getBoundingClientRect().height).toBeLessThan(100)
})

test('a description of 200,000 characters in one line is shown in parts', async () => {
  withBridge()
  mount(<Description text={'กำ'.repeat(100_000)} />)
  await expect.element(page.getByText(/^(?:กำ)+/)).toBeInTheDocument()
  const text = document.querySelector('.detail-description')?.textContent ?? ''
  expect(text.length).toBeLessThan(mostCharacters)
})
