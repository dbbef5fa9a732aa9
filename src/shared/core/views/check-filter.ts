import { type Check, type CheckStatus, isLate, late, slugOf } from '../checks/check.ts'
import { memoized } from '../identity.ts'
import { readDuration } from '../time.ts'

/** A parsed filter; see `parseCheckFilter`. */
export interface CheckFilter {
  readonly terms: readonly Term[]
  /** Invalid words after `is:`, `late:` and `down:`. They match nothing. */
  readonly unknown: readonly string[]
}

type Term = { readonly not: boolean } & (
  | { readonly kind: 'text'; readonly text: string }
  /** `whole`: a tag with exactly this name exists, so longer ones don't match. */
  | { readonly kind: 'tag'; readonly tag: string; readonly whole: boolean }
  | { readonly kind: 'project'; readonly project: string }
  | { readonly kind: 'is'; readonly state: CheckState }
  | {
      readonly kind: 'for'
      readonly state: 'late' | 'down'
      readonly longer: boolean
      readonly ms: number
    }
)

type CheckState = CheckStatus | 'running'

/** Words accepted after `is:`: the board's own and those of the service. */
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
 * Parses "text #tag is:down project:x late:>10m -name". All words must match, but of several `is:`
 * or `project:` any one; `-` negates a word. Quotes keep spaces: `project:"my ops"`; a word that
 * begins with a quote is plain text: `"#1 job"`. Case-insensitive. `#db` doesn't match `#db-old` if
 * `tags` contains "db"; otherwise a tag's beginning matches, while it is being typed.
 */
export function parseCheckFilter(text: string, tags: readonly string[] = []): CheckFilter {
  const terms: Term[] = []
  const unknown: string[] = []
  for (const [word] of text.toLowerCase().matchAll(/(?:"[^"]*"?|[^\s"])+/g)) {
    const bare = word.replaceAll('"', '')
    const not = bare.length > 1 && word.startsWith('-')
    const said = not ? bare.slice(1) : bare
    const isQuoted = /^-?"/.test(word) && said !== ''
    const term = isQuoted ? ({ kind: 'text', text: said, not } as const) : readTerm(said, not, tags)
    if (term === null) continue
    if ('unknown' in term) unknown.push(term.unknown)
    else terms.push(term)
  }
  return { terms, unknown }
}

/** Null for a prefix without a value, so that the list isn't emptied while `is:` is being typed. */
function readTerm(
  word: string,
  not: boolean,
  tags: readonly string[],
): Term | { unknown: string } | null {
  const [prefix, rest] = split(word)
  if (prefix === null) return word === '' ? null : { kind: 'text', text: word, not }
  if (rest === '') return null
  if (prefix === '#')
    return { kind: 'tag', tag: rest, whole: tags.some((tag) => tag.toLowerCase() === rest), not }
  if (prefix === 'project:') return { kind: 'project', project: rest, not }
  if (prefix !== 'is:') return readFor(prefix === 'late:' ? 'late' : 'down', rest, not)
  const state = Object.hasOwn(states, rest) ? states[rest] : undefined
  return state === undefined ? { unknown: rest } : { kind: 'is', state, not }
}

/** "late:>10m", "down:<2h"; without a sign, `>` is assumed. */
function readFor(
  state: 'late' | 'down',
  rest: string,
  not: boolean,
): Term | { unknown: string } | null {
  const [, sign = '', length = ''] = /^([<>]?)(.*)$/.exec(rest) ?? []
  if (length === '') return null
  const seconds = readDuration(length)
  if (seconds === null) return { unknown: `${state}:${rest}` }
  return { kind: 'for', state, longer: sign !== '<', ms: seconds * 1_000, not }
}

const prefixes = ['#', 'is:', 'project:', 'late:', 'down:'] as const
type Prefix = (typeof prefixes)[number]

function split(word: string): [prefix: Prefix | null, rest: string] {
  for (const prefix of prefixes)
    if (word.startsWith(prefix)) return [prefix, word.slice(prefix.length)]
  return word.startsWith('tag:') ? ['#', word.slice(4)] : [null, word]
}

export function isEmptyFilter(filter: CheckFilter): boolean {
  return filter.terms.length === 0 && filter.unknown.length === 0
}

/** What a filter looks at. */
type Filtered = Pick<
  Check,
  'name' | 'slug' | 'tags' | 'status' | 'since' | 'started' | 'nextPingAt' | 'graceSeconds'
>

/** `project` is the label of the check's account, `now` epoch ms by the server's clock. */
export function matchesFilter(
  filter: CheckFilter,
  check: Filtered,
  project: string,
  now: number,
): boolean {
  if (filter.unknown.length > 0) return false
  /** For the kinds of which one match suffices: whether there was one. */
  const any = new Map<Term['kind'], boolean>()
  for (const term of filter.terms) {
    const holds = matches(term, check, project, now)
    if ((term.kind === 'is' || term.kind === 'project') && !term.not)
      any.set(term.kind, holds || any.get(term.kind) === true)
    else if (holds === term.not) return false
  }
  return [...any.values()].every((held) => held)
}

