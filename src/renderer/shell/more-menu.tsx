import { useEffect, useRef, useState } from 'preact/hooks'
import { showsDemo } from '#shared/core/state.ts'
import { call } from '../bridge.ts'
import { Icon } from '../parts/icon.tsx'
import { sayIfFailed } from '../say.ts'
import { appState, go } from '../state.ts'

interface Item {
  readonly label: string
  readonly hint?: string
  readonly act: () => void
}

function items(onHelp: () => void): readonly Item[] {
  const { notices } = appState.value
  return [
    {
      label: 'Refresh now',
      act: () => sayIfFailed(call.refresh({ accountId: null })),
    },
    {
      label: 'Notices',
      ...(notices.length > 0 ? { hint: String(notices.length) } : {}),
      act: () => go({ view: 'notices' }),
    },
    { label: 'Accounts', act: () => go({ view: 'accounts' }) },
    { label: 'Settings', act: () => go({ view: 'settings' }) },
    { label: 'Quick help', hint: '?', act: onHelp },
    ...(showsDemo(appState.value)
      ? [{ label: 'Leave the demo', act: () => sayIfFailed(call.leaveDemo({})) }]
      : []),
  ]
}

/** Everything that is not one of the two faces of the window. */
export function MoreMenu({ onHelp }: { readonly onHelp: () => void }) {
  const [open, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const close = (refocus: boolean) => {
    setOpen(false)
    if (refocus) button.current?.focus()
  }
  return (
    <div class="more">
      <button
        ref={button}
        type="button"
        class="tool-button"
        aria-label="More"
        title="More"
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        onKeyDown={(key) => {
          if (key.key !== 'ArrowDown') return
          key.preventDefault()
          setOpen(true)
        }}
      >
        <Icon name="more" />
      </button>
      {open && <Menu items={items(onHelp)} close={close} />}
    </div>
  )
}

interface MenuProps {
  readonly items: readonly Item[]
  readonly close: (refocus: boolean) => void
}

function Menu({ items: all, close }: MenuProps) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    focusItem(list.current, 0)
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
      aria-label="More"
      tabIndex={-1}
      onKeyDown={(key) => onMenuKey(key, list.current, close)}
    >
      {all.map(({ label, hint, act }) => (
        <button
          key={label}
          type="button"
          role="menuitem"
          tabIndex={-1}
          onClick={() => {
            close(true)
            act()
          }}
        >
          <span>{label}</span>
          {hint !== undefined && <span class="menu-hint">{hint}</span>}
        </button>
      ))}
    </div>
  )
}

function onMenuKey(
  key: KeyboardEvent,
  list: HTMLElement | null,
  close: (refocus: boolean) => void,
): void {
  const buttons = [...(list?.querySelectorAll('button') ?? [])]
  const at = buttons.findIndex((button) => button.matches(':focus'))
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    Home: 0,
    End: -1,
  }
  const to = Object.hasOwn(steps, key.key) ? steps[key.key] : undefined
  if (to !== undefined) focusItem(list, (to + buttons.length) % buttons.length)
  else if (key.key === 'Escape' || key.key === 'Tab') close(key.key === 'Escape')
  else return
  // Tab goes on to what comes after the menu.
  if (key.key === 'Tab') return
  key.preventDefault()
  key.stopPropagation()
}

function focusItem(list: HTMLElement | null, index: number): void {
  list?.querySelectorAll('button')[index]?.focus()
}
