import { signal } from '@preact/signals'
import type { ComponentChildren, RefObject, VNode } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { picturePath } from '#shared/core/chat/picture-path.ts'
import { percentWords } from '#shared/core/wording.ts'
import { Button, IconButton, SmallButton } from '../parts/button.tsx'
import { Dialog, Modal } from '../parts/dialog.tsx'
import { FormFoot } from '../parts/field.tsx'
import type { MessageContext } from './message-context.ts'
import { type MessageLink, messageLink, namesAnotherHost, narrowPlace } from './message-link.ts'
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
function MediaPlaceholder({ kind, name, link, canShow, context }: Props) {
  const { host } = new URL(context.baseUrl)
  return (
    <span class="media-placeholder">
      <span class="media-kind">{kind}</span>
      <span class="one-line media-name" title={name}>
        {name}
      </span>
      {link !== null && <span class="one-line media-host">{link.host}</span>}
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

/** The largest that a picture is drawn in a message, in px. */
const most = { width: 320, height: 240 }
/** For one of unknown size. */
const usual = { width: 240, height: 160 }
/** So that what is pressed can be hit, and its name be read while it loads. */
const least = { width: 48, height: 32 }

interface MessagePictureProps {
  readonly name: string
  readonly path: string
  /** `4032x3024`, or empty. */
  readonly dimensions: string
  readonly link: MessageLink
  /** Large in this window, or its link in the browser: it may be that of a film or a page. */
  readonly opens: 'here' | 'elsewhere'
  readonly load: NonNullable<MessageContext['loadPicture']>
  readonly context: MessageContext
}

/** A picture of a message. Its place has its size before it came, so that the column stays still. */
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

/** The picture of a link preview; none where the realm serves none, or where they are off. */
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
  /** What the message shows of it. */
  readonly preview: string
  readonly frame: HTMLElement | null
}

const enlarged = signal<Enlarged | null>(null)

/** A picture of a message over the whole window; nothing while none was opened. */
export function LargePicture() {
  return enlarged.value && <Large key={enlarged.value.link.url} {...enlarged.value} />
}

const close = (): void => {
  enlarged.value = null
}

/** As parts of its own size. */
const zooms = [0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4] as const

function Large({ name, link, load, context, preview, frame }: Enlarged) {
  const place = useRef<HTMLDivElement>(null)
  const [size, setSize] = useState({ width: 1, height: 1 })
  const [whole, setWhole] = useState<string | null | undefined>(undefined)
  /** Null: as large as fits. */
  const [zoom, setZoom] = useState<number | null>(null)
  useLayoutEffect(() => place.current?.focus(), [])
  useEffect(() => {
    let isCurrent = true
    // What is proxied from elsewhere has no other size.
    const path = picturePath(link.url, context.baseUrl)?.path
    if (path === undefined) setWhole(preview)
    else
      void load(path).then((came) => {
        if (isCurrent) setWhole(came)
      })
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
    const act = key.ctrlKey || key.metaKey || key.altKey ? undefined : keys[key.key]
    if (act === undefined) return
    key.preventDefault()
    act()
  }
  const look = zoom === null ? 'large-place large-fits' : 'large-place'
  const label = { 'aria-label': `Image ${name}` }
  return (
    <Modal class="large" name={label} onBack={close} onLeave={close} onKey={onKey}>
      <div class="large-bar">
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

/** The picture before or after one, of those that the page shows. */
function openBeside(frame: HTMLElement | null, by: 1 | -1): void {
  const all = [...document.querySelectorAll<HTMLElement>('button.picture:has(img)')]
  const at = frame === null ? -1 : all.indexOf(frame)
  if (at !== -1) all[at + by]?.click()
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

/** An emoji of the realm's own; its name until it came, and where it can't. */
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

/** How far outside of the view a picture begins to load, so that scrolling finds it there. */
const nearPx = 400

/** Undefined until it came, null when there is none. Asked for when `place` comes near the view. */
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
  /** The text as written, to compare with where the link leads. */
  readonly text: string
  readonly context: MessageContext
  readonly children: ComponentChildren
}

/** A link of a message. Never followed by the page itself: main checks and opens it. */
export function MessageAnchor({ link, text, context, children }: MessageAnchorProps) {
  const place = narrowPlace(link.url, context.baseUrl, context.myId ?? -1)
  // A file's name looks like a host; within the realm it leads to no other.
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

/** Of a link's own words, which may be a page long. */
const longestWords = 80

/** Before a link opens that names one host and goes to another. Enter does not open it, Esc closes. */
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
