import { clipboard, shell } from 'electron'
import { invalid } from '../../../shared/core/failure.ts'
import { withoutDirections } from '../../../shared/core/visible-text.ts'
import { logBug } from './log.ts'

/** The only way out of the app into the user's browser. */
export async function openLink(text: string): Promise<void> {
  const url = safeLink(text)
  if (url === null)
    throw invalid('url', 'Belfry opens web pages (http, https) and mail addresses only.')
  try {
    await shell.openExternal(url.href)
  } catch {
    throw invalid('url', 'This computer has no program that could open this link.')
  }
}

/** Without bidirectional control characters, so that pasted text reads as it was shown. */
export function copyText(text: string): void {
  clipboard.writeText(withoutDirections(text)).catch((error: unknown) => logBug('copy', error))
}

/** Holds `belfry:` links during the start: `openWith` opens the newest; later ones open at once. */
export function holdLinks(first: string | null) {
  let newest = first
  let open = (url: string): void => {
    newest = url
  }
  return {
    open: (url: string): void => open(url),
    openWith(opens: (url: string) => void): void {
      open = opens
      if (newest !== null) opens(newest)
    },
  }
}

const longest = 2_048
const openable = new Set(['https:', 'http:', 'mailto:'])

/**
 * An address that may be passed to the system's own program for it, or null. Anything but the web
 * and mail can start programs or read files (`file:`, `smb:`, `ms-msdt:`, …); a user part makes one
 * host look like another; and an address from which a parser would silently remove something is
 * refused as a whole.
 */
export function safeLink(text: string): URL | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these are refused
  if (text.length > longest || /[\u0000-\u0020\u007f-\u009f\\]/u.test(text)) return null
  if (!URL.canParse(text)) return null
  const url = new URL(text)
  if (!openable.has(url.protocol)) return null
  if (url.username !== '' || url.password !== '') return null
  if (url.protocol === 'mailto:') return plainMail(url)
  return url.hostname === '' ? null : url
}

/**
 * Keeps one address and the subject, and nothing else that a stranger could have a mail program
 * write or attach.
 */
function plainMail({ pathname, searchParams }: URL): URL | null {
  if (!/^[^@,;%]+@[^@,;%]+$/.test(pathname)) return null
  const [, subject] = [...searchParams].find(([name]) => name.toLowerCase() === 'subject') ?? []
  const line = subject?.replace(/\p{Cc}+/gu, ' ')
  return new URL(`mailto:${pathname}${line ? `?subject=${encodeURIComponent(line)}` : ''}`)
}
