import { type AccountsSlice, accountById } from '../../account.ts'
import type { RealmsSlice } from '../../chat/realm.ts'
import type { ChecksSlice } from '../../checks/board.ts'
import { linesToShare } from '../../checks/output.ts'
import { deepLink } from '../../deep-link.ts'
import { withoutSecrets } from '../../secrets.ts'
import { cut } from '../../text-length.ts'
import type { AttentionEvent } from '../event.ts'
import { noticeOf } from '../notices.ts'
import { quietChecks, type SilencesSlice } from '../silence.ts'
import type { ProgramStart } from './program.ts'

/** Events that a program is given; all of them are counted. */
const mostEvents = 50
/** Characters of a text. */
const longestText = 2_000
const longestName = 500

/**
 * What a program reads on its standard input: one line of JSON, as docs/program-input.schema.json
 * describes it. What strangers wrote is plain text without secrets.
 */
export function programInput(
  state: AccountsSlice & RealmsSlice & ChecksSlice & SilencesSlice,
  starts: readonly ProgramStart[],
  now: number,
): string {
  const events = starts.flatMap((start) => start.events)
  const input = {
    version: 1,
    test: false,
    at: timeOf(now),
    title: safeName(starts.at(-1)?.notice.title ?? ''),
    count: events.length,
    down: downNow(state, now),
    events: events.slice(-mostEvents).map((event) => eventInput(state, event)),
  }
  return asLine(input)
}

/** The same for a run that only tries the program. */
export function trialInput(now: number): string {
  const check = { id: 'example', name: 'example', project: 'Example', tags: ['example'] }
  const event = {
    kind: 'down',
    at: timeOf(now),
    title: 'example is down',
    text: 'This is a try: nothing is down.',
    account: 'Example',
    link: null,
    check,
    message: null,
  }
  const input = { version: 1, test: true, at: timeOf(now), title: event.title, count: 1, down: 1 }
  return asLine({ ...input, events: [event] })
}

/** What a shell would run is escaped, for a script that passes its input on to one. */
function asLine(input: object): string {
  return `${JSON.stringify(input).replaceAll('$', '\\u0024').replaceAll('`', '\\u0060')}\n`
}

/** The checks that are down and not silenced, as the icon counts them. */
function downNow(
  { accounts, boards, silences }: AccountsSlice & ChecksSlice & SilencesSlice,
  now: number,
): number {
  const silenceOn = quietChecks(silences, now)
  const checks = accounts
    .filter(({ demo }) => demo !== true)
    .flatMap(({ id }) =>
      [...(boards.get(id)?.checks.values() ?? [])].filter(
        (check) => check.status === 'down' && silenceOn(id, check) === null,
      ),
    )
  return checks.length
}

function eventInput(state: AccountsSlice & RealmsSlice, event: AttentionEvent) {
  return {
    kind: event.kind,
    at: timeOf(event.at),
    title: safeName(event.title),
    text: safeText(noticeOf(event, false).body),
    account: safeName(accountById(state, event.accountId)?.label ?? ''),
    link: safeLink(state, event),
    check: event.of === 'check' ? checkInput(event) : null,
    message: event.of === 'message' ? messageInput(state, event) : null,
  }
}

function checkInput({ checkId, name, project, tags }: AttentionEvent & { of: 'check' }) {
  return {
    id: checkId,
    name: safeName(name),
    project: safeName(project),
    tags: tags.map(safeName),
  }
}

function messageInput(
  { realms }: RealmsSlice,
  { accountId, channelId, topic, senderName, text }: AttentionEvent & { of: 'message' },
) {
  const channel = channelId === null ? null : realms.get(accountId)?.channels.get(channelId)?.name
  return {
    sender: safeName(senderName),
    channel: channel == null ? null : safeName(channel),
    topic: topic === null ? null : safeName(topic),
    text: safeText(text),
  }
}

/** A link to a conversation has its topic, and without a part of that it would lead nowhere. */
function safeLink(state: AccountsSlice & RealmsSlice, event: AttentionEvent): string | null {
  const topic = event.of === 'message' ? (event.topic ?? '') : ''
  return withoutSecrets(topic) === topic ? deepLink(state, event.target) : null
}

function safeName(name: string): string {
  return cut(linesToShare(name).join(' '), longestName)
}

function safeText(text: string): string {
  return cut(linesToShare(text).join('\n'), longestText)
}

/** Clocks can be set to times that have no date. */
function timeOf(at: number): string {
  return new Date(Math.max(-8.64e15, Math.min(8.64e15, at))).toISOString()
}
