import * as v from 'valibot'

/** What a schema lets through, as the rest of the program may use it: all of it readonly. */
export type Immutable<T> = T extends Uint8Array
  ? T
  : T extends object
    ? { readonly [Key in keyof T]: Immutable<T[Key]> }
    : T

/** Of an account, a check, or something of our own. */
export const idSchema = v.pipe(v.string(), v.minLength(1), v.maxLength(64))
/** Of a message, a channel or a user of the chat. */
export const numberId = v.pipe(v.number(), v.integer(), v.minValue(0))
export const tagSchema = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(100))

/**
 * What can be read of a value: a field of an object that does not fit becomes the one of `otherwise`,
 * an item of a list is left out, and all others stay as they are. `onLost`: one was there and did not fit.
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
  // Each part is read by the schema of its own place, so that the whole has the schema's type.
  return read(schema, value, otherwise) as T
}

/** Null for a text that is no JSON, as for `null`. */
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

/** Without the fields that are undefined: of a change, only what is changed. */
export function defined<const Fields extends object>(fields: Fields): Defined<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  // Some of its own fields.
  return Object.fromEntries(entries) as Defined<Fields>
}

/** Has fields, and is no list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return isFields(value) && !Array.isArray(value)
}

/** The fields of whatever somebody wrote: each is looked at before it is used. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isFields(value) ? value : {}
}

type Optional = v.GenericSchema & { readonly wrapped: v.GenericSchema }
type List = v.GenericSchema & { readonly item: v.GenericSchema }
type Fields = v.GenericSchema & { readonly entries: Readonly<Record<string, v.GenericSchema>> }

const isOptional = (schema: v.GenericSchema): schema is Optional => schema.type === 'optional'
const isList = (schema: v.GenericSchema): schema is List => schema.type === 'array'
const isObject = (schema: v.GenericSchema): schema is Fields => schema.type === 'object'

/** The items that can be read: one bad entry of an older or newer version never costs the others. */
export function readableItems<T>(schema: v.GenericSchema<unknown, T>, list: unknown): readonly T[] {
  return readable(v.array(schema), list, [])
}
