import type { SessionBus } from './bus.ts'
import type { Menu, MenuItem } from './menu.ts'

const menuInterface = 'com.canonical.dbusmenu'

type Variant = readonly [signature: string, value: unknown]
type Properties = readonly (readonly [name: string, value: Variant])[]

/** dbusmenu marks access keys with `_`, Electron with `&`; a doubled mark is the character itself. */
function dbusLabel(label: string): string {
  return label.replaceAll('_', '__').replace(/&(.)/g, '_$1').replaceAll('_&', '&')
}

function propertiesOf(item: MenuItem | undefined): Properties {
  if (item === undefined) return []
  if (item.type === 'separator') return [['type', ['s', 'separator']]]
  return [
    ['label', ['s', dbusLabel(item.label)]],
    ['enabled', ['b', item.enabled]],
  ]
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
 * Shows a menu as `com.canonical.dbusmenu`, the way trays of Linux read it. Returns what to call when
 * another menu takes its place.
 */
export function putMenuOnBus(
  bus: SessionBus,
  path: string,
  current: () => Menu | null,
): () => void {
  let revision = 1
  const items = (): readonly MenuItem[] => current()?.items ?? []
  const find = (id: number): MenuItem | undefined => items().find((item) => item.commandId === id)
  const event = (id: number, kind: string): void => {
    if (kind === 'clicked') find(id)?.click()
  }
  const root: Properties = [['children-display', ['s', 'submenu']]]
  const members = {
    Version: 3,
    TextDirection: 'ltr',
    Status: 'normal',
    IconThemePath: [],
    GetLayout: (id: number, depth: number) => {
      if (id !== 0) return [revision, [id, propertiesOf(find(id)), []]]
      const shown = depth === 0 ? [] : items()
      const children = shown.map((item) => ['(ia{sv}av)', [item.commandId, propertiesOf(item), []]])
      return [revision, [0, root, children]]
    },
    GetGroupProperties: (ids: readonly number[]) =>
      (ids.length === 0 ? items().map((item) => item.commandId) : ids).map((id) => [
        id,
        id === 0 ? root : propertiesOf(find(id)),
      ]),
    GetProperty: (id: number, name: string): Variant =>
      propertiesOf(find(id)).find(([key]) => key === name)?.[1] ?? ['s', ''],
    Event: (id: number, kind: string) => {
      // As the real ones: the menu may have been replaced since its layout was read.
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
