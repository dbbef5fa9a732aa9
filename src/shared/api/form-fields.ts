import { capitalised } from '../core/wording.ts'
import type { Operation } from './operation.ts'
import type { About } from './schema-field.ts'

/** How a value is entered. */
export type FieldInput =
  | { readonly kind: 'text'; readonly multiline: boolean; readonly secret: boolean }
  | { readonly kind: 'number'; readonly unit: 'days' | null }
  /** A time zone, by whatever people call it. */
  | { readonly kind: 'zone' }
  /** Seconds, entered as a duration. */
  | { readonly kind: 'duration' }
  /** Unix seconds, entered as a date and time. */
  | { readonly kind: 'time' }
  | { readonly kind: 'yesNo' }
  | { readonly kind: 'choice'; readonly options: readonly (string | number)[] }
  | { readonly kind: 'choices'; readonly options: readonly (string | number)[] }
  /** Values separated by commas. */
  | { readonly kind: 'list'; readonly of: 'text' | 'number' }
  | {
      readonly kind: 'pick'
      readonly picker: Picker
      /** `joined`: several as one text, separated by commas. */
      readonly count: 'one' | 'many' | 'joined'
      readonly of: 'text' | 'number'
    }
  /** A word, a number or a list of them; `options` are the words with a special meaning. */
  | { readonly kind: 'either'; readonly options: readonly (string | number)[] }
  /** The last resort: JSON, such as `example`. */
  | { readonly kind: 'json'; readonly example: string }

/** One parameter of an operation, as a form shows it. */
export interface FormField
  extends Pick<SchemaFacts, 'required' | 'nullable' | 'fallback' | 'limits'> {
  readonly name: string
  readonly label: string
  readonly help: string
  readonly input: FieldInput
  /** The feature level that introduced it. */
  readonly since: number | undefined
  /** The feature level that removed it. */
  readonly before: number | undefined
}

/** The fields of an operation's form, in the order of its schema, without hidden ones. */
export function formFields(operation: Operation): readonly FormField[] {
  return Object.entries(operation.params.entries).flatMap(([name, schema]) => {
    const facts = schemaFacts(schema)
    if (facts.meta.hidden === true) return []
    const { title, description, required, nullable, fallback, limits } = facts
    const words = { label: title ?? wordsOf(name), help: description ?? '' }
    const { since, before } = facts.meta
    const input = inputOf(name, facts)
    return [{ name, ...words, required, nullable, fallback, input, limits, since, before }]
  })
}

/** Whether a server of this feature level takes the field; one without a level may take all. */
export function isKnownAt(
  { since = 0, before = Number.POSITIVE_INFINITY }: Pick<FormField, 'since' | 'before'>,
  level: number | null | undefined,
): boolean {
  return level == null || (since <= level && level < before)
}

/** "num_before" → "Num before". */
function wordsOf(name: string): string {
  const words = name.replaceAll('_', ' ').trim()
  return capitalised(words)
}

/** What both services call the name of a time zone. */
const zoneNames = ['tz', 'timezone']

function inputOf(name: string, facts: SchemaFacts): FieldInput {
  const { node, meta } = facts
  if (meta.picker !== undefined) return pickInput(meta.picker, node)
  switch (node.type) {
    case 'string':
      if (zoneNames.includes(name)) return { kind: 'zone' }
      return {
        kind: 'text',
        multiline: meta.multiline === true,
        secret: name.endsWith('password'),
      }
    case 'number':
      return numberInput(meta)
    case 'boolean':
      return { kind: 'yesNo' }
    case 'array':
      return listInput(node)
    case 'union':
      return unionInput(node, facts)
    default: {
      const options = optionsOf(node)
      return options === null ? json(node) : { kind: 'choice', options }
    }
  }
}

function numberInput(meta: SchemaFacts['meta']): FieldInput {
  if (meta.unit === 'seconds') return { kind: 'duration' }
  if (meta.unit === 'unixSeconds') return { kind: 'time' }
  return { kind: 'number', unit: meta.unit === 'days' ? 'days' : null }
}

function pickInput(picker: Picker, node: SchemaNode): FieldInput {
  const leaves = node.type === 'union' ? (node.options ?? []).flatMap(bareNode) : [node]
  const lists = leaves.flatMap(({ type, item }) => (type === 'array' ? bareNode(item) : []))
  const values = [...leaves, ...lists]
  const of = values.some(({ type }) => type === 'number') ? 'number' : 'text'
  if (lists.length > 0) return { kind: 'pick', picker, count: 'many', of }
  const joined = of === 'text' && (picker === 'integration' || picker === 'users')
  return { kind: 'pick', picker, count: joined ? 'joined' : 'one', of }
}

function bareNode(schema: unknown): readonly SchemaNode[] {
  return schema === undefined ? [] : [schemaFacts(schema).node]
}

/** The values that a schema lists; null if it lists none. */
function optionsOf(node: SchemaNode): readonly (string | number)[] | null {
  if (node.type === 'literal') return isOption(node.literal) ? [node.literal] : null
  if (node.type !== 'picklist') return null
  return (node.options ?? []).filter(isOption)
}

