import { useLayoutEffect, useState } from 'preact/hooks'
import { boardGroupChoices, boardOrderChoices } from '#shared/core/checks/board-orders.ts'
import { type SavedView, viewKeys } from '#shared/core/settings.ts'
import { call } from '../bridge.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field, FormFoot, SelectField } from '../parts/field.tsx'
import { draftField, useForm } from '../parts/form.ts'
import { MenuButton, type MenuItem } from '../parts/menu-button.tsx'
import { useKeys } from '../parts/page-actions.ts'
import { toast, toastFailure, toastIfFailed, undo } from '../toast.ts'
import { appState } from '../window-state.ts'
import { filterText, viewMenuShown } from './board-state.ts'

/**
 * A menu to group and sort the list, and to save both with the filter: under a name and a key,
 * which opens the view on the board (1 to 9).
 */
export function ViewMenu() {
  const [saving, setSaving] = useState(false)
  const { views, groupBy, sortBy } = appState.value.settings
  useKeys(views.map((view) => ({ key: view.key, act: () => openView(view) })))
  const current = views.find(isCurrent)
  useLayoutEffect(
    () => () => {
      viewMenuShown.value = false
    },
    [],
  )
  return (
    <>
      <MenuButton
        label="View"
        icon="view"
        shown={viewMenuShown}
        items={[
          ...choices('Group', 'groupBy', groupBy, boardGroupChoices),
          ...choices('Sort', 'sortBy', sortBy, boardOrderChoices),
          ...views.map((view, at) => ({
            ...(at === 0 ? { head: 'Saved views' } : {}),
            label: view.name,
            hint: view.key,
            act: () => openView(view),
          })),
          {
            ...(views.length === 0 ? { head: 'Saved views' } : {}),
            label: 'Save this view…',
            act: () => setSaving(true),
          },
          ...(current === undefined
            ? []
            : [{ label: `Remove “${current.name}”`, act: () => void remove(current) }]),
        ]}
      />
      {saving && <SaveView onClose={() => setSaving(false)} />}
    </>
  )
}

function choices<T extends string>(
  head: string,
  name: 'groupBy' | 'sortBy',
  current: T,
  options: readonly (readonly [T, string])[],
): readonly MenuItem[] {
  return options.map(([value, label], at) => ({
    ...(at === 0 ? { head } : {}),
    label,
    isOn: value === current,
    act: () => toastIfFailed(call.updateSettings({ [name]: value })),
  }))
}

function openView({ filter, groupBy, sortBy }: SavedView): void {
  filterText.value = filter
  toastIfFailed(call.updateSettings({ groupBy, sortBy }))
}

function isCurrent({ filter, groupBy, sortBy }: SavedView): boolean {
  const { settings } = appState.value
  return filter === filterText.value && groupBy === settings.groupBy && sortBy === settings.sortBy
}

async function remove(view: SavedView): Promise<void> {
  const { views } = appState.value.settings
  const result = await call.updateSettings({ views: views.filter((one) => one !== view) })
  if (!result.ok) return toastFailure(result.failure)
  const back = () => toastIfFailed(call.updateSettings({ views: viewsWith(view) }))
  toast(`Removed “${view.name}”.`, 'done', undo(back))
}

/** The saved views in the order of their keys, with this one in place of any that has its key. */
function viewsWith(view: SavedView): readonly SavedView[] {
  const others = appState.value.settings.views.filter(({ key }) => key !== view.key)
  return [...others, view].sort((one, other) => Number(one.key) - Number(other.key))
}

function SaveView({ onClose }: { readonly onClose: () => void }) {
  const { views, groupBy, sortBy } = appState.value.settings
  const free = viewKeys.find((key) => !views.some((view) => view.key === key))
  const start: { readonly name: string; readonly key: SavedView['key'] } = {
    name: '',
    key: free ?? '1',
  }
  const form = useForm({
    title: 'Save this view',
    start,
    check: ({ name }) => (name.trim() === '' ? { name: 'Give it a name.' } : {}),
    async send({ name, key }) {
      const view = { name: name.trim(), filter: filterText.value, groupBy, sortBy, key }
      const result = await call.updateSettings({ views: viewsWith(view) })
      return result.ok ? { ok: true, value: view } : result
    },
    done({ name, key }, isHere) {
      if (isHere()) onClose()
      toast(`Saved: press ${key} on the board for ${name}.`)
    },
  })
  const taken = views.find(({ key }) => key === form.draft.key)
  return (
    <Dialog title="Save this view" onClose={onClose}>
      <form {...form.attributes}>
        <Field
          label="Name"
          {...draftField(form, 'name')}
          help={
            taken === undefined ? undefined : `Replaces “${taken.name}”, which has this key now.`
          }
          onInput={(text) => form.onChange({ name: text.slice(0, 100) })}
        />
        <SelectField
          label="Key on the board"
          value={form.draft.key}
          options={viewKeys.map((one) => [one, one])}
          // One of `viewKeys`.
          onChange={(key) => form.onChange({ key: key as SavedView['key'] })}
        />
        <FormFoot error={form.errors.form} onCancel={onClose}>
          <Button type="submit" kind="primary" busy={form.busy}>
            Save
          </Button>
        </FormFoot>
      </form>
    </Dialog>
  )
}
