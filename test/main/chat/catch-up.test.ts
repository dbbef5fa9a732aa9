import { describe, expect, test } from 'vitest'
import { fetchMissed, type MissedOptions } from '../../../src/main/chat/realm-history.ts'
import * as eg from '../../support/eg.ts'

const signal = new AbortController().signal

/** A server with messages of these ids, which gives at most three at a time. */
function serverWith(ids: readonly number[]) {
  const anchors: number[] = []
  const getMessages: MissedOptions['getMessages'] = ({ anchor, num_after: count }) => {
    anchors.push(anchor)
    const newer = ids.filter((id) => id > anchor)
    const page = newer.slice(0, Math.min(count, 3))
    const messages = page.map((id) => eg.message({ id })).reverse()
    return Promise.resolve({ messages, foundNewest: page.length === newer.length })
  }
  return { getMessages, anchors }
}

const idsOf = (messages: readonly { id: number }[]) => messages.map(({ id }) => id)

describe('missed messages', () => {
  test('are fetched page by page until the newest, ascending', async () => {
    const { getMessages, anchors } = serverWith([5, 8, 9, 11, 20, 21, 30, 31])
    const missed = (await fetchMissed({ after: 5, signal, getMessages })).messages
    expect(idsOf(missed)).toEqual([8, 9, 11, 20, 21, 30, 31])
    expect(anchors).toEqual([5, 11, 30])
  })

  test('are none when there is nothing newer', async () => {
    expect((await fetchMissed({ after: 5, signal, ...serverWith([5]) })).messages).toEqual([])
  })

  test('are not fetched without end', async () => {
    const { getMessages } = serverWith(Array.from({ length: 100 }, (_, at) => at + 1))
    const missed = await fetchMissed({ after: 0, signal, getMessages, limit: 10 })
    expect(idsOf(missed.messages)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(missed.complete).toBe(false)
  })

  test('are not taken for none when an answer holds none and does not say that these are all', async () => {
    let asked = 0
    const getMessages = () => {
      asked += 1
      return Promise.resolve({ messages: [], foundNewest: false })
    }
    await expect(fetchMissed({ after: 5, signal, getMessages })).rejects.toMatchObject({
      failure: { kind: 'malformed' },
    })
    expect(asked).toBe(1)
  })
})
