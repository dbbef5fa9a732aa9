type Schema = Readonly<Record<string, unknown>>

/** Words that say something and allow nothing less. */
const words = ['$schema', '$defs', 'title', 'description']

/** What is wrong with a value by a JSON schema, as lines; throws for a keyword that it doesn't know. */
export function schemaFaults(root: Schema, value: unknown): string[] {
  function faultsOf(schema: Schema, at: unknown, path: string): string[] {
    return Object.entries(schema).flatMap(([keyword, wanted]) => {
      if (words.includes(keyword)) return []
      const check = checks[keyword]
      if (check === undefined) throw new Error(`unknown keyword ${keyword} at ${path}`)
      return check(wanted as never, at, path, schema)
    })
  }

  type Check = (wanted: never, at: unknown, path: string, schema: Schema) => string[]
  function fault(isRight: boolean, path: string, what: string): string[] {
    return isRight ? [] : [`${path} ${what}`]
  }
  // Each is given what the schema says under its own name.
  const checks: Readonly<Record<string, Check>> = {
    $ref: (to: string, at, path) => {
      const defs = root['$defs'] as Readonly<Record<string, Schema>>
      return faultsOf(defs[to.replace('#/$defs/', '')] ?? {}, at, path)
    },
    const: (wanted, at, path) => fault(at === wanted, path, 'is another value'),
    enum: (wanted: readonly unknown[], at, path) =>
      fault(wanted.includes(at), path, `is ${String(at)}`),
    type: (wanted: string | readonly string[], at, path) =>
      fault([wanted].flat().includes(typeOf(at)), path, `is ${typeOf(at)}`),
    required: (names: readonly string[], at, path) =>
      names.flatMap((name) => fault(!isRecord(at) || name in at, path, `has no ${name}`)),
    properties: (parts: Readonly<Record<string, Schema>>, at, path) =>
      Object.entries(isRecord(at) ? at : {}).flatMap(([name, part]) =>
        faultsOf(parts[name] ?? {}, part, `${path}.${name}`),
      ),
    additionalProperties: (_no: false, at, path, schema) =>
      Object.keys(isRecord(at) ? at : {}).flatMap((name) =>
        fault(name in (schema['properties'] as object), path, `has ${name}`),
      ),
    items: (part: Schema, at, path) =>
      (Array.isArray(at) ? at : []).flatMap((item, n) => faultsOf(part, item, `${path}[${n}]`)),
    minItems: (least: number, at, path) =>
      fault(!Array.isArray(at) || at.length >= least, path, 'is too short'),
    maxItems: (most: number, at, path) =>
      fault(!Array.isArray(at) || at.length <= most, path, 'is too long'),
    maxLength: (most: number, at, path) =>
      fault(typeof at !== 'string' || at.length <= most, path, 'is too long'),
    minimum: (least: number, at, path) =>
      fault(typeof at !== 'number' || at >= least, path, 'is too small'),
    pattern: (pattern: string, at, path) =>
      fault(
        typeof at !== 'string' || new RegExp(pattern, 'u').test(at),
        path,
        'is not of its form',
      ),
    anyOf: (parts: readonly Schema[], at, path) =>
      fault(
        parts.some((part) => faultsOf(part, at, path).length === 0),
        path,
        'is none of its forms',
      ),
  }
  return faultsOf(root, value, '$')
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
