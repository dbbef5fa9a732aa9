import type { Notice } from '../../shared/core/attention/notice.ts'

/** Subjects; a notification that is older than these is beyond the app's reach in any case. */
const remembered = 200
/** Alarms that stay on the screen without their names: a desktop takes only so many at a time. */
const alarmsKept = 20

/** What may be on the screen: the last notice of each subject. */
export class OnScreen {
  /** Oldest first. */
  readonly #last = new Map<string, Notice>()

  shown(notice: Notice): void {
    this.gone(notice.subject)
    this.#last.set(notice.subject, notice)
    for (const subject of this.#last.keys()) if (this.#last.size > remembered) this.gone(subject)
  }

  gone(subject: string): void {
    this.#last.delete(subject)
  }

  /** What is to be done, newest first, so that no name is left: a few alarms stay, without theirs. */
  hiding(): { readonly replace: readonly Notice[]; readonly withdraw: readonly Notice[] } {
    const all = [...this.#last.values()].toReversed()
    const replace = all.filter(({ kind }) => kind === 'down').slice(0, alarmsKept)
    return { replace, withdraw: all.filter((notice) => !replace.includes(notice)) }
  }
}
