import { type Signal, useSignal } from '@preact/signals'
import { Fragment, type TargetedMouseEvent } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Icon } from './icon.tsx'
import { keyOf, type PageAction } from './page-actions.ts'

export interface MenuItem {
  readonly label: string
  readonly hint?: string
  /** Starts a group of items with this title. */
  readonly head?: string
  /** For an item that is one of several options: whether it is the current one. */
  readonly isOn?: boolean
  readonly act: () => void
}

interface Props {
  readonly label: string
  readonly items: readonly MenuItem[]
  /** `icon`: three dots, unless `icon` names another. `button`: the label and an arrow. */
  readonly face?: 'icon' | 'button'
  readonly icon?: Parameters<typeof Icon>[0]['name']
  /** Why it is disabled; it can still be reached, so that the reason can be read. */
  readonly why?: string | null
  readonly kind?: 'plain' | 'primary'
  /** Whether it is open, where something else opens it too. */
  readonly shown?: Signal<boolean>
}

export function MenuButton(props: Props) {
  const { label, items, face = 'icon', icon = 'more', why = null, kind = 'plain' } = props
  const own = useSignal(false)
  const { shown = own } = props
  const open = shown.value
  const setOpen = (opens: boolean): void => {
    shown.value = opens
  }
  const button = useRef<HTMLButtonElement>(null)
  const off = why !== null
  const close = (refocus: boolean) => {
    setOpen(false)
    if (refocus) button.current?.focus()
  }
  return (
    <div class={`more more-${face}`}>
      <button
        ref={button}
        type="button"
        class={face === 'icon' ? 'tool-button' : `button button-${kind}`}
        {...(face === 'icon' ? { 'aria-label': label } : {})}
        title={why ?? (face === 'icon' ? label : undefined)}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-disabled={off}
        onClick={() => !off && setOpen(!open)}
        onKeyDown={(key) => {
          if (key.key !== 'ArrowDown' || off) return
          key.preventDefault()
          setOpen(true)
        }}
      >
        {face === 'icon' ? <Icon name={icon} /> : label}
        {face === 'button' && <Icon name="unfold" />}
      </button>
      {open && <Menu label={label} items={items} close={close} />}
    </div>
  )
}

interface MenuProps extends Pick<Props, 'label' | 'items'> {
  readonly close: (refocus: boolean) => void
}

/** The menu without a button, positioned by its parent. It takes the focus when it opens. */
export function Menu({ label: name, items: all, close }: MenuProps) {
  const list = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (list.current !== null) placeInSight(list.current)
    const first = list.current?.querySelector<HTMLElement>('[aria-checked="true"], button')
    first?.focus({ preventScroll: true })
    const onPress = (press: PointerEvent) => {
      if (press.target instanceof Node && list.current?.parentElement?.contains(press.target))
        return
      close(false)
    }
    document.addEventListener('pointerdown', onPress)
    return () => document.removeEventListener('pointerdown', onPress)
  }, [])
  return (
    <div
      ref={list}
      class="menu"
      role="menu"
      aria-label={name}
      tabIndex={-1}
      onKeyDown={(key) => onMenuKey(key, list.current, close)}
      onFocusOut={({ relatedTarget: to }) => {
        // The menu's own button closes it when clicked.
        if (to instanceof Node && !list.current?.parentElement?.contains(to)) close(false)
      }}
    >
      {all.map(({ label, hint, head, isOn, act }) => (
        <Fragment key={label}>
          {head !== undefined && (
            <p class="menu-head group-label" aria-hidden="true">
              {head}
            </p>
          )}
          <button
            type="button"
            {...(isOn === undefined
              ? { role: 'menuitem' }
              : { role: 'menuitemradio', 'aria-checked': isOn })}
            tabIndex={-1}
            onClick={() => {
              close(true)
              act()
            }}
          >
            <span>{label}</span>
            {hint !== undefined && <span class="raw menu-hint">{hint}</span>}
            {isOn === true && <Icon name="done" />}
          </button>
        </Fragment>
      ))}
    </div>
  )
}

