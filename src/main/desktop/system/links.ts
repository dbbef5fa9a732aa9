import { clipboard, shell } from 'electron'
import { invalid } from '../../../shared/core/failure.ts'
import { logBug } from './log.ts'
import { safeLink } from './safe-link.ts'

/** The only way out of the app into the user's browser. */
export async function openLink(text: string): Promise<void> {
  const url = safeLink(text)
  if (url === null)
    throw invalid('url', 'Belfry opens web pages (http, https) and mail addresses only.')
  await shell.openExternal(url.href)
}

export function copyText(text: string): void {
  clipboard.writeText(text).catch((error: unknown) => logBug('copy', error))
}
