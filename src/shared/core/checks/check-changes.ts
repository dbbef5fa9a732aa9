import { readDuration } from '../read-duration.ts'
import { periodWords } from '../time.ts'
import type { CheckDetails } from './check.ts'
import type { CheckDraft } from './check-draft.ts'

/** One line of "what will change". */
export interface CheckChange {
  readonly what: string
  readonly from: string
  readonly to: string
}

/** The words where the keywords of a check are looked for. */
const filterWords: Readonly<Record<CheckDetails['filters'][number], string>> = {
  subject: 'e-mail subjects',
  body: 'e-mail bodies',
  httpBody: 'bodies of HTTP pings',
  defaultFail: 'anything else is a failure',
}

const nothing = 'none'

/** What differs between two drafts, in the order of the form. `nameOf` tells an integration's name. */
export function checkChanges(
  was: CheckDraft,
  is: CheckDraft,
  nameOf: (integrationId: string) => string,
): readonly CheckChange[] {
  const before = linesOf(was, nameOf)
  return linesOf(is, nameOf).flatMap(([what, to]) => {
    const from = before.find(([name]) => name === what)?.[1] ?? nothing
    return from === to ? [] : [{ what, from, to }]
  })
}

type Line = readonly [what: string, words: string]

function linesOf(draft: CheckDraft, nameOf: (id: string) => string): readonly Line[] {
  const { keywords, filters, integrationIds } = draft
  return [
    ['Name', draft.name.trim() || nothing],
    ['Slug', draft.slug || nothing],
    ['Tags', draft.tags.split(/\s+/).filter(Boolean).join(' ') || nothing],
    ['Description', shortened(draft.description) || nothing],
    ['Expected', expectedWords(draft)],
    ['Grace', durationWords(draft.grace)],
    [
      'Integrations',
      integrationIds === null
        ? nothing
        : [...integrationIds].map(nameOf).sort().join(', ') || nothing,
    ],
    ['Start keywords', keywords.start || nothing],
    ['Success keywords', keywords.success || nothing],
    ['Failure keywords', keywords.failure || nothing],
    ['Keywords in', filters.map((filter) => filterWords[filter]).join(', ') || nothing],
    ['Accepts', draft.methods === 'POST' ? 'POST only' : 'any HTTP method'],
    ['After a pause', draft.manualResume ? 'resumed by hand only' : 'the next ping ends it'],
  ]
}

function expectedWords({ kind, period, expression, zone }: CheckDraft): string {
  if (kind === 'period') return `every ${durationWords(period)}`
  const lines = expression
    .trim()
    .split(/\s*\n\s*/)
    .join('; ')
  return `${kind === 'cron' ? 'cron' : 'calendar'} ${lines} (${zone.trim()})`
}

function durationWords(text: string): string {
  const seconds = readDuration(text)
  return seconds === null ? text : periodWords(seconds)
}

/** Enough to see which text it is. */
const mostShown = 60

function shortened(text: string): string {
  const characters = [...text.trim()]
  return characters.length > mostShown
    ? `${characters.slice(0, mostShown).join('')}…`
    : characters.join('')
}
