import { signal } from '@preact/signals'
import type { ComponentChildren, RefObject, VNode } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { narrowPlace } from '#shared/core/chat/narrow-link.ts'
import { picturePath } from '#shared/core/chat/picture-path.ts'
import { percentWords } from '#shared/core/wording.ts'
import { Button, IconButton, SmallButton } from '../parts/button.tsx'
import { Dialog, Modal } from '../parts/dialog.tsx'
import { FormFoot } from '../parts/field.tsx'
import { namesAnotherHost } from '../parts/named-sites.ts'
import { keyOf } from '../parts/page-actions.ts'
import type { MessageContext } from './message-context.ts'
import { type MessageLink, messageLink } from './message-link.ts'
import { attribute } from './sanitize.ts'

const mediaKinds: Readonly<Record<string, 'Image' | 'Video' | 'Audio'>> = {
  video: 'Video',
  audio: 'Audio',
}

/**
 * Draws an image, video or audio as a placeholder, unless it is an image that the realm itself
 * serves and the user chose to show those. `holder` is the link around the media or the media
 * itself, and provides the name.
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
  const path = media.localName === 'img' ? pathOf(media, context) : null
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
      opens={kind === 'Image' ? 'here' : 'elsewhere'}
      dimensions={attribute(media, 'data-original-dimensions')}
      link={link}
      load={context.loadPicture}
      context={context}
    />
  )
}

/** The path of the thumbnail, which `src` refers to: the original may be of any size. */
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
    // Malformed percent-encoding: the raw name will do.
    return last
  }
}

interface Props {
  readonly kind: 'Image' | 'Video' | 'Audio'
  readonly name: string
  readonly link: MessageLink | null
  /** The realm serves an image of it, which is shown once the user chooses to show images. */
  readonly canShow: boolean
  readonly context: MessageContext
}

/**
 * Stands in for an image, video or audio. Nothing is loaded for it: a remote image would tell its
 * host who reads the message, where and when (chat API, trap T36).
 */
function MediaPlaceholder({ kind, name, link, canShow, context }: Props) {
  const { host } = new URL(context.baseUrl)
  return (
    <span class="media-placeholder">
      <span class="raw media-kind">{kind}</span>
      <span class="one-line" title={name}>
        {name}
      </span>
      {link !== null && <span class="one-line raw media-host">{link.host}</span>}
      <span class="media-buttons">
        {canShow && (
          <SmallButton
            title={`Show images from ${host}, now and in the future; it can then tell when you read them`}
            aria-label={`Show images from ${host}`}
            onClick={() => context.onShowPictures()}
          >
            Show images
          </SmallButton>
        )}
        {link !== null && (
          <SmallButton
            aria-label={`Open ${name} from ${link.host}`}
            onClick={() => context.onLink(link.url)}
          >
            Open
          </SmallButton>
        )}
      </span>
    </span>
  )
}

/** The largest size of an image in a message, in px. */
const most = { width: 320, height: 240 }
/** For an image of unknown size. */
const usual = { width: 240, height: 160 }
/** So that a tiny image can be clicked, and its name be read while it loads. */
const least = { width: 48, height: 32 }

interface MessagePictureProps {
  readonly name: string
  readonly path: string
  /** `4032x3024`, or empty. */
  readonly dimensions: string
  readonly link: MessageLink
  /** A click enlarges it here, or opens its link, maybe to a video or page, in the browser. */
  readonly opens: 'here' | 'elsewhere'
  readonly load: NonNullable<MessageContext['loadPicture']>
  readonly context: MessageContext
}

/** An image in a message. Its space is reserved while it loads, so that the column stays still. */
function MessagePicture(props: MessagePictureProps) {
  const { name, path, dimensions, link, opens, load, context } = props
  const frame = useRef<HTMLButtonElement>(null)
  const [picture, broken] = usePicture(frame, path, load)
  const { width, height } = drawnSize(dimensions)
  const open = (): void => {
    if (opens === 'here' && typeof picture === 'string')
      enlarged.value = { name, link, load, context, preview: picture, frame: frame.current }
    else context.onLink(link.url)
  }
  return (
    <button
      ref={frame}
      type="button"
      class="picture"
      title={`${name}, ${link.host}`}
      aria-label={`Open image ${name} from ${link.host}${picture === null ? ' (could not be loaded)' : ''}`}
      style={{ width: `${width}px`, aspectRatio: `${width} / ${height}` }}
      onClick={open}
    >
      {typeof picture === 'string' ? (
        <img src={picture} alt={name} draggable={false} onError={broken} />
      ) : (
        <span class="one-line picture-name">
          {name}
          {picture === null && ' could not be loaded'}
        </span>
      )}
    </button>
  )
}

