import { catalogue, type OperationId } from '#shared/api/catalogue.ts'
import type { Operation } from '#shared/api/operation.ts'
import { createOperationSource, createPaletteSource } from '#shared/core/views/palette-items.ts'
import {
  type PaletteIndex,
  type PaletteItem,
  paletteIndex,
} from '#shared/core/views/palette-search.ts'
import { hereItem, palette } from '../palette-shown.ts'
import { pageActions } from '../parts/page-actions.ts'
import { lastUndo, toast } from '../toast.ts'

export function openOperation(name: string): void {
  // The keys of the catalogue are operation ids.
  if (Object.hasOwn(catalogue, name))
    palette.value = { shows: 'operation', operation: name as OperationId }
}

/** The operation without the exact types of its params, for a form that is drawn from its schema. */
export function operationOf(id: OperationId): Operation {
  return catalogue[id]
}

/** What was done last, long after its toast has gone. */
function undoItem(): PaletteItem {
  const last = lastUndo()
  const act = () => (last === null ? toast('There is nothing to undo.') : last.act())
  const hint = last?.text ?? 'nothing to undo'
  return hereItem('undo', 'Undo', act, { hint, key: 'Ctrl Z', keywords: 'revert back' })
}

/** The actions of the current view, at this moment. */
export function hereIndex(): PaletteIndex {
  return paletteIndex([
    ...pageActions().map(({ key, title, act }) => hereItem(`here/${title}`, title, act, { key })),
    undoItem(),
  ])
}

/** The index of everything that can be found, kept while the palette is closed. */
export const paletteSource = createPaletteSource()

/** The index of the operations of both services. */
export const operationSource = createOperationSource(
  Object.entries<Operation>(catalogue).map(([id, operation]) => ({
    id,
    service: operation.service,
    title: operation.title,
    method: operation.method,
    path: operation.path,
    needsReadWriteKey: operation.needsReadWriteKey === true,
    since: operation.older === undefined ? operation.since : undefined,
  })),
)
