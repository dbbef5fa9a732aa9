import { catalogue, type OperationId } from '../../src/shared/api/catalogue.ts'
import { formFields } from '../../src/shared/api/form-fields.ts'
import type { Operation } from '../../src/shared/api/operation.ts'
import {
  createOperationSource,
  type PaletteOperation,
} from '../../src/shared/core/views/palette-items.ts'
import { paletteResults } from '../../src/shared/core/views/palette-search.ts'
import { chatService } from '../conformance/chat-service.ts'
import { monitoring } from '../conformance/monitoring-cases.ts'
import * as eg from '../support/eg.ts'
import {
  chatDocument,
  chatNamed,
  type DocumentedOperation,
  monitoringDocument,
} from './documents.ts'

export interface Comparison {
  readonly operations: { readonly held: number; readonly all: number }
  readonly fields: { readonly held: number; readonly all: number }
  /** What is missing, a sentence each. */
  readonly missing: readonly string[]
}

const entries = Object.entries(catalogue) as readonly (readonly [OperationId, Operation])[]

/** Holds a catalogue against the documents, the palette and the conformance cases. */
export function compare(
  documented: readonly DocumentedOperation[] = [
    ...monitoringDocument,
    ...chatDocument,
    ...chatNamed,
  ],
): Comparison {
  const missing: string[] = []
  let held = 0
  let fields = 0
  let fieldsHeld = 0
  for (const one of documented) {
    const entry = entries.find(([, operation]) => isThe(operation, one))
    const wanted = one.fields.split(' ').filter((field) => field !== '')
    fields += wanted.length
    if (entry === undefined) {
      missing.push(`${one.title}: not in the catalogue`)
      continue
    }
    const has = new Set(Object.keys(entry[1].params.entries))
    const lacking = wanted.filter((field) => !has.has(field))
    fieldsHeld += wanted.length - lacking.length
    if (lacking.length > 0) missing.push(`${one.title}: lacks ${lacking.join(', ')}`)
    else held += 1
  }
  return {
    operations: { held, all: documented.length },
    fields: { held: fieldsHeld, all: fields },
    missing: [...missing, ...entries.flatMap(([id, operation]) => gaps(id, operation))],
  }
}

function isThe(operation: Operation, { title, address }: DocumentedOperation): boolean {
  return (
    operation.title === title &&
    (address === null || `${operation.method} ${operation.path}` === address)
  )
}

const tested = new Set(
  [...monitoring.cases, ...chatService.cases].map(({ operation }) => String(operation)),
)
const offered: readonly PaletteOperation[] = entries.map(([id, operation]) => ({
  id,
  service: operation.service,
  title: operation.title,
  method: operation.method,
  path: operation.path,
  needsReadWriteKey: operation.needsReadWriteKey ?? false,
}))
const index = createOperationSource(offered)(eg.state())

/** What every operation of the catalogue needs, whether a document describes it or not. */
function gaps(id: OperationId, operation: Operation): string[] {
  const found = paletteResults(index, operation.title, [])
  return [
    ...(found.some(({ action }) => action.does === 'operation' && action.operation === id)
      ? []
      : [`${operation.title}: not in the palette`]),
    ...(tested.has(id) ? [] : [`${operation.title}: has no conformance case`]),
    ...formFields(operation)
      .filter(({ help }) => help === '')
      .map(({ name }) => `${operation.title}: its form has no help for ${name}`),
  ]
}

/** docs/operations.md, made from the catalogue. */
export function operationsTable(): string {
  const rows = entries.map(([id, { service, title, method, path, params, ...rest }]) => {
    const form = Object.keys(params.entries).join(', ')
    const key = rest.anonymous ? 'none' : keyOf(service, rest.needsReadWriteKey ?? false)
    return `| \`${id}\` | ${title} | ${method} | \`${path}\` | ${form || '–'} | ${key} | ${rest.since ?? ''} |`
  })
  const head = `| Operation | Title | Method | Path | Form | Key | Since |\n|---|---|---|---|---|---|---|`
  return `# Operations

Every operation that Belfry can call, generated from the catalogue by \`npm run check:operations -- --write\`.
Each is in the palette (Ctrl/Cmd+K, then \`>\`) with a form of its own, and has at least one
[conformance case](conformance.md). *Since* is the feature level of the chat server that brought it, if
that is above 372 (version 10). Older servers don’t have it; Belfry then sends an older request that does
the same, if there is one, or says which version it needs.

${head}
${rows.join('\n')}
`
}

function keyOf(service: Operation['service'], needsReadWrite: boolean): string {
  if (service === 'chat') return 'e-mail and key'
  return needsReadWrite ? 'read-write' : 'any'
}
