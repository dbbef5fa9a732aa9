import { describe, expect, test } from 'vitest'
import {
  type DraftLink,
  type DraftRequest,
  mergedDraft,
} from '../../../../src/shared/core/chat/drafts.ts'
import type { ServerDraft } from '../../../../src/shared/core/chat/kept-for-later.ts'
import { scheduledOf } from '../../../../src/shared/core/chat/scheduled.ts'
import { seeded } from '../../../support/seeded.ts'

const conversation = { kind: 'direct', userIds: [12] } as const

/** Two devices draft in one conversation: this one by `mergedDraft`, the other on the server. */
function twoDevices(seed: number) {
  const { random } = seeded(seed)
  const upTo = (count: number) => Math.floor(random() * count)
  const server = new Map<number, ServerDraft>()
  const seen = new Map<number, string>()
  /** The simple oracle: what was written, until somebody who had seen it replaced or removed it. */
  const alive = new Set<string>()
  /** What was sent or cleared here while its creation was unanswered. */
  const sentHere = new Set<string>()
  const late: (() => void)[] = []
  let text = ''
  let link: DraftLink | null = null
  let lastId = 0
  let words = 0

  const write = (over: string): string => {
    words += 1
    alive.delete(over.trim())
    const written = random() < 0.2 ? '' : `text ${words}`
    if (written !== '') alive.add(written)
    return written
  }
  const save = (id: number, content: string): void => {
    if (content === '') server.delete(id)
    else server.set(id, { id, conversation, content: content.trim(), editedAt: words })
  }

  function type(): void {
    const before = text.trim()
    text = write(text)
    if (text === '' && link?.id === null && link.sent === before) sentHere.add(before)
    // Indented code: the server trims the leading spaces of its copy.
    if (text !== '' && random() < 0.3) text = `    ${text}`
    if (text !== '') link ??= { conversation, id: null, base: '', sent: null }
    else if (link?.id === null && link.sent === null) link = null
  }

  function otherDevice(): void {
    const drafts = [...server.values()]
    const one = drafts[upTo(drafts.length + 1)]
    lastId += one === undefined ? 1 : 0
    save(one?.id ?? lastId, write(one?.content ?? ''))
  }

  /** Reads the list, merges, and sends what is missing there; request or reply may be lost. */
  function synchronize(isSure: boolean): void {
    const id = link?.id
    const others = [...server.values()].filter((one) => one.id !== id)
    const own = id == null ? undefined : server.get(id)
    const merged = mergedDraft(
      { conversation, text, link },
      own,
      others,
      (one) => seen.get(one.id) !== one.content,
    )
    // What is typed here is never replaced by the server's trimmed copy.
    if (merged.text.trim() === text.trim()) expect(merged.text).toBe(text)
    text = merged.text
    link = merged.link
    for (const one of server.values()) seen.set(one.id, one.content)
    if (merged.request !== null) send(merged.request, isSure ? 1 : random())
  }

  function send(request: DraftRequest, fate: number): void {
    const content = request.does === 'delete' ? '' : request.text
    if (link !== null) link = { ...link, sent: content }
    if (fate < 0.2) return
    if (fate < 0.3 && request.does === 'create') return void late.push(() => arrive(content))
    lastId += request.does === 'create' ? 1 : 0
    const at = request.does === 'create' ? lastId : request.id
    save(at, content)
    if (fate < 0.4) return
    link = content === '' ? null : { conversation, id: at, base: content, sent: null }
    seen.set(at, content)
  }

  /**
   * The server makes a draft whose text is gone here; other late ones are removed as duplicates.
   */
  function arrive(content: string): void {
    if (!sentHere.has(content.trim())) return
    lastId += 1
    save(lastId, content)
  }

  function step(isSure: boolean): void {
    const what = random()
    if (what < 0.35) type()
    else if (what < 0.6) otherDevice()
    else if (what < 0.9) synchronize(isSure)
    else late.shift()?.()
  }

  return {
    step,
    sentHere,
    synchronize,
    alive: () => [...alive].sort(),
    here: () => text.trim(),
    there: () => [...server.values()].map(({ content }) => content).sort(),
  }
}

describe('drafts on two devices', () => {
  test.each([
    ['and nothing else', true],
    ['even if replies are lost: then possibly twice', false],
  ])(
    'keep everything that nobody knowingly replaced or removed, %s, in 2,000 generated stories',
    (_, isSure) => {
      let conflicts = 0
      for (let seed = 1; seed <= 2_000; seed += 1) {
        const it = twoDevices(seed)
        for (let step = 0; step < 25; step += 1) {
          it.step(isSure)
          expect({ seed, step, again: it.sentHere.has(it.here()) }).toEqual({
            seed,
            step,
            again: false,
          })
          const somewhere = new Set([it.here(), ...it.there()])
          const lost = it.alive().filter((text) => !somewhere.has(text))
          expect({ seed, step, lost }).toEqual({ seed, step, lost: [] })
        }
        it.synchronize(true)
        it.synchronize(true)
        const there = it.there()
        if (isSure) expect({ seed, there }).toEqual({ seed, there: it.alive() })
        expect(there).toEqual([...new Set(there)])
        expect(there).toEqual(expect.arrayContaining(it.alive()))
        if (it.here() !== '') expect(there).toContain(it.here())
        if (there.length > 1) conflicts += 1
      }
      // Control: conflicts occurred.
      expect(conflicts).toBeGreaterThan(300)
    },
  )
})

describe('a scheduled message', () => {
  const entry = { id: 'x', accountId: 'chat', conversation, text: 'Hi ', at: 9_000, triedAt: 0 }
  const message = { id: 7, conversation, content: 'Hi', at: 9_000, failed: false }

  test('is recognised by place, text and time, unless it was there before', () => {
    expect(scheduledOf({ ...entry, known: [] }, [message])).toBe(message)
    expect(scheduledOf({ ...entry, known: [7] }, [message])).toBeUndefined()
    expect(scheduledOf({ ...entry, known: [] }, [{ ...message, at: 10_000 }])).toBeUndefined()
    const other = { ...message, conversation: { kind: 'direct', userIds: [13] } as const }
    expect(scheduledOf({ ...entry, known: [] }, [other])).toBeUndefined()
  })
})
