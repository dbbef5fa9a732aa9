import type { VNode } from 'preact'
import { picturePath } from '#shared/core/chat/picture-path.ts'
import { MediaPlaceholder } from './media-placeholder.tsx'
import type { MessageContext } from './message-context.ts'
import { type MessageLink, messageLink } from './message-link.ts'
import { EmojiPicture, MessagePicture } from './message-picture.tsx'
import { attribute } from './sanitize.ts'

const mediaKinds: Readonly<Record<string, 'Image' | 'Video' | 'Audio'>> = {
  video: 'Video',
  audio: 'Audio',
}

/**
 * A picture, film or sound of a message: a placeholder, unless it is a picture that the realm itself
 * serves and the user asked for those. `holder` names the thing: the link around it, or itself.
 */
export function drawnMedia(media: Element, holder: Element, context: MessageContext): VNode {
  if (media.localName === 'img' && media.classList.contains('emoji'))
    return drawnRealmEmoji(media, context)
  const original = attribute(media, 'data-original-src') || attribute(media, 'src')
  const link = messageLink(attribute(holder, 'href') || original, context.baseUrl)
  const isVideo = /(^|[\s_-])video(\s|$)/.test(holder.closest('div')?.className ?? '')
  const name =
    attribute(holder, 'title') ||
    attribute(holder, 'aria-label') ||
    attribute(media, 'alt') ||
    attribute(media, 'title') ||
    fileName(link)
  const kind = mediaKinds[media.localName] ?? (isVideo ? 'Video' : 'Image')
  const path = kind === 'Image' ? pathOf(media, context) : null
  if (path === null || link === null || context.loadPicture === null)
    return (
      <MediaPlaceholder
        kind={kind}
        name={name}
        link={link}
        canShow={path !== null && link !== null}
        context={context}
      />
    )
  return (
    <MessagePicture
      name={name}
      path={path}
      dimensions={attribute(media, 'data-original-dimensions')}
      link={link}
      load={context.loadPicture}
      context={context}
    />
  )
}

/** The thumbnail's path, which `src` has: an original may be of any size. */
function pathOf(media: Element, context: MessageContext): string | null {
  return picturePath(attribute(media, 'src'), context.baseUrl)?.path ?? null
}

function drawnRealmEmoji(media: Element, context: MessageContext): VNode {
  const name = attribute(media, 'alt')
  const path = pathOf(media, context)
  if (path === null || context.loadPicture === null) return <span class="custom-emoji">{name}</span>
  return <EmojiPicture name={name} path={path} load={context.loadPicture} />
}

function fileName(link: MessageLink | null): string {
  const last =
    URL.parse(link?.url ?? '')
      ?.pathname.split('/')
      .at(-1) ?? ''
  try {
    return decodeURIComponent(last) || 'unnamed'
  } catch {
    // Malformed percent signs: the raw name is still a name.
    return last
  }
}
