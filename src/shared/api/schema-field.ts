import * as v from 'valibot'
import { cut } from '../core/text-length.ts'

/** What a generated form needs to know about a parameter beyond its schema. */
export interface About {
  readonly unit?: 'seconds' | 'unixSeconds' | 'days'
  /** In code points, as the servers count. */
  readonly maxCodePoints?: number
  /** What to choose from instead of typing an id. */
  readonly picker?:
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
    | 'reminder'
    | 'attachment'
  readonly multiline?: true
  /** Chat: the feature level that introduced it; older servers ignore it. */
  readonly since?: number
  /** Chat: the feature level that removed it. */
  readonly before?: number
  /** Set by the program, never by the user. */
  readonly hidden?: true
}

type Field<Schema extends v.GenericSchema> = v.SchemaWithPipe<
  readonly [
    Schema,
    v.TitleAction<v.InferOutput<Schema>, string>,
    v.DescriptionAction<v.InferOutput<Schema>, string>,
    v.MetadataAction<v.InferOutput<Schema>, Readonly<Record<string, unknown>>>,
  ]
>

/** A parameter with its label, one sentence of help, and facts about its control. */
export function field<const Schema extends v.GenericSchema>(
  schema: Schema,
  label: string,
  help: string,
  about: About = {},
): Field<Schema> {
  type Value = v.InferOutput<Schema>
  return v.pipe(
    schema,
    v.title<Value, string>(label),
    v.description<Value, string>(help),
    v.metadata<Value, Readonly<Record<string, unknown>>>({ ...about }),
  )
}

/** A parameter that may be left out. */
export function optionalField<const Schema extends v.GenericSchema>(
  ...about: Parameters<typeof field<Schema>>
) {
  return v.optional(field(...about))
}

export function flag(label: string, help: string) {
  return optionalField(v.boolean(), label, help)
}

/**
 * Truncates longer strings. Limits are several times the services' own, so that only absurd text is
 * affected: a megabyte-long name must not hang a window.
 */
export function textCut(limit: number) {
  return v.pipe(
    v.string(),
    v.transform((text) => cut(text, limit)),
  )
}

/** Text of at most `limit` code points, which the servers count, unlike JavaScript's `length`. */
export function textUpTo(limit: number) {
  return v.pipe(
    v.string(),
    v.check((text) => [...text].length <= limit, `at most ${limit} characters`),
  )
}

/**
 * Parses `wire` by `schema`; null if it doesn't fit: one bad list item must not spoil the others.
 */
export function readOr<const Schema extends v.GenericSchema>(
  schema: Schema,
  wire: unknown,
): v.InferOutput<Schema> | null {
  const parsed = v.safeParse(schema, wire)
  return parsed.success ? parsed.output : null
}

/** A function that parses by `schema` and maps with `read`; null if the input doesn't fit. */
export function reader<const Schema extends v.GenericSchema, T, More extends readonly unknown[]>(
  schema: Schema,
  read: (wire: v.InferOutput<Schema>, ...more: More) => T | null,
) {
  return (wire: unknown, ...more: More): T | null => {
    const parsed = v.safeParse(schema, wire)
    return parsed.success ? read(parsed.output, ...more) : null
  }
}