/** The image of a link preview; null if the realm serves none or images are turned off. */
export function previewPicture(
  {
    name,
    style,
    link,
  }: { readonly name: string; readonly style: string; readonly link: MessageLink },
  context: MessageContext,
): VNode | null {
  const address = /url\(["']?([^"')]+)["']?\)/.exec(style)?.[1] ?? ''
  const path = picturePath(address, context.baseUrl)?.path
  const load = context.loadPicture
  if (path === undefined || load === null) return null
  const look = { name, path, link, load, context, dimensions: '120x80' }
  return <MessagePicture {...look} opens="elsewhere" />
}

interface Enlarged extends Pick<MessagePictureProps, 'name' | 'link' | 'load' | 'context'> {
  /** The thumbnail in the message, as a `data:` URL. */
  readonly preview: string
  readonly frame: HTMLElement | null
}

const enlarged = signal<Enlarged | null>(null)

const close = (): void => {
  enlarged.value = null
}

/** The enlarged image over the whole window, if one is open. */
export function LargePicture() {
  // It goes with its conversation, and must not come back with the next one.
  useLayoutEffect(() => close, [])
  return enlarged.value && <Large key={enlarged.value.link.url} {...enlarged.value} />
}

/** Relative to the image's own size. */
const zooms = [0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4] as const

function Large({ name, link, load, context, preview, frame }: Enlarged) {
  const place = useRef<HTMLDivElement>(null)
  const [size, setSize] = useState({ width: 1, height: 1 })
  const [whole, setWhole] = useState<string | null | undefined>(undefined)
  /** Null fits the image to the window. */
  const [zoom, setZoom] = useState<number | null>(null)
  useLayoutEffect(() => place.current?.focus(), [])
  useEffect(() => {
    let isCurrent = true
    // A proxied image from another host has no other size.
    const path = picturePath(link.url, context.baseUrl)?.path
    if (path === undefined) setWhole(preview)
    else void load(path).then((came) => isCurrent && setWhole(came))
    return () => {
      isCurrent = false
    }
  }, [])
  const step = (by: 1 | -1): void => {
    const { clientWidth = 0, clientHeight = 0 } = place.current ?? {}
    const now = zoom ?? Math.min(1, clientWidth / size.width, clientHeight / size.height)
    const next = by > 0 ? zooms.find((one) => one > now) : zooms.findLast((one) => one < now)
    if (next !== undefined) setZoom(next)
  }
  const keys: Readonly<Record<string, () => void>> = {
    '+': () => step(1),
    '-': () => step(-1),
    '0': () => setZoom(null),
    '1': () => setZoom(1),
    ...(zoom === null
      ? { ArrowLeft: () => openBeside(frame, -1), ArrowRight: () => openBeside(frame, 1) }
      : {}),
  }
  const onKey = (key: KeyboardEvent): void => {
    const isPlain = !key.ctrlKey && !key.metaKey && !key.altKey
    const act = isPlain ? (keys[key.key] ?? keys[keyOf(key)]) : undefined
    if (act !== undefined) key.preventDefault()
    act?.()
  }
  const look = zoom === null ? 'large-place large-fits' : 'large-place'
  const label = { 'aria-label': `Image ${name}` }
  return (
    <Modal class="large" name={label} onBack={close} onLeave={close} onKey={onKey}>
      <div class="bar large-bar">
        <span class="one-line large-name" title={name}>
          {name}
        </span>
        <span class="quiet" role="status">
          {whole === undefined && 'Loading…'}
          {whole === null && 'Only this preview could be loaded'}
        </span>
        <IconButton icon="remove" label="Zoom out (−)" onClick={() => step(-1)} />
        <SmallButton title="Fit to window (0)" onClick={() => setZoom(null)}>
          {zoom === null ? 'Fit' : percentWords(zoom * 100)}
        </SmallButton>
        <IconButton icon="add" label="Zoom in (+)" onClick={() => step(1)} />
        <IconButton
          icon="external"
          label={`Open ${name} in the browser`}
          onClick={() => context.onLink(link.url)}
        />
        <IconButton icon="close" label="Close (Esc)" onClick={close} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <div ref={place} class={look} tabIndex={0}>
        <img
          src={whole ?? preview}
          alt={name}
          draggable={false}
          style={zoom === null ? {} : { width: `${size.width * zoom}px` }}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
            setSize({ width: naturalWidth, height: naturalHeight })
          }
          onError={() => setWhole(null)}
        />
      </div>
    </Modal>
  )
}

