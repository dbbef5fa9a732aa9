import type { DemoRealm } from './chat/pretend-realm.ts'
import type { Project } from './monitoring/pretend-project.ts'

/** What can happen in the world; each also at once, through `live`. */
export type StoryStep =
  | 'jobStarts'
  | 'jobHangs'
  | 'peopleWonder'
  | 'jobIsBack'
  | 'peopleAnswer'
  | 'someoneWrites'

export interface Stage {
  readonly ops: Project
  readonly realm: DemoRealm
}

/** The check that the story takes down and brings back. */
export const troubledCheck = 'queue-worker'

const secondMs = 1000

/** One round of the story: how long after its beginning each step comes. */
const script: readonly (readonly [afterMs: number, step: StoryStep])[] = [
  [20 * secondMs, 'jobStarts'],
  // Late within two minutes, down a minute later: the check's own period and grace.
  [60 * secondMs, 'jobHangs'],
  [270 * secondMs, 'peopleWonder'],
  [330 * secondMs, 'jobIsBack'],
  [345 * secondMs, 'peopleAnswer'],
  [420 * secondMs, 'someoneWrites'],
]

const roundMs = 480 * secondMs

const deeds: Readonly<Record<StoryStep, (stage: Stage) => void>> = {
  jobStarts: ({ ops }) => ops.controls.ping('thumbnailer', 'start'),
  jobHangs: ({ ops }) => ops.controls.hold(troubledCheck),
  peopleWonder: ({ realm }) =>
    say(realm, 'Boris', `\`${troubledCheck}\` has gone quiet, do you see anything?`, true),
  jobIsBack: ({ ops }) => ops.controls.recover(troubledCheck),
  peopleAnswer: ({ realm }) =>
    say(realm, 'Chidi', 'Restarted it: out of file handles again.', false),
  someoneWrites: ({ realm }) => {
    realm.controls.say({ from: 'Ana', to: 'Ana', text: 'Could you look at the invoices, please?' })
  },
}

function say(realm: DemoRealm, from: string, text: string, mention: boolean): void {
  realm.controls.say({ from, to: `ops > ${troubledCheck}`, text, mention })
}

export function play(stage: Stage, step: StoryStep): void {
  deeds[step](stage)
}

/**
 * The story, told again and again by the clock: each call plays what is due since the one before.
 * After a long sleep only the last round is, so that waking up is not a flood.
 */
export function createStory(stage: Stage, now: () => number): () => void {
  const began = now()
  let told = 0
  return () => {
    const elapsed = now() - began
    let from = Math.max(told, elapsed - roundMs)
    // Steps come in the script's order, across the end of a round as well.
    for (let round = Math.floor(from / roundMs); round * roundMs <= elapsed; round += 1) {
      for (const [afterMs, step] of script) {
        const due = round * roundMs + afterMs
        if (due <= from || due > elapsed) continue
        play(stage, step)
        from = due
      }
    }
    told = elapsed
  }
}
