import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkSync } from 'recheck'
import { parseSync } from 'vite'
import { describe, expect, test, vi } from 'vitest'
import { projectRoot } from '../../scripts/programs.mjs'
import { attackOn } from './regex-growth.ts'

interface Found {
  readonly file: string
  readonly pattern: string
  readonly flags: string
}

const sources = join(projectRoot, 'src')

/** Long lists of words, which recheck does not judge in its time. They are measured instead. */
const measured = /^shared\/core\/(?:secrets?[-.]|checks\/output-lines)/

/** The pretend services read nobody else's text. */
const files = readdirSync(sources, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !file.startsWith('demo'))
  .map((file) => file.replaceAll('\\', '/'))
  .sort()

/** Each regular expression that is written in the product, once. */
function regexesOfProduct(): readonly Found[] {
  const found = new Map<string, Found>()
  for (const file of files)
    for (const { pattern, flags } of regexesIn(parseSync(file, codeOf(file)).program))
      found.set(`/${pattern}/${flags}`, { file, pattern, flags })
  return [...found.values()]
}

function codeOf(file: string): string {
  return readFileSync(join(sources, file), 'utf8')
}

/** Those that files put together when they are loaded; those with components put none together. */
async function composedRegexes(): Promise<readonly Found[]> {
  const found: Found[] = []
  const Plain = RegExp
  vi.stubGlobal(
    'RegExp',
    new Proxy(Plain, {
      construct(target, [source, flags]: [string, string?]) {
        const regex = new target(source, flags)
        const [, , from = ''] = new Error('only for its stack').stack?.split('\n') ?? []
        const [, file] =
          /\/src\/((?:shared|main|renderer)\/[^:?]+)/.exec(from.replaceAll('\\', '/')) ?? []
        if (file !== undefined) found.push({ file, pattern: regex.source, flags: regex.flags })
        return regex
      },
    }),
  )
  vi.stubGlobal('document', { implementation: { createHTMLDocument: () => ({}) } })
  for (const file of files)
    if (/^(?:shared|main|renderer)\/.*\.ts$/.test(file) && codeOf(file).includes('new RegExp('))
      await import(join(sources, file))
  vi.unstubAllGlobals()
  return found
}

function regexesIn(node: unknown): { readonly pattern: string; readonly flags: string }[] {
  if (Array.isArray(node)) return node.flatMap(regexesIn)
  if (typeof node !== 'object' || node === null) return []
  const { type, regex } = node as { type?: string; regex?: Omit<Found, 'file'> | null }
  if (type === 'Literal' && regex) return [regex]
  return Object.values(node).flatMap(regexesIn)
}

/**
 * Expressions whose time grows faster than the length, in places that bound it: by file, what they
 * begin with, and the most characters that they are given.
 */
const bounded: readonly { file: string; begins: string; most: number; because: string }[] = [
  {
    file: 'renderer/board/check-facts.tsx',
    begins: '',
    most: 2_000,
    because: 'longer lines of a description are shown as they are',
  },
  {
    file: 'renderer/parts/named-sites.ts',
    begins: '([a-z][a-z\\d+.-]+):',
    most: 2_000,
    because: 'only so much of the text of a link is looked at',
  },
  {
    file: 'renderer/parts/named-sites.ts',
    begins: '(?<!\\b(?:an?|the',
    most: 2_000,
    because: 'only so much of the text of a link is looked at',
  },
  {
    file: 'renderer/parts/named-sites.ts',
    begins: '[\\p{L}\\p{M}\\p{N}_-]+(?:',
    most: 2_000,
    because: 'only so much of the text of a link is looked at',
  },
  {
    file: 'renderer/parts/one-line.tsx',
    begins: '\\s+\\S*$',
    most: 60,
    because: 'only the beginning of a message is read out with its row',
  },
  {
    file: 'renderer/chat/message-media.tsx',
    begins: 'url\\(',
    most: 2_500,
    because: 'a longer attribute is cut',
  },
  {
    file: 'shared/core/checks/cron',
    begins: '',
    most: 1_200,
    because: 'a longer line of a crontab is refused',
  },
  {
    file: 'shared/core/checks/honest-status.ts',
    begins: '',
    most: 1_200,
    because: 'a longer line of a crontab is refused',
  },
  {
    file: 'shared/core/checks/shell-code.ts',
    begins: '',
    most: 1_200,
    because: 'a longer line of a crontab is refused',
  },
  {
    file: 'shared/core/checks/output-lines.ts',
    begins: '',
    most: 500,
    because: 'a longer line of an output is cut',
  },
  {
    file: 'shared/core/secret-values.ts',
    begins: '(?:file|path|dir',
    most: 150,
    because: 'no name that is looked at is longer',
  },
  {
    file: 'shared/core/secrets.ts',
    begins: '(?:^|\\s)(?:[A-Za-z0-9+',
    most: 300,
    because: 'only so much of a line of a key is looked at',
  },
  {
    file: 'shared/core/base-url.ts',
    begins: '',
    most: 2_048,
    because: 'a longer address is refused',
  },
  {
    file: 'shared/core/typed-time.ts',
    begins: '',
    most: 200,
    because: 'longer words are no time',
  },
  {
    file: 'shared/core/time.ts',
    begins: '(\\d+(?:\\.\\d+)?)\\s*',
    most: 200,
    because: 'a longer text is no duration',
  },
  {
    file: 'main/monitoring/check-commands.ts',
    begins: '\\/(?:b|badge)',
    most: 500,
    because: 'a longer address is not requested',
  },
]