/** Opens the image before or after this one, of those on the page. */
function openBeside(frame: HTMLElement | null, by: 1 | -1): void {
  const all = [...document.querySelectorAll<HTMLElement>('button.picture:has(img)')]
  const at = frame === null ? -1 : all.indexOf(frame)
  if (at !== -1) all[at + by]?.click()
}

/** Shrinks to fit, and never enlarges except to `least`. */
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

/** One of the realm's own emoji; its name until it has loaded, or if it can't be. */
export function EmojiPicture({
  name,
  path,
  load,
}: Pick<MessagePictureProps, 'name' | 'path' | 'load'>) {
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

/** How far outside the view an image starts to load, so that it is there when scrolled to. */
const nearPx = 400

/** Undefined until it has loaded, null if it can't be. Loads once `place` comes near the view. */
function usePicture(
  place: RefObject<Element | null>,
  path: string,
  load: MessagePictureProps['load'],
): readonly [picture: string | null | undefined, broken: () => void] {
  const [picture, setPicture] = useState<string | null | undefined>(undefined)
  useEffect(() => {
    const element = place.current
    if (element === null) return
    let current = true
    setPicture(undefined)
    const watch = new IntersectionObserver(
      (seen) => {
        if (!seen.some(({ isIntersecting }) => isIntersecting)) return
        watch.disconnect()
        void load(path).then((came) => {
          if (current) setPicture(came)
        })
      },
      { rootMargin: `${nearPx}px` },
    )
    watch.observe(element)
    return () => {
      current = false
      watch.disconnect()
    }
  }, [path, load])
  return [picture, () => setPicture(null)]
}

interface MessageAnchorProps {
  readonly link: MessageLink
  /** The link's own text, to compare with where it leads. */
  readonly text: string
  readonly context: MessageContext
  readonly children: ComponentChildren
}

/** A link in a message. Never followed by the page itself: main checks and opens it. */
export function MessageAnchor({ link, text, context, children }: MessageAnchorProps) {
  const place = narrowPlace(link.url, context.baseUrl, context.myId ?? -1)
  // The name of an uploaded file may look like a host: links within the realm are not suspected.
  const elsewhere =
    URL.parse(link.url)?.origin !== URL.parse(context.baseUrl)?.origin &&
    namesAnotherHost(text, link)
  const [asking, setAsking] = useState(false)
  const open = (click: MouseEvent): void => {
    click.preventDefault()
    if (place !== null && context.onPlace(place)) return
    if (elsewhere) setAsking(true)
    else context.onLink(link.url)
  }
  return (
    <>
      <a
        class="message-link"
        href={link.url}
        title={place === null ? link.host : `In this chat: ${link.host}`}
        draggable={false}
        onClick={open}
        onAuxClick={open}
      >
        {children}
      </a>
      {elsewhere && <span class="link-elsewhere"> (leads to {link.host})</span>}
      {asking && (
        <ElsewhereQuestion
          link={link}
          text={text}
          context={context}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}

/** The most characters shown of a link's own text, which may be a page long. */
const longestWords = 80

/** Asks before opening a link that names one host and goes to another. Enter doesn't open it. */
function ElsewhereQuestion(
  props: Omit<MessageAnchorProps, 'children'> & { readonly onClose: () => void },
) {
  const { link, text, context, onClose } = props
  const words = text.trim()
  const shown = words.length > longestWords ? `${words.slice(0, longestWords)}…` : words
  return (
    <Dialog title="Open this link?" onClose={onClose}>
      <p>
        This link says <bdi>{shown}</bdi> but goes to <strong>{link.host}</strong>. Open?
      </p>
      <FormFoot onCancel={onClose}>
        <Button
          kind="danger"
          onClick={() => {
            onClose()
            context.onLink(link.url)
          }}
        >
          Open {link.host}
        </Button>
      </FormFoot>
    </Dialog>
  )
}
