import type { Account } from '../../src/shared/core/account.ts'

/** A project's account since before the life. */
export function accountIdOf(project: number): string {
  return `account-${project}`
}

export function hostOf(project: number): string {
  return `https://p${project}.example`
}

/** The id of a notice whichever account of its project it names: joining them renames it. */
export function idAfterJoin(id: string): string {
  return id.replaceAll(/\bsecond-(?=\d)/g, 'account-')
}

/**
 * Adds what an older version left on disk that let a second key of a project be added: another
 * account, and what each of the two was notified of. `marks`: those of when the other key was read
 * last; null: it never was. Returns that account; null if the project has none, or two.
 */
export function withTwin(
  documents: Map<string, string>,
  project: number,
  marks: string | null,
): Extract<Account, { kind: 'monitoring' }> | null {
  const read = (name: string): unknown => JSON.parse(documents.get(name) ?? 'null')
  const accounts = read('accounts') as readonly Account[]
  const [own, ...others] = accounts.filter(({ baseUrl }) => baseUrl === hostOf(project))
  if (own?.kind !== 'monitoring' || others.length > 0) return null
  const id = `second-${project}`
  if (own.id === id) return null
  const keyKind = own.keyKind === 'readWrite' ? 'readOnly' : 'readWrite'
  const twin = { ...own, id, keyKind, label: `${own.label} too`, key: 'present' } as const
  documents.set('accounts', JSON.stringify([...accounts, twin]))
  if (marks === null) return twin
  const its = (list: readonly unknown[]): unknown[] =>
    list
      .map((item) => JSON.stringify(item))
      .filter((text) => text.includes(`"${own.id}"`))
      .map((text) => JSON.parse(text.replaceAll(`"${own.id}"`, `"${id}"`)) as unknown)
  const known = read('marks') as Marks
  const before = JSON.parse(marks) as Marks
  const both = (name: keyof Marks): unknown[] => [...known[name], ...its(before[name])]
  const added = { boards: both('boards'), missed: both('missed') }
  documents.set('marks', JSON.stringify({ ...known, ...added }))
  const looks = (read('looks') ?? []) as readonly unknown[]
  documents.set('looks', JSON.stringify([...looks, ...its(looks)]))
  return twin
}

interface Marks {
  readonly boards: readonly unknown[]
  readonly missed: readonly unknown[]
}
