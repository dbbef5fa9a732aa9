import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkSync } from 'recheck'
import { parseSync } from 'vite'
import { describe, expect, test } from 'vitest'
import { projectRoot } from '../../scripts/programs.mjs'

interface Found {
  readonly file: string
  readonly pattern: string
  readonly flags: string
}

const sources = join(projectRoot, 'src')

/**
 * Long lists of words, which recheck does not judge in its time. Their own tests measure them whole
 * on texts that are the worst for each: `secrets.test.ts` and `line-that-matters.test.ts`.
 */
const measuredElsewhere = /^shared\/core\/(?:secrets?[-.]|checks\/output-lines)/

/** Each regular expression of the product, once; the pretend services read nobody else's text. */
function regexesOfProduct(): readonly Found[] {
  const found = new Map<string, Found>()
  for (const file of readdirSync(sources, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!/\.tsx?$/.test(file) || file.startsWith('demo')) continue
    if (measuredElsewhere.test(file.replaceAll('\\', '/'))) continue
    const code = readFileSync(join(sources, file), 'utf8')
    for (const { pattern, flags } of regexesIn(parseSync(file, code).program))
      found.set(`/${pattern}/${flags}`, { file: file.replaceAll('\\', '/'), pattern, flags })
  }
  return [...found.values()]
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
    file: 'renderer/chat/message-link.ts',
    begins: '([a-z][a-z\\d+.-]+):',
    most: 2_000,
    because: 'only so much of the text of a link is looked at',
  },
  {
    file: 'renderer/chat/message-link.ts',
    begins: '[\\p{L}\\p{M}\\p{N}_-]+(?:',
    most: 2_000,
    because: 'only so much of the text of a link is looked at',
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
function trouble({ file, pattern, flags }: Found): string | null {
  const outcome = checkSync(pattern, flags, { timeout: 30_000 })
  if (outcome.status === 'safe') return null
  const what = `${file}: /${pattern}/${flags}`
  if (outcome.status === 'unknown')
    // Newer than recheck: sets of strings.
    return flags.includes('v') ? null : `${what} could not be judged: ${outcome.error.kind}`
  const bound = bounded.find((one) => file.startsWith(one.file) && pattern.startsWith(one.begins))
  if (bound === undefined)
    return `${what} takes ${outcome.complexity.summary} time: ${outcome.attack.pattern}`
  const attack = outcome.attack.string.slice(0, bound.most)
  const begun = performance.now()
  attack.search(new RegExp(pattern, flags))
  const ms = performance.now() - begun
  return ms > mostMs ? `${what} takes ${Math.round(ms)} ms, although ${bound.because}` : null
}

describe('each regular expression of the product', () => {
  const all = regexesOfProduct()

  test('takes time in proportion to the text, whatever the text is', () => {
    expect(all.length).toBeGreaterThan(300)
    expect(all.flatMap((one) => trouble(one) ?? [])).toEqual([])
  })

  test('is held by bounds that are still needed', () => {
    for (const { file, begins } of bounded)
      expect(
        all.filter((one) => one.file.startsWith(file) && one.pattern.startsWith(begins)),
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
})
