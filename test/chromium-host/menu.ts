import { standIn } from './refuse.ts'

interface MenuTemplateItem {
  readonly label?: string
  readonly type?: 'normal' | 'separator' | 'submenu'
  readonly enabled?: boolean
  readonly submenu?: readonly MenuTemplateItem[]
  readonly click?: (item: MenuItem, window: undefined, event: object) => void
}

/** The supported parts of a template; any other throws, so that none is lost silently. */
const understood = new Set(['label', 'type', 'enabled', 'submenu', 'click'])

let lastCommandId = 0

export class MenuItem extends standIn('MenuItem') {
  readonly commandId: number
  readonly label: string
  readonly type: 'normal' | 'separator' | 'submenu'
  readonly enabled: boolean
  readonly submenu: Menu | null
  readonly #click: MenuTemplateItem['click']

  constructor(template: MenuTemplateItem) {
    super()
    const unknown = Object.keys(template).find((key) => !understood.has(key))
    if (unknown !== undefined) {
      throw new Error(`chromium host: MenuItem.${unknown} is not stood in for`)
    }
    lastCommandId += 1
    this.commandId = lastCommandId
    this.label = template.label ?? ''
    this.submenu = template.submenu === undefined ? null : Menu.buildFromTemplate(template.submenu)
    this.type = template.type ?? (this.submenu === null ? 'normal' : 'submenu')
    this.enabled = template.enabled ?? true
    this.#click = template.click
  }

  click(): void {
    this.#click?.(this, undefined, {})
  }
}

/** Removes separators that aren't between items. */
function withoutNeedless(template: readonly MenuTemplateItem[]): readonly MenuTemplateItem[] {
  const isLine = (item: MenuTemplateItem | undefined): boolean => item?.type === 'separator'
  const kept = template.filter((item, at) => !isLine(item) || !isLine(template[at - 1]))
  return kept.slice(isLine(kept[0]) ? 1 : 0, isLine(kept.at(-1)) ? -1 : undefined)
}

export class Menu extends standIn('Menu') {
  readonly items: readonly MenuItem[]

  constructor(items: readonly MenuItem[] = []) {
    super()
    this.items = items
  }

  static buildFromTemplate(template: readonly MenuTemplateItem[]): Menu {
    if (!Array.isArray(template))
      throw new TypeError('Invalid template for Menu: Menu template must be an array')
    const shows = ({ label, type }: MenuTemplateItem): boolean =>
      label !== undefined || type === 'separator'
    if (!template.every(shows))
      throw new TypeError(
        'Invalid template for MenuItem: must have at least one of label, role or type',
      )
    return new Menu(withoutNeedless(template).map((item) => new MenuItem(item)))
  }

  /** The stand-in's windows have no menu bar. */
  static setApplicationMenu(_menu: Menu | null): void {}
}
