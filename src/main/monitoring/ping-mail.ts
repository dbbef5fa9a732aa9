/** Fields that mail servers and programs write at the beginning of an e-mail. */
const mailField =
  /^(?:received|return-path|delivered-to|from|to|subject|date|message-id|mime-version|content-type|(?:arc|dkim|x)-[\w-]{1,60}|authentication-results):/i

/** Whether the text begins with the fields of an e-mail, at least three of them. */
function isMail(body: string): boolean {
  const [head = ''] = body
    .slice(0, 20_000)
    .trimStart()
    .split(/\r?\n\r?\n/, 1)
  const fields = head.split(/\r?\n/).filter((line) => !/^[ \t]/.test(line))
  return (
    fields.length >= 3 &&
    fields.filter((line) => mailField.test(line)).length >= 3 &&
    fields.every((line) => /^[\w-]+:/.test(line))
  )
}

/** In characters, ten times what the service keeps unless configured otherwise. The parser takes half a second for a megabyte. */
const longestMail = 100_000
const cutWords = '… The rest of this e-mail is not read here.'

/**
 * The body of a ping, to be read: of a ping by e-mail, which the service keeps as it came, the
 * subject and the text; anything else as it is. Of a very long e-mail only the beginning.
 */
export async function readableBody(body: string): Promise<string> {
  if (!isMail(body)) return body
  // Loaded when the first one comes: few checks are pinged by e-mail.
  const { default: PostalMime } = await import('postal-mime')
  const raw = body.trimStart()
  const mail = await PostalMime.parse(raw.slice(0, longestMail)).catch(() => null)
  if (mail === null) return body
  const text = mail.text ?? withoutTags(mail.html ?? '')
  const cut = raw.length > longestMail ? cutWords : ''
  const parts = [mail.subject ?? '', text.trim(), cut].filter((part) => part !== '')
  return parts.length === 0 ? body : parts.join('\n\n')
}

/** For an e-mail that has HTML alone. What it says is shown as plain text, so nothing can get through. */
function withoutTags(html: string): string {
  return html
    .replace(/<(style|script|title)\b[^<>]*>[^<]*<\/\1>/gi, '')
    .replace(/<(?:br|\/p|\/div|\/tr|\/li|\/h\d)\b[^<>]*>/gi, '\n')
    .replace(/<[^<>]*>/g, '')
    .replace(/&(lt|gt|quot|nbsp|amp);/g, (_all, name: string) => entities[name] ?? ' ')
}

const entities: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  nbsp: ' ',
  amp: '&',
}
