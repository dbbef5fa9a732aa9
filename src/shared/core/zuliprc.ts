/** What a zuliprc file tells, or every reason why it does not. */
export type Zuliprc =
  | { readonly ok: true; readonly site: string; readonly email: string; readonly key: string }
  | { readonly ok: false; readonly problems: readonly string[] }

const needed = [
  ['site', 'the address of the server'],
  ['email', 'your e-mail'],
  ['key', 'the API key'],
] as const

/**
 * Reads the file that the web app offers as "Download zuliprc": INI with a section `[api]`, whole
 * lines of comment, values perhaps in quotes, `=` or `:` between name and value (Python's
 * configparser writes and reads it). Names other than the three needed ones are ignored.
 */
export function readZuliprc(text: string): Zuliprc {
  const sections = readSections(text)
  const api = sections.get('api')
  if (api === undefined) {
    return { ok: false, problems: ['There is no section [api]: this is not a zuliprc file.'] }
  }
  const problems = needed
    .filter(([name]) => !api.get(name))
    .map(([name, meaning]) => `"${name}" (${meaning}) is missing from the section [api].`)
  if (problems.length > 0) return { ok: false, problems }
  return {
    ok: true,
    site: ownCopy(api.get('site') ?? ''),
    email: ownCopy(api.get('email') ?? ''),
    key: ownCopy(api.get('key') ?? ''),
  }
}

/**
 * V8 makes a part of a long string a view of the whole, so that keeping the e-mail would keep the
 * file, and the key with it, in the page's memory. What is joined is new.
 */
function ownCopy(text: string): string {
  return Array.from(text).join('')
}

function readSections(text: string): Map<string, Map<string, string>> {
  const sections = new Map<string, Map<string, string>>()
  let section: Map<string, string> | null = null
  for (const raw of text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue
    const heading = /^\[([^\]]*)\]$/.exec(line)?.[1]
    if (heading !== undefined) {
      const name = heading.trim().toLowerCase()
      section = sections.get(name) ?? new Map<string, string>()
      sections.set(name, section)
      continue
    }
    // By position: an expression that allows spaces around the sign takes minutes over a long line of them.
    const at = line.search(/[=:]/)
    if (section !== null && at > 0)
      section.set(line.slice(0, at).trim().toLowerCase(), unquoted(line.slice(at + 1).trim()))
  }
  return sections
}

function unquoted(value: string): string {
  return (/^(["'])(.*)\1$/.exec(value)?.[2] ?? value).trim()
}
