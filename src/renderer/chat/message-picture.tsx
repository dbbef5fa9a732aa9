import { useRef } from 'preact/hooks'
import type { MessageContext } from './message-context.ts'
import type { MessageLink } from './message-link.ts'
import { usePicture } from './use-picture.ts'

/** The largest that a picture is drawn in a message, in px. */
const most = { width: 320, height: 240 }
/** For one whose size nobody told. */
const usual = { width: 240, height: 160 }
/** So that what is pressed can be hit, and its name be read while it loads. */
const least = { width: 48, height: 32 }

interface Props {
  readonly name: string
  readonly path: string
  /** `4032x3024`, or empty. */
  readonly dimensions: string
  readonly link: MessageLink
  readonly load: NonNullable<MessageContext['loadPicture']>
  readonly context: MessageContext
}

/** A picture of a message. Its place has its size before it came, so that the column stays still. */
export function MessagePicture({ name, path, dimensions, link, load, context }: Props) {
  const frame = useRef<HTMLButtonElement>(null)
  const [picture, broken] = usePicture(frame, path, load)
  const { width, height } = drawnSize(dimensions)
  return (
    <button
      ref={frame}
      type="button"
      class="picture"
      title={`${name}, ${link.host}`}
      aria-label={`Open image ${name} from ${link.host}${picture === null ? ' (could not be loaded)' : ''}`}
      style={{ width: `${width}px`, aspectRatio: `${width} / ${height}` }}
      onClick={() => context.onLink(link.url)}
    >
      {typeof picture === 'string' ? (
        <img src={picture} alt={name} draggable={false} onError={broken} />
      ) : (
        <span class="picture-name">
          {name}
          {picture === null && ' could not be loaded'}
        </span>
      )}
    </button>
  )
}

/** Shrunk to fit, never enlarged but to what can be pressed. */
function drawnSize(dimensions: string): { width: number; height: number } {
  const [, width, height] = /^(\d{1,6})x(\d{1,6})$/.exec(dimensions) ?? []
  const size = { width: Number(width), height: Number(height) }
  if (!(size.width > 0 && size.height > 0)) return usual
  const scale = Math.min(1, most.width / size.width, most.height / size.height)
  return {
    width: Math.max(least.width, Math.round(size.width * scale)),
    height: Math.max(least.height, Math.round(size.height * scale)),
  }
}

interface EmojiProps {
  readonly name: string
  readonly path: string
  readonly load: NonNullable<MessageContext['loadPicture']>
}

/** An emoji of the realm's own; its name until it came, and where it can't. */
export function EmojiPicture({ name, path, load }: EmojiProps) {
  const place = useRef<HTMLSpanElement>(null)
  const [picture, broken] = usePicture(place, path, load)
  return (
    <span ref={place} class="custom-emoji">
      {typeof picture === 'string' ? (
        <img src={picture} alt={name} title={name} draggable={false} onError={broken} />
      ) : (
        name
      )}
    </span>
  )
}