/** The context menu of a list's rows, drawn next to the list. `refocus`: to the row. */
export function useRowMenu(refocus: () => void) {
  const [menu, setMenu] = useState<(Pick<Props, 'label' | 'items'> & { place: string }) | null>(
    null,
  )
  /** Opens it at the pointer, or below the row if the row isn't what was pressed, as by a key. */
  const open = (
    press: TargetedMouseEvent<HTMLElement>,
    row: Element | null,
    label: string,
    actions: readonly PageAction[],
  ): void => {
    const frame = press.currentTarget.parentElement?.getBoundingClientRect()
    if (row === null || frame === undefined) return
    const { left, bottom } = row.getBoundingClientRect()
    const isOnRow = press.target instanceof Node && row.contains(press.target)
    const [x, y] = isOnRow ? [press.clientX, press.clientY] : [left + 32, bottom]
    setMenu({
      label,
      items: actions.map(({ title, key, act }) => ({
        label: title,
        ...(key === '' ? {} : { hint: key }),
        act: () => void act(),
      })),
      place: `left: ${x - frame.left}px; top: ${y - frame.top}px`,
    })
  }
  const close = (refocuses: boolean): void => {
    setMenu(null)
    if (refocuses) refocus()
  }
  const drawn = menu && (
    <div class="row-menu" style={menu.place}>
      <Menu label={menu.label} items={menu.items} close={close} />
    </div>
  )
  return { open, drawn }
}

/**
 * Shifts the menu to stay within its page, which would scroll sideways. Opens it above its button if
 * it would end below the visible page and there is room above; otherwise scrolls it into view. Then
 * shifts it to stay inside a small window.
 */
function placeInSight(menu: HTMLElement): void {
  const scroller = menu.closest('.page-scroll')
  const page = (scroller ?? document.body).getBoundingClientRect()
  const { left, right, bottom, height } = menu.getBoundingClientRect()
  // Without its scrollbar.
  const edge = page.left + (scroller ?? document.body).clientWidth
  const x = Math.max(4 - left, Math.min(0, edge - 4 - right))
  if (x !== 0) menu.style.translate = `${x}px`
  const top = menu.parentElement?.getBoundingClientRect().top ?? 0
  if (bottom > page.bottom && top - height - 4 >= page.top) menu.classList.add('menu-up')
  else if (scroller) menu.scrollIntoView({ block: 'nearest' })
  const y = Math.min(0, innerHeight - 4 - menu.getBoundingClientRect().bottom)
  if (y !== 0) menu.style.translate = `${x}px ${y}px`
}

function onMenuKey(
  key: KeyboardEvent,
  list: HTMLElement | null,
  close: (refocus: boolean) => void,
): void {
  if (key.key === 'Escape' || key.key === 'Tab') close(key.key === 'Escape')
  else if (isSingleKey(key)) hinted(list, keyOf(key))?.click()
  else if (!stepFocus(list, key.key)) return
  // Tab moves on to what follows the menu.
  if (key.key === 'Tab') return
  key.preventDefault()
  key.stopPropagation()
}

/** The menu keeps these keys from the page behind it, where many of them are commands. */
function isSingleKey({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return key.length === 1 && key !== ' ' && !ctrlKey && !metaKey && !altKey
}

/** The item whose hint is this key. */
function hinted(list: HTMLElement | null, key: string): HTMLElement | undefined {
  const buttons = [...(list?.querySelectorAll('button') ?? [])]
  return buttons.find((button) => button.querySelector('.menu-hint')?.textContent === key)
}

/** Moves the focus between the buttons of a list, wrapping around. Returns false for other keys. */
export function stepFocus(list: HTMLElement | null, key: string): boolean {
  if (!list?.contains(document.activeElement)) return false
  const buttons = [...list.querySelectorAll('button')]
  const at = buttons.findIndex((button) => button.matches(':focus'))
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    Home: 0,
    End: -1,
  }
  const to = Object.hasOwn(steps, key) ? steps[key] : undefined
  if (to === undefined) return false
  buttons.at(to % buttons.length)?.focus()
  return true
}
