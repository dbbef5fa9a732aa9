import { describe, expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import type { MessageContext } from '../../../src/renderer/chat/message-context.ts'
import { MessageHtml } from '../../../src/renderer/chat/message-html.tsx'
import { mount } from '../mount.ts'

function draw(html: string) {
  const opened: string[] = []
  const context: MessageContext = {
    baseUrl: 'https://chat.example.org',
    myId: 1,
    myGroups: new Set(),
    nameOf: () => null,
    onLink: (url) => opened.push(url),
    onPlace: () => false,
    loadPicture: null,
    onShowPictures: () => undefined,
  }
  const screen = mount(<MessageHtml html={html} text="" isAction={false} context={context} />)
  return { screen, opened }
}

const disguised = '<p><a href="https://evil.example/login">https://bank.example/login</a></p>'

describe('a link that names one host and leads to another', () => {
  test('asks by keyboard, and opens only on a yes', async () => {
    const { screen, opened } = draw(disguised)
    const link = screen.getByRole('link')
    link.element().focus()
    await userEvent.keyboard('{Enter}')
    const question = screen.getByRole('dialog')
    await expect
      .element(question.getByText(/^This link says/))
      .toHaveTextContent(
        'This link says https://bank.example/login but goes to evil.example. Open?',
      )
    expect(opened).toEqual([])
    await userEvent.keyboard('{Escape}')
    await expect.element(question).not.toBeInTheDocument()
    expect(opened).toEqual([])
    await expect.poll(() => document.activeElement).toBe(link.element())

    await userEvent.keyboard('{Enter}')
    // Close, Cancel, Open.
    await userEvent.keyboard('{Tab}{Tab}')
    await expect.element(question.getByRole('button', { name: 'Open evil.example' })).toHaveFocus()
    await userEvent.keyboard('{Enter}')
    expect(opened).toEqual(['https://evil.example/login'])
    await expect.element(question).not.toBeInTheDocument()
  })

  test('isn’t opened by a second Enter meant for the first dialog', async () => {
    const { screen, opened } = draw(disguised)
    screen.getByRole('link').element().focus()
    await userEvent.keyboard('{Enter}{Enter}')
    expect(opened).toEqual([])
  })

  test.each([
    '<p><a href="https://bank.example/login">https://bank.example/login</a></p>',
    '<p><a href="https://www.bank.example/">bank.example</a></p>',
    '<p><a href="https://evil.example/">our minutes</a></p>',
  ])('isn’t questioned if its text is true or names no host: %s', async (html) => {
    const { screen, opened } = draw(html)
    await screen.getByRole('link').click()
    expect(opened).toHaveLength(1)
    expect(screen.getByRole('dialog').elements()).toEqual([])
  })
})
