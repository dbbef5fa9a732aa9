import { clipboard, shell } from 'electron'
import { invalid } from '../../../shared/core/failure.ts'
import { withoutDirections } from '../../../shared/core/visible-text.ts'
import { logBug } from './log.ts'
import { safeLink } from './safe-link.ts'

/** The only way out of the app into the user's browser. */
export async function openLink(text: string): Promise<void> {
  const url = safeLink(text)
  if (url === null)
    throw invalid('url', 'Belfry opens web pages (http, https) and mail addresses only.')
  await shell.openExternal(url.href)
}

/** Without signs that turn text around: what is pasted reads as it was shown. */
export function copyText(text: string): void {
  clipboard.writeText(withoutDirections(text)).catch((error: unknown) => logBug('copy', error))
}