/** Far below what anybody feels, and far above what a bounded one takes on a busy computer. */
const mostMs = 200

/** Why this regular expression could block the app; null if it can't. */
function trouble(found: Found): string | null {
  return measured.test(found.file) ? measuredTrouble(found) : judgedTrouble(found)
}

function boundOf({ file, pattern }: Found) {
  return bounded.find((one) => file.startsWith(one.file) && pattern.startsWith(one.begins))
}

function measuredTrouble(found: Found): string | null {
  const { file, pattern, flags } = found
  const attack = attackOn(new RegExp(pattern, flags))
  if (attack === null) return null
  const what = `${file}: /${pattern}/${flags}`
  const bound = boundOf(found)
  if (bound === undefined) return `${what} takes more than linear time: ${JSON.stringify(attack)}…`
  return slowness(found, attack.repeat(bound.most), bound)
}

function judgedTrouble(found: Found): string | null {
  const { file, pattern, flags } = found
  const outcome = checkSync(pattern, flags, { timeout: 10_000 })
  if (outcome.status === 'safe') return null
  const what = `${file}: /${pattern}/${flags}`
  // Newer than recheck: sets of strings. Others it may not judge in its time, on a busy computer.
  if (outcome.status === 'unknown') return flags.includes('v') ? null : measuredTrouble(found)
  const bound = boundOf(found)
  if (bound !== undefined) return slowness(found, outcome.attack.string, bound)
  const { complexity, attack } = outcome
  // Mutation counts steps that the engine may not take. A quadratic one takes 10 s on its texts.
  const isGuess = outcome.checker === 'fuzz' && complexity.type === 'polynomial'
  if (isGuess && msOf(found, attack.string) < mostMs) return null
  return `${what} takes ${complexity.summary} time: ${attack.pattern}`
}

function msOf({ pattern, flags }: Found, text: string): number {
  const begun = performance.now()
  text.search(new RegExp(pattern, flags))
  return performance.now() - begun
}

function slowness(
  found: Found,
  attack: string,
  { most, because }: (typeof bounded)[number],
): string | null {
  const { file, pattern, flags } = found
  const ms = msOf(found, attack.slice(0, most))
  return ms > mostMs
    ? `${file}: /${pattern}/${flags} takes ${Math.round(ms)} ms, although ${because}`
    : null
}

describe('each regular expression of the product', () => {
  const all = regexesOfProduct()
  /** Once: a file that is loaded stays so. */
  let known: ReturnType<typeof composedRegexes> | null = null
  const composedOnes = () => (known ??= composedRegexes())

  test('takes time in proportion to the text, whatever the text is', () => {
    expect(all.length).toBeGreaterThan(300)
    expect(all.flatMap((one) => trouble(one) ?? [])).toEqual([])
    // Some 500 expressions, each in a process of recheck's.
  }, 600_000)

  test('that is put together takes such time too', async () => {
    const composed = await composedOnes()
    expect(composed.length).toBeGreaterThan(150)
    for (const file of ['shared/core/secret-values.ts', 'renderer/parts/named-sites.ts'])
      expect(composed.map((one) => one.file)).toContain(file)
    expect(composed.flatMap((one) => measuredTrouble(one) ?? [])).toEqual([])
  })

  test('is held by bounds that are still needed', async () => {
    const every = [...all, ...(await composedOnes())]
    for (const { file, begins } of bounded)
      expect(
        every.filter((one) => one.file.startsWith(file) && one.pattern.startsWith(begins)),
        `${file}: ${begins}`,
      ).not.toHaveLength(0)
  })

  test.each([
    // The name of a file in the data folder, as it was once recognised: 229 letters took 6 s.
    '^[a-z][a-zA-Z]*(\\.(bak\\.)?(v\\d+|corrupt-[\\w.-]+))*\\.json(\\.bak)?$',
    '(a+)+$',
    '\\s*\\n',
  ])('would be found if it grew faster: %s', (pattern) => {
    expect(trouble({ file: 'control', pattern, flags: '' })).toMatch(/ time: /)
  })

  test.each([
    // What a job left out in place of a password, as it was once recognised: 50 kB took 30 s.
    '^[\\\\"([{]*(?:x{3,}|<[^>]*>?|\\{\\{?[^}]*\\}*)[\\\\")\\]}]*$',
    '[a-z][a-z0-9+.-]*:\\/\\/\\S+',
    '\\s*\\n',
    'key[\\w-]*=',
  ])('would be found by measuring: %s', (pattern) => {
    expect(attackOn(new RegExp(pattern, 'gi'))).not.toBeNull()
  })
})
