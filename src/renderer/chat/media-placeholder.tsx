import type { MessageContext } from './message-context.ts'
import type { MessageLink } from './message-link.ts'

interface Props {
  readonly kind: 'Image' | 'Video' | 'Audio'
  readonly name: string
  readonly link: MessageLink | null
  /** The realm has a picture of it, which is shown once the user asked for pictures. */
  readonly canShow: boolean
  readonly context: MessageContext
}

/**
 * Stands for an image, film or sound. Nothing is loaded for it: a remote picture would tell its
 * host who reads the message, where and when (chat API, trap T36).
 */
export function MediaPlaceholder({ kind, name, link, canShow, context }: Props) {
  const { host } = new URL(context.baseUrl)
  return (
    <span class="media-placeholder">
      <span class="media-kind">{kind}</span>
      <span class="media-name" title={name}>
        {name}
      </span>
      {link !== null && <span class="media-host">{link.host}</span>}
      <span class="media-buttons">
        {canShow && (
          <button
            type="button"
            class="small-button"
            title={`Show images from ${host}, now and later: it then learns when you read`}
            aria-label={`Show images from ${host}`}
            onClick={() => context.onShowPictures()}
          >
            Show images
          </button>
        )}
        {link !== null && (
          <button
            type="button"
            class="small-button"
            aria-label={`Open ${name} from ${link.host}`}
            onClick={() => context.onLink(link.url)}
          >
            Open
          </button>
        )}
      </span>
    </span>
  )
}
