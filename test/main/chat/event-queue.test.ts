import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  EventQueue,
  type EventQueueOptions,
  type Registration,
} from '../../../src/main/chat/event-queue.ts'
import { createWaker } from '../../../src/main/http/wait.ts'
import type { ChatEvent } from '../../../src/shared/core/chat/chat-event.ts'
import { type Failure, RequestFailed } from '../../../src/shared/core/failure.ts'
import * as eg from '../../support/eg.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: eg.now })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

interface WireEvent {
  readonly id: number
  readonly event: ChatEvent | null
}

const said = (id: number, messageId: number): WireEvent => ({
  id,
  event: { type: 'message', message: eg.message({ id: messageId }), localId: null },
})
const heartbeat = (id: number): WireEvent => ({ id, event: null })

const lost: Failure = {
  kind: 'refused',
  httpStatus: 400,
  code: 'BAD_EVENT_QUEUE_ID',
  message: 'gone',
}
const gone: Failure = { kind: 'network', reason: 'reset', host: 'h', reached: 'maybe' }
const silent: Failure = { kind: 'network', reason: 'timeout', host: 'h', reached: 'maybe' }

function registration(queueId: string): Registration {
  const realm = eg.realm()
  return {
    queueId,
    lastEventId: -1,
    me: { id: 1, name: 'Maria' },
    ownStatus: realm.ownStatus,
    limits: realm.limits,
    emptyTopicName: realm.emptyTopicName,
    users: realm.users,
    channels: realm.channels,
    topicPolicies: realm.topicPolicies,
    topicNames: realm.topicNames,
    mutedUsers: [],
    settings: realm.settings,
    unread: [],
    recentDirect: [],
    emoji: new Map(),
    emojiNamesUrl: null,
    rules: realm.rules,
    later: realm.later,
    maxMessageId: null,
    otherChannels: new Map(),
    groups: new Map(),
    server: { version: '11.0', featureLevel: 400 },
    longpollTimeoutMs: 90_000,
  }
}

type Answer = Failure | readonly unknown[]

/** A chat server whose polls get these answers, one each; later polls stay open. */
function follow(answers: Answer[], change: Partial<EventQueueOptions> = {}) {
  const log: string[] = []
  const applied: number[] = []
  const failures: Failure[] = []
  const bugs: unknown[] = []
  const at: number[] = []
  const abort = new AbortController()
  const waker = createWaker()
  let queues = 0
  const follower = new EventQueue({
    register: () => {
      queues += 1
      log.push(`register q${queues}`)
      return Promise.resolve(registration(`q${queues}`))
    },
    getEvents: ({ queueId, lastEventId, dontBlock, timeoutMs }, signal) => {
      log.push(`poll ${queueId} ${lastEventId}${dontBlock ? ' now' : ''}`)
      at.push(Date.now() - eg.now)
      if (!dontBlock) expect(timeoutMs).toBe(100_000)
      const answer = answers.shift()
      if (answer !== undefined && 'kind' in answer) {
        return Promise.reject(new RequestFailed(answer))
      }
      if (answer !== undefined) return Promise.resolve(answer)
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')))
      })
    },
    deleteQueue: (queueId) => {
      log.push(`delete ${queueId}`)
      return Promise.resolve()
    },
    eventId: (wire) => (wire as Partial<WireEvent>).id ?? null,
    readEvent: (wire) => {
      const { event } = wire as WireEvent
      return event === null ? [] : [event]
    },
    onSnapshot: (_snapshot, queueId) => log.push(`snapshot ${queueId}`),
    catchUp: () => {
      log.push('catch up')
      return Promise.resolve()
    },
    onEvents: (events) => {
      for (const event of events) if (event.type === 'message') applied.push(event.message.id)
    },
    newestId: () => Promise.resolve(applied.at(-1) ?? 0),
    notifiedUpTo: () => applied.at(-1) ?? 0,
    onAlive: () => {},
    onFailure: (failure) => failures.push(failure),
    onBug: (error) => bugs.push(error),
    clock: { now: Date.now, monotonic: () => performance.now(), random: () => 0.5 },
    waker,
    signal: abort.signal,
    ...change,
  })
  return { follower, log, applied, failures, bugs, at, abort, waker }
}

