import type { KeyState } from '#shared/core/account.ts'
import type { OutboxMessage } from '#shared/core/chat/outbox.ts'
import { failureWords } from '#shared/core/failure-words.ts'

/** What is plainly said beside a message on its way. */
export function echoWords(message: OutboxMessage, key: KeyState): string {
  switch (message.state) {
    case 'sending':
      return 'sending…'
    case 'sent':
      return 'sent'
    case 'queued':
      if (key !== 'present') return 'waiting for a working key, will be sent'
      if (message.failure === null) return 'sending…'
      return message.failure.kind === 'network'
        ? 'waiting for the network, will be sent'
        : 'waiting for the server, will be sent'
    case 'rejected':
      return message.failure === null
        ? 'not sent'
        : `not sent: ${failureWords(message.failure).what}`
    case 'unconfirmed':
      return 'unsure whether it arrived'
  }
}
