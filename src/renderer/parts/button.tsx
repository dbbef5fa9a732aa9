import type { ComponentChildren, ComponentProps } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { call } from '../bridge.ts'
import { Icon } from './icon.tsx'

interface Props {
  readonly children: ComponentChildren
  readonly kind?: 'plain' | 'primary' | 'danger' | 'quiet'
  readonly type?: 'button' | 'submit'
  readonly icon?: Parameters<typeof Icon>[0]['name']
  readonly disabled?: boolean
  /** Work is in progress: the button keeps its place and the focus, but ignores clicks. */
  readonly busy?: boolean
  /** Why it is disabled, or which key does the same. */
  readonly title?: string | undefined
  readonly describedBy?: string
  readonly onClick?: () => void
}

/** Disabled with `aria-disabled`, so that it can still be focused and the reason read. */
export function Button({
  children,
  kind = 'plain',
  type = 'button',
  icon,
  disabled = false,
  busy = false,
  title,
  describedBy,
  onClick,
}: Props) {
  const off = disabled || busy
  return (
    <button
      class={`button button-${kind}`}
      type={off ? 'button' : type}
      aria-disabled={off}
      aria-busy={busy}
      aria-describedby={describedBy}
      title={title}
      onClick={() => {
        if (!off) onClick?.()
      }}
    >
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </button>
  )
}

type ButtonProps = Omit<ComponentProps<'button'>, 'class'> & { readonly class?: string }

interface IconButtonProps extends Required<Pick<Props, 'icon'>>, ButtonProps {
  readonly label: string
}

/** A button that shows only an icon; `label` is its accessible name and its tooltip. */
export function IconButton({ icon, label, ...props }: IconButtonProps) {
  return (
    <button type="button" class="tool-button" aria-label={label} title={label} {...props}>
      <Icon name={icon} />
    </button>
  )
}

/** A button within a line of text, which looks like a link. */
export function LinkButton({ class: more = '', ...props }: ButtonProps) {
  return <button type="button" class={`link ${more}`} {...props} />
}

/** A small button in a row or in a sentence. */
export function SmallButton(props: ButtonProps) {
  return <button type="button" class="small-button" {...props} />
}

/** State that becomes null again `ms` after it was set. */
export function useForAWhile<T>(ms: number) {
  const [value, set] = useState<T | null>(null)
  useEffect(() => {
    if (value === null) return
    const timer = setTimeout(() => set(null), ms)
    return () => clearTimeout(timer)
  }, [value])
  return [value, set] as const
}

interface CopyProps {
  /** Or what makes it, once it is asked for. */
  readonly text: string | (() => string)
  readonly label?: string
}

/** Copies through main (the page has no clipboard access) and shows for 2 s whether it worked. */
export function CopyButton({ text, label = 'Copy' }: CopyProps) {
  const [came, setCame] = useForAWhile<'copied' | 'failed'>(2_000)
  return (
    <Button
      kind="quiet"
      icon={came === 'copied' ? 'done' : 'copy'}
      onClick={() => {
        const copied = typeof text === 'string' ? text : text()
        void call.copyText({ text: copied }).then(({ ok }) => setCame(ok ? 'copied' : 'failed'))
      }}
    >
      {came === null ? label : came === 'copied' ? 'Copied' : 'Could not copy'}
    </Button>
  )
}

interface SegmentsProps<T> {
  readonly label: string
  readonly options: readonly (readonly [value: T, label: string])[]
  readonly value: T
  readonly onChange: (value: T) => void
  /** The keyboard shortcut of each option, shown in its tooltip. */
  readonly keys?: readonly string[]
}

/** A choice of one among a few options, each a toggle button. */
export function Segments<T>(props: SegmentsProps<T>) {
  const { label, options, value, onChange, keys } = props
  return (
    <fieldset class="segments" aria-label={label}>
      {options.map(([one, words], at) => (
        <button
          key={words}
          type="button"
          title={keys?.[at] === undefined ? undefined : `${words} (${keys[at]})`}
          aria-pressed={one === value}
          onClick={() => onChange(one)}
        >
          {words}
        </button>
      ))}
    </fieldset>
  )
}

export function KeyHint({ keys }: { readonly keys: string }) {
  return <kbd class="key-hint">{keys}</kbd>
}