const start = ['register q1', 'snapshot q1', 'catch up', 'poll q1 -1']

describe('an event queue', () => {
  test('is registered, caught up with and polled, one poll at a time', async () => {
    const { log } = follow([])
    await vi.advanceTimersByTimeAsync(80_000)
    expect(log).toEqual(start)
  })

  test('lets other work run while it reads many events', async () => {
    let turns = 0
    const readIn: number[] = []
    const { applied } = follow([[said(0, 100), said(1, 101), said(2, 102)]], {
      readEvent: (wire) => {
        readIn.push(turns)
        setImmediate(() => {
          turns += 1
        })
        vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60)
        // As made by `said`.
        const { event } = wire as WireEvent
        return event === null ? [] : [event]
      },
    })
    await vi.advanceTimersByTimeAsync(1_000)
    expect(readIn).toEqual([0, 1, 2])
    expect(applied).toEqual([100, 101, 102])
  })

  test('applies each event once and acknowledges it with the next poll', async () => {
    const { log, applied } = follow([
      [said(0, 100), said(1, 101)],
      [said(1, 101), said(5, 102), said(5, 102), heartbeat(6)],
    ])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(applied).toEqual([100, 101, 102])
    expect(log).toEqual([...start, 'poll q1 1', 'poll q1 6'])
  })

  test('reports each reply once: with its events, or, if it has none, that it arrived', async () => {
    const told: string[] = []
    follow([[said(0, 100)], [heartbeat(1)], [said(1, 100), said(2, 101)]], {
      catchUp: async () => void told.push('catch up'),
      onEvents: (events) => void told.push(`${events.length} events`),
      onAlive: () => told.push('alive'),
    })
    await vi.advanceTimersByTimeAsync(1_000)
    expect(told).toEqual(['catch up', 'alive', '1 events', 'alive', '1 events'])
  })

  test('sorts consecutive messages, and moves none past another event', async () => {
    const kinds: string[] = []
    const deleted: WireEvent = { id: 3, event: { type: 'deleted', messageIds: [9] } }
    follow([[said(1, 12), said(2, 11), deleted, said(4, 10)]], {
      onEvents: (events) => {
        for (const event of events) {
          kinds.push(event.type === 'message' ? String(event.message.id) : event.type)
        }
      },
    })
    await vi.advanceTimersByTimeAsync(0)
    expect(kinds).toEqual(['11', '12', 'deleted', '10'])
  })

  test('does not acknowledge what could not be applied, but rebuilds the state', async () => {
    const onEvents = vi.fn(() => {
      throw new TypeError('bug')
    })
    const { log, bugs } = follow([[said(0, 100)]], { onEvents })
    await vi.advanceTimersByTimeAsync(1_000)
    expect(bugs).toEqual([new TypeError('bug')])
    const renewed = ['delete q1', 'register q2', 'snapshot q2', 'catch up', 'poll q2 -1']
    expect(log).toEqual([...start, ...renewed])
  })

  describe('that delivers many events at once', () => {
    const many = Array.from({ length: 10 }, (_, n) => said(n, 100 + n))

    test("is given up if one of them can't be applied just as the computer wakes", async () => {
      const onEvents = vi.fn(() => {
        followed.waker.wake()
        throw new TypeError('bug')
      })
      const followed = follow([many], { onEvents })
      await vi.advanceTimersByTimeAsync(1_000)
      expect(followed.bugs).toEqual([new TypeError('bug')])
      expect(followed.log).toContain('register q2')
    })

    test('is polled again if the next poll failed, or the computer slept meanwhile', async () => {
      const failed = follow([many, gone])
      await vi.advanceTimersByTimeAsync(10_000)
      expect(failed.log.slice(4)).toEqual(['poll q1 9', 'poll q1 9 now'])
      expect(failed.applied).toHaveLength(10)

      const woken = follow([many], {
        onEvents: () => woken.waker.wake(),
      })
      await vi.advanceTimersByTimeAsync(1_000)
      expect(woken.log.slice(4)).toEqual(['poll q1 9 now'])
      expect(woken.bugs).toEqual([])
    })
  })

  test('is requested at least twice a minute while our own code fails on its reply', async () => {
    let asked = 0
    const { bugs } = follow([], {
      register: () => {
        asked += 1
        return Promise.reject(new TypeError('bug'))
      },
      clock: { now: Date.now, monotonic: () => performance.now(), random: () => 0.999 },
    })
    await vi.advanceTimersByTimeAsync(10 * 60_000)
    const before = asked
    await vi.advanceTimersByTimeAsync(10 * 60_000)
    expect(asked - before).toBe(24)
    expect(bugs).toHaveLength(asked)
  })

  test('forgotten by the server is registered again at once, without a failure', async () => {
    const { log, failures } = follow([lost])
    await vi.advanceTimersByTimeAsync(0)
    expect(log).toEqual([...start, 'register q2', 'snapshot q2', 'catch up', 'poll q2 -1'])
    expect(failures).toEqual([])
  })

  test('that was forgotten is a failure where registering or catching up takes long', async () => {
    let count = 0
    const { failures } = follow([lost], {
      catchUp: () => {
        count += 1
        return count === 1 ? Promise.resolve() : new Promise(() => undefined)
      },
    })
    await vi.advanceTimersByTimeAsync(4_000)
    expect(failures).toEqual([])
    await vi.advanceTimersByTimeAsync(2_000)
    expect(failures).toEqual([lost])
  })

  test('lost again and again is registered with growing pauses, as a failure', async () => {
    const { at, failures } = follow(Array.from({ length: 6 }, () => lost))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(failures).toEqual(Array.from({ length: 5 }, () => lost))
    expect(at).toEqual([0, 0, 750, 2_250, 5_250, 11_250, 18_750])
  })

  test.each<[string, Failure]>([
    ['any other 400', { ...lost, code: 'BAD_REQUEST' }],
    ['an unreadable reply', { kind: 'malformed', what: 'json', where: '' }],
    ['an endless reply', { ...gone, reason: 'tooLarge' }],
  ])('is given up after %s', async (_name, failure) => {
    const { log, failures } = follow([failure])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(log.slice(4, 6)).toEqual(['delete q1', 'register q2'])
    expect(failures).toEqual([failure])
  })

  test('is registered again if one reply both sets and clears a flag, since their order is lost', async () => {
    const flagged = (id: number, present: boolean, ...messageIds: number[]): WireEvent => ({
      id,
      event: { type: 'flag', present, flag: 'read', messageIds, all: false, unread: [] },
    })
    const sure = [flagged(0, true, 7), flagged(1, false, 8), flagged(2, true, 9)]
    const { log } = follow([sure, [flagged(3, false, 7), flagged(4, true, 8, 9, 7)]])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(log.filter((line) => line.startsWith('register'))).toEqual([
      'register q1',
      'register q2',
    ])
    expect(log.at(-1)).toBe('poll q2 -1')
  })

  describe('that brings no message for a while', () => {
    /** A queue of heartbeats, and of `late` after that many of them, while the server has message 7. */
    async function quiet(late: readonly unknown[] = [], after = 100) {
      let polls = 0
      const it = follow([], {
        newestId: () => {
          it.log.push('newest')
          return Promise.resolve(7)
        },
        getEvents: ({ queueId }) =>
          new Promise((resolve) => {
            polls += 1
            const answer = polls === after ? late : [heartbeat(polls)]
            it.log.push(`poll ${queueId}`)
            setTimeout(() => resolve(answer), 50_000)
          }),
      })
      await vi.advanceTimersByTimeAsync(8 * 60_000)
      return it.log.filter((line) => /^(register|newest)/.test(line))
    }

    test('is replaced a minute after the server had a newer one', async () => {
      expect(await quiet()).toEqual(['register q1', 'newest', 'register q2'])
    })

    test('is kept if that one comes, however late', async () => {
      expect(await quiet([said(8, 7)], 8)).toEqual(['register q1', 'newest'])
    })

    test('is not replaced again for a message that its successor lacks, too', async () => {
      const log: string[] = []
      follow([], {
        newestId: () => Promise.resolve(7),
        getEvents: () =>
          new Promise((resolve) => {
            setTimeout(() => resolve([heartbeat(Date.now())]), 50_000)
          }),
        onSnapshot: (_snapshot, id) => log.push(id),
      })
      await vi.advanceTimersByTimeAsync(60 * 60_000)
      expect(log).toEqual(['q1', 'q2'])
    })

    test('is kept if the server can’t tell its newest message', async () => {
      const log: string[] = []
      follow([], {
        newestId: () => Promise.resolve(null),
        getEvents: () =>
          new Promise((resolve) => {
            setTimeout(() => resolve([heartbeat(Date.now())]), 50_000)
          }),
        onSnapshot: (_snapshot, id) => log.push(id),
      })
      await vi.advanceTimersByTimeAsync(60 * 60_000)
      expect(log).toEqual(['q1'])
    })
  })

  test('is registered again if the ids of its events begin anew', async () => {
    const { log, applied } = follow([[said(500, 100)], [said(0, 101)], [], [said(0, 102)]])
    await vi.advanceTimersByTimeAsync(5_000)
    expect(log.slice(4)).toEqual([
      'poll q1 500',
      'delete q1',
      'register q2',
      'snapshot q2',
      'catch up',
      ...['poll q2 -1', 'poll q2 -1'],
      'poll q2 0',
    ])
    // Message 101 is in what was caught up with.
    expect(applied).toEqual([100, 102])
  })

  test('is given up if its events have no ids', async () => {
    const { log } = follow([[{ type: 'odd' }]])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(log.slice(4, 6)).toEqual(['delete q1', 'register q2'])
  })

  test.each<[string, Failure]>([
    ['a network failure', gone],
    ['a 502', { kind: 'serverFault', httpStatus: 502 }],
    ['a login page', { kind: 'malformed', what: 'html', where: '' }],
  ])('survives %s, and asks for an immediate reply after it', async (_name, failure) => {
    const { log, failures } = follow([[said(0, 100)], failure, failure, [said(1, 101)]])
    await vi.advanceTimersByTimeAsync(10_000)
    const polls = ['poll q1 0', 'poll q1 0 now', 'poll q1 0 now', 'poll q1 1']
    expect(log).toEqual([...start, ...polls])
    expect(failures).toHaveLength(2)
  })

  test('pauses at most 10 s in the first minute and 25 s later', async () => {
    const clock = { now: Date.now, monotonic: () => performance.now(), random: () => 0.999_999 }
    const { at } = follow(
      Array.from({ length: 40 }, () => gone),
      { clock },
    )
    await vi.advanceTimersByTimeAsync(15 * 60_000)
    const pauses = at.slice(1).map((time, index) => Math.round((time - (at[index] ?? 0)) / 1_000))
    expect(pauses.slice(0, 6)).toEqual([1, 2, 4, 8, 10, 10])
    expect(Math.max(...pauses)).toBe(25)
  })

  test('pauses for the same time wherever the wall clock is set', async () => {
    const clock = { now: Date.now, monotonic: () => performance.now(), random: () => 0.999_999 }
    const { at } = follow(
      Array.from({ length: 40 }, () => gone),
      { clock },
    )
    for (const days of [0, 1, -2, 1]) {
      vi.setSystemTime(Date.now() + days * eg.day)
      await vi.advanceTimersByTimeAsync(15_000)
    }
    // At 0, 1, 3, 7, 15, then every ten seconds: the first minute lasts a minute.
    expect(at).toHaveLength(9)
  })

  test('restarts its back-off when woken', async () => {
    const clock = { now: Date.now, monotonic: () => performance.now(), random: () => 0.999_999 }
    const { at, waker } = follow(
      Array.from({ length: 60 }, () => gone),
      { clock },
    )
    await vi.advanceTimersByTimeAsync(15 * 60_000)
    const before = at.length
    waker.wake()
    await vi.advanceTimersByTimeAsync(15_000)
    expect(at.length - before).toBe(5)
  })

  test('ignores one silent poll, and takes two for a dead connection', async () => {
    const { log, failures } = follow([silent, silent])
    await vi.advanceTimersByTimeAsync(10_000)
    expect(log).toEqual([...start, 'poll q1 -1 now', 'poll q1 -1 now'])
    expect(failures).toEqual([silent])
  })

  test('waits as long as a 429 demands, whatever wakes it', async () => {
    const { at, waker } = follow([{ kind: 'rateLimited', retryAfterMs: 30_000 }])
    await vi.advanceTimersByTimeAsync(10_000)
    waker.wake()
    await vi.advanceTimersByTimeAsync(30_000)
    expect(at).toEqual([0, 30_250])
  })

  test('whose key is refused is retried every quarter of an hour, on request and after sleep', async () => {
    const refused: Failure = { kind: 'badKey', httpStatus: 401, message: '' }
    const { follower, failures, waker, at, log } = follow([refused, refused, refused, refused])
    await vi.advanceTimersByTimeAsync(20 * 60_000)
    follower.pollNow()
    await vi.advanceTimersByTimeAsync(60_000)
    waker.wake()
    await vi.advanceTimersByTimeAsync(16 * 60_000)
    expect(at).toEqual([0, 902_500, 1_200_000, 1_260_000, 2_162_500])
    expect(failures).toEqual([refused, refused, refused, refused])
    expect(log.filter((entry) => entry.startsWith('register'))).toEqual(['register q1'])
  })

  test('keeps its queue when a proxy answers 401', async () => {
    const { log } = follow([{ kind: 'malformed', what: 'unauthorized', where: '' }])
    await vi.advanceTimersByTimeAsync(10_000)
    expect(log).toEqual([...start, 'poll q1 -1 now'])
  })

  test('never spins on empty replies', async () => {
    const { at } = follow(Array.from({ length: 1_000 }, () => []))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(at.length).toBeLessThan(12)
  })

  test('is polled again after sleep, even if an earlier poll hangs', async () => {
    const { log, waker, failures } = follow([])
    await vi.advanceTimersByTimeAsync(50_000)
    waker.wake()
    await vi.advanceTimersByTimeAsync(0)
    expect(log).toEqual([...start, 'poll q1 -1 now'])
    expect(failures).toEqual([])
  })

  test('counts a poll after sleep as failed if it is not answered at once, and gives the next ones more time', async () => {
    const polls: number[] = []
    const { waker, failures } = follow([], {
      getEvents: ({ dontBlock, timeoutMs }, signal) =>
        new Promise((_resolve, reject) => {
          if (dontBlock) polls.push(timeoutMs)
          setTimeout(() => reject(new RequestFailed(silent)), timeoutMs)
          signal.addEventListener('abort', () => reject(new Error('aborted')))
        }),
    })
    await vi.advanceTimersByTimeAsync(50_000)
    waker.wake()
    await vi.advanceTimersByTimeAsync(29_000)
    expect(failures).toEqual([])
    await vi.advanceTimersByTimeAsync(2_000)
    expect(failures).toEqual([silent])
    await vi.advanceTimersByTimeAsync(5 * 60_000)
    expect(polls).toEqual([30_000, 60_000, 90_000, 100_000, 100_000])
  })

  test('polls anew when an event is overdue, once for each open poll', async () => {
    const { follower, log, failures } = follow([])
    await vi.advanceTimersByTimeAsync(50_000)
    follower.pollOverdue()
    await vi.advanceTimersByTimeAsync(0)
    expect(log).toEqual([...start, 'poll q1 -1 now'])
    // That one is to be answered at once: only its deadline ends it.
    follower.pollOverdue()
    await vi.advanceTimersByTimeAsync(0)
    expect(log).toEqual([...start, 'poll q1 -1 now'])
    expect(failures).toEqual([])
  })

  test('keeps to its back-off when an event is overdue', async () => {
    const { follower, log } = follow([gone, gone, gone])
    await vi.advanceTimersByTimeAsync(2_000)
    const before = [...log]
    follower.pollOverdue()
    await vi.advanceTimersByTimeAsync(0)
    expect(log).toEqual(before)
  })

  test('ends its back-off when woken', async () => {
    const { at, waker } = follow([gone, gone, gone, gone, gone])
    await vi.advanceTimersByTimeAsync(8_000)
    const before = at.length
    waker.wake()
    await vi.advanceTimersByTimeAsync(0)
    expect(at).toHaveLength(before + 1)
  })

  test('retries a failed catch-up before any poll', async () => {
    const catchUp = vi.fn<EventQueueOptions['catchUp']>(() => Promise.resolve())
    catchUp.mockRejectedValueOnce(new RequestFailed(gone))
    const { log } = follow([], { catchUp })
    await vi.advanceTimersByTimeAsync(5_000)
    expect(catchUp).toHaveBeenCalledTimes(2)
    expect(log).toEqual(['register q1', 'snapshot q1', 'poll q1 -1'])
  })

  test('is renewed after a random delay when the server restarts as another version', async () => {
    const restarted = (id: number, featureLevel: number): WireEvent => ({
      id,
      event: { type: 'restarted', featureLevel },
    })
    const same = follow([[restarted(0, 400)]])
    const other = follow([[restarted(0, 401)], [], []])
    await vi.advanceTimersByTimeAsync(120_000)
    expect(same.log).not.toContain('register q2')
    other.waker.wake()
    await vi.advanceTimersByTimeAsync(0)
    expect(other.log.slice(-5)).toEqual([
      'delete q1',
      'register q2',
      'snapshot q2',
      'catch up',
      'poll q2 -1',
    ])
  })

  test('is deleted at the end, waiting at most a second', async () => {
    const { abort, follower } = follow([], {
      deleteQueue: (_queueId, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('too slow')))
        }),
    })
    const ended = vi.fn()
    void follower.done.then(ended)
    await vi.advanceTimersByTimeAsync(100)
    abort.abort()
    await vi.advanceTimersByTimeAsync(999)
    expect(ended).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(ended).toHaveBeenCalled()
    expect(vi.getTimerCount()).toBe(0)
  })

  test('loses no message and applies none twice, whatever fails, and whenever it fails', async () => {
    const fault = fc.constantFrom('ok', 'ok', 'before', 'after', 'lost', 'late', 'bug')
    await fc.assert(
      fc.asyncProperty(
        fc.array(fault, { maxLength: 40 }),
        // Messages at a time.
        fc.constantFrom(1, 15),
        async (faults, burst) => {
          const world = chatWorld(faults)
          const { abort, follower } = follow([], world.options)
          for (let id = 1; id <= 60 * burst; id += 1) {
            world.say(id)
            if (id % burst === 0) await vi.advanceTimersByTimeAsync(500)
          }
          await vi.advanceTimersByTimeAsync(10 * 60_000)
          abort.abort()
          await vi.advanceTimersByTimeAsync(2_000)
          await follower.done
          expect(world.held()).toEqual(Array.from({ length: 60 * burst }, (_, at) => at + 1))
        },
      ),
      { numRuns: 40 },
    )
  })
})

