import { type Check, type CheckStatus, late, slugOf } from '../checks/check.ts'

/** What the filter box asks for; `parseCheckFilter` reads it from the text. */
export interface CheckFilter {
  readonly terms: readonly Term[]
  /** Unknown words after `is:`; listed under the box, and they match nothing. */
  readonly unknown: readonly string[]
}

type Term = { readonly not: boolean } & (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tag'; readonly tag: string }
  | { readonly kind: 'project'; readonly project: string }
  | { readonly kind: 'is'; readonly state: CheckState }
)

type CheckState = CheckStatus | 'running'

/** Words accepted after `is:`: the board's own and the service's. */
const states: Readonly<Record<string, CheckState>> = {
  down: 'down',
  late,
  grace: late,
  up: 'up',
  new: 'new',
  paused: 'paused',
  unknown: 'unknown',
  running: 'running',
  started: 'running',
}

/**
 * Reads "text #tag is:down project:x -name". Words must all match, several `is:` any of them; `-` negates a
 * word; quotes keep spaces: `project:"my ops"`. Never case-sensitive.
 */
export function parseCheckFilter(text: string): CheckFilter {
  const terms: Term[] = []
  const unknown: string[] = []
  for (const [word] of text.toLowerCase().matchAll(/(?:"[^"]*"?|[^\s"])+/g)) {
    const bare = word.replaceAll('"', '')
    const not = bare.length > 1 && bare.startsWith('-')
    const term = readTerm(not ? bare.slice(1) : bare, not)
    if (term === null) continue
    if ('unknown' in term) unknown.push(term.unknown)
    else terms.push(term)
  }
  return { terms, unknown }
}

/** Null for a prefix still being typed, so that the list does not go blank at `is:`. */
function readTerm(word: string, not: boolean): Term | { unknown: string } | null {
  const [prefix, rest] = split(word)
  if (prefix === null) return word === '' ? null : { kind: 'text', text: word, not }
  if (rest === '') return null
  if (prefix === '#') return { kind: 'tag', tag: rest, not }
  if (prefix === 'project:') return { kind: 'project', project: rest, not }
  const state = Object.hasOwn(states, rest) ? states[rest] : undefined
  return state === undefined ? { unknown: rest } : { kind: 'is', state, not }
}

function split(word: string): [prefix: '#' | 'is:' | 'project:' | null, rest: string] {
  for (const prefix of ['#', 'is:', 'project:'] as const)
    if (word.startsWith(prefix)) return [prefix, word.slice(prefix.length)]
  return word.startsWith('tag:') ? ['#', word.slice(4)] : [null, word]
}

export function isEmptyFilter(filter: CheckFilter): boolean {
  return filter.terms.length === 0 && filter.unknown.length === 0
}

/** Whether the check matches. `project` is the label of its account. */
export function matchesFilter(filter: CheckFilter, check: Check, project: string): boolean {
  if (filter.unknown.length > 0) return false
  let wanted = false
  let asked = false
  for (const term of filter.terms) {
    const holds = matches(term, check, project)
    if (term.kind === 'is' && !term.not) {
      asked = true
      wanted ||= holds
    } else if (holds === term.not) return false
  }
  return !asked || wanted
}

const texts = new WeakMap<Check, string>()

/** Name, slug and tags in lower case, computed once: every keystroke searches those of every check. */
function textOf(check: Check): string {
  const known = texts.get(check)
  if (known !== undefined) return known
  // A filter word never contains a line feed, so it can't match across two fields.
  const text = [check.name, slugOf(check), ...check.tags].join('\n').toLowerCase()
  texts.set(check, text)
  return text
}

function matches(term: Term, check: Check, project: string): boolean {
  switch (term.kind) {
    case 'text':
      return textOf(check).includes(term.text)
    case 'tag':
      return check.tags.some((tag) => tag.toLowerCase().startsWith(term.tag))
    case 'project':
      return project.toLowerCase().includes(term.project)
    case 'is':
      return term.state === 'running' ? check.started : check.status === term.state
  }
}
