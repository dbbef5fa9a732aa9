import type { BusConnection } from './bus.ts'
import type { Menu, MenuItem } from './menu.ts'

const menuInterface = 'com.canonical.dbusmenu'

type Variant = readonly [signature: string, value: unknown]
type Property = readonly [name: string, value: Variant]
type Properties = readonly Property[]

const submenuMark: Property = ['children-display', ['s', 'submenu']]
const offMark: Property = ['enabled', ['b', false]]

/**
 * dbusmenu marks access keys with `_`, Electron with `&`; a doubled mark is the character itself.
 */
function dbusLabel(label: string): string {
  return label.replaceAll('_', '__').replace(/&(.)/g, '_$1').replaceAll('_&', '&')
}

function propertiesOf(item: MenuItem | undefined): Properties {
  if (item === undefined) return []
  if (item.type === 'separator') return [['type', ['s', 'separator']]]
  return [
    ['label', ['s', dbusLabel(item.label)]],
    ...(item.enabled ? [] : [offMark]),
    ...(item.submenu === null ? [] : [submenuMark]),
  ]
}

/** The item and all of its descendants. */
function withBelow(item: MenuItem): readonly MenuItem[] {
  return [item, ...(item.submenu?.items ?? []).flatMap(withBelow)]
}

/** `(ia{sv}av)`, down to `depth` levels below; -1: all of them. */
function layoutOf(item: MenuItem, depth: number): readonly unknown[] {
  const below = depth === 0 ? [] : (item.submenu?.items ?? [])
  return [item.commandId, propertiesOf(item), below.map((one) => variantOf(one, depth - 1))]
}

function variantOf(item: MenuItem, depth: number): Variant {
  return ['(ia{sv}av)', layoutOf(item, depth)]
}

const description = {
  name: menuInterface,
  signals: {
    LayoutUpdated: ['ui'],
    ItemsPropertiesUpdated: ['a(ia{sv})a(ias)'],
    ItemActivationRequested: ['iu'],
  },
  properties: { Version: 'u', TextDirection: 's', Status: 's', IconThemePath: 'as' },
  methods: {
    GetLayout: ['iias', 'u(ia{sv}av)'],
    GetGroupProperties: ['aias', 'a(ia{sv})'],
    GetProperty: ['is', 'v'],
    Event: ['isvu', ''],
    EventGroup: ['a(isvu)', 'ai'],
    AboutToShow: ['i', 'b'],
    AboutToShowGroup: ['ai', 'aiai'],
  },
} as const

/**
 * Publishes a menu as `com.canonical.dbusmenu`, which Linux trays read. Returns a function to call
 * when another menu replaces it.
 */
export function putMenuOnBus(
  bus: BusConnection,
  path: string,
  current: () => Menu | null,
): () => void {
  let revision = 1
  const items = (): readonly MenuItem[] => current()?.items ?? []
  const all = (): readonly MenuItem[] => items().flatMap(withBelow)
  const find = (id: number): MenuItem | undefined => all().find((item) => item.commandId === id)
  const event = (id: number, kind: string): void => {
    // As in Electron, whoever shows the menu is responsible for disabled items.
    if (kind === 'clicked') find(id)?.click()
  }
  const root: Properties = [submenuMark]
  const members = {
    Version: 3,
    TextDirection: 'ltr',
    Status: 'normal',
    IconThemePath: [],
    GetLayout: (id: number, depth: number) => {
      const item = find(id)
      if (item !== undefined) return [revision, layoutOf(item, depth)]
      if (id !== 0) throw new Error(`no menu item ${id}`)
      const shown = depth === 0 ? [] : items()
      return [revision, [0, root, shown.map((one) => variantOf(one, depth - 1))]]
    },
    GetGroupProperties: (ids: readonly number[]) =>
      (ids.length === 0 ? all().map((item) => item.commandId) : ids).map((id) => [
        id,
        id === 0 ? root : propertiesOf(find(id)),
      ]),
    GetProperty: (id: number, name: string): Variant =>
      propertiesOf(find(id)).find(([key]) => key === name)?.[1] ?? ['s', ''],
    Event: (id: number, kind: string) => {
      // As in real menus: the menu may have been replaced since its layout was read.
      if (id !== 0 && find(id) === undefined) throw new Error(`no menu item ${id}`)
      event(id, kind)
    },
    EventGroup: (events: readonly (readonly [number, string])[]) => {
      for (const [id, kind] of events) event(id, kind)
      return []
    },
    AboutToShow: () => false,
    AboutToShowGroup: () => [[], []],
  }
  bus.publish(members, path, description)
  return () => {
    revision += 1
    bus.signal(path, menuInterface, 'LayoutUpdated', 'ui', [revision, 0])
  }
}
