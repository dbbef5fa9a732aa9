import * as v from 'valibot'

/** Deeply readonly. */
export type Immutable<T> = T extends Uint8Array
  ? T
  : T extends object
    ? { readonly [Key in keyof T]: Immutable<T[Key]> }
    : T

/** Id of an account, a check, or one of our own objects. */
export const idSchema = v.pipe(v.string(), v.minLength(1), v.maxLength(64))
/** Id of a chat message, channel or user. */
export const numberId = v.pipe(v.number(), v.integer(), v.minValue(0))
/** Epoch ms within the range of a `Date`: formatting others would throw. */
export const timeSchema = v.pipe(v.number(), v.minValue(-8.64e15), v.maxValue(8.64e15))
export const tagSchema = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(100))

/**
 * Parses as much of a value as is valid: an invalid field takes its value from `otherwise`, and an
 * invalid item of a list is dropped; within items, only of what is read `inPart`. Calls `onLost` for each invalid value that was present.
 */
export function readable<T>(
  schema: v.GenericSchema<unknown, T>,
  value: unknown,
  otherwise: T,
  onLost = (): void => undefined,
): T {
  const lose = (count: number): void => {
    for (let n = 0; n < count; n += 1) onLost()
  }
  const read = (part: v.GenericSchema, at: unknown, instead: unknown): unknown => {
    const whole = v.safeParse(part, at)
    if (whole.success) return whole.output
    if (part.type === 'optional' && isOptional(part)) return read(part.wrapped, at, instead)
    if (isObject(part) && isFields(at) && isFields(instead))
      return Object.fromEntries(
        Object.entries(part.entries).map(([name, entry]) => [
          name,
          read(entry, at[name], instead[name]),
        ]),
      )
    const left = mended(part, at)
    if (left !== null) {
      lose(left.lost)
      return v.parse(part, left.input)
    }
    // A list with too many items, for one.
    if (isList(part) && Array.isArray(at))
      return at.flatMap((item: unknown) => {
        const one = mended(part.item, item)
        lose(one?.lost ?? 1)
        return one === null ? [] : [v.parse(part.item, one.input)]
      })
    if (at !== undefined) onLost()
    return instead
  }
  // Each part was parsed by its own schema, so the whole has the schema's type.
  return read(schema, value, otherwise) as T
}

/** What a schema accepts of a value, and how many invalid values had to be left out. */
interface Mended {
  readonly input: unknown
  readonly lost: number
}

const loose = new WeakSet<v.GenericSchema>()

/**
 * Marks a list or record whose invalid items `readable` leaves out, wherever it stands. Not for lists
 * that mean something else without an item: to whom a message goes.
 */
export function inPart<Schema extends v.GenericSchema>(schema: Schema): Schema {
  loose.add(schema)
  return schema
}

/** Leaves out invalid items of what is read `inPart`, however deep. Null if more is invalid. */
function mended(schema: v.GenericSchema, input: unknown): Mended | null {
  if (v.is(schema, input)) return { input, lost: 0 }
  const made = mendedParts(schema, input)
  return made !== null && v.is(schema, made.input) ? made : null
}

function mendedParts(schema: v.GenericSchema, input: unknown): Mended | null {
  if (isOptional(schema)) return mended(schema.wrapped, input)
  if (isChoice(schema)) {
    const left = schema.options.flatMap((one) => mended(one, input) ?? [])
    return left.sort((one, other) => one.lost - other.lost)[0] ?? null
  }
  if (Array.isArray(input)) {
    const itemAt = (at: number) =>
      isList(schema) ? schema.item : isTuple(schema) ? schema.items[at] : undefined
    const parts = input.map((item: unknown, at) => {
      const of = itemAt(at)
      return of === undefined ? null : mended(of, item)
    })
    return together(schema, parts, (inputs) => inputs.map(([, one]) => one))
  }
  if (!isRecord(input)) return null
  const names = Object.keys(input)
  const parts = names.map((name) => {
    if (isMap(schema)) return v.is(schema.key, name) ? mended(schema.value, input[name]) : null
    const field = isObject(schema) ? schema.entries[name] : undefined
    return field === undefined ? { input: input[name], lost: 0 } : mended(field, input[name])
  })
  return together(schema, parts, (inputs) =>
    Object.fromEntries(inputs.map(([at, one]) => [names[at] ?? '', one])),
  )
}

function together(
  schema: v.GenericSchema,
  parts: readonly (Mended | null)[],
  make: (left: readonly (readonly [at: number, input: unknown])[]) => unknown,
): Mended | null {
  if (!loose.has(schema) && parts.includes(null)) return null
  const left = parts.flatMap((one, at) => (one === null ? [] : [[at, one.input] as const]))
  return { input: make(left), lost: parts.reduce((sum, one) => sum + (one?.lost ?? 1), 0) }
}

/** Null if the text isn't JSON (or is the JSON value `null`). */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

export function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

type Defined<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> }

/** The object without its undefined fields. */
export function defined<const Fields extends object>(fields: Fields): Defined<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  // A subset of `fields`.
  return Object.fromEntries(entries) as Defined<Fields>
}

/** An object that isn't an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return isFields(value) && !Array.isArray(value)
}

/** The fields of an untrusted value; empty if it isn't an object. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isFields(value) ? value : {}
}

type Wrapper = v.GenericSchema & { readonly wrapped: v.GenericSchema }
type List = v.GenericSchema & { readonly item: v.GenericSchema }
type Tuple = v.GenericSchema & { readonly items: readonly v.GenericSchema[] }
type Choice = v.GenericSchema & { readonly options: readonly v.GenericSchema[] }
type MapOf = v.GenericSchema & {
  readonly key: v.GenericSchema
  readonly value: v.GenericSchema
}
type Fields = v.GenericSchema & { readonly entries: Readonly<Record<string, v.GenericSchema>> }

const isOptional = (schema: v.GenericSchema): schema is Wrapper =>
  ['optional', 'exact_optional', 'nullable'].includes(schema.type)
const isList = (schema: v.GenericSchema): schema is List => schema.type === 'array'
const isTuple = (schema: v.GenericSchema): schema is Tuple => schema.type === 'tuple'
const isMap = (schema: v.GenericSchema): schema is MapOf => schema.type === 'record'
const isObject = (schema: v.GenericSchema): schema is Fields => schema.type === 'object'
const isChoice = (schema: v.GenericSchema): schema is Choice =>
  schema.type === 'union' || schema.type === 'variant'

/** The valid items of a list, without those that an older or newer version wrote differently. */
export function readableItems<T>(
  schema: v.GenericSchema<unknown, T>,
  list: unknown,
  onLost?: () => void,
): readonly T[] {
  return readable(v.array(schema), list, [], onLost)
}
