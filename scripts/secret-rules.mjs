/**
 * Renews `src/shared/core/secret-rules.ts` from the newest gitleaks (MIT): `node
 * scripts/secret-rules.mjs`, which needs Go to download it.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from './programs.mjs'

const module = 'github.com/zricethezav/gitleaks/v8'

/**
 * Left out: what `secrets.ts` finds by itself in more places (headers, addresses, private keys,
 * JSON web tokens, what JavaScript would need long for), and shapes that hashes and numbers have, too.
 */
const others = new Set([
  ...[
    'hashicorp-tf-api-token',
    'gitlab-pat-routable',
    'gitlab-runner-authentication-token-routable',
  ],
  'slack-legacy-workspace-token',
  ...['curl-auth-header', 'curl-auth-user', 'facebook-access-token', 'jwt', 'private-key'],
  ...['sidekiq-sensitive-url', 'sourcegraph-access-token', 'vault-service-token'],
])

const download = JSON.parse(
  execFileSync('go', ['mod', 'download', '-json', `${module}@latest`], { encoding: 'utf8' }),
)
const { Time: time } = JSON.parse(readFileSync(download.Info, 'utf8'))
const config = readFileSync(join(download.Dir, 'config', 'gitleaks.toml'), 'utf8')
const rules = config
  .split('[[rules]]')
  .slice(1)
  .flatMap((rule) => {
    const id = /^id = "(.*)"$/m.exec(rule)?.[1] ?? ''
    const regex = /^regex = '''(.*)'''$/m.exec(rule)?.[1]
    const keywords = /^keywords = \[([^\]]*)\]/m.exec(rule)?.[1]?.match(/[^\s",]+/g) ?? []
    // Rules of one file's format, and for names in front of something that looks like a hash.
    const isOther = /^path = /m.test(rule) || regex?.includes('[\\w.-]{0,50}?')
    if (regex === undefined || isOther || others.has(id)) return []
    return [[id, keywords, inJavaScript(regex)]]
  })
writeFileSync(
  join(projectRoot, 'src/shared/core/secret-rules.ts'),
  `/**
 * Shapes of tokens: name, one of these words is in the text (in lower case), pattern. Taken by
 * \`scripts/secret-rules.mjs\` from gitleaks ${download.Version} of ${time.slice(0, 10)}, which is MIT: Copyright (c) 2019 Zachary Rice.
 */
export const secretRules: readonly (readonly [string, readonly string[], string])[] = ${JSON.stringify(rules)}
`,
)
writeFileSync(
  join(projectRoot, 'scripts/secret-rules.licence.txt'),
  readFileSync(join(download.Dir, 'LICENSE')),
)
execFileSync(
  join(projectRoot, 'node_modules/.bin/biome'),
  ['format', '--write', 'src/shared/core/secret-rules.ts'],
  {
    cwd: projectRoot,
  },
)

/**
 * A pattern of RE2 as one of JavaScript.
 *
 * @param {string} regex
 */
function inJavaScript(regex) {
  const pattern = regex
    // What has to follow a token: in prose, anything may.
    .replace(/\(\?:\[\\x60'"\\s;\]\|\\\\\[nr\]\|\$(?:\|\\b)?\)$/, '')
    .replaceAll('[[:alnum:]]', '[A-Za-z0-9]')
    .replaceAll('(?P<', '(?<')
    .replaceAll('\\z', '$')
    .replace(/^\(\?i\)(.*)$/s, '(?i:$1)')
  return scopedFlags(pattern)
}

/**
 * "a(?i)b" to "a(?i:b)": in RE2 such a flag lasts to the end of its group.
 *
 * @param {string} pattern
 */
function scopedFlags(pattern) {
  let out = ''
  /** How many groups were opened for flags in each open group. */
  const open = [0]
  for (let at = 0; at < pattern.length; at += 1) {
    const sign = pattern[at]
    if (sign === '\\') {
      out += pattern.slice(at, at + 2)
      at += 1
    } else if (sign === '[') {
      const end = /^\[\^?\]?(?:\\.|[^\]\\])*\]/.exec(pattern.slice(at))?.[0] ?? '['
      out += end
      at += end.length - 1
    } else if (pattern.startsWith('(?i)', at)) {
      out += '(?i:'
      open[open.length - 1] = (open.at(-1) ?? 0) + 1
      at += 3
    } else {
      if (sign === '(') open.push(0)
      if (sign === ')') out += ')'.repeat(open.pop() ?? 0)
      out += sign
    }
  }
  return out + ')'.repeat(open.pop() ?? 0)
}
