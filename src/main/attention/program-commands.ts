import type { Commands } from '../../shared/contract.ts'
import { offInDemo, programLimit } from '../../shared/core/attention/programs/program.ts'
import { invalid } from '../../shared/core/failure.ts'
import { mapped, withEntry } from '../../shared/core/identity.ts'
import { type AppState, showsDemo } from '../../shared/core/state.ts'
import { visibleName } from '../../shared/core/visible-text.ts'
import type { Desktop } from '../base/ports.ts'
import type { LiveState } from '../state/store.ts'
import type { FileLook } from './file-look.ts'
import { demandProgram } from './program-file.ts'
import type { ProgramRunner } from './program-runner.ts'
import { failureOf, printedLines } from './program-words.ts'

/** The programs that rules can name, by ids that only main gives. */
export function createProgramCommands({
  live,
  desktop,
  look,
  runner,
}: {
  readonly live: LiveState
  readonly desktop: Pick<Desktop, 'chooseFile'>
  readonly look: FileLook
  readonly runner: Pick<ProgramRunner, 'tryIt'>
}) {
  return {
    async chooseProgram() {
      demandNoDemo(live.get())
      const file = await desktop.chooseFile('Choose a program for Belfry to run')
      if (file === null) return null
      await demandProgram(file.path, visibleName(file.name), look)
      const { programs } = live.get()
      const known = [...programs.keys()].find((id) => live.programPath(id) === file.path)
      if (known !== undefined) return { id: known }
      if (programs.size >= programLimit)
        throw invalid('program', `Belfry keeps ${programLimit} programs. Remove one first.`)
      const id = crypto.randomUUID()
      const program = { name: ownName(visibleName(file.name), programs), last: null }
      live.rebase((kept) => ({
        ...kept,
        state: { ...kept.state, programs: withEntry(kept.state.programs, id, program) },
        programPaths: withEntry(kept.programPaths, id, file.path),
      }))
      return { id }
    },

    async forgetProgram({ id }) {
      if (!live.get().programs.has(id)) return
      live.rebase((kept) => ({
        ...kept,
        state: withoutProgram(kept.state, id),
        programPaths: withEntry(kept.programPaths, id, null),
      }))
    },

    async tryProgram({ id }) {
      demandNoDemo(live.get())
      const { end, ms, output } = await runner.tryIt(id)
      return { failure: failureOf(end), ms, output: printedLines(output) }
    },
  } satisfies Partial<Commands>
}

function demandNoDemo(state: AppState): void {
  if (state.environment.demo || showsDemo(state)) throw invalid('program', offInDemo)
}

/** "lamp.sh (2)" if there is another lamp.sh. */
function ownName(name: string, programs: AppState['programs']): string {
  const taken = new Set([...programs.values()].map((one) => one.name))
  let made = name
  for (let at = 2; taken.has(made); at += 1) made = `${name} (${at})`
  return made
}

/** Also in the rules, of which it is a part. */
function withoutProgram(state: AppState, id: string): AppState {
  const { attention } = state.settings
  const rules = mapped(attention.rules, (rule) =>
    rule.programId === id ? { ...rule, programId: null } : rule,
  )
  return {
    ...state,
    programs: withEntry(state.programs, id, null),
    settings: { ...state.settings, attention: { ...attention, rules } },
  }
}
