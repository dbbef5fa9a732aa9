import { signal } from '@preact/signals'
import { holdsInput } from './held-input.ts'

/** Drafts of forms by key, for as long as the window exists: leaving a form in any way loses nothing. */
export class KeptDrafts<Draft> {
  /** A component that reads them is drawn again when they change. */
  readonly all = signal<ReadonlyMap<string, Draft>>(new Map())

  /** `isUnsaved`: whether the draft holds input that exists nowhere else, so the window is kept. */
  constructor(isUnsaved: (draft: Draft) => boolean) {
    holdsInput(() => [...this.all.peek().values()].some(isUnsaved))
  }

  get(key: string): Draft | undefined {
    return this.all.value.get(key)
  }

  set(key: string, draft: Draft): void {
    this.all.value = new Map(this.all.peek()).set(key, draft)
  }

  drop(key: string): void {
    this.all.value = new Map([...this.all.peek()].filter(([one]) => one !== key))
  }
}
