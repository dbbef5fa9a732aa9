import type { Random } from '../../src/demo/answers.ts'
import type { World } from '../../src/demo/world.ts'
import type { HttpReply } from '../../src/shared/http.ts'
import { type AimedReply, serveWorld, type WorldServer } from '../support/world-server.ts'

/** The share of sends that get no response, before or after the server has handled them. */
const hangs = { before: 0.1, after: 0.1 } as const

/** The changes the app requests, by method and path. */
const aims = {
  send: /^POST .*\/api\/v1\/messages$/,
  upload: /^POST .*\/(user_uploads|tus)\b/,
  reaction: /^(POST|DELETE) .*\/reactions$/,
  read: /^POST .*\/messages\/flags$/,
  check: /^POST .*\/api\/v3\/checks\//,
  edit: /^PATCH .*\/api\/v1\/messages\/\d+$/,
  schedule: /^POST .*\/scheduled_messages$/,
} as const

/** Where a request is when the app is killed; `after`: the last byte of the response is written. */
const stages = ['before', 'acted', 'middle', 'after'] as const

export interface Aim {
  readonly at: keyof typeof aims
  readonly stage: (typeof stages)[number]
  /** How many of its kind pass first. */
  readonly skip: number
}

export function randomAim(random: Random): Aim {
  const pick = <T>(list: readonly T[], otherwise: T): T =>
    list[Math.floor(random() * list.length)] ?? otherwise
  // `Object.keys` widens the type.
  const kinds = Object.keys(aims) as (keyof typeof aims)[]
  return { at: pick(kinds, 'send'), stage: pick(stages, 'acted'), skip: Math.floor(random() * 4) }
}

/** The servers of one lane: they outlive all its kills, and leave some sends hanging. */
export interface Service {
  readonly server: WorldServer
  /** Makes the server answer every send from now on. */
  calm(): void
  /** Calls back once when a request of this kind has reached this stage, and holds it there. */
  aim(aim: Aim, onReached: () => void): void
  /** The current aim: actors make this request first. */
  aimedAt(): Aim['at'] | null
  /** Clears the aim. */
  rest(): void
  /** How often each text is among the realm's messages. */
  texts(): ReadonlyMap<string, number>
  firstMessage(): number
  /** Whether the user has added this reaction to the first message. */
  hasReacted(code: string): boolean
  unread(): ReadonlySet<number>
  /** How many files the chat server accepted. */
  uploads(): number
  /** A message that the user wrote before all lives. */
  ownMessage(): { readonly id: number; readonly text: string }
  /** How often each text was scheduled. */
  scheduled(): ReadonlyMap<string, number>
}

export async function openService(seed: number, random: () => number): Promise<Service> {
  const rateLimit = 1_000_000
  const server = await serveWorld({ now: Date.now, seed, lively: false, rateLimit })
  const { world } = server
  const answer = world.handle
  const { user, controls } = world.realm
  let isCoolingDown = false
  let aimed: { readonly aim: Aim; readonly onReached: () => void } | null = null
  let toSkip = 0
  let uploads = 0
  const scheduled = new Map<string, number>()
  const own = controls.messages().findLast(({ senderId }) => senderId === user.id)?.id ?? 0
  const hits = (line: string): Aim['stage'] | null => {
    if (aimed === null || !aims[aimed.aim.at].test(line)) return null
    toSkip -= 1
    return toSkip < 0 ? aimed.aim.stage : null
  }
  const reach = () => {
    aimed?.onReached()
    aimed = null
  }
  /** What it did that can't be seen in the world. */
  const note = (line: string, body: unknown) => {
    if (aims.upload.test(line)) uploads += 1
    if (!aims.schedule.test(line)) return
    const text = new URLSearchParams(String(body)).get('content') ?? ''
    scheduled.set(text, (scheduled.get(text) ?? 0) + 1)
  }
  const handle: World['handle'] = async (request, signal) => {
    const { pathname } = new URL(request.url)
    const line = `${request.method} ${pathname}`
    const stage = hits(line)
    if (stage === 'before') {
      reach()
      return silence(signal)
    }
    const roll = aims.send.test(line) && !isCoolingDown && stage === null ? random() : 1
    if (roll < hangs.before) return silence(signal)
    const reply = await answer(request, signal)
    if (reply.status < 300) note(line, request.body)
    if (roll < hangs.before + hangs.after) return silence(signal)
    if (stage === null) return reply
    if (stage === 'acted') {
      reach()
      return silence(signal)
    }
    return {
      ...reply,
      written: { share: stage === 'middle' ? 0.5 : 1, onWritten: reach },
    } as AimedReply
  }
  Object.assign(world, { handle })
  const first = () => controls.messages()[0]
  return {
    server,
    calm: () => {
      isCoolingDown = true
    },
    aim: (aim, onReached) => {
      aimed = { aim, onReached }
      toSkip = aim.skip
    },
    aimedAt: () => aimed?.aim.at ?? null,
    rest: () => {
      aimed = null
    },
    texts: () => {
      const times = new Map<string, number>()
      for (const { content } of controls.messages())
        times.set(content, (times.get(content) ?? 0) + 1)
      return times
    },
    firstMessage: () => first()?.id ?? 0,
    hasReacted: (code) =>
      first()?.reactions.some((one) => one.user_id === user.id && one.emoji_code === code) ?? false,
    unread: () =>
      new Set(controls.messages().flatMap(({ id, flags }) => (flags.has('read') ? [] : [id]))),
    uploads: () => uploads,
    ownMessage: () => ({
      id: own,
      text: controls.messages().find(({ id }) => id === own)?.content ?? '',
    }),
    scheduled: () => scheduled,
  }
}

function silence(signal: AbortSignal): Promise<HttpReply> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('the client left')), { once: true })
  })
}