function isOption(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}

function listInput(node: SchemaNode): FieldInput {
  const item = bareNode(node.item)[0]
  if (item === undefined) return json(node)
  const options = optionsOf(item)
  if (options !== null) return { kind: 'choices', options }
  if (item.type === 'string') return { kind: 'list', of: 'text' }
  if (item.type === 'number') return { kind: 'list', of: 'number' }
  return json(node)
}

function unionInput(node: SchemaNode, facts: SchemaFacts): FieldInput {
  const members = (node.options ?? []).map(schemaFacts)
  const nodes = members.map((member) => member.node)
  const named = nodes.map(optionsOf)
  const options = named.flatMap((some) => some ?? [])
  if (named.every((some) => some !== null)) return { kind: 'choice', options }
  if (nodes.every(({ type }) => type === 'string'))
    return { kind: 'text', multiline: facts.meta.multiline === true, secret: false }
  if (nodes.every(({ type }) => type === 'number')) return numberInput(facts.meta)
  const plain = nodes.every((one) => isPlain(one) || bareNode(one.item).some(isPlain))
  return plain ? { kind: 'either', options } : json(node)
}

function isPlain(node: SchemaNode): boolean {
  return node.type === 'string' || node.type === 'number' || optionsOf(node) !== null
}

function json(node: SchemaNode): FieldInput {
  return { kind: 'json', example: JSON.stringify(exampleOf(node, 0) ?? null) }
}

/** An example of the schema's shape, to be edited: `[{"operator":"…","operand":"…"}]`. */
function exampleOf(node: SchemaNode, depth: number): unknown {
  const inner = (schema: unknown): unknown => {
    const next = bareNode(schema)[0]
    return next === undefined || depth > 4 ? null : exampleOf(next, depth + 1)
  }
  switch (node.type) {
    case 'string':
      return '…'
    case 'number':
      return 1
    case 'boolean':
      return true
    case 'picklist':
      return node.options?.[0]
    case 'literal':
      return node.literal
    case 'array':
      return [inner(node.item)]
    case 'tuple':
      return (node.items ?? []).map(inner)
    case 'union':
    case 'variant':
      return inner(node.options?.[0])
    case 'record':
      return { '…': inner(node.value) }
    case 'object':
    case 'loose_object':
    case 'strict_object':
      return Object.fromEntries(
        Object.entries(node.entries ?? {})
          .filter(([, schema]) => schemaFacts(schema).required)
          .map(([name, schema]) => [name, inner(schema)]),
      )
    default:
      return {}
  }
}

type Picker = NonNullable<About['picker']>

/** A valibot schema or action as plain data; each kind has some of these properties. */
interface SchemaNode {
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
  /** The values of a record. */
  readonly value?: unknown
  readonly title?: unknown
  readonly description?: unknown
  readonly metadata?: unknown
  readonly requirement?: unknown
}

/** Facts about a parameter, from its schema. */
interface SchemaFacts {
  /** The schema inside the wrappers (optional, nullable, pipe). */
  readonly node: SchemaNode
  readonly title: string | null
  readonly description: string | null
  readonly meta: About
  readonly required: boolean
  /** Accepts `null`, typed as "null" or chosen as "none". */
  readonly nullable: boolean
  /** The default of the server or the schema; undefined if unknown. */
  readonly fallback: unknown
  readonly limits: {
    readonly min: number | null
    readonly max: number | null
    /** Characters of a text (in code points) or items of a list. */
    readonly minLength: number | null
    readonly maxLength: number | null
    readonly integer: boolean
  }
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] }

type Found = Writable<Omit<SchemaFacts, 'limits'>> & { limits: Writable<SchemaFacts['limits']> }

/** Reads a schema through its wrappers; outer ones take precedence. */
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
  // A pipe's first member is the inner schema; later actions override earlier ones.
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

const limitNames = {
  min_value: 'min',
  max_value: 'max',
  min_length: 'minLength',
  max_length: 'maxLength',
} as const

function take({ type, title, description, metadata, requirement }: SchemaNode, found: Found): void {
  const { limits } = found
  if (type === 'title' && typeof title === 'string') found.title ??= title
  if (type === 'description' && typeof description === 'string') found.description ??= description
  if (type === 'metadata') {
    // Written by `metadata(…)` in our own schemas; tests hold the whole catalogue to this form.
    found.meta = { ...(metadata as About), ...found.meta }
    limits.maxLength ??= found.meta.maxCodePoints ?? null
  }
  if (type === 'non_empty') limits.minLength ??= 1
  if (type === 'integer' || type === 'safe_integer') limits.integer = true
  const limit = Object.entries(limitNames).find(([action]) => action === type)?.[1]
  if (limit !== undefined && typeof requirement === 'number') limits[limit] ??= requirement
}

/** Every schema and action of valibot is an object with a kind and a type. */
function asNode(schema: unknown): SchemaNode {
  return schema as SchemaNode
}
