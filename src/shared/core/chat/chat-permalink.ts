import type { Conversation } from './conversation.ts'

/**
 * Writes a part of an address as the web app does behind `#narrow`: percent-encoded with `.` in the
 * place of `%`, so that a literal dot becomes `.2E`. Encoding more than needed is always safe.
 */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replace(/[.!'()*~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%', '.')
}

/**
 * The address of a conversation, or of a message in it, in the realm's web app (chat-api,
 * "Permalinks"). Only the leading ids count; names after them are for the human who sees the link.
 */
export function permalink(
  baseUrl: string,
  channelName: (channelId: number) => string | null,
  conversation: Conversation,
  messageId: number | null,
): string {
  const near = messageId === null ? '' : `/near/${messageId}`
  const narrow = `${baseUrl.replace(/\/+$/, '')}/#narrow`
  if (conversation.kind === 'direct') {
    const ids = conversation.userIds.join(',')
    return `${narrow}/dm/${ids}-${conversation.userIds.length > 1 ? 'group' : 'dm'}${near}`
  }
  const name = channelName(conversation.channelId)
  const slug = name === null ? '' : `-${encode(name.replaceAll(' ', '-'))}`
  return `${narrow}/channel/${conversation.channelId}${slug}/topic/${encode(conversation.topic)}${near}`
}
