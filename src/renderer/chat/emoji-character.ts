import type { AccountId } from '#shared/core/account.ts'
import type { Emoji } from '#shared/core/chat/message.ts'
import type { Result } from '#shared/core/failure.ts'
import { call } from '../bridge.ts'
import { appState } from '../window-state.ts'

/** `face`: the character, or '' for an emoji that is an image. */
export interface NamedEmoji extends Emoji {
  readonly face: string
}

/** The realm's own emoji, then the built-in ones, once for each of their names. */
export async function allEmoji(accountId: AccountId): Promise<Result<readonly NamedEmoji[]>> {
  const result = await call.emojiNames({ accountId })
  if (!result.ok) return result
  const own = [...(appState.peek().realms.get(accountId)?.emoji ?? [])].flatMap(
    ([code, { name, isRetired }]) =>
      isRetired === true ? [] : { name, code, type: 'realm_emoji', face: '' },
  )
  // The realm's own emoji take the names of built-in ones.
  const taken = new Set(own.map(({ name }) => name))
  const others = result.value.flatMap((one) => {
    const face = emojiCharacter(one.code)
    return face === null || taken.has(one.name) ? [] : { ...one, face }
  })
  return { ok: true, value: [...own, ...others] }
}

/** The characters of a Unicode emoji's code, such as "1f44d" or "1f1e9-1f1ea", or else null. */
export function emojiCharacter(code: string): string | null {
  if (!/^[0-9a-f]{2,6}(-[0-9a-f]{2,6}){0,9}$/i.test(code)) return null
  const points = code.split('-').map((part) => Number.parseInt(part, 16))
  if (points.some((point) => point > 0x10_ff_ff)) return null
  const text = String.fromCodePoint(...points)
  // Anything else could smuggle in letters, control or direction characters. Digits are emoji only
  // if a keycap follows.
  if (!/^(?:\p{Emoji}|\u200d|\ufe0f|\u20e3|[\u{e0020}-\u{e007f}])+$/u.test(text)) return null
  // The codes leave out U+FE0F, without which ❤ and ✔ are drawn as text.
  return /^[\d#*]+$/.test(text) ? null : text.replace(textFaced, '$&\ufe0f')
}

/** Emoji that are drawn as text unless U+FE0F or a skin tone follows. */
const textFaced = /(?!\p{Emoji_Presentation})\p{Emoji}(?![\ufe0f\u{1f3fb}-\u{1f3ff}])/gu

/** The code in the class list of a message's emoji: "emoji emoji-1f44d" → "1f44d". */
export function emojiCodeOf(className: string): string | null {
  return /(?:^|\s)emoji-([0-9a-f-]+)(?:\s|$)/i.exec(className)?.[1] ?? null
}
