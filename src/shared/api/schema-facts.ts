/** What can be chosen from a list that the app or its server has. */
export type Picker =
  | 'check'
  | 'integration'
  | 'channel'
  | 'user'
  | 'users'
  | 'message'
  | 'file'
  | 'draft'
  | 'snippet'
  | 'scheduledMessage'
  | 'attachment'

/** What a parameter's `metadata` says beside its type: see `Operation` and docs of the schemas. */
interface FieldMetadata {
  readonly unit?: 'seconds' | 'unixSeconds' | 'days'
  /** Null: no limit. */
  readonly maxCodePoints?: number | null
  readonly picker?: Picker
  readonly multiline?: boolean
  /** Filled by the program, never asked for. */
  readonly hidden?: boolean
}

/**
 * A valibot schema or action, seen as the plain data that it is. Only the properties that the walk
 * looks at; each kind of schema has some of them.
 */
export interface SchemaNode {
  readonly kind: string
  readonly type: string
  readonly pipe?: readonly unknown[]
  /** Of optional, nullable, nullish. */
  readonly wrapped?: unknown
  readonly default?: unknown
  /** Of an array. */
  readonly item?: unknown
  /** Of a tuple. */
  readonly items?: readonly unknown[]
  /** Of a picklist (values), a union or a variant (schemas). */
  readonly options?: readonly unknown[]
  readonly entries?: Readonly<Record<string, unknown>>
  readonly literal?: unknown
  /** Of a record, its values. */
  readonly value?: unknown
  readonly title?: unknown
  readonly description?: unknown
  readonly metadata?: unknown
  readonly requirement?: unknown
}

/** What a parameter's schema tells about it. */
export interface SchemaFacts {
  /** Without its wrappers: optional, nullable, pipe. */
  readonly node: SchemaNode
  readonly title: string | null
  readonly description: string | null
  readonly meta: FieldMetadata
  readonly required: boolean
  readonly nullable: boolean
  readonly fallback: unknown
  readonly limits: {
    readonly min: number | null
    readonly max: number | null
    /** Characters of a text (as code points) or items of a list. */
    readonly minLength: number | null
    readonly maxLength: number | null
    readonly integer: boolean
  }
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] }

type Found = Writable<Omit<SchemaFacts, 'limits'>> & { limits: Writable<SchemaFacts['limits']> }

/** Reads a schema through its wrappers. What stands further out wins: it was said later. */
export function schemaFacts(schema: unknown): SchemaFacts {
  const found: Found = {
    node: asNode(schema),
    title: null,
    description: null,
    meta: {},
    required: true,
    nullable: false,
    fallback: undefined,
    limits: { min: null, max: null, minLength: null, maxLength: null, integer: false },
  }
  look(asNode(schema), found)
  return found
}

function look(node: SchemaNode, found: Found): void {
  found.node = node
  // The latest said stands nearest to the end of a pipe, and its first member is the inner schema.
  const [inner, ...actions] = node.pipe ?? []
  for (const action of actions.map(asNode).reverse()) take(action, found)
  if (inner !== undefined && inner !== node && asNode(inner).pipe !== undefined) {
    look(asNode(inner), found)
    return
  }
  if (node.type === 'optional' || node.type === 'nullish' || node.type === 'exact_optional')
    found.required = false
  if (node.type === 'nullable' || node.type === 'nullish') found.nullable = true
  if (node.wrapped === undefined) return
  if (found.fallback === undefined && typeof node.default !== 'function')
    found.fallback = node.default
  look(asNode(node.wrapped), found)
}

function take(action: SchemaNode, found: Found): void {
  const { limits } = found
  const number = typeof action.requirement === 'number' ? action.requirement : null
  switch (action.type) {
    case 'title':
      found.title ??= typeof action.title === 'string' ? action.title : null
      break
    case 'description':
      found.description ??= typeof action.description === 'string' ? action.description : null
      break
    case 'metadata':
      // Written by `metadata(…)` in our own schemas; the tests hold the whole catalogue to this form.
      found.meta = { ...(action.metadata as FieldMetadata), ...found.meta }
      limits.maxLength ??= found.meta.maxCodePoints ?? null
      break
    case 'min_value':
      limits.min ??= number
      break
    case 'max_value':
      limits.max ??= number
      break
    case 'min_length':
    case 'non_empty':
      limits.minLength ??= number ?? 1
      break
    case 'max_length':
      limits.maxLength ??= number
      break
    case 'integer':
    case 'safe_integer':
      limits.integer = true
      break
    default:
  }
}

/** Every schema and action of valibot is an object with a kind and a type. */
function asNode(schema: unknown): SchemaNode {
  return schema as SchemaNode
}
