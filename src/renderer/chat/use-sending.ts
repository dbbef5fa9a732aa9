import { useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { lackOf } from '#shared/core/chat/kept-for-later.ts'
import type { Place } from '#shared/core/chat/places.ts'
import {
  isWide,
  manyRefusal,
  reachWords,
  type WideMention,
  wideMentions,
} from '#shared/core/chat/writing-rules.ts'
import type { Failure } from '#shared/core/failure.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import {
  type ChatLimits,
  codePointLength,
  fitsMessage,
  sentText,
} from '#shared/core/text-length.ts'
import { clockWords } from '#shared/core/time.ts'
import { numberWords } from '#shared/core/wording.ts'
import { call } from '../bridge.ts'
import { failedWords, run, useAnswer } from '../run.ts'
import { toast, undo } from '../toast.ts'
import { appState } from '../window-state.ts'
import type { useAttach } from './attachments.tsx'
import type { DraftText } from './draft-text.ts'
import { cancel } from './later-forms.tsx'

/** What is written, and where. */
export interface Written {
  readonly target: Place
  readonly draft: DraftText
  readonly limits: ChatLimits
  /** Why nothing can be sent now, in words; null when it can. */
  readonly blocked: string | null
  readonly input: RefObject<HTMLTextAreaElement | null>
}

const uploadWords = 'A file is still on its way. Wait for it, or cancel it, then send.'

/**
 * What keeps the text from being sent, and what sends it, now or later: keeps it until main has the
 * message on disk, and what was typed meanwhile after that.
 */
export function useSending(
  { target, draft, limits, blocked, input }: Written,
  label: string,
  attach: ReturnType<typeof useAttach>,
) {
  const [problem, setProblem] = useState('')
  const { isHere, report } = useAnswer(label, setProblem)
  /** Set while asking whether to notify that many; `at`: when to send (epoch ms), null for now. */
  const [asks, setAsks] = useState<{ readonly at: number | null } | null>(null)
  const text = draft.text.value
  const over = codePointLength(sentText(text)) - limits.messageLength
  const reach = useReach(target, text)
  const reason = blocked ?? (over > 0 ? tooLong(over, limits) : null) ?? reach.refusal()
  const canSend = reason === null && fitsMessage(text, limits)

  const notSent = () => `Not sent yet. ${reach.refusal() ?? reach.words}`
  /** `at`: the time to schedule the message for (epoch ms); null sends it now. True if it was sent. */
  const send = async (at: number | null = null, isAsked = false): Promise<boolean> => {
    // The disabled button isn't enough: Enter can come twice before the next render.
    if (draft.isSending.peek() || !canSend) return false
    // The file's link would come too late and end up in the next message.
    if (attach.isUnderWay()) {
      setProblem(uploadWords)
      return false
    }
    const message = { ...target, text: draft.hold() }
    await reach.known()
    if (reach.refusal() !== null || (!isAsked && reach.wide().length > 0)) {
      setAsks(reach.refusal() === null ? { at } : null)
      draft.release(false)
      if (!isHere()) report(notSent())
      return false
    }
    const result =
      at === null
        ? await call.sendMessage(message)
        : await call
            .scheduleMessage({ ...message, at })
            .then((result) => scheduledWords(result, message))
    draft.release(result.ok)
    if (result.ok) setProblem('')
    else report(refusedWords(result.failure, at !== null))
    return result.ok
  }
  /** Whether it can be scheduled; says why not. */
  const maySchedule = (): boolean => {
    const realm = appState.peek().realms.get(target.accountId)
    const lack = realm === undefined ? null : lackOf(realm, 'scheduled')
    const why = lack ?? (canSend ? '' : (reason ?? 'There is nothing to send yet.'))
    setProblem(why)
    return why === ''
  }
  /** Typing goes on in the message: the field gets the focus back before this key is inserted. */
  const typeOn = (key: KeyboardEvent): void => {
    if (key.key.length !== 1 || key.ctrlKey || key.metaKey || key.altKey) return
    setAsks(null)
    setProblem(notSent())
    queueMicrotask(() => input.current?.focus())
  }
  const saveFailure = draft.failure.value
  const isOver = problem === uploadWords && !attach.isUnderWay()
  return {
    send,
    canSend,
    over,
    maySchedule,
    say: setProblem,
    /** Below the field: why it was not or can't be sent, or whom it will notify. */
    words:
      (isOver ? '' : problem) ||
      reason ||
      (saveFailure === null ? reach.words : failureSentence(saveFailure)),
    /** Whether to notify that many, if that is asked. */
    question: asks && { words: reach.words, at: asks.at, typeOn, close: () => setAsks(null) },
  }
}

type Scheduled = Awaited<ReturnType<typeof call.scheduleMessage>>

function scheduledWords(
  result: Scheduled,
  { accountId, text }: Place & { text: string },
): Scheduled {
  if (!result.ok) return result
  const { id, at } = result.value
  const words = `Scheduled for ${clockWords(at, Date.now())}.`
  toast(
    words,
    'done',
    undo(() => void cancel(accountId, { id, content: text })),
  )
  return result
}

function refusedWords(failure: Failure, isScheduled: boolean): string {
  if (!isScheduled) return failureSentence(failure)
  return failedWords(
    failure,
    'It may have been scheduled: Belfry checks the server’s list and never schedules it twice.',
    'Nothing was scheduled.',
  )
}

/** How many people the wide mentions in a text, such as @all, notify, and whether they may. */
function useReach({ accountId, conversation }: Place, text: string) {
  const realm = appState.value.realms.get(accountId)
  const subscribers = useSignal<number | null>(null)
  const asked = useRef<Promise<void> | null>(null)
  const channelId = conversation.kind === 'topic' ? conversation.channelId : null
  const mentions = realm === undefined ? [] : wideMentions(realm, conversation, text)
  const isOfChannel = mentions.some(({ of }) => of === 'channel')
  const ask = (): Promise<void> => {
    if (!isOfChannel || channelId === null) return Promise.resolve()
    asked.current ??= run(accountId, 'listSubscribers', { stream_id: channelId }).then((result) => {
      // On failure the number stays unknown, and the user is asked before sending.
      if (result.ok) subscribers.value = result.value.subscribers.length
    })
    return asked.current
  }
  useEffect(() => void ask(), [isOfChannel])
  const counted = (): readonly WideMention[] =>
    mentions.map((one) => (one.of === 'channel' ? { ...one, people: subscribers.peek() } : one))
  void subscribers.value
  return {
    words:
      realm === undefined || conversation.kind === 'direct'
        ? ''
        : counted()
            .map((one) => reachWords(realm, conversation, one))
            .join(' '),
    /** Resolves once the number of people is known or its request has failed. */
    known: ask,
    wide: () => counted().filter(isWide),
    refusal: (): string | null =>
      realm === undefined
        ? null
        : (counted()
            .map((one) => manyRefusal(realm, one))
            .find((words) => words !== null) ?? null),
  }
}

function tooLong(over: number, limits: ChatLimits): string {
  return `${numberWords(over)} over the limit: this server allows ${numberWords(limits.messageLength)} characters.`
}
