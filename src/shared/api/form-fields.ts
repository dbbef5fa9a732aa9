import type { Operation } from './operation.ts'
import { type Picker, type SchemaFacts, type SchemaNode, schemaFacts } from './schema-facts.ts'

/** How a value is typed or chosen. */
export type FieldInput =
  | { readonly kind: 'text'; readonly multiline: boolean; readonly secret: boolean }
  | { readonly kind: 'number'; readonly unit: 'days' | null }
  /** Seconds, typed as a length of time. */
  | { readonly kind: 'duration' }
  /** Unix seconds, typed as a date and time. */
  | { readonly kind: 'time' }
  | { readonly kind: 'yesNo' }
  | { readonly kind: 'choice'; readonly options: readonly (string | number)[] }
  | { readonly kind: 'choices'; readonly options: readonly (string | number)[] }
  /** Values with commas between. */
  | { readonly kind: 'list'; readonly of: 'text' | 'number' }
  | {
      readonly kind: 'pick'
      readonly picker: Picker
      /** `joined`: several as one text with commas between. */
      readonly count: 'one' | 'many' | 'joined'
      readonly of: 'text' | 'number'
    }
  /** A word or a number or a list of them: `options` are the words with a meaning. */
  | { readonly kind: 'either'; readonly options: readonly (string | number)[] }
  /** The last resort: JSON, such as `example`. */
  | { readonly kind: 'json'; readonly example: string }

/** One parameter of an operation, as a form draws it. */
export interface FormField {
  readonly name: string
  readonly label: string
  readonly help: string
  readonly required: boolean
  /** `null` is a value of its own: typed as "null", or chosen as "none". */
  readonly nullable: boolean
  /** What the server (or the schema) takes when nothing is given; undefined where it does not say. */
  readonly fallback: unknown
  readonly input: FieldInput
  readonly limits: SchemaFacts['limits']
}

/** The fields of an operation's form, in the order of its schema, without what the program fills in. */
export function formFields(operation: Operation): readonly FormField[] {
  return Object.entries(operation.params.entries).flatMap(([name, schema]) => {
    const facts = schemaFacts(schema)
    return facts.meta.hidden === true ? [] : [formField(name, facts)]
  })
}

function formField(name: string, facts: SchemaFacts): FormField {
  return {
    name,
    label: facts.title ?? wordsOf(name),
    help: facts.description ?? '',
    required: facts.required,
    nullable: facts.nullable,
    fallback: facts.fallback,
    input: inputOf(name, facts),
    limits: facts.limits,
  }
}

/** "num_before" → "Num before". */
function wordsOf(name: string): string {
  const words = name.replaceAll('_', ' ').trim()
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}

function inputOf(name: string, facts: SchemaFacts): FieldInput {
  const { node, meta } = facts
  if (meta.picker !== undefined) return pickInput(meta.picker, node)
  switch (node.type) {
    case 'string':
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

/** The values that a schema names one by one; null where it names none. */
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

/** Something of the schema's form, to be overwritten: `[{"operator":"…","operand":"…"}]`. */
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