/** Name, slug and tags in lower case, cached: each keystroke searches those of every check. */
const textOf = memoized((check: Filtered): string =>
  // A filter word never contains a line feed, so it can't match across two fields.
  [check.name, slugOf(check), ...check.tags].join('\n').toLowerCase(),
)

function matches(term: Term, check: Filtered, project: string, now: number): boolean {
  switch (term.kind) {
    case 'text':
      return textOf(check).includes(term.text) || isProject(project, term.text)
    case 'tag':
      return check.tags
        .map((tag) => tag.toLowerCase())
        .some((tag) => (term.whole ? tag === term.tag : tag.startsWith(term.tag)))
    case 'project':
      return project.toLowerCase().includes(term.project)
    case 'for': {
      const ms = term.state === 'late' ? overdueMs(check, now) : downMs(check, now)
      return ms !== null && (term.longer ? ms > term.ms : ms < term.ms)
    }
    case 'is':
      return term.state === 'running' ? check.started : check.status === term.state
  }
}

/** Whether the text is the beginning of the project's name, or of a word in it. */
function isProject(project: string, text: string): boolean {
  const label = project.toLowerCase()
  return text.length > 1 && (label.startsWith(text) || label.includes(` ${text}`))
}

function downMs({ status, since }: Filtered, now: number): number | null {
  return status === 'down' && since !== null ? now - since : null
}

/** How long a ping is overdue. A check that is down was late for its whole grace time before. */
function overdueMs(check: Filtered, now: number): number | null {
  if (isLate(check.status)) {
    // If a run began before it was late, `nextPingAt` is when that was.
    const from = check.started ? check.since : (check.nextPingAt ?? check.since)
    return from === null ? null : now - from
  }
  const down = downMs(check, now)
  return down === null ? null : down + check.graceSeconds * 1_000
}

/** What a filter can name. */
export interface FilterNames {
  readonly tags: readonly string[]
  readonly projects: readonly string[]
}

/** Names in the filter that don't exist, as sentences. `matching`: how many checks it matches. */
export function filterProblems(
  filter: CheckFilter,
  { tags, projects }: FilterNames,
  matching: number,
): string[] {
  const isThere = (names: readonly string[], text: string, how: 'startsWith' | 'includes') =>
    names.some((name) => name.toLowerCase()[how](text))
  const unknown = filter.unknown.map((word) => {
    const [of] = /^(late|down):/.exec(word) ?? []
    return of === undefined
      ? `There is no status “${word}”: use down, late, up, new, paused or running.`
      : `“${word}” is not a length of time: ${of}>10m, ${of}<2h.`
  })
  const absent = filter.terms.flatMap((term) => {
    if (term.kind === 'tag' && !isThere(tags, term.tag, 'startsWith'))
      return [`No check is tagged #${term.tag}.`]
    if (term.kind === 'project' && !isThere(projects, term.project, 'includes'))
      return [`No project is called “${term.project}”.`]
    // Only if nothing matches: a check's name may contain a colon.
    const [prefix] =
      term.kind === 'text' && matching === 0 ? (/^[a-z]+:/.exec(term.text) ?? []) : []
    if (prefix !== undefined)
      return [`“${prefix}” is not a filter: use is:, project:, late:, down:, # or -.`]
    return []
  })
  return [...unknown, ...absent]
}

const mostHints = 6

/** The word that is being typed, which may have spaces within quotes, and all before it. */
function lastWord(text: string) {
  let from = text.length
  let isQuoted = (text.split('"').length - 1) % 2 === 1
  while (from > 0 && (isQuoted || !/\s/.test(text.charAt(from - 1)))) {
    from -= 1
    if (text.charAt(from) === '"') isQuoted = !isQuoted
  }
  const minus = text.charAt(from) === '-' ? '-' : ''
  return { before: text.slice(0, from), minus, word: text.slice(from + minus.length) }
}

/** Completions of the last word, each as the whole text, most likely first. */
export function filterHints(text: string, { tags, projects }: FilterNames): readonly string[] {
  const { before, minus, word } = lastWord(text)
  const typed = word.toLowerCase().replaceAll('"', '')
  if (typed === '' || (before !== '' && !/\s$/.test(before))) return []
  const words = [
    ...Object.keys(states).map((state) => `is:${state}`),
    ...tags.map((tag) => `#${tag}`),
    ...projects.map((name) => `project:${/\s/.test(name) ? `"${name}"` : name}`),
    ...['late', 'down'].flatMap((state) =>
      ['10m', '1h', '1d'].map((length) => `${state}:>${length}`),
    ),
  ]
  const fits = words.filter((one) => {
    const plain = one.toLowerCase().replaceAll('"', '')
    return plain !== typed && (plain.startsWith(typed) || plain.startsWith(`#${typed}`))
  })
  return fits.slice(0, mostHints).map((one) => `${before}${minus}${one}`)
}