/** A server with a real queue whose polls meet the given faults, and what a client applied. */
function chatWorld(faults: readonly string[]) {
  const history: number[] = []
  const held: number[] = []
  let queue: { name: string; from: number } | null = null
  let polls = 0
  let made = 0
  let hasBug = false
  const events = (lastEventId: number) =>
    history
      .slice(queue?.from ?? 0)
      .map((message, id) => said(id, message))
      .filter(({ id }) => id > lastEventId)
  const options: Partial<EventQueueOptions> = {
    register: () => {
      made += 1
      queue = { name: `w${made}`, from: history.length }
      return Promise.resolve(registration(queue.name))
    },
    catchUp: () => {
      const last = held.at(-1) ?? 0
      held.push(...history.filter((id) => id > last))
      return Promise.resolve()
    },
    getEvents: async ({ queueId, lastEventId }) => {
      const fault = faults[polls] ?? 'ok'
      polls += 1
      if (fault === 'before') throw new RequestFailed(gone)
      if (fault === 'lost') queue = null
      if (fault === 'bug') hasBug = true
      if (queue?.name !== queueId) throw new RequestFailed(lost)
      if (fault === 'late') await new Promise((resolve) => setTimeout(resolve, 3_000))
      await new Promise((resolve) => setTimeout(resolve, 100))
      const answer = events(lastEventId)
      if (fault === 'after') throw new RequestFailed(silent)
      return answer
    },
    onEvents: (batch) => {
      if (hasBug) {
        hasBug = false
        throw new TypeError('bug')
      }
      for (const event of batch) {
        // Merged by id, as in the state; catching up would miss a message below the held ones.
        if (event.type !== 'message' || held.includes(event.message.id)) continue
        held.push(event.message.id)
      }
    },
    onFailure: () => {},
  }
  return { options, say: (id: number) => history.push(id), held: () => held }
}
