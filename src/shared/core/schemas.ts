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
export const tagSchema = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(100))

/**
 * Parses as much of a value as is valid: an invalid field takes its value from `otherwise`, and an
 * invalid list item is dropped. Calls `onLost` for each invalid value that was present.
 */
export function readable<T>(
  schema: v.GenericSchema<unknown, T>,
  value: unknown,
  otherwise: T,
  onLost = (): void => undefined,
): T {
  const read = (part: v.GenericSchema, at: unknown, instead: unknown): unknown => {
    const whole = v.safeParse(part, at)
    if (whole.success) return whole.output
    if (isOptional(part)) return read(part.wrapped, at, instead)
    if (isList(part) && Array.isArray(at))
      return at.flatMap((item: unknown) => {
        const one = v.safeParse(part.item, item)
        if (!one.success) onLost()
        return one.success ? [one.output] : []
      })
    if (!isObject(part) || !isFields(at) || !isFields(instead)) {
      if (at !== undefined) onLost()
      return instead
    }
    return Object.fromEntries(
      Object.entries(part.entries).map(([name, entry]) => [
        name,
        read(entry, at[name], instead[name]),
      ]),
    )
  }
  // Each part was parsed by its own schema, so the whole has the schema's type.
  return read(schema, value, otherwise) as T
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

type Optional = v.GenericSchema & { readonly wrapped: v.GenericSchema }
type List = v.GenericSchema & { readonly item: v.GenericSchema }
type Fields = v.GenericSchema & { readonly entries: Readonly<Record<string, v.GenericSchema>> }

const isOptional = (schema: v.GenericSchema): schema is Optional => schema.type === 'optional'
const isList = (schema: v.GenericSchema): schema is List => schema.type === 'array'
const isObject = (schema: v.GenericSchema): schema is Fields => schema.type === 'object'

/** The valid items of a list, without those that an older or newer version wrote differently. */
export function readableItems<T>(schema: v.GenericSchema<unknown, T>, list: unknown): readonly T[] {
  return readable(v.array(schema), list, [])
}
