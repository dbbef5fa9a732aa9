import type { DemoPlace, RealmData } from './realm-data.ts'
import { postMessage } from './realm-messages.ts'

/** Things that the demo does later, by its own clock. */
export interface Agenda {
  at(epochMs: number, run: () => void): void
  /** Does what is due, oldest first. */
  tick(): void
}

export function createAgenda(now: () => number): Agenda {
  let entries: { readonly at: number; readonly run: () => void }[] = []
  return {
    at(epochMs, run) {
      entries.push({ at: epochMs, run })
    },
    tick() {
      const due = entries.filter(({ at }) => at <= now()).sort((a, b) => a.at - b.at)
      entries = entries.filter(({ at }) => at > now())
      for (const { run } of due) run()
    },
  }
}

const answers = [
  'On it.',
  'Thanks, that helps. :thumbs_up:',
  'Give me ten minutes.',
  'Good. I will watch the next run.',
  'I thought so too.',
]

const remarks: readonly [from: number, place: DemoPlace, text: string][] = [
  [13, { kind: 'topic', channelId: 3, topic: 'web 4.18' }, 'Everyone has it now. :tada:'],
  [14, { kind: 'topic', channelId: 1, topic: 'db-primary' }, 'The replica has caught up.'],
  [12, { kind: 'topic', channelId: 2, topic: 'lunch' }, 'Are there noodles left?'],
  [
    12,
    { kind: 'topic', channelId: 1, topic: 'db-primary' },
    '@**Dana Lind** the restore test went through, will you close it?',
  ],
  [13, { kind: 'direct', userIds: [11, 13] }, 'Do you have a minute?'],
]

const remarkEveryMs = 75_000

/** The demo's people: they answer what the user writes, and now and then say something themselves. */
export function createLife(data: RealmData, agenda: Agenda) {
  const say = (from: number, place: DemoPlace, content: string) => {
    const sender = data.people.get(from)
    if (sender) postMessage(data, { sender, place, content, read: false, client: 'website' })
  }
  let said = 0
  const remark = () => {
    const next = remarks[said % remarks.length]
    if (next) say(...next)
    said += 1
    agenda.at(data.now() + remarkEveryMs, remark)
  }
  agenda.at(data.now() + remarkEveryMs, remark)
  let answered = 0
  return {
    /** Somebody of the conversation answers after a few seconds. */
    onSent(place: DemoPlace): void {
      const other =
        place.kind === 'direct'
          ? place.userIds.find((id) => id !== data.me.id)
          : 12 + (answered % 3)
      const text = answers[answered % answers.length]
      if (other === undefined || text === undefined) return
      answered += 1
      agenda.at(data.now() + 4_000, () => say(other, place, text))
    },
  }
}
